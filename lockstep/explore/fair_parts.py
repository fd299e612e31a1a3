"""Which parts of a graph a behaviour can stay in for ever, all promises of fairness kept.

They are strongly connected. Staying where one is counts as a step (TLA+'s stuttering), so that each
state by itself is such a part, too. A part that breaks strong fairness may hold smaller ones that
do not: they are looked for without the states in which the action passed over is enabled (the
emptiness check for Streett automata).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import networkx as nx

from lockstep.explore.graph import StateGraph
from lockstep.language.fairness import Fairness, Promise, promises_kept


class Promises:
    """Which promises each step of a graph keeps, and which can be kept in each state.

    Promises have numbers. One that is never enabled has none: it is kept by every behaviour.
    """

    def __init__(self, graph: StateGraph, fairness: Iterable[Fairness]) -> None:
        self._graph = graph
        numbers: dict[Promise, int] = {}
        self._kept = [
            frozenset(
                numbers.setdefault(promise, len(numbers))
                for promise in promises_kept(fairness, action, parameters)
            )
            for action, parameters in graph.instances
        ]
        self.is_strong = [fair.strong for fair, _ in numbers]

    def by_step(self, edge: int) -> frozenset[int]:
        """The promises that a step keeps."""
        return self._kept[self._graph.labels[edge]]

    def at(self, state: int) -> set[int]:
        """The promises that can be kept in a state: those whose actions are enabled."""
        return set().union(*map(self.by_step, self._graph.steps(state)))


def fair_parts(graph: StateGraph, promises: Promises, region: set[int]) -> Iterator[set[int]]:
    """The largest strongly connected parts of a region in which every promise can be kept."""
    pending = [region]
    while pending:
        for part in nx.strongly_connected_components(_subgraph(graph, pending.pop())):
            enabled, kept = _census(graph, promises, part)
            passed_over = enabled.keys() - kept
            strong = {promise for promise in passed_over if promises.is_strong[promise]}
            if any(enabled[promise] == len(part) for promise in passed_over - strong):
                continue  # weak fairness is broken here, and in every smaller part
            if strong:
                pending.append({state for state in part if not strong & promises.at(state)})
            else:
                yield part


def _census(
    graph: StateGraph, promises: Promises, part: set[int]
) -> tuple[dict[int, int], set[int]]:
    """In how many states of a part each promise can be kept, and which its steps keep."""
    enabled: dict[int, int] = {}
    kept: set[int] = set()
    for state in part:
        for promise in promises.at(state):
            enabled[promise] = enabled.get(promise, 0) + 1
        for edge in graph.steps(state):
            if graph.targets[edge] in part:
                kept |= promises.by_step(edge)
    return enabled, kept


class _Bare(nx.DiGraph):  # type: ignore[misc]
    """A graph whose steps, of which there may be millions, share one empty set of attributes."""

    _nothing: dict[str, object] = {}  # noqa: RUF012

    def edge_attr_dict_factory(self) -> dict[str, object]:
        return self._nothing


def _subgraph(graph: StateGraph, states: set[int]) -> _Bare:
    subgraph = _Bare()
    subgraph.add_nodes_from(sorted(states))
    subgraph.add_edges_from(
        (state, graph.targets[edge])
        for state in states
        for edge in graph.steps(state)
        if graph.targets[edge] in states
    )
    return subgraph
