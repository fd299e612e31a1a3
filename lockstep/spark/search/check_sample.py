"""Plain Python beside the machine code on the states that were chosen."""

from __future__ import annotations

import time
from collections.abc import Iterable

import numpy as np

from lockstep.machine.code.program import Program
from lockstep.machine.search.memory import Array
from lockstep.machine.search.sample import Sample, end_of_sample
from lockstep.spark.search.machine import Machine
from lockstep.spark.search.sampling import Sampled


class SampleCheck:
    """Compares states for a moment; `states` and `steps` say of how many both engines agree."""

    def __init__(self, program: Program, machine: Machine, seconds: float) -> None:
        """For a search that took so many seconds."""
        self._sample = Sample(program, machine.code)
        self._seconds = seconds

    def successors(self, chosen: Iterable[Sampled], *, before: int) -> Array:
        """The successors of the states on levels before one.

        `Disagreement` where the engines differ.
        """
        end = end_of_sample(self._seconds)
        found = [np.empty(0, np.uint64)]
        for sampled in chosen:
            successors = self._sample.compare(np.array(sampled.state, np.uint64))
            if sampled.level < before:
                found.append(successors)
            if time.thread_time() >= end:
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
