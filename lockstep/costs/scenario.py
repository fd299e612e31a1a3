"""What a scenario of a model costs, by its state space; plain Python confirms each number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from lockstep.costs.course import Course
from lockstep.costs.fewest import Way, lightest
from lockstep.costs.marks import MarkedSpace, Worth, is_true, mark
from lockstep.costs.most import Round, heaviest
from lockstep.language.model import Model
from lockstep.plain.engine import Disagreement
from lockstep.plain.exploration import Exploration
from lockstep.plain.run import PlainEngine, walked
from lockstep.plain.space import Limits, Unfinished
from lockstep.results.trace import Trace
from lockstep.specs.costs import Scenario


@dataclass(frozen=True)
class Attained:
    """A number, with a behaviour that attains it: None where there is no bound.

    Counting begins after `begins` steps of the behaviour, and the goal is its last state. Without a
    bound the steps after `repeats[0]`, up to `repeats[1]`, may be taken again and again, which the
    behaviour does once; `repeated` are the actions among them that count.
    """

    number: int | None
    trace: Trace
    begins: int
    repeats: tuple[int, int] | None = None
    repeated: tuple[str, ...] = ()


@dataclass(frozen=True)
class Count:
    """The fewest and the most of what is counted."""

    name: str
    fewest: Attained
    most: Attained


@dataclass(frozen=True)
class ScenarioCost:
    """What a scenario costs: its counts, or why there are none.

    `never` says why no behaviour goes through the scenario, and `unknown` what ended the search
    before that was known.
    """

    scenario: Scenario
    counts: tuple[Count, ...] = ()
    never: str = ""
    unknown: str = ""


def costs_of(
    model: Model,
    scenarios: Sequence[Scenario],
    limits: Limits,
    request: Exploration = Exploration(),
) -> Iterator[ScenarioCost]:
    """What each scenario costs; a limit that is met is in the result.

    `LockstepError` where a measure gives something else than a number from 0 up.
    """
    goals = dict.fromkeys(
        name for one in scenarios for name in (one.begin, one.goal) if name is not None
    )
    try:
        marked = mark(model, list(goals), limits, request)
    except Unfinished as unfinished:
        yield from (ScenarioCost(one, unknown=str(unfinished)) for one in scenarios)
        return
    for scenario in scenarios:
        try:
            yield _cost(model, scenario, marked, limits)
        except Unfinished as unfinished:
            yield ScenarioCost(scenario, unknown=str(unfinished))


def _cost(model: Model, scenario: Scenario, marked: MarkedSpace, limits: Limits) -> ScenarioCost:
    space, marks = marked.space, marked.marks
    for name in filter(None, (scenario.begin, scenario.goal)):
        if not marks[name].any():
            return ScenarioCost(scenario, never=f"{name} is never true")
    without = np.array([action in scenario.without for action, _ in space.instances], np.bool_)
    begins = None if scenario.begin is None else marks[scenario.begin]
    course = Course.of(space, begins, marks[scenario.goal], ~without[space.labels], limits)
    if not len(course.starts):
        return ScenarioCost(scenario, never=f"{scenario.goal} is never reached from there")
    counts = []
    for name, counted in scenario.counts.items():
        worth = Worth(model, counted)
        weights = worth.of_steps(course, limits)
        leads = course.leads()
        way = lightest(course, weights, leads, course.ends, limits)
        assert way is not None, "every state of a course is on a way"
        attained = [
            _attained(model, scenario, course, worth, found)
            for found in (way, heaviest(course, weights, leads, limits))
        ]
        counts.append(Count(name, *attained))
    return ScenarioCost(scenario, tuple(counts))


def _attained(
    model: Model, scenario: Scenario, course: Course, worth: Worth, result: Way | Round
) -> Attained:
    """A way as a behaviour from the initial state, confirmed by plain Python."""
    way = result.way if isinstance(result, Round) else result
    lead = course.lead(way.start)
    trace = course.space.trace([*lead, *course.edges[list(way.steps)].tolist()])
    begins = len(lead)
    values = _confirmed(model, scenario, trace, begins, worth)
    if isinstance(result, Way):
        return Attained(sum(values), trace, begins)
    first, last = begins + result.begins, begins + result.ends
    states = trace.states
    repeated = dict.fromkeys(
        step.action
        for step, value in zip(trace.steps[first:last], values[first - begins :], strict=False)
        if value
    )
    if states[first] != states[last] or not repeated:
        raise Disagreement(
            f"steps {first} to {last} of {trace} do not lead back to where they began"
        )
    return Attained(None, trace, begins, (first, last), tuple(repeated))


def _confirmed(
    model: Model, scenario: Scenario, trace: Trace, begins: int, worth: Worth
) -> list[int]:
    """What each step from the start of the scenario is worth, all steps taken by plain Python.

    `Disagreement` where plain Python does not take a step, or sees start or goal elsewhere.
    """
    engine, states = PlainEngine(model), trace.states
    walked(engine, trace)
    goal = model.property(scenario.goal)
    goals = [is_true(engine, goal, state) for state in states[begins:]]
    is_course = goals.index(True) == len(goals) - 1 if True in goals else False
    if scenario.begin is None:
        is_course = is_course and begins == 0
    else:
        begin = model.property(scenario.begin)
        is_course = is_course and is_true(engine, begin, states[begins])
        if begins:
            is_course = is_course and not is_true(engine, begin, states[begins - 1])
    steps = trace.steps[begins:]
    if not is_course or any(step.action in scenario.without for step in steps):
        raise Disagreement(f"plain Python does not see the scenario {scenario.name} in {trace}")
    return [
        worth.of_step(before, step) for before, step in zip(states[begins:], steps, strict=False)
    ]
