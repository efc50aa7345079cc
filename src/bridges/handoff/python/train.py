"""Goes on with a run of RL Playground in TRL: its model, its optimizer's moments, its reference, its learning rate, its problems.

    accelerate launch train.py                                   # one process for each GPU
    accelerate launch train.py --vllm                            # vLLM samples, on the same GPUs

Settings are in config.yaml, fields of trl.GRPOConfig by their names; others may be given as --set name=value. What has no counterpart in
TRL, and what means something else there, is in not_carried.md. Needs torch, transformers, trl, datasets, safetensors, PyYAML, peft
for an adapter, and what reward.py names.
"""

import argparse
import json
import math
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
try:
    # First, as what is missing is said before the others have been loaded.
    from reward import reward
except ImportError as error:
    raise SystemExit(str(error)) from None

import torch
import transformers
import trl
import yaml
from datasets import Dataset, load_dataset
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from torch.optim.lr_scheduler import LambdaLR

with open(os.path.join(HERE, "run.json"), encoding="utf-8") as file:
    RUN = json.load(file)


def beside(name):
    """A file of this folder where there is one of that name; else the name, of the Hub."""
    path = os.path.join(HERE, name)
    return path if os.path.exists(path) else name


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vllm", action="store_true", help="sample with vLLM (colocated)")
    parser.add_argument("--set", nargs="*", default=[], metavar="name=value", help="fields of GRPOConfig in place of config.yaml's")
    parser.add_argument("--replay", metavar="FILE", help="answers of one step in place of sampled ones, to compare an update")
    parser.add_argument("--save-weights", metavar="FILE", help="write what was trained, as safetensors in 32 bits")
    return parser.parse_args()


def value_of(text):
    """A number, a flag, null or a list as JSON has it; any other text as it is."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def grpo_config(words):
    with open(os.path.join(HERE, "config.yaml"), encoding="utf-8") as file:
        fields = yaml.safe_load(file)
    fields["output_dir"] = os.path.join(HERE, fields["output_dir"])
    processes = int(os.environ.get("WORLD_SIZE", "1"))
    sequences = fields["per_device_train_batch_size"]
    if sequences % processes:
        raise SystemExit(f"{sequences} answers of an update can't be shared by {processes} processes; start as many as divide them.")
    fields["per_device_train_batch_size"] = sequences // processes
    if not torch.cuda.is_available():
        fields["use_cpu"] = True
    if words.vllm:
        fields.update(use_vllm=True, vllm_mode="colocate")
    if words.replay:
        fields.update(max_steps=1, save_strategy="no", eval_strategy="no", disable_tqdm=True, output_dir=tempfile.mkdtemp())
    fields.update((name, value_of(text)) for name, text in (word.split("=", 1) for word in words.set))
    return trl.GRPOConfig(**fields)


def load_model():
    options = {"dtype": torch.float32}
    if RUN["revision"]:
        options["revision"] = RUN["revision"]
    model = transformers.AutoModelForCausalLM.from_pretrained(beside(RUN["model"]), **options)
    if RUN["adapter"] is None:
        return model
    from peft import PeftModel

    return PeftModel.from_pretrained(model, beside(RUN["adapter"]), is_trainable=True, autocast_adapter_dtype=False)


def file_name(parameter):
    """A parameter's name in our files, which are PEFT's own: without the name of the adapter."""
    return parameter.replace(".default.", ".")


def load_moments(optimizer, model):
    """AdamW's moments, by the names of their parameters. Returns how many updates they have seen."""
    path = os.path.join(HERE, RUN["optimizer"])
    if not os.path.exists(path):
        print("There is no optimizer.safetensors: AdamW begins anew.")
        return 0
    with safe_open(path, "pt") as file:
        step = int(file.metadata()["step"])
        for name, parameter in model.named_parameters():
            if not parameter.requires_grad:
                continue
            moments = {key: file.get_tensor(f"{key}.{file_name(name)}").to(parameter) for key in ("exp_avg", "exp_avg_sq")}
            optimizer.state[parameter] = {"step": torch.tensor(float(step)), **moments}
    return step


def learning_rate(step):
    """Of step 1, 2, …: the run's own schedule, whose first step of a warm-up is not 0 as transformers' is."""
    rate = RUN["learning_rate"]
    warm, total = rate["warmup_steps"], rate["total_steps"]
    if step <= warm:
        return step / (warm + 1)
    done = min(1, (step - warm - 1) / max(1, total - warm))
    return {"constant": 1, "linear": 1 - done, "cosine": 0.5 * (1 + math.cos(math.pi * done))}[rate["kind"]]


