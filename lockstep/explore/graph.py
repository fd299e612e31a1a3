"""The graph of all reachable states, as plain Python finds it, held in memory."""

from __future__ import annotations

import dataclasses
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from lockstep.explore.engine import Step, Verdict
from lockstep.explore.plain import PlainEngine
from lockstep.explore.search import Progress, Search, SearchResult, Trace
from lockstep.language.model import Model
from lockstep.language.notation import State

Instance: TypeAlias = tuple[str, tuple[Any, ...]]
"""An action and its parameters."""


@dataclass
class StateGraph:
    """States by number, in breadth-first order, and every step that changes the state.

    The steps of state `i` are those from `first[i]` up to `first[i + 1]`: where step `e` leads is
    `targets[e]`, and by what `instances[labels[e]]`. `parents[i]` is a state from which `i` was
    reached first, with that step; None for the initial state.
    """

    states: list[State] = field(default_factory=list)
    first: array[int] = field(default_factory=lambda: array("q", [0]))
    targets: array[int] = field(default_factory=lambda: array("q"))
    labels: array[int] = field(default_factory=lambda: array("q"))
    instances: list[Instance] = field(default_factory=list)
    parents: list[tuple[int, int] | None] = field(default_factory=lambda: [None])

    def steps(self, state: int) -> range:
        """The numbers of a state's steps."""
        return range(self.first[state], self.first[state + 1])

    def step(self, edge: int) -> Step:
        """One step by its number."""
        return Step(*self.instances[self.labels[edge]], self.states[self.targets[edge]])

    def way_to(self, state: int) -> list[int]:
        """The steps of a shortest behaviour to a state."""
        edges: list[int] = []
        parent = self.parents[state]
        while parent is not None:
            before, edge = parent
            edges.append(edge)
            parent = self.parents[before]
        return edges[::-1]

    def depths(self) -> list[int]:
        """How many steps lead to each state at least."""
        depths: list[int] = []
        for parent in self.parents:
            depths.append(0 if parent is None else depths[parent[0]] + 1)
        return depths

    def trace(self, edges: Sequence[int], loop: int | None = None) -> Trace:
        """The behaviour that takes these steps from the initial state."""
        return Trace(self.states[0], tuple(map(self.step, edges)), loop)


def build_graph(
    model: Model,
    *,
    max_states: int,
    max_seconds: float | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> tuple[StateGraph | None, SearchResult]:
    """The graph of a model, whatever it claims, and the search that found it.

    None in place of the graph when the search met a bound, and so did not find all of it.
    """
    graph = StateGraph()
    numbers = {model.initial: 0}
    known: dict[Instance, int] = {}

    def visit(state: State, steps: list[Step]) -> None:
        number = len(graph.states)
        graph.states.append(state)
        for target, label in _moves(state, steps, numbers, known):
            if target == len(graph.parents):
                graph.parents.append((number, len(graph.targets)))
            graph.targets.append(target)
            graph.labels.append(label)
        graph.first.append(len(graph.targets))

    bare = dataclasses.replace(model, properties=())
    result = Search(
        PlainEngine(bare),
        max_states=max_states + 1,
        max_seconds=max_seconds,
        on_state=visit,
        on_progress=on_progress,
    ).run()
    graph.instances = list(known)
    return graph if result.verdict is Verdict.HOLDS else None, result


def _moves(
    state: State, steps: list[Step], numbers: dict[State, int], known: dict[Instance, int]
) -> Iterator[tuple[int, int]]:
    """Target and label of the steps that change the state, new ones numbered as they come."""
    for step in steps:
        if step.state != state:
            label = known.setdefault((step.action, step.parameters), len(known))
            yield numbers.setdefault(step.state, len(numbers)), label
