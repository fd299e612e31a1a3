"""What the steps of a model are worth, in a scenario's sense."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from lockstep.costs.course import Course
from lockstep.errors import LockstepError
from lockstep.language.model import Model
from lockstep.language.notation import State
from lockstep.plain.graph import Limits
from lockstep.results.trace import Step
from lockstep.specs.costs import Counted

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
        graph = course.graph
        if self._measure is None:
            counts = np.array([action in self._counted for action, _ in graph.instances], np.int64)
            return counts[graph.labels[course.edges]]
        worth = np.zeros(len(course.edges), np.int64)
        for number, edge in enumerate(course.edges.tolist()):
            if number % _LOOK == 0:
                limits.watch()
            worth[number] = self.of_step(graph.states[graph.source(edge)], graph.step(edge))
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
