"""Works that tests give to other processes: what a task does, its model's name says."""

import os
import signal
import time
from pathlib import Path

from lockstep.answers.answer import decode, encode
from lockstep.campaign.processes import Share
from lockstep.campaign.task import Outcome, Task, answer_to

PLENTY = 2**20
"""The bytes that a task called `greedy` needs."""


def work(workspace: Path, task: bytes, share: Share) -> bytes:
    asked = decode(task, Task)
    again = workspace / f"{asked.model}-{asked.seed}"
    row = answer_to(asked, verdict="holds", states=share.memory or 0, depth=os.getpid())
    match asked.model:
        case "dies":
            os.kill(os.getpid(), signal.SIGKILL)
        case "dies_once" if not again.exists():
            again.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        case "exits":
            os._exit(7)
        case "sleeps":
            again.touch()
            time.sleep(600)
        case "greedy":
            row.out_of_memory = (share.memory or 0) < PLENTY
        case "broken":
            row.error, row.exit_code = "it cannot be loaded", 2
        case "violated":
            row.verdict, row.exit_code = "violated", 1
            return encode(Outcome(row, f"trace-{asked.seed}.itf.json", "{}"))
    return encode(Outcome(row))


def task(model: str, seed: int = 0, **others: str) -> Task:
    return Task(kind="check", model=model, scope="small", seed=seed, **others)  # type: ignore[arg-type]
