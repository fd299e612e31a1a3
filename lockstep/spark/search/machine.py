"""A program's machine code on whichever machine a task runs on.

The driver sends the program as LLVM's text, for the processors need not be the same, and the few
numbers that a search must know of it. Each machine translates it once, and keeps the code.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from functools import lru_cache

from lockstep.machine.code.machine import MachineCode, machine_code
from lockstep.machine.code.program import Program
from lockstep.machine.search.loops import Loops, loops_for, run_loops_for
from lockstep.machine.search.workers import ProgramShape, Worker, shape_of
from lockstep.system.user_cache import cache_folder


@dataclass(frozen=True)
class Shipment:
    """A program as it is sent: its text, compressed, and its shape."""

    text: bytes
    shape: ProgramShape
    deadlock_allowed: bool


def shipment_of(program: Program, *, deadlock_allowed: bool) -> Shipment:
    """A program, ready to be sent."""
    text = zlib.compress(program.text.encode(), 6)
    return Shipment(text, shape_of(program), deadlock_allowed)


@dataclass(frozen=True)
class Machine:
    """A program's code and the loops in this process, for states of `words` words.

    `runs` are the loops for rows of states, `dated` those for rows of a state and its level.
    """

    shape: ProgramShape
    code: MachineCode
    loops: Loops
    runs: Loops
    dated: Loops
    deadlock_allowed: bool

    @property
    def words(self) -> int:
        """The words of a state."""
        return self.shape.words

    def worker(self, buffer: int) -> Worker:
        """A worker whose buffers fill up to so many candidates a shard."""
        allowed = self.deadlock_allowed
        return Worker(self.shape, self.code, deadlock_allowed=allowed, buffer=buffer)


@lru_cache(maxsize=4)
def machine_of(shipment: Shipment) -> Machine:
    """The machine code of what was sent, made at most once on this machine."""
    words = shipment.shape.words
    return Machine(
        shipment.shape,
        machine_code(zlib.decompress(shipment.text).decode(), cache_folder() / "compiled"),
        loops_for(words),
        run_loops_for(words),
        run_loops_for(words + 1),
        shipment.deadlock_allowed,
    )
