"""The nearest work is found as by a search that remembers nothing."""

from collections import deque
from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from lockstep.drive.cover import Ways

STATES = 6


def distance(known: set[tuple[int, int]], first: int, has_more: Callable[[int], bool]) -> int:
    """How many steps it is to the nearest state with something left; -1 where there is none."""
    lengths, waiting = {first: 0}, deque([first])
    while waiting:
        state = waiting.popleft()
        if has_more(state):
            return lengths[state]
        for source, target in known:
            if source == state and target not in lengths:
                lengths[target] = lengths[state] + 1
                waiting.append(target)
    return -1


state = st.integers(0, STATES - 1)
event = st.tuples(
    st.sampled_from(("add", "search", "add", "search", "done", "forget")), state, state
)


@settings(max_examples=300)
@given(st.lists(event, min_size=20, max_size=80), st.sets(state, max_size=4))
def test_the_nearest_is_found_while_ways_are_learned_and_work_is_done(
    events: list[tuple[str, int, int]], left: set[int]
) -> None:
    ways, known = Ways(STATES), set[tuple[int, int]]()
    for name, one, other in events:
        if name == "add":
            ways.add(one, other, ("move", (one, other)))
            known.add((one, other))
        elif name == "forget":
            ways.forget(one, other)
            known.discard((one, other))
        elif name == "done":
            left.discard(one)
        else:
            way = ways.nearest(one, left.__contains__)
            expected = distance(known, one, left.__contains__)
            assert len(way) == max(expected, 0)
            assert set(way) <= known
            if way:
                assert way[0][0] == one
                assert way[-1][1] in left
                assert all(a[1] == b[0] for a, b in zip(way, list(way)[1:], strict=False))
