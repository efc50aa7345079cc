"""Steps of GRPO with LoRA by transformers and peft, on the GPU if torch has one, in f32 and then with TF32.

Words: folder of the model, prompts, answers to each, tokens of a prompt, tokens of an answer, rank, steps. Prints a row of JSON for
each figure: the median of the steps after the first. Prompts and rewards are random, as the time does not depend on them.
"""

import json
import statistics
import sys
import time

import torch
import transformers
from peft import LoraConfig, get_peft_model

folder = sys.argv[1]
prompts, answers, prompt_tokens, answer_tokens, rank, steps = map(int, sys.argv[2:8])
device = "cuda" if torch.cuda.is_available() else "cpu"
shape = f"{prompts} x {answers} answers of {answer_tokens} tokens behind {prompt_tokens}, {device}"


def now() -> float:
    if device == "cuda":
        torch.cuda.synchronize()
    return time.perf_counter()


def logprobs(model, tokens: torch.Tensor) -> torch.Tensor:
    """Log-probabilities of the answers' tokens."""
    logits = model(tokens, logits_to_keep=answer_tokens + 1).logits[:, :-1]
    return torch.log_softmax(logits, -1).gather(-1, tokens[:, -answer_tokens:, None])[..., 0]


def step(model, optimizer) -> tuple[float, float]:
    """Seconds of sampling and of the update: one pass with the clipped ratio, as the first update of a batch has it."""
    began = now()
    ids = torch.randint(0, model.config.vocab_size, (prompts, prompt_tokens), device=device)
    ids = ids.repeat_interleave(answers, 0)
    with torch.no_grad():
        tokens = model.generate(
            ids,
            attention_mask=torch.ones_like(ids),
            do_sample=True,
            top_k=0,
            max_new_tokens=answer_tokens,
            min_new_tokens=answer_tokens,
            pad_token_id=0,
        )
    sampled = now()
    rewards = torch.rand(prompts, answers, device=device)
    advantages = (rewards - rewards.mean(1, keepdim=True)).flatten()[:, None]
    found = logprobs(model, tokens)
    ratio = torch.exp(found - found.detach())
    loss = -torch.minimum(ratio * advantages, ratio.clamp(0.8, 1.2) * advantages).mean()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad()
    return sampled - began, now() - sampled


def measure(precision: str) -> None:
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = precision == "TF32"
    torch.manual_seed(0)
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).to(device)
    model = get_peft_model(model, LoraConfig(r=rank, lora_alpha=rank, target_modules="all-linear"))
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-5)
    sampling, training = zip(*[step(model, optimizer) for _ in range(steps)][1:])
    name = f"transformers {transformers.__version__} + peft, {precision}"
    figures = {
        "a step": [a + b for a, b in zip(sampling, training)],
        "sampling": sampling,
        "training": training,
    }
    for what, values in figures.items():
        row = {"name": f"{name}: {what}", "shape": shape, "value": statistics.median(values), "unit": "s"}
        print(json.dumps(row), flush=True)


transformers.logging.set_verbosity_error()
for precision in ["f32", "TF32"] if device == "cuda" else ["f32"]:
    measure(precision)
