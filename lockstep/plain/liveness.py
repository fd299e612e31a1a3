"""Liveness: whether a premise leads to its goal, under the fairness stated.

It does not when some behaviour goes from a state of the premise on for ever, past every state of
the goal, and keeps all promises of fairness. In a finite graph such a behaviour ends in a part of
the states without the goal where all promises can be kept: see `fair_parts`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lockstep.language.model import Model, Property
from lockstep.plain.fair_parts import FairParts, Promises, fair_parts
from lockstep.plain.run import PlainEngine
from lockstep.plain.space import Limits, Mask, Space
from lockstep.results.evaluation_error import EvaluationError
from lockstep.results.trace import Trace


@dataclass(frozen=True)
class Unfulfilled:
    """A behaviour along which a premise never leads to its goal, and the binding for which."""

    parameters: tuple[Any, ...]
    trace: Trace


@dataclass(frozen=True)
class Pledges:
    """What a `leads_to` says of each state of a graph, for each binding of its parameters.

    `premise[binding, state]` and `goal[binding, state]`. `unanswered` is the first state in which
    it has no value; None where there is none, and otherwise the rest means nothing.
    """

    bindings: Sequence[tuple[Any, ...]]
    premise: Mask
    goal: Mask
    unanswered: int | None = None


def plain_pledges(model: Model, space: Space, prop: Property) -> Pledges:
    """What a `leads_to` says of each state, by plain Python."""
    engine = PlainEngine(model)
    bindings: list[tuple[Any, ...]] = []
    says: list[tuple[list[bool], list[bool]]] = []
    unanswered = None
    for number, state in enumerate(space.states):
        try:
            here = list(engine.pledges(prop, state))
        except EvaluationError:
            unanswered = number
            break
        bindings = [pledge.parameters for pledge in here]
        says.append(
            ([bool(pledge.premise) for pledge in here], [bool(pledge.goal) for pledge in here])
        )
    premise, goal = (np.array([part[side] for part in says], np.bool_).T for side in (0, 1))
    return Pledges(bindings, premise, goal, unanswered)


def find_unfulfilled(
    space: Space,
    prop: Property,
    pledges: Pledges,
    limits: Limits,
    parts_of: FairParts = fair_parts,
) -> Unfulfilled | None:
    """A behaviour that breaks a `leads_to`, with a shortest way into what then goes on for ever.

    None when there is none: the property holds. `Unfinished` where a limit is met.
    """
    promises = Promises(space, prop.fairness)
    unfulfilled: Unfulfilled | None = None
    for parameters, premise, goal in zip(
        pledges.bindings, pledges.premise, pledges.goal, strict=True
    ):
        past = ~goal
        search = _Search(space, promises, premise & past, past, limits)
        region = search.region()
        trace = search.lasso(region, parts_of(space, promises, region, limits))
        if trace is not None and (unfulfilled is None or _stem(trace) < _stem(unfulfilled.trace)):
            unfulfilled = Unfulfilled(parameters, trace)
    return unfulfilled


def _stem(trace: Trace) -> int:
    assert trace.loop is not None
    return trace.loop


class _Search:
    """Looks for a behaviour that breaks one binding of a `leads_to`."""

    def __init__(
        self, space: Space, promises: Promises, owing: Mask, past: Mask, limits: Limits
    ) -> None:
        """Look from the states that are `owing` something, among those `past` the goal."""
        self._space = space
        self._promises = promises
        self._owing = owing
        self._past = past
        self._limits = limits

    def region(self) -> Mask:
        """The states past the goal that those that owe something lead to."""
        space = self._space
        region = np.zeros(len(space.states), np.bool_)
        for wave in self._waves(space.first, space.targets, self._owing, self._past):
            region[wave] = True
        return region

    def lasso(self, region: Mask, parts: NDArray[np.int32]) -> Trace | None:
        """The behaviour, with the fair parts of the region; None when there is none."""
        space = self._space
        if not (parts >= 0).any():
            return None
        distance = self._distance_to(parts >= 0, region)
        starts = np.flatnonzero(self._owing & (distance >= 0))
        at = int(starts[np.argmin((space.depths() + distance)[starts])])
        stem = space.way_to(at)
        while distance[at]:
            edge = next(
                edge
                for edge in space.steps(at)
                if distance[space.targets[edge]] == distance[at] - 1
            )
            stem.append(edge)
            at = int(space.targets[edge])
        lead, cycle = self._for_ever(at, parts == parts[at])
        return space.trace([*stem, *lead, *cycle], len(stem) + len(lead))

    def _waves(
        self, first: NDArray[Any], targets: NDArray[Any], start: Mask, inside: Mask
    ) -> Iterator[NDArray[np.intp]]:
        """The states to start from, then those one step further each time, without leaving."""
        pending = inside.copy()
        kept = np.empty(len(pending), np.int32)
        wave = np.flatnonzero(start)
        while len(wave):
            self._limits.watch()
            pending[wave] = False
            yield wave
            if not pending.any():
                return
            counts = first[wave + 1] - first[wave]
            begins = np.repeat(first[wave] - np.cumsum(counts) + counts, counts)
            reached = targets[begins + np.arange(len(begins))]
            reached = reached[pending[reached]]
            # Of the positions at which a state is reached one is kept, so that it is there once.
            kept[reached] = np.arange(len(reached), dtype=np.int32)
            wave = reached[kept[reached] == np.arange(len(reached))]

    def _distance_to(self, ends: Mask, region: Mask) -> NDArray[np.int32]:
        """For each state how many steps of the region lead to one of `ends` at least, or -1."""
        from scipy.sparse import csr_array  # see `fair_parts`

        space, size = self._space, len(self._space.states)
        steps = (np.ones(len(space.targets), np.int8), space.targets, space.first)
        backwards = csr_array(steps, shape=(size, size)).tocsc()
        distance = np.full(size, -1, np.int32)
        waves = self._waves(backwards.indptr, backwards.indices, ends, region)
        for steps_away, wave in enumerate(waves):
            distance[wave] = steps_away
        return distance

    def _for_ever(self, entry: int, part: Mask) -> tuple[list[int], list[int]]:
        """How it goes on in a part where promises are kept: some steps, then those for ever.

        The latter are none where nothing need happen any more: all that is promised is disabled.
        """
        resting = part & ~self._promises.anywhere()
        if resting.any():
            to_rest = self._way(entry, part, state=lambda state: bool(resting[state]))
            assert to_rest is not None, "the part is strongly connected"
            return to_rest, []
        cycle: list[int] = []
        while True:
            at = int(self._space.targets[cycle[-1]]) if cycle else entry
            back = self._way(at, part, state=lambda state: state == entry)
            assert back is not None, "the part is strongly connected"
            promise = self._broken(entry, [*cycle, *back])
            if promise is None:
                return [], [*cycle, *back]
            way = self._way_to_keep(promise, at, part)
            assert way is not None, "every promise can be kept in the part"
            cycle += way

    def _broken(self, entry: int, cycle: list[int]) -> int | None:
        """A promise that a cycle breaks; None when it keeps them all."""
        targets = (int(self._space.targets[edge]) for edge in cycle)
        enabled = [self._promises.at(state) for state in (entry, *targets)]
        kept = set().union(*map(self._promises.by_step, cycle))
        for promise in sorted(set().union(*enabled) - kept):
            if self._promises.is_strong[promise] or all(promise in here for here in enabled):
                return promise
        return None

    def _way_to_keep(self, promise: int, start: int, part: Mask) -> list[int] | None:
        """The way to a step that keeps a promise or, if it is weak, to where that is disabled."""
        weak = not self._promises.is_strong[promise]
        return self._way(
            start,
            part,
            state=lambda state: weak and promise not in self._promises.at(state),
            edge=lambda edge: promise in self._promises.by_step(edge),
        )

    def _way(
        self,
        start: int,
        part: Mask,
        *,
        state: Callable[[int], bool],
        edge: Callable[[int], bool] = lambda _: False,
    ) -> list[int] | None:
        """A shortest way inside a part that ends in such a state, or with such a step."""
        space = self._space
        if state(start):
            return []
        came: dict[int, tuple[int, int]] = {}
        waiting = deque([start])
        while waiting:
            at = waiting.popleft()
            for step in space.steps(at):
                target = int(space.targets[step])
                if not part[target]:
                    continue
                if edge(step) or state(target):
                    way = [step]
                    while at != start:
                        at, step = came[at]
                        way.append(step)
                    return way[::-1]
                if target not in came and target != start:
                    came[target] = (at, step)
                    waiting.append(target)
        return None
