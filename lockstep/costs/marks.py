"""The state space of a model, with the states in which some of its goals are true."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from lockstep.costs.course import Course
from lockstep.errors import LockstepError
from lockstep.explore.live_search import packed_claims, space_of
from lockstep.language import ir
from lockstep.language.frontend import lower
from lockstep.language.model import Model, Property
from lockstep.language.notation import Kind, State
from lockstep.plain.exploration import Exploration
from lockstep.plain.run import PlainEngine
from lockstep.plain.space import Limits, Mask, Space, Unfinished
from lockstep.results.evaluation_error import EvaluationError
from lockstep.results.trace import Step
from lockstep.specs.costs import Counted


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
