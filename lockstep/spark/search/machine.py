"""A program's machine code on whichever machine a task runs on.

The driver sends the program as LLVM's text, for the processors need not be the same, and the few
numbers that a search must know of it. Each machine translates it once: what is translated is kept
by digest, and a lock keeps two tasks from translating the same at once.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from lockstep.machine.code.machine import MachineCode, machine_code
from lockstep.machine.code.program import Program
from lockstep.machine.search.loops import Loops, RunLoops, loops_for, run_loops_for
from lockstep.machine.search.workers import ProgramShape, Worker, shape_of
from lockstep.system.user_cache import cache_folder, make_private


@dataclass(frozen=True)
class Shipment:
    """A program as it is sent: its text, compressed, and its shape."""

    text: bytes
    shape: ProgramShape
    deadlock_allowed: bool

    @property
    def digest(self) -> str:
        """A digest of the text."""
        return hashlib.sha256(self.text).hexdigest()


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
    runs: RunLoops
    dated: RunLoops
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
    folder = cache_folder() / "compiled"
    words = shipment.shape.words
    with _alone(folder, shipment.digest):
        code = machine_code(zlib.decompress(shipment.text).decode(), folder)
    with _alone(folder, f"loops-{words}"):
        loops, runs = loops_for(words), run_loops_for(words)
    with _alone(folder, f"loops-{words + 1}"):
        dated = run_loops_for(words + 1)
    return Machine(shipment.shape, code, loops, runs, dated, shipment.deadlock_allowed)


@contextmanager
def _alone(folder: Path, name: str) -> Iterator[None]:
    """Let one process of this machine do something at a time; without a folder, any number."""
    lock = None
    with suppress(OSError):
        make_private(folder)
        lock = os.open(folder / f"{name[:40]}.lock", os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX)
    try:
        yield
    finally:
        if lock is not None:
            os.close(lock)
