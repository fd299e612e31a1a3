"""Which states plain Python is asked about: those of the smallest marks.

A mark is made of the state's words alone, so the same states are chosen however they are shared
out, and they are spread over all levels as the states are.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence

import msgspec
import numpy as np

from lockstep.machine.code.program import Program
from lockstep.machine.search.memory import Array
from lockstep.machine.search.sample import STATES, Sample, end_of_sample
from lockstep.spark.search.machine import Machine
from lockstep.spark.search.owners import hashes
from lockstep.system.sealed import Natural

_FACTOR = np.uint64(0xFF51AFD7ED558CCD)


class Sampled(msgspec.Struct, frozen=True, order=True, array_like=True):
    """A state that was chosen: its mark, its level, and its words."""

    mark: Natural
    level: Natural
    state: tuple[Natural, ...]


def sample_of(states: Array, words: int, level: int, below: int | None) -> list[Sampled]:
    """The states of a level with the smallest marks, which are less than `below`."""
    values = hashes(states, words)
    # The highest bits of a hash name the owner: a mark must not depend on those.
    marks = ((values << np.uint64(32)) | (values >> np.uint64(32))) * _FACTOR
    chosen = np.arange(len(marks)) if below is None else np.flatnonzero(marks < np.uint64(below))
    if len(chosen) > STATES:
        chosen = chosen[np.argpartition(marks[chosen], STATES)[:STATES]]
    rows = states.reshape(-1, words)
    return sorted(Sampled(int(marks[at]), level, tuple(rows[at].tolist())) for at in chosen)


def smallest(samples: Iterable[Sampled]) -> list[Sampled]:
    """Of several samples the states that one of them all would have."""
    return sorted(samples)[:STATES]


def bound_of(sample: Sequence[Sampled]) -> int | None:
    """What a mark must be less than to be among the smallest; None while there are few."""
    return sample[-1].mark if len(sample) >= STATES else None


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
