"""The oracle of costs: every weight with which each state can be reached, one after the other."""

from collections.abc import Callable, Collection, Sequence

from lockstep.plain.graph import StateGraph

Costs = tuple[int, int | None] | None
"""The fewest and the most; None for no bound, and None for both where the goal is never reached."""


def costs(
    graph: StateGraph,
    begins: Sequence[bool] | None,
    ends: Sequence[bool],
    usable: Callable[[int], bool],
    weight: Callable[[int], int],
) -> Costs:
    """Every pair of a state and a weight is followed, up to weights that only a cycle can give.

    A way without a cycle that weighs something is lighter than `bound`; one with such a cycle can
    be made as heavy as that, and no lighter than twice that where it first is.
    """
    pending = [(state, 0) for state in starts(graph, begins)]
    edges = [edge for state in range(len(graph.states)) for edge in graph.steps(state)]
    bound = 1 + sum(weight(edge) for edge in edges)
    seen = set(pending)
    weights: Collection[int] = set()
    while pending:
        state, total = pending.pop()
        if ends[state]:
            weights = {*weights, total}
            continue
        for edge in graph.steps(state):
            pair = int(graph.targets[edge]), total + weight(edge)
            if usable(edge) and pair not in seen and pair[1] <= 3 * bound:
                seen.add(pair)
                pending.append(pair)
    if not weights:
        return None
    return min(weights), None if max(weights) >= bound else max(weights)


def starts(graph: StateGraph, begins: Sequence[bool] | None) -> set[int]:
    """The states in which the count begins: where that becomes true."""
    if begins is None:
        return {0}
    entered = {
        int(graph.targets[edge])
        for state in range(len(graph.states))
        for edge in graph.steps(state)
        if not begins[state] and begins[int(graph.targets[edge])]
    }
    return entered | ({0} if begins[0] else set())
