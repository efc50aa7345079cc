"""The device on which a peer computes."""

import torch


def choose(wanted: str, tf32: bool) -> torch.device:
    """`cuda` where it is wanted and there, else the CPU. Products of f32 round their factors to TF32 if asked, which CUDA alone can."""
    device = torch.device("cuda" if wanted == "cuda" and torch.cuda.is_available() else "cpu")
    if tf32 and device.type != "cuda":
        raise RuntimeError(f"TF32 needs CUDA, which torch {torch.__version__} finds none of; use --without 'torch tf32'")
    torch.set_float32_matmul_precision("high" if tf32 else "highest")
    return device


def name(device: torch.device) -> str:
    return f"CUDA, {torch.cuda.get_device_name(device)}" if device.type == "cuda" else "the CPU"


def finish(device: torch.device) -> None:
    """Waits for what is queued, because a call on CUDA returns before it has computed."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)
