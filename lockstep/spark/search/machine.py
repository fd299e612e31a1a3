"""A program's machine code on whichever machine a task runs on, and what its worker counted.

The driver sends the program as LLVM's text, for the processors need not be the same, and the few
numbers that a search must know of it. Each machine translates it once, and keeps the code.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from functools import lru_cache

import msgspec
import numpy as np

from lockstep.machine.code.machine import MachineCode, machine_code
from lockstep.machine.code.program import Program
from lockstep.machine.search.crew import Totals
from lockstep.machine.search.loops import Loops, loops_for
from lockstep.machine.search.workers import ProgramShape, Worker, shape_of
from lockstep.system.user_cache import cache_folder


@dataclass(frozen=True)
class Machine:
    """A program, ready to be sent: its text, compressed, and its shape; and its code here."""

    text: bytes
    shape: ProgramShape
    deadlock_allowed: bool

    @classmethod
    def of(cls, program: Program, *, deadlock_allowed: bool) -> Machine:
        """The machine of a program."""
        text = zlib.compress(program.text.encode(), 6)
        return cls(text, shape_of(program), deadlock_allowed)

    @property
    def code(self) -> MachineCode:
        """The machine code, made at most once on this machine."""
        return _translated(self.text)

    @property
    def words(self) -> int:
        """The words of a state."""
        return self.shape.words

    @property
    def loops(self) -> Loops:
        """The loops for states."""
        return loops_for(self.shape.words)

    def worker(self, buffer: int = 0) -> Worker:
        """A worker whose buffers fill up to so many candidates a shard."""
        allowed = self.deadlock_allowed
        return Worker(self.shape, self.code, deadlock_allowed=allowed, buffer=buffer)


@lru_cache(maxsize=4)
def _translated(text: bytes) -> MachineCode:
    return machine_code(zlib.decompress(text).decode(), cache_folder() / "compiled")


class Account(msgspec.Struct, frozen=True, tag=True):
    """What one worker counted, and of each kind of failure the first one, as `Findings` has it."""

    totals: Totals
    noted: list[list[int]]

    @classmethod
    def of(cls, worker: Worker) -> Account:
        """The account of what a worker has done."""
        totals = Totals(worker.fired.tolist(), worker.marks.tolist(), worker.report.tolist())
        return cls(totals, [each.packed.tolist() for each in vars(worker.findings).values()])

    def add_to(self, worker: Worker) -> None:
        """Let another worker have done all this, too; in whatever order, the sum is the same."""
        worker.fired += np.array(self.totals.fired, np.int64)
        np.maximum(worker.marks, self.totals.marks, out=worker.marks)
        worker.report += np.array(self.totals.report, np.int64)
        for finding, noted in zip(vars(worker.findings).values(), self.noted, strict=True):
            # Where nothing is noted stands what is larger than any rank.
            finding.packed[:] = np.array(min(noted, finding.packed.tolist()), np.uint64)