class Trainer(trl.GRPOTrainer):
    """TRL's, from where the run stands."""

    def create_optimizer(self, model=None):
        if self.optimizer is None:
            super().create_optimizer(model)
            if self.is_fsdp_enabled or self.is_deepspeed_enabled:
                print("The optimizer's state is sharded here, and is not loaded: AdamW begins anew.")
            else:
                load_moments(self.optimizer, self.model)
        return self.optimizer

    def create_scheduler(self, num_training_steps, optimizer=None):
        if self.lr_scheduler is None:
            made, each = RUN["learning_rate"]["steps_made"], RUN["learning_rate"]["updates_per_step"]
            self.lr_scheduler = LambdaLR(optimizer or self.optimizer, lambda update: learning_rate(made + 1 + update // each))
            self._created_lr_scheduler = True
        return self.lr_scheduler

    def _compute_loss(self, model, inputs):
        return super()._compute_loss(model, inputs) * RUN["loss_scale"]


def load_reference(trainer):
    """The policy that KL is measured against, which TRL would take to be the folder that it starts from."""
    if trainer.beta == 0:
        return
    model = trainer.accelerator.unwrap_model(trainer.model)
    path = os.path.join(HERE, "reference.safetensors")
    if not os.path.exists(path):
        # Under LoRA the base; TRL takes it where there is no adapter of this name.
        if "ref" in getattr(model, "peft_config", {}):
            model.delete_adapter("ref")
        return
    weights = load_file(path)
    if any(".lora_A." in name for name in weights):
        with torch.no_grad():
            for name, parameter in model.named_parameters():
                if ".ref." in name:
                    parameter.copy_(weights[name.replace(".ref.", ".")])
        return
    if trainer.ref_model is None:
        reference = transformers.AutoModelForCausalLM.from_pretrained(beside(RUN["model"]), dtype=torch.float32)
        trainer.ref_model = trainer.accelerator.prepare_model(reference, evaluation_mode=True)
    reference = trainer.accelerator.unwrap_model(trainer.ref_model)
    missing, unexpected = reference.load_state_dict(weights, strict=False)
    if unexpected or set(missing) - {"lm_head.weight"}:
        raise SystemExit(f"reference.safetensors is of another model: {unexpected or missing}")


def replay_rows(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def problems_of(rows, arguments):
    """The rows of the problems that answers were given to, a group of answers to each."""
    return Dataset.from_list([{key: row[key] for key in ("prompt", "part", "problem")} for row in rows[:: arguments.num_generations]])


def replayed(rows, tokenizer, arguments):
    """Prompts, completions and log-probabilities that are there already, as TRL's `rollout_func` gives them."""

    def rollouts(prompts, trainer):
        if len(prompts) != len(rows):
            raise SystemExit(f"There are {len(rows)} answers, and TRL asks {len(prompts)}.")
        options = {"add_generation_prompt": True, "tokenize": True, **(arguments.chat_template_kwargs or {})}
        told = [tokenizer.apply_chat_template(prompt, return_dict=False, **options) for prompt in prompts]
        differ = sum(1 for ids, row in zip(told, rows) if list(ids) != row["prompt_ids"])
        print(f"prompts: {len(rows)}, of which {differ} are other tokens here")
        return {key: [row[key] for row in rows] for key in ("prompt_ids", "completion_ids", "logprobs")}

    return rollouts


def main():
    words = read_arguments()
    arguments = grpo_config(words)
    tokenizer = transformers.AutoTokenizer.from_pretrained(beside(RUN["tokenizer"]), padding_side="left")
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    answers = replay_rows(words.replay) if words.replay else None
    evaluated = os.path.join(HERE, "eval.jsonl")
    trainer = Trainer(
        model=load_model(),
        reward_funcs=reward,
        args=arguments,
        processing_class=tokenizer,
        train_dataset=problems_of(answers, arguments) if answers else load_dataset("json", data_files=os.path.join(HERE, "train.jsonl"), split="train"),
        eval_dataset=load_dataset("json", data_files=evaluated, split="train") if os.path.getsize(evaluated) else None,
        rollout_func=replayed(answers, tokenizer, arguments) if answers else None,
    )
    load_reference(trainer)
    print(f"TRL {trl.__version__}, transformers {transformers.__version__}, torch {torch.__version__}")
    trainer.train()
    if words.save_weights and trainer.accelerator.is_main_process:
        model = trainer.accelerator.unwrap_model(trainer.model)
        save_file({file_name(name): tensor.detach().float().cpu().contiguous() for name, tensor in model.named_parameters() if tensor.requires_grad}, words.save_weights)
    if not words.replay:
        trainer.save_model(os.path.join(HERE, "trained"))


main()
