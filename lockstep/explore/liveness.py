"""Liveness: whether a premise leads to its goal, under the fairness stated.

It does not when some behaviour goes from a state of the premise on for ever, past every state of
the goal, and keeps all promises of fairness. In a finite graph such a behaviour ends in a part of
the states without the goal where all promises can be kept: see `fair_parts`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from lockstep.explore.fair_parts import Promises, fair_parts
from lockstep.explore.graph import StateGraph
from lockstep.explore.plain import PlainEngine
from lockstep.explore.search import Trace
from lockstep.language.model import Model, Property


@dataclass(frozen=True)
class Unfulfilled:
    """A behaviour along which a premise never leads to its goal, and the binding for which."""

    parameters: tuple[Any, ...]
    trace: Trace


@dataclass(frozen=True)
class Pledged:
    """What a `leads_to` says of each state of a graph, for one binding of its parameters."""

    premise: bytearray
    goal: bytearray


def pledged(model: Model, graph: StateGraph, prop: Property) -> dict[tuple[Any, ...], Pledged]:
    """What a `leads_to` says of each state, by binding; `EvaluationError` where it has no value."""
    engine = PlainEngine(model)
    found: dict[tuple[Any, ...], Pledged] = {}
    for state in graph.states:
        for pledge in engine.pledges(prop, state):
            says = found.setdefault(pledge.parameters, Pledged(bytearray(), bytearray()))
            says.premise.append(bool(pledge.premise))
            says.goal.append(bool(pledge.goal))
    return found


def find_unfulfilled(
    graph: StateGraph, prop: Property, says: dict[tuple[Any, ...], Pledged]
) -> Unfulfilled | None:
    """A behaviour that breaks a `leads_to`, with a shortest way into what then goes on for ever.

    None when there is none: the property holds.
    """
    promises = Promises(graph, prop.fairness)
    found: Unfulfilled | None = None
    for parameters, pledge in says.items():
        trace = _Search(graph, promises, pledge).lasso()
        if trace is not None and (found is None or _stem(trace) < _stem(found.trace)):
            found = Unfulfilled(parameters, trace)
    return found


def _stem(trace: Trace) -> int:
    assert trace.loop is not None
    return trace.loop


class _Onward(NamedTuple):
    """How to go on from a state: the next step, None at the end, and how many there are."""

    edge: int | None
    steps: int


class _Search:
    """Looks for a behaviour that breaks one binding of a `leads_to`."""

    def __init__(self, graph: StateGraph, promises: Promises, says: Pledged) -> None:
        self._graph = graph
        self._promises = promises
        self._says = says

    def lasso(self) -> Trace | None:
        """The behaviour; None when there is none."""
        graph, says = self._graph, self._says
        starts = [
            state
            for state in range(len(graph.states))
            if says.premise[state] and not says.goal[state]
        ]
        region = self._past_the_goal(starts)
        parts: dict[int, set[int]] = {}
        for part in fair_parts(graph, self._promises, region):
            parts.update(dict.fromkeys(part, part))
        if not parts:
            return None
        onward = self._onward(parts, region)
        depths = graph.depths()
        start = min(
            (state for state in starts if state in onward),
            key=lambda state: (depths[state] + onward[state].steps, state),
        )
        stem = graph.way_to(start)
        at = start
        while (edge := onward[at].edge) is not None:
            stem.append(edge)
            at = graph.targets[edge]
        lead, cycle = self._for_ever(at, parts[at])
        return graph.trace([*stem, *lead, *cycle], len(stem) + len(lead))

    def _past_the_goal(self, starts: Iterable[int]) -> set[int]:
        """All states that some of `starts` lead to without a state of the goal on the way."""
        graph, goal = self._graph, self._says.goal
        seen = set(starts)
        waiting = list(seen)
        while waiting:
            for edge in graph.steps(waiting.pop()):
                target = graph.targets[edge]
                if not goal[target] and target not in seen:
                    seen.add(target)
                    waiting.append(target)
        return seen

    def _onward(self, ends: Iterable[int], region: set[int]) -> dict[int, _Onward]:
        """For each state of the region that leads to one of `ends`: the shortest way there."""
        graph = self._graph
        sources: dict[int, list[tuple[int, int]]] = {}
        for state in sorted(region):
            for edge in graph.steps(state):
                if graph.targets[edge] in region:
                    sources.setdefault(graph.targets[edge], []).append((state, edge))
        found = {state: _Onward(None, 0) for state in sorted(ends)}
        waiting = deque(found)
        while waiting:
            target = waiting.popleft()
            for source, edge in sources.get(target, ()):
                if source not in found:
                    found[source] = _Onward(edge, found[target].steps + 1)
                    waiting.append(source)
        return found

    def _for_ever(self, entry: int, part: set[int]) -> tuple[list[int], list[int]]:
        """How it goes on in a part where promises are kept: some steps, then those for ever.

        The latter are none where nothing need happen any more: all that is promised is disabled.
        """
        to_rest = self._way(entry, part, state=lambda state: not self._promises.at(state))
        if to_rest is not None:
            return to_rest, []
        cycle: list[int] = []
        while True:
            at = self._graph.targets[cycle[-1]] if cycle else entry
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
        targets = (self._graph.targets[edge] for edge in cycle)
        enabled = [self._promises.at(state) for state in (entry, *targets)]
        kept = set().union(*map(self._promises.by_step, cycle))
        for promise in sorted(set().union(*enabled) - kept):
            if self._promises.is_strong[promise] or all(promise in here for here in enabled):
                return promise
        return None

    def _way_to_keep(self, promise: int, start: int, part: set[int]) -> list[int] | None:
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
        part: set[int],
        *,
        state: Callable[[int], bool],
        edge: Callable[[int], bool] = lambda _: False,
    ) -> list[int] | None:
        """A shortest way inside a part that ends in such a state, or with such a step."""
        graph = self._graph
        if state(start):
            return []
        came: dict[int, tuple[int, int]] = {}
        waiting = deque([start])
        while waiting:
            at = waiting.popleft()
            for step in graph.steps(at):
                target = graph.targets[step]
                if target not in part:
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
