"""Inclusion of behaviours, against a search that follows every word by itself."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lockstep.language.notation import State
from lockstep.plain.space import Limits, Space, Unfinished
from lockstep.review import inclusion
from lockstep.review.inclusion import Parting, find_parting
from lockstep.review.observed import ObservedSpace
from tests.review.plain_inclusion import plain_parting
from tests.review.words import shortest_parting, states_after

LIMITS = Limits(1000)


class Nothing(State):
    """A state without variables: inclusion looks at numbers only."""


def observed(successors: list[list[int]], views: list[int]) -> ObservedSpace:
    """The reachable part of a graph, its states numbered breadth first from state 0."""
    numbers, order = {0: 0}, [0]
    for state in order:
        for target in successors[state]:
            if target not in numbers:
                numbers[target] = len(order)
                order.append(target)
    steps = [[numbers[target] for target in successors[state]] for state in order]
    space = Space(
        [Nothing.of(())] * len(order),
        np.cumsum([0, *map(len, steps)]).astype(np.int64),
        np.array([target for targets in steps for target in targets], np.int32),
        np.zeros(sum(map(len, steps)), np.int32),
        [("step", ())],
    )
    return ObservedSpace(space, np.array([views[state] for state in order], np.int32))


@st.composite
def spaces(draw: st.DrawFn) -> ObservedSpace:
    count = draw(st.integers(1, 6))
    states = st.integers(0, count - 1)
    successors = [
        [target for target in draw(st.lists(states, max_size=3, unique=True)) if target != state]
        for state in range(count)
    ]
    views = [0, *draw(st.lists(st.integers(0, 2), min_size=count - 1, max_size=count - 1))]
    return observed(successors, views)


def is_behaviour(one: ObservedSpace, parting: Parting) -> bool:
    """Whether the edges of a parting follow each other from state 0."""
    state = 0
    for edge in parting.edges:
        if edge not in one.space.steps(state):
            return False
        state = int(one.space.targets[edge])
    return True


@given(spaces(), spaces())
def test_inclusion_is_that_of_words(one: ObservedSpace, other: ObservedSpace) -> None:
    parting = find_parting(one, other, LIMITS)
    expected = shortest_parting(one, other)
    assert (None if parting is None else len(parting.edges)) == expected
    if parting is not None:
        assert is_behaviour(one, parting)


@given(spaces(), spaces())
def test_machine_code_says_what_plain_python_says(one: ObservedSpace, other: ObservedSpace) -> None:
    assert find_parting(one, other, LIMITS) == plain_parting(one, other)


@given(spaces(), spaces())
def test_machine_code_makes_room_for_more(one: ObservedSpace, other: ObservedSpace) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(inclusion, "_ROOM", 1)
        assert find_parting(one, other, LIMITS) == plain_parting(one, other)


@given(spaces(), spaces())
def test_the_other_graph_is_where_it_is_said_to_be(
    one: ObservedSpace, other: ObservedSpace
) -> None:
    parting = find_parting(one, other, LIMITS)
    if parting is None or not parting.edges:
        return
    states = [0, *(int(one.space.targets[edge]) for edge in parting.edges[:-1])]
    views = [int(one.views[state]) for state in states]
    word = tuple(
        view for view, before in zip(views, [None, *views], strict=False) if view != before
    )
    assert frozenset(parting.others) == states_after(other, word)


@given(spaces())
def test_a_graph_shows_what_it_shows(one: ObservedSpace) -> None:
    assert find_parting(one, one, LIMITS) is None


def test_a_hidden_step_is_no_difference() -> None:
    short = observed([[1], []], [0, 1])
    long = observed([[1], [2], [3], []], [0, 0, 1, 1])
    assert find_parting(short, long, LIMITS) is None
    assert find_parting(long, short, LIMITS) is None


def test_a_choice_made_early_shows_the_same() -> None:
    """Inclusion of behaviours, and not simulation: when a choice is made is hidden."""
    late = observed([[1], [2, 3], [], []], [0, 1, 2, 3])
    early = observed([[1, 2], [3], [4], [], []], [0, 1, 1, 2, 3])
    assert find_parting(late, early, LIMITS) is None
    assert find_parting(early, late, LIMITS) is None


def test_time_ends_it() -> None:
    one = observed([[1], []], [0, 1])
    with pytest.raises(Unfinished):
        find_parting(one, one, Limits(1000, ends=0.0))
