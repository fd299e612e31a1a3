"""What a scenario costs, by marks of states and steps; plain Python confirms each number."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from lockstep.costs.course import Course, Round, Way, heaviest, lightest
from lockstep.errors import LockstepError
from lockstep.explore.live_search import packed_claims, space_of
from lockstep.language import ir
from lockstep.language.frontend import lower
from lockstep.language.model import Model, Property
from lockstep.language.notation import Kind, State
from lockstep.plain.engine import Disagreement
from lockstep.plain.exploration import Exploration
from lockstep.plain.run import PlainEngine, walked
from lockstep.plain.space import Limits, Mask, Space, Unfinished
from lockstep.results.search_result import EvaluationError
from lockstep.results.trace import Step, Trace
from lockstep.specs.costs import Counted, Scenario


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


@dataclass(frozen=True)
class MarkedSpace:
    """A state space; `marks` says of each goal, by its name, in which states it is true."""

    space: Space
    marks: Mapping[str, Mask]


def mark(
    model: Model, goals: Sequence[str], limits: Limits, request: Exploration = Exploration()
) -> MarkedSpace:
    """The state space of a model with the marks of some goals; `Unfinished` where a limit is met.

    Of the request, the engine and who looks on at the progress are heeded.
    """
    lower(model)
    space = space_of(model, limits, request)
    properties = [model.property(goal) for goal in goals]
    promises = [_as_promise(model, prop) for prop in properties]
    claims = replace(model, actions=(), properties=tuple(filter(None, promises)))
    states = packed_claims(claims, space)
    marks: dict[str, Mask] = {}
    for prop, promise in zip(properties, promises, strict=True):
        if promise is None or states is None:
            marks[prop.name] = _plain(model, space, prop)
            continue
        pledges = states.pledges_of(promise, limits)
        if pledges.unanswered is not None:
            raise _has_no_value(prop)
        marks[prop.name] = np.any(pledges.goal, axis=0)
    return MarkedSpace(space, marks)


def _as_promise(model: Model, prop: Property) -> Property | None:
    """The goal as a `leads_to` with itself for its premise, which machine code says of all states.

    None for a goal with a guard, which a `leads_to` cannot have.
    """
    code = model.lowered.properties[prop]
    if any(isinstance(statement, ir.Guard) for statement in code.statements):
        return None
    promise = replace(prop, kind=Kind.LEADS_TO)
    model.lowered.properties[promise] = replace(code, kind=Kind.LEADS_TO, premise=code.claim)
    return promise


def _plain(model: Model, space: Space, prop: Property) -> Mask:
    """The states in which a goal is true, by plain Python."""
    engine = PlainEngine(model)
    try:
        return np.array([is_true(engine, prop, state) for state in space.states], np.bool_)
    except EvaluationError:
        raise _has_no_value(prop) from None


def is_true(engine: PlainEngine, goal: Property, state: State) -> bool:
    """Whether a goal is true in a state."""
    return engine.evaluate(goal, state, None).failing is None


def _has_no_value(prop: Property) -> Unfinished:
    return Unfinished(f"{prop.name} has no value in a reachable state")


_LOOK = 1 << 12
"""Steps that are measured between two looks at the limits."""

MOST = 2**31 - 1
"""What one step may be worth: sums have room in 64 bits."""


class Worth:
    """One thing that is counted: some actions at 1 each, or what a measure says in plain Python."""

    def __init__(self, model: Model, counted: Counted) -> None:
        self._model = model
        self._counted = counted
        self._measure: Callable[[State, State], object] | None = None
        if isinstance(counted, str):
            self._measure = next(one.function for one in model.measures if one.name == counted)

    def of_steps(self, course: Course, limits: Limits) -> NDArray[np.int64]:
        """What each step of a course is worth; `Unfinished` where a limit is met."""
        space = course.space
        if self._measure is None:
            counts = np.array([action in self._counted for action, _ in space.instances], np.int64)
            return counts[space.labels[course.edges]]
        worth = np.zeros(len(course.edges), np.int64)
        for number, edge in enumerate(course.edges.tolist()):
            if number % _LOOK == 0:
                limits.watch()
            worth[number] = self.of_step(space.states[space.source(edge)], space.step(edge))
        return worth

    def of_step(self, before: State, step: Step) -> int:
        """What one step is worth; `LockstepError` where a measure gives no such number."""
        if self._measure is None:
            return int(step.action in self._counted)
        try:
            number = self._measure(before, step.state)
        except Exception as error:
            number = f"no number ({type(error).__name__}: {error})"
        if type(number) is not int or not 0 <= number <= MOST:
            raise LockstepError(
                f"the measure {self._counted} of {self._model.name} is {number} for a step by "
                f"{step.action}",
                cure=f"return a whole number from 0 up to {MOST:,}",
            )
        return number
