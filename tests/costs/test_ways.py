"""The fewest and the most on random graphs, against a search that follows every weight."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from hypothesis import event, given, settings
from hypothesis import strategies as st

from lockstep.costs.course import Course, Round, Way, heaviest, lightest
from lockstep.plain.space import Limits, Space
from tests.costs.routes import costs

LIMITS = Limits(100)


@dataclass(frozen=True)
class Case:
    """A graph of at most eight states; few steps weigh something, so that few cycles do."""

    space: Space
    begins: list[bool] | None
    ends: list[bool]
    usable: list[bool]
    weights: list[int]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    size = draw(st.integers(3, 8))
    state = st.integers(0, size - 1)
    targets = st.lists(state, min_size=2, max_size=4)
    onward: list[list[int]] = [draw(targets) for _ in range(size)]
    if draw(st.booleans()):  # otherwise most graphs have heavy cycles
        onward = [[target for target in row if target > own] for own, row in enumerate(onward)]
    space = breadth_first(onward)
    count, edges = len(space.states), len(space.targets)
    ends = draw(st.sets(st.integers(0, count - 1), min_size=1, max_size=2))
    flags = st.lists(st.booleans(), min_size=count, max_size=count)
    return Case(
        space,
        draw(st.none() | flags),
        [number in ends for number in range(count)],
        draw(st.lists(st.sampled_from([True, True, True, False]), min_size=edges, max_size=edges)),
        draw(st.lists(st.sampled_from([0, 0, 1, 2, 5]), min_size=edges, max_size=edges)),
    )


def breadth_first(onward: list[list[int]]) -> Space:
    """The reachable part of a graph, numbered as graphs are."""
    numbers, first, targets = {0: 0}, [0], []
    pending = [0]
    for state in pending:
        for target in onward[state]:
            if target != state:
                if target not in numbers:
                    numbers[target] = len(numbers)
                    pending.append(target)
                targets.append(numbers[target])
        first.append(len(targets))
    states: Any = list(range(len(numbers)))
    return Space(
        states,
        np.array(first, np.int64),
        np.array(targets, np.int32),
        np.zeros(len(targets), np.int32),
        [("act", ())],
    )


@settings(max_examples=300)
@given(cases())
def test_the_fewest_and_the_most_are_those_of_all_ways(case: Case) -> None:
    expected = costs(case.space, case.begins, case.ends, case.usable, case.weights)
    begins = None if case.begins is None else np.array(case.begins, np.bool_)
    usable = np.array(case.usable, np.bool_)
    course = Course.of(case.space, begins, np.array(case.ends, np.bool_), usable, LIMITS)
    if expected is None:
        assert not len(course.starts)
        return
    weights = np.array(case.weights, np.int64)[course.edges]
    leads = course.leads()
    way = lightest(course, weights, leads, course.ends, LIMITS)
    assert way is not None
    assert weigh(case, course, way) == expected[0]
    most = heaviest(course, weights, leads, LIMITS)
    if isinstance(most, Round):
        event("no bound")
        weigh(case, course, most.way)
        steps = most.way.steps[most.begins : most.ends]
        assert course.sources[steps[0]] == course.targets[steps[-1]]
        assert weights[list(steps)].sum() > 0
        assert expected[1] is None
    else:
        event("a bound")
        assert weigh(case, course, most) == expected[1]


def weigh(case: Case, course: Course, way: Way) -> int:
    """What a way weighs, which has to be one from a start to the first end on it."""
    at, total = way.start, 0
    assert at in course.starts
    lead = course.lead(at)
    assert len(lead) == course.leads()[at]
    if lead:
        assert case.space.source(lead[0]) == 0
        for before, after in pairwise(lead):
            assert case.space.targets[before] == case.space.source(after)
        assert case.begins is not None
        assert not case.begins[case.space.source(lead[-1])]
        assert case.begins[int(case.space.targets[lead[-1]])]
    for step in way.steps:
        assert course.sources[step] == at
        assert not course.ends[at]
        edge = int(course.edges[step])
        assert case.usable[edge]
        total += case.weights[edge]
        at = int(course.targets[step])
    assert course.ends[at]
    return total


def test_of_ways_that_weigh_the_same_the_shortest_is_shown() -> None:
    space = breadth_first([[1, 2, 4], [0, 3], [3], [1, 4], []])
    ends = np.array([space.targets[-1] == state for state in space.states], np.bool_)
    course = Course.of(space, None, ends, np.ones(len(space.targets), np.bool_), LIMITS)
    nothing = np.zeros(len(course.edges), np.int64)
    way = lightest(course, nothing, course.leads(), course.ends, LIMITS)
    most = heaviest(course, nothing, course.leads(), LIMITS)
    assert way is not None
    assert way == most
    assert len(way.steps) == 1
