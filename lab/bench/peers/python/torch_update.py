"""
One update of a Llama in plain torch: forward, REINFORCE, backward, clip of the global norm, AdamW; of all weights, or of LoRA's
factors beside frozen ones.
"""

import json
import time
from pathlib import Path

import device
import torch
from safetensors.torch import load_file
from torch.nn.functional import cross_entropy, embedding, linear, rms_norm, scaled_dot_product_attention, silu

# One repeat lasts at least this long.
WORK_SECONDS = 0.3


def start(threads: int, chosen: torch.device) -> str:
    torch.set_num_threads(threads)
    # Whatever is made from now on lies there.
    torch.set_default_device(chosen)
    return f"torch {torch.__version__} on {device.name(chosen)}"


class Llama:
    """Weights by Hugging Face's names, all of them trained; or none, and `adapter` is a file of A [in, r] and B [r, out] by module."""

    def __init__(self, folder: str, adapter: str | None) -> None:
        self.config = json.loads(Path(folder, "config.json").read_text())
        at = str(torch.get_default_device())
        arrays = load_file(Path(folder, "model.safetensors"), device=at)
        self.weights = {name: array.float().requires_grad_(adapter is None) for name, array in arrays.items()}
        self.factors = {name: array.requires_grad_() for name, array in load_file(adapter, device=at).items()} if adapter else {}
        self.trained = list((self.factors if adapter else self.weights).values())

    def linear(self, x: torch.Tensor, module: str) -> torch.Tensor:
        y = linear(x, self.weights[f"{module}.weight"])
        first = self.factors.get(f"{module}.lora_A")
        # Alpha is the rank: the product counts once.
        return y if first is None else y + x @ first @ self.factors[f"{module}.lora_B"]

    def rotated(self, x: torch.Tensor, cosines: torch.Tensor, sines: torch.Tensor) -> torch.Tensor:
        left, right = x.chunk(2, dim=-1)
        return x * cosines + torch.cat((-right, left), dim=-1) * sines

    def logits(self, ids: torch.Tensor) -> torch.Tensor:
        config, weights = self.config, self.weights
        batch, length = ids.shape
        heads, groups = config["num_attention_heads"], config["num_key_value_heads"]
        width, epsilon = config["hidden_size"] // heads, config["rms_norm_eps"]
        # transformers 5 writes it among other parameters.
        theta = config.get("rope_theta") or config["rope_parameters"]["rope_theta"]
        rates = theta ** -(torch.arange(0, width, 2) / width)
        angles = torch.outer(torch.arange(length), rates).repeat(1, 2)
        cosines, sines = angles.cos(), angles.sin()
        x = embedding(ids, weights["model.embed_tokens.weight"])
        for layer in range(config["num_hidden_layers"]):
            at = lambda name: weights[f"model.layers.{layer}.{name}.weight"]
            mapped = lambda x, name: self.linear(x, f"model.layers.{layer}.{name}")
            split = lambda y, count: y.view(batch, length, count, width).transpose(1, 2)
            y = rms_norm(x, x.shape[-1:], at("input_layernorm"), epsilon)
            queries = self.rotated(split(mapped(y, "self_attn.q_proj"), heads), cosines, sines)
            keys = self.rotated(split(mapped(y, "self_attn.k_proj"), groups), cosines, sines)
            values = split(mapped(y, "self_attn.v_proj"), groups)
            if x.is_cuda:
                # The fused kernel of f32 there shares no keys between heads.
                keys, values = (y.repeat_interleave(heads // groups, dim=1) for y in (keys, values))
            mixed = scaled_dot_product_attention(
                queries, keys, values, is_causal=True, enable_gqa=heads != keys.shape[1]
            )
            x = x + mapped(mixed.transpose(1, 2).reshape(batch, length, -1), "self_attn.o_proj")
            y = rms_norm(x, x.shape[-1:], at("post_attention_layernorm"), epsilon)
            gated = silu(mapped(y, "mlp.gate_proj")) * mapped(y, "mlp.up_proj")
            x = x + mapped(gated, "mlp.down_proj")
        y = rms_norm(x, x.shape[-1:], weights["model.norm.weight"], epsilon)
        return linear(y, weights.get("lm_head.weight", weights["model.embed_tokens.weight"]))


class Update:
    """`workload`: folder of the model, file of the adapter or None, inputs, targets and weights of each target as flat lists, and the optimizer's settings."""

    def __init__(self, workload: dict) -> None:
        torch.set_num_threads(workload["threads"])
        self.model = Llama(workload["folder"], workload["adapter"])
        shape = (workload["rollouts"], workload["length"])
        self.inputs = torch.tensor(workload["inputs"]).view(shape)
        self.targets = torch.tensor(workload["targets"])
        self.shares = torch.tensor(workload["weights"])
        settings = workload["training"]
        self.clip_norm = settings["clipNorm"]
        matrices = [weight for weight in self.model.trained if weight.dim() > 1]
        vectors = [weight for weight in self.model.trained if weight.dim() == 1]
        self.parameters = [*matrices, *vectors]
        self.optimizer = torch.optim.AdamW(
            [
                {"params": matrices, "weight_decay": settings["weightDecay"]},
                {"params": vectors, "weight_decay": 0.0},
            ],
            lr=settings["learningRate"],
            betas=(settings["beta1"], settings["beta2"]),
            eps=settings["epsilon"],
            fused=self.inputs.is_cuda,
        )
        first, second = self.once(), self.once()
        self.check = [*first, *second]

    def once(self) -> tuple[float, float]:
        """Loss and norm of the gradient before it is clipped."""
        logits = self.model.logits(self.inputs).flatten(0, 1)
        loss = (cross_entropy(logits, self.targets, reduction="none") * self.shares).sum()
        self.optimizer.zero_grad()
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(self.parameters, self.clip_norm)
        self.optimizer.step()
        return loss.item(), norm.item()

    def run(self) -> dict:
        began, cpu_began, count = time.perf_counter(), time.process_time(), 0
        while count == 0 or time.perf_counter() - began < WORK_SECONDS:
            self.once()
            count += 1
        device.finish(self.inputs.device)
        seconds = (time.perf_counter() - began) / count
        return {"seconds": seconds, "cpu": (time.process_time() - cpu_began) / count}


def prepare(workload: dict) -> Update:
    return Update(workload)
