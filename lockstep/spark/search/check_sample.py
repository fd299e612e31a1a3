"""Plain Python beside the machine code on the states that were chosen."""

from __future__ import annotations

import time
from collections.abc import Iterable

import numpy as np

from lockstep.machine.code.program import Program
from lockstep.machine.search.memory import Array
from lockstep.machine.search.sample import Sample
from lockstep.spark.search.machine import Machine
from lockstep.spark.search.sampling import Sampled

_SECONDS = 0.2
_SHARE = 0.01
"""How long plain Python looks at a sample: so many seconds, and such a share of the search."""


class SampleCheck:
    """Compares states for a moment; `states` and `steps` say of how many both engines agree."""

    def __init__(self, program: Program, machine: Machine, seconds: float) -> None:
        """For a search that took so many seconds."""
        self._sample = Sample(program, machine.code)
        self._enough = _SECONDS + _SHARE * seconds

    def successors(self, chosen: Iterable[Sampled], *, before: int) -> Array:
        """The successors of the states on levels before one.

        `Disagreement` where the engines differ.
        """
        ends = time.thread_time() + self._enough
        found = [np.empty(0, np.uint64)]
        for sampled in chosen:
            successors = self._sample.compare(np.array(sampled.state, np.uint64))
            if sampled.level < before:
                found.append(successors)
            if time.thread_time() >= ends:
                break
        return np.concatenate(found)

    @property
    def states(self) -> int:
        """States on which both agree."""
        return self._sample.states

    @property
    def steps(self) -> int:
        """Steps on which both agree."""
        return self._sample.steps
