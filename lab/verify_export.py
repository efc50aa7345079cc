#!/usr/bin/env python3
"""Loads an export with transformers (and peft) and compares what it computes with what this project says.

A tool to verify with, no dependency: it needs torch, transformers, safetensors and, for adapters, peft.

    python lab/verify_export.py EXPORT --write-rows rows.jsonl
    npx rl-playground model MODEL --in rows.jsonl > answers.jsonl            # add --adapter EXPORT for an adapter
    python lab/verify_export.py EXPORT --rows rows.jsonl --expected answers.jsonl

EXPORT is a merged model's folder or an adapter's; an adapter's base is the one that it names, or --base FOLDER. Greedy tokens must be
equal, log-probabilities within --tolerance nats. Weights are widened to float32, as this project computes. Exit code 1 where they differ.
"""
import argparse
import json
import os
import random
import sys


def versions():
    import torch
    import transformers

    named = [f"transformers {transformers.__version__}", f"torch {torch.__version__}"]
    try:
        import peft

        named.append(f"peft {peft.__version__}")
    except ImportError:
        pass
    return ", ".join(named)


def is_adapter(folder):
    return os.path.exists(os.path.join(folder, "adapter_config.json"))


def load(folder, base):
    """The model in float32, and what says which tokens end an answer."""
    from transformers import AutoModelForCausalLM

    if not is_adapter(folder):
        return AutoModelForCausalLM.from_pretrained(folder, dtype="float32").eval()
    from peft import PeftConfig, PeftModel

    config = PeftConfig.from_pretrained(folder)
    name = base or config.base_model_name_or_path
    revision = None if base else config.revision
    model = AutoModelForCausalLM.from_pretrained(name, dtype="float32", revision=revision)
    return PeftModel.from_pretrained(model, folder).eval()


def write_rows(path, vocabulary, seed):
    draw = random.Random(seed)
    with open(path, "w") as file:
        for length in (5, 11, 23, 40):
            ids = [draw.randrange(vocabulary) for _ in range(length)]
            for row in ({"op": "logprobs", "ids": ids}, {"op": "greedy", "ids": ids, "max": 24}):
                file.write(json.dumps(row) + "\n")


def logprobs(model, ids):
    import torch

    with torch.no_grad():
        logits = model(input_ids=torch.tensor([ids])).logits[0].double()
    table = torch.log_softmax(logits, -1)
    return [table[i, token].item() for i, token in enumerate(ids[1:])]


def greedy(model, ids, most, stops):
    """The new tokens, and by how much each was ahead of the next best."""
    import torch

    tokens, margins = [], []
    while len(tokens) < most:
        with torch.no_grad():
            logits = model(input_ids=torch.tensor([ids + tokens])).logits[0, -1]
        best = torch.topk(logits, 2)
        tokens.append(best.indices[0].item())
        margins.append((best.values[0] - best.values[1]).item())
        if tokens[-1] in stops:
            break
    return tokens, margins


def stop_tokens(model):
    ends = model.generation_config.eos_token_id
    return set() if ends is None else {ends} if isinstance(ends, int) else set(ends)


def lines(path):
    with open(path) as file:
        return [json.loads(line) for line in file if line.strip()]


def compare(model, rows, answers, tolerance):
    """What differs, one line each."""
    wrong, worst, tokens = [], 0.0, 0
    stops = stop_tokens(model)
    for number, (row, answer) in enumerate(zip(rows, answers, strict=True), 1):
        if "error" in answer:
            wrong.append(f"row {number}: {answer['error']}")
        elif row["op"] == "logprobs":
            pairs = zip(logprobs(model, row["ids"]), answer["logprobs"], strict=True)
            difference = max(abs(theirs - ours) for theirs, ours in pairs)
            worst = max(worst, difference)
            if not difference <= tolerance:
                wrong.append(f"row {number}: log-probabilities differ by {difference:.3g}")
        elif row["op"] == "greedy":
            theirs, margins = greedy(model, row["ids"], row["max"], stops)
            tokens += len(theirs)
            if theirs != answer["ids"]:
                at = next((i for i, pair in enumerate(zip(theirs, answer["ids"])) if pair[0] != pair[1]), -1)
                wrong.append(f"row {number}: token {at} differs, where the best is {margins[at]:.3g} ahead")
    print(f"log-probabilities: largest difference {worst:.3g}; greedy: {tokens} tokens")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("export")
    parser.add_argument("--base", help="folder of an adapter's base, in place of the one that it names")
    parser.add_argument("--write-rows", metavar="FILE", help="write questions for this model and stop")
    parser.add_argument("--rows", metavar="FILE", help="the questions")
    parser.add_argument("--expected", metavar="FILE", help="what npx rl-playground model answered")
    parser.add_argument("--tolerance", type=float, default=1e-4, help="nats (default %(default)s)")
    parser.add_argument("--seed", type=int, default=0)
    words = parser.parse_args()
    print(versions())
    model = load(words.export, words.base)
    if words.write_rows:
        write_rows(words.write_rows, model.config.vocab_size, words.seed)
        return 0
    if not words.rows or not words.expected:
        parser.error("--rows and --expected are needed, or --write-rows")
    wrong = compare(model, lines(words.rows), lines(words.expected), words.tolerance)
    print("\n".join(wrong) if wrong else "equal")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
