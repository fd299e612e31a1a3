"""A state space: all reachable states, and the steps between them. Here plain Python makes it."""

from __future__ import annotations

import dataclasses
import time
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from lockstep.language.model import Model
from lockstep.language.notation import State
from lockstep.plain.exploration import Bounds, Exploration
from lockstep.plain.run import PlainEngine
from lockstep.plain.search import Search
from lockstep.plain.supervision import Bound
from lockstep.results.search_result import Progress
from lockstep.results.trace import Step, Trace
from lockstep.results.verdict import Verdict
from lockstep.system.resident import granted_memory

Instance: TypeAlias = tuple[str, tuple[Any, ...]]
"""An action and its parameters."""
Mask: TypeAlias = "NDArray[np.bool_]"
"""A truth value for each state, or for each step."""


class Unfinished(Exception):
    """The state space was not made, or not looked at, to its end; the text says why.

    `as_bounded` says that time is what ended it: a bound that was asked for.
    """

    def __init__(self, why: str, *, as_bounded: bool = False) -> None:
        super().__init__(why)
        self.as_bounded = as_bounded


MOST_STATES = 2**31 - 2
"""States that a state space numbers."""


@dataclass(frozen=True)
class Limits:
    """What making a space and looking at it may take: states, bytes, and the time until it ends.

    The time is one of `time.perf_counter`; None is no bound.
    """

    max_states: int
    memory: int | None = None
    ends: float | None = None

    @classmethod
    def of(cls, bounds: Bounds, max_states: int, began: float | None = None) -> Limits:
        """The limits within the bounds of a search, whose time runs from `began`, or from now."""
        began = time.perf_counter() if began is None else began
        ends = None if bounds.max_seconds is None else began + bounds.max_seconds
        return cls(max_states, granted_memory(bounds.memory), ends)

    @property
    def seconds(self) -> float | None:
        """The seconds until the time is over; None where there is no bound."""
        return None if self.ends is None else max(0.0, self.ends - time.perf_counter())

    def watch(self, size: int = 0) -> None:
        """`Unfinished` when the time is over, or when that many bytes are too many."""
        if self.ends is not None and time.perf_counter() >= self.ends:
            raise Unfinished("stopped after the seconds asked for, as bounded", as_bounded=True)
        if self.memory is not None and size > self.memory:
            raise Unfinished(
                f"the state space takes more than {self.memory / 2**20:,.0f} MiB of memory"
            )


@dataclass(frozen=True)
class Space:
    """States by number, in breadth-first order, and every step that changes the state.

    The steps of state `i` are those from `first[i]` up to `first[i + 1]`: where step `e` leads is
    `targets[e]`, and by what `instances[labels[e]]`. A state's number is one more than the highest
    that any step before the first one to it leads to.
    """

    states: Sequence[State]
    first: NDArray[np.int64]
    targets: NDArray[np.int32]
    labels: NDArray[np.int32]
    instances: Sequence[Instance]

    def steps(self, state: int) -> range:
        """The numbers of a state's steps."""
        return range(int(self.first[state]), int(self.first[state + 1]))

    def step(self, edge: int) -> Step:
        """One step by its number."""
        action, parameters = self.instances[int(self.labels[edge])]
        return Step(action, parameters, self.states[int(self.targets[edge])])

    def source(self, edge: int) -> int:
        """The number of the state in which a step begins."""
        return int(np.searchsorted(self.first, edge, side="right")) - 1

    def of_steps(self, states: Mask) -> Mask:
        """For each step whether it is one of these states'."""
        return np.repeat(states, np.diff(self.first))

    @property
    def bytes(self) -> int:
        """The memory that the steps take, and the states where they are packed."""
        states: int = getattr(self.states, "nbytes", 0)
        return states + self.first.nbytes + self.targets.nbytes + self.labels.nbytes

    @cached_property
    def _newest(self) -> NDArray[np.int32]:
        """For each step the highest number that it or one before it leads to."""
        return np.maximum.accumulate(self.targets)

    def way_to(self, state: int) -> list[int]:
        """The steps of a shortest behaviour to a state."""
        edges: list[int] = []
        while state:
            edge = int(np.searchsorted(self._newest, state))
            edges.append(edge)
            state = self.source(edge)
        return edges[::-1]

    def depths(self) -> NDArray[np.int32]:
        """How many steps lead to each state at least."""
        depths = np.zeros(len(self.states), np.int32)
        depth, begin, end = 0, 0, 1
        while begin < end:
            depths[begin:end] = depth
            steps = int(self.first[end])
            reached = int(self._newest[steps - 1]) + 1 if steps else 1
            depth, begin, end = depth + 1, end, reached
        return depths

    def trace(self, edges: Sequence[int], loop: int | None = None) -> Trace:
        """The behaviour that takes these steps from the initial state."""
        return Trace(self.states[0], tuple(map(self.step, edges)), loop)


def rows_of(first: NDArray[Any], owners: NDArray[np.intp]) -> NDArray[np.int64]:
    """The numbers of the rows of some owners: those of `i` stand together, from `first[i]`."""
    counts = first[owners + 1] - first[owners]
    begins = np.repeat(first[owners] - np.cumsum(counts) + counts, counts)
    return begins + np.arange(len(begins))


class Recorder:
    """The space of a model as a search in plain Python goes through it, up to so many states."""

    def __init__(self, model: Model, most: int) -> None:
        self._most = most
        self._states: list[State] = []
        self._first, self._targets, self._labels = array("q", [0]), array("i"), array("i")
        self._number_of = {model.initial: 0}
        self._label_of: dict[Instance, int] = {}

    def visit(self, state: State, steps: list[Step]) -> None:
        """Take in a state with all of its steps; states come in the order in which they are found.

        Nothing is taken in any more once there are too many.
        """
        if len(self._number_of) > self._most:
            return
        self._states.append(state)
        for step in steps:
            if step.state != state:
                instance = step.action, step.parameters
                self._targets.append(self._number_of.setdefault(step.state, len(self._number_of)))
                self._labels.append(self._label_of.setdefault(instance, len(self._label_of)))
        self._first.append(len(self._targets))

    def space(self) -> Space | None:
        """The state space once the search is finished; None where there were too many states."""
        if len(self._number_of) > self._most:
            return None
        return Space(
            self._states,
            np.array(self._first, np.int64),
            np.array(self._targets, np.int32),
            np.array(self._labels, np.int32),
            list(self._label_of),
        )


def build_space(
    model: Model,
    limits: Limits,
    *,
    on_progress: Callable[[Progress], None] | None = None,
) -> Space:
    """The state space of a model, whatever it claims; `Unfinished` where a limit is met.

    It is found again from the initial state. Memory is not looked at.
    """
    recorder = Recorder(model, limits.max_states)
    search = Search(
        PlainEngine(dataclasses.replace(model, properties=())),
        Exploration(
            bounds=Bounds(max_states=limits.max_states, max_seconds=limits.seconds),
            on_progress=on_progress,
        ),
        on_state=recorder.visit,
    )
    result = search.run()
    if result.interrupted:
        raise KeyboardInterrupt
    space = recorder.space()
    if search.met is Bound.STATES or space is None:
        raise Unfinished(f"more than {limits.max_states:,} states")
    if result.verdict is not Verdict.HOLDS:
        raise Unfinished(result.because, as_bounded=search.met is Bound.SECONDS)
    return space
