"""The parts of a graph that a behaviour may stay in for ever, as networkx and sets find them."""

from collections.abc import Iterable, Iterator

import networkx as nx
import numpy as np

from lockstep.plain.fair_parts import Promises
from lockstep.plain.space import Mask, Space


def parts_by_networkx(
    graph: Space, promises: Promises, region: Iterable[int]
) -> Iterator[frozenset[int]]:
    """The largest strongly connected parts of a region in which every promise can be kept."""
    pending = [set(region)]
    while pending:
        for part in nx.strongly_connected_components(_within(graph, pending.pop())):
            enabled, kept = _census(graph, promises, part)
            passed_over = enabled.keys() - kept
            strong = {promise for promise in passed_over if promises.is_strong[promise]}
            if any(enabled[promise] == len(part) for promise in passed_over - strong):
                continue  # weak fairness is broken here, and in every smaller part
            if strong:
                pending.append({state for state in part if not strong & promises.at(state)})
            else:
                yield frozenset(part)


def _within(graph: Space, states: set[int]) -> "nx.DiGraph[int]":
    """The states, and the steps between them."""
    subgraph: nx.DiGraph[int] = nx.DiGraph()
    subgraph.add_nodes_from(states)
    subgraph.add_edges_from(
        (state, int(graph.targets[edge]))
        for state in states
        for edge in graph.steps(state)
        if graph.targets[edge] in states
    )
    return subgraph


def led_to(graph: Space, owing: Iterable[int], past: Iterable[int]) -> set[int]:
    """Those states of `past` that are `owing`, and what they lead to without leaving `past`."""
    inside = set(past)
    subgraph = _within(graph, inside)
    owed = inside.intersection(owing)
    return owed.union(*(nx.descendants(subgraph, state) for state in owed))


def _census(graph: Space, promises: Promises, part: set[int]) -> tuple[dict[int, int], set[int]]:
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


def mask_of(states: Iterable[int], graph: Space) -> Mask:
    """A set of states as a truth value for each state."""
    mask = np.zeros(len(graph.states), np.bool_)
    mask[list(states)] = True
    return mask


def grouped(parts: list[int]) -> set[frozenset[int]]:
    """The states of each part, from the number of each state's."""
    return {
        frozenset(state for state, other in enumerate(parts) if other == part)
        for part in set(parts) - {-1}
    }
