"""Answers of transformers for tiny models, which `architectures.test.ts` compares with: python architectures.py > architectures.json

Weights are a rule that both sides compute: number i of a tensor is the fraction of sin(12.9898 (i + 1) + 78.233 · length of its name) ·
43758.5453, less 1/2, times a factor, plus 1 for the scales of norms that are stored whole.
"""

import json
import sys

import torch
from transformers import AutoConfig, AutoModelForCausalLM

SIZES = {
    "vocab_size": 37,
    "hidden_size": 24,
    "intermediate_size": 40,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 128,
    "tie_word_embeddings": True,
    "pad_token_id": None,
    "bos_token_id": 1,
    "eos_token_id": 2,
}
GEMMA = {"model_type": "gemma3_text", "head_dim": 8, "query_pre_attn_scalar": 12, "sliding_window": 5}
CONFIGS = {
    "SmolLM3, every second layer without RoPE": {"model_type": "smollm3", "no_rope_layer_interval": 2},
    "SmolLM3 with windows where RoPE is not": {
        "model_type": "smollm3",
        "no_rope_layers": [1, 0, 1, 0],
        "use_sliding_window": True,
        "sliding_window": 5,
        "attention_bias": True,
    },
    "Granite with its four factors and biases": {
        "model_type": "granite",
        "embedding_multiplier": 5.0,
        "attention_multiplier": 0.2,
        "residual_multiplier": 0.4,
        "logits_scaling": 0.5,
        "attention_bias": True,
        "mlp_bias": True,
    },
    "Granite 4 of attention alone": {
        "model_type": "granitemoehybrid",
        "layer_types": ["attention"] * 4,
        "num_local_experts": 0,
        "num_experts_per_tok": 0,
        "shared_intermediate_size": 40,
        "position_embedding_type": "rope",
        "mamba_n_heads": 2,
        "embedding_multiplier": 3.0,
        "attention_multiplier": 0.3,
        "residual_multiplier": 0.5,
        "logits_scaling": 2.0,
    },
    "Gemma 3, its global layers scaled": {
        **GEMMA,
        "layer_types": ["sliding_attention", "full_attention"] * 2,
        "rope_parameters": {
            "full_attention": {"rope_type": "linear", "rope_theta": 1e6, "factor": 8.0},
            "sliding_attention": {"rope_type": "default", "rope_theta": 1e4},
        },
    },
    "Gemma 3 with its own head": {**GEMMA, "sliding_window_pattern": 3, "tie_word_embeddings": False},
    "Mistral with a window": {"model_type": "mistral", "sliding_window": 6},
    "Qwen3 with windows by layer": {
        "model_type": "qwen3",
        "head_dim": 8,
        "use_sliding_window": True,
        "sliding_window": 4,
        "layer_types": ["full_attention", "sliding_attention"] * 2,
    },
}
IDS = [(7 * i * i + 3 * i) % 37 for i in range(24)]


def fill(name: str, shape: torch.Size, gemma: bool) -> torch.Tensor:
    count = shape.numel()
    angle = 12.9898 * torch.arange(1, count + 1, dtype=torch.float64) + 78.233 * len(name)
    uniform = torch.remainder(torch.sin(angle) * 43758.5453, 1) - 0.5
    if len(shape) > 1:
        return (uniform * 3 / shape[1] ** 0.5).reshape(shape)
    return uniform * 0.4 + (1 if "norm" in name and not gemma else 0)


def answers(changes: dict) -> dict:
    config = {**SIZES, **changes}
    torch.set_default_dtype(torch.float64)
    model = AutoModelForCausalLM.from_config(AutoConfig.for_model(**config), attn_implementation="eager").double()
    gemma = config["model_type"].startswith("gemma")
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.copy_(fill(name, parameter.shape, gemma).float().double())
    logits = model(torch.tensor([IDS])).logits[0]
    logprobs = torch.log_softmax(logits[:-1], -1).gather(1, torch.tensor(IDS[1:])[:, None])[:, 0]
    (-logprobs.mean()).backward()
    gradients = {name: parameter.grad.norm().item() for name, parameter in model.named_parameters()}
    return {
        "config": config,
        "logits": [round(x, 7) for x in logits[-1].tolist()],
        "logprobs": [round(x, 7) for x in logprobs.tolist()],
        "gradients": {name: float(f"{value:.6g}") for name, value in gradients.items()},
    }


json.dump({"ids": IDS, "models": {name: answers(config) for name, config in CONFIGS.items()}}, sys.stdout)
