"""Whole GRPO steps by TRL: sample groups of answers, score them, update.

The trainer's own loop runs in a thread and is let through for one step at a time.
"""

import os
import queue
import tempfile
import threading
import time

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import device
import torch
import transformers
import trl
from datasets import Dataset

# What compiles, grows or is cached on first use is done by then.
WARM_UP_STEPS = 5
# More than any benchmark asks for.
MOST_STEPS = 1000


chosen_device = torch.device("cpu")


def start(threads: int, chosen: torch.device) -> str:
    global chosen_device
    chosen_device = chosen
    torch.set_num_threads(threads)
    transformers.logging.set_verbosity_error()
    versions = f"TRL {trl.__version__}, transformers {transformers.__version__}, torch {torch.__version__}"
    return f"{versions} on {device.name(chosen)}"


def right_answer(completions, answer, **_) -> list[float]:
    """1 where the text behind the tag is the answer, else -1."""
    texts = [completion[0]["content"] for completion in completions]
    return [1.0 if text.split("[ANSWER]")[1:] == [f" {truth}"] else -1.0 for text, truth in zip(texts, answer)]


class OneAtATime(transformers.TrainerCallback):
    """Holds the trainer between two steps until somebody asks for the next."""

    def __init__(self) -> None:
        self.wanted: queue.Queue[bool] = queue.Queue()
        self.done: queue.Queue[bool] = queue.Queue()

    def on_step_begin(self, args, state, control, **_) -> None:
        if not self.wanted.get():
            raise SystemExit

    def on_step_end(self, args, state, control, **_) -> None:
        self.done.put(True)


class Steps:
    """`workload`: folder of the model, problems as `{messages, answer}`, and the settings of the step."""

    check = None

    def __init__(self, workload: dict) -> None:
        settings = workload["settings"]
        rows = [
            {"prompt": problem["messages"], "answer": problem["answer"]} for problem in workload["problems"]
        ]
        answers = settings["problems"] * settings["samples"]
        arguments = trl.GRPOConfig(
            output_dir=tempfile.mkdtemp(),
            use_cpu=chosen_device.type == "cpu",
            bf16=False,
            tf32=False,
            gradient_checkpointing=False,
            per_device_train_batch_size=answers,
            steps_per_generation=1,
            num_generations=settings["samples"],
            max_completion_length=settings["maxTokens"],
            max_steps=MOST_STEPS,
            learning_rate=settings["learningRate"],
            lr_scheduler_type="constant",
            shuffle_dataset=False,
            adam_beta1=settings["beta1"],
            adam_beta2=settings["beta2"],
            adam_epsilon=settings["epsilon"],
            weight_decay=settings["weightDecay"],
            max_grad_norm=settings["clipNorm"],
            beta=0.0,
            temperature=settings["temperature"],
            epsilon=settings["clipLow"],
            epsilon_high=settings["clipHigh"],
            top_p=1.0,
            top_k=0,
            loss_type="dapo",
            scale_rewards="none",
            logging_strategy="no",
            save_strategy="no",
            report_to=[],
            disable_tqdm=True,
            dataloader_pin_memory=False,
            model_init_kwargs={"dtype": "float32"},
        )
        self.turns = OneAtATime()
        self.trainer = trl.GRPOTrainer(
            model=workload["folder"],
            reward_funcs=right_answer,
            args=arguments,
            train_dataset=Dataset.from_list(rows),
            callbacks=[self.turns],
        )
        self.failure: BaseException | None = None
        self.tokens = 0
        threading.Thread(target=self.train, daemon=True).start()
        for _ in range(WARM_UP_STEPS):
            self.step()

    def train(self) -> None:
        try:
            self.trainer.train()
        except BaseException as error:
            self.failure = error
        self.turns.done.put(False)

    def step(self) -> None:
        self.turns.wanted.put(True)
        if not self.turns.done.get():
            raise RuntimeError(f"the trainer has ended: {self.failure!r}")

    def run(self) -> dict:
        lengths = self.trainer._metrics["train"]["completions/mean_length"]
        began, cpu_began = time.perf_counter(), time.process_time()
        self.step()
        device.finish(chosen_device)
        seconds, cpu = time.perf_counter() - began, time.process_time() - cpu_began
        answers = self.trainer.args.per_device_train_batch_size
        return {"seconds": seconds, "cpu": cpu, "tokens": lengths[-1] * answers}


def prepare(workload: dict) -> Steps:
    return Steps(workload)
