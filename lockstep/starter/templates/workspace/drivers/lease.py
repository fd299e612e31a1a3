"""Drives the lock of `drivers/lock.py` in step with the model `lease`.

`lockstep drive lease --driver drivers/lease.py --pairs` finds what is wrong with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lock import Lock
from lockstep.drive import Driver, Took


class LeaseDriver(Driver):
    # What is asked of the lock, and which actions of the model may be its answer.
    outcomes = {"acquire": ("grant", "refuse"), "extend": ("renew", "refuse_renewal")}

    def reset(self, constants: Mapping[str, Any]) -> None:
        self.lock = Lock(constants["TICKS"])

    def do(self, action: str, arguments: Mapping[str, Any]) -> Took | None:
        if action == "acquire":
            return Took("grant" if self.lock.acquire(arguments["c"]) else "refuse")
        if action == "extend":
            return Took("renew" if self.lock.renew(arguments["c"]) else "refuse_renewal")
        self.lock.now += 1
        return None

    def observe(self) -> Mapping[str, object]:
        return {"left": max(0, self.lock.until - self.lock.now)}
