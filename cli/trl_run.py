"""A whole GRPO run by TRL beside one of ours, driven by cli/trl.ts: a tool to compare with, no dependency.

Lines of JSON go both ways. The first that comes in names the model's folder, the problems and TRL's settings; then this program asks
`{"score": [{"split", "index", "text", "ended"}, ...]}` and is told `[[reward, correct, format], ...]`, and at last says
`{"done": {"before", "after", "rewards", "versions", "seconds"}}`.
"""

import json
import os
import sys
import tempfile
import time

# What libraries print must not stand between the lines.
CHANNEL = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
os.environ.setdefault("HF_HUB_OFFLINE", "1")

import torch
import transformers
import trl
from datasets import Dataset

EVALUATED_TOGETHER = 64


def say(message: dict) -> None:
    CHANNEL.write(json.dumps(message) + "\n")
    CHANNEL.flush()


def scores(answers: list[dict]) -> list[list]:
    say({"score": answers})
    return json.loads(sys.stdin.readline())


class Evaluation:
    """Answers to the held-out problems, sampled at temperature 1 and greedily."""

    def __init__(self, job: dict, tokenizer) -> None:
        self.tokenizer = tokenizer
        self.most = job["maxTokens"]
        self.prompts = [
            tokenizer.apply_chat_template(row["messages"], tokenize=False, add_generation_prompt=True)
            for row in job["heldOut"]
        ]

    def of(self, model) -> dict:
        return {"sampled": self.share(model, do_sample=True), "greedy": self.share(model, do_sample=False)}

    def share(self, model, do_sample: bool) -> dict:
        model.eval()
        answers = []
        for first in range(0, len(self.prompts), EVALUATED_TOGETHER):
            prompts = self.prompts[first : first + EVALUATED_TOGETHER]
            batch = self.tokenizer(prompts, return_tensors="pt", padding=True, padding_side="left", add_special_tokens=False)
            sampling = {"temperature": 1.0, "top_p": 1.0, "top_k": 0} if do_sample else {}
            with torch.no_grad():
                output = model.generate(
                    input_ids=batch["input_ids"],
                    attention_mask=batch["attention_mask"],
                    max_new_tokens=self.most,
                    do_sample=do_sample,
                    pad_token_id=self.tokenizer.pad_token_id,
                    eos_token_id=self.tokenizer.eos_token_id,
                    **sampling,
                )
            for i, ids in enumerate(output[:, batch["input_ids"].shape[1] :].tolist()):
                answers.append(answer(self.tokenizer, "eval", first + i, ids))
        results = scores(answers)
        return {
            "accuracy": sum(correct for _, correct, _ in results) / len(results),
            "format": sum(form for _, _, form in results) / len(results),
        }


def answer(tokenizer, split: str, index: int, ids: list[int]) -> dict:
    return {
        "split": split,
        "index": index,
        "text": tokenizer.decode(ids, skip_special_tokens=True),
        "ended": tokenizer.eos_token_id in ids,
    }


def main() -> None:
    job = json.loads(sys.stdin.readline())
    torch.set_num_threads(job["threads"])
    transformers.logging.set_verbosity_error()
    transformers.set_seed(job["seed"])
    tokenizer = transformers.AutoTokenizer.from_pretrained(job["folder"])
    rewards: list[float] = []

    def ours(completions, completion_ids, index, **_) -> list[float]:
        given = [answer(tokenizer, "train", i, ids) for i, ids in zip(index, completion_ids)]
        told = [reward for reward, _, _ in scores(given)]
        rewards.append(sum(told) / len(told))
        return told

    arguments = trl.GRPOConfig(
        output_dir=tempfile.mkdtemp(),
        seed=job["seed"],
        use_cpu=True,
        bf16=False,
        gradient_checkpointing=False,
        shuffle_dataset=False,
        logging_strategy="no",
        save_strategy="no",
        report_to=[],
        disable_tqdm=True,
        dataloader_pin_memory=False,
        model_init_kwargs={"dtype": "float32"},
        **job["settings"],
    )
    trainer = trl.GRPOTrainer(
        model=job["folder"],
        reward_funcs=ours,
        args=arguments,
        train_dataset=Dataset.from_list([{"prompt": row["messages"], "index": row["index"]} for row in job["problems"]]),
    )
    evaluation = Evaluation(job, tokenizer)
    before = evaluation.of(trainer.model)
    began = time.perf_counter()
    trainer.train()
    seconds = time.perf_counter() - began
    versions = f"TRL {trl.__version__}, transformers {transformers.__version__}, torch {torch.__version__}"
    say({"done": {"before": before, "after": evaluation.of(trainer.model), "rewards": rewards, "versions": versions, "seconds": seconds}})


main()
