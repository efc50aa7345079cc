"""The run's problems and rewards as a taskset of verifiers (v1)."""

import json
from pathlib import Path
from typing import Literal

import verifiers.v1 as vf

from rl_playground_handoff.reward import grade

HERE = Path(__file__).parent


class HandoffData(vf.TaskData):
    part: int
    problem: str
    """What reward.py needs of it, as JSON."""


class HandoffTask(vf.Task[HandoffData]):
    @vf.stop
    async def single_turn(self, trace: vf.Trace) -> bool:
        return trace.num_turns >= 1

    @vf.reward(weight=1.0)
    async def paid(self, trace: vf.Trace) -> float:
        answers = trace.assistant_messages
        text = (answers[-1].content or "") if answers else ""
        ending = "max_tokens" if trace.is_truncated else "stop"
        return float(grade(text, self.data.part, json.loads(self.data.problem), ending)["total"])


class HandoffConfig(vf.TasksetConfig):
    split: Literal["train", "eval"] = "train"


class HandoffTaskset(vf.Taskset[HandoffTask, HandoffConfig]):
    def load(self) -> list[HandoffTask]:
        with open(HERE / f"{self.config.split}.jsonl", encoding="utf-8") as file:
            rows = [json.loads(line) for line in file]
        return [
            HandoffTask(HandoffData(idx=i, prompt=row["prompt"], part=row["part"], problem=row["problem"]), self.config.task)
            for i, row in enumerate(rows)
        ]
