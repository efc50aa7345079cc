"""The run's loss for prime-rl (`[trainer.loss] type = "custom"`): of one answer, summed over its tokens; the trainer divides by the tokens
of the batch."""

import torch
from prime_rl.trainer.rl.loss import LossOutputs


def handed_loss(inputs, kind, low, high, delta, level, dro_beta=0, sapo_temperatures=(1, 1)):
    """`kind`: clipped, reinforce, cispo, sapo or dro; `low`, `high`: the smallest and the largest ratio; `delta`: the largest one that
    counts at all, 0 for none; `level`: whether each token has a ratio of its own, or the answer one."""
    mask, advantages, logprobs = inputs.loss_mask, inputs.advantages, inputs.trainer_logprobs
    log_ratio = logprobs - inputs.inference_logprobs
    if level == "sequence":
        log_ratio = ((log_ratio * mask).sum() / mask.sum().clamp(min=1)).expand_as(log_ratio)
    ratio = torch.exp(log_ratio)
    clipped = torch.clamp(ratio, low, high)
    if kind == "clipped":
        counted = torch.clamp(ratio, max=delta) if delta > 0 else ratio
        loss = -torch.min(counted * advantages, clipped * advantages)
    elif kind == "reinforce":
        loss = -advantages * logprobs
    elif kind == "cispo":
        loss = -clipped.detach() * advantages * logprobs
    elif kind == "sapo":
        positive, negative = sapo_temperatures
        temperature = torch.where(advantages > 0, positive, negative)
        loss = -torch.sigmoid(temperature * (ratio - 1)) * 4 / temperature * advantages
    elif kind == "dro":
        loss = -(advantages * logprobs - 0.5 * dro_beta * log_ratio.square())
    else:
        raise ValueError(f"There is no loss {kind}.")
    return LossOutputs(loss=loss[mask].sum(), metrics={"clipped_share": (ratio != clipped)[mask].float().mean()})
