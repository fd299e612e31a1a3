"""The oracle of costs: every weight with which each state can be reached, one after the other."""

from collections.abc import Sequence

from lockstep.plain.space import Space

Costs = tuple[int, int | None] | None
"""The fewest and the most, None for no bound; None where the goal is never reached."""


def costs(
    space: Space,
    begins: Sequence[bool] | None,
    ends: Sequence[bool],
    usable: Sequence[bool],
    weights: Sequence[int],
) -> Costs:
    """Every pair of a state and a weight is followed, up to weights that only a cycle can give.

    A way that takes no step twice is lighter than `bound`. One with a cycle that weighs something
    gets as heavy by going round again and again, and then is not yet three times as heavy.
    """
    pending = [(state, 0) for state in starts(space, begins)]
    bound = 1 + sum(weights)
    seen = set(pending)
    totals: set[int] = set()
    while pending:
        state, total = pending.pop()
        if ends[state]:
            totals.add(total)
            continue
        for edge in space.steps(state):
            pair = int(space.targets[edge]), total + weights[edge]
            if usable[edge] and pair not in seen and pair[1] <= 3 * bound:
                seen.add(pair)
                pending.append(pair)
    if not totals:
        return None
    return min(totals), None if max(totals) >= bound else max(totals)


def starts(space: Space, begins: Sequence[bool] | None) -> set[int]:
    """The states in which the count begins: where that becomes true."""
    if begins is None:
        return {0}
    entered = {
        int(space.targets[edge])
        for state in range(len(space.states))
        for edge in space.steps(state)
        if not begins[state] and begins[int(space.targets[edge])]
    }
    return entered | ({0} if begins[0] else set())
