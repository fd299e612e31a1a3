"""Which variables matter to a behaviour: those that its steps, or what they violate, touch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from lockstep.language.model import Model, Property
from lockstep.language.notation import Kind, State
from lockstep.plain.run import NextState
from lockstep.results.trace import Trace


class _Recorder:
    """A state that notes which of its variables are read."""

    def __init__(self, state: State, variables: set[str]) -> None:
        self._state = state
        self._variables = variables

    def __getattr__(self, name: str) -> Any:
        if name in self._state.fields:
            self._variables.add(name)
        return getattr(self._state, name)


def touched(
    model: Model, trace: Trace, violated: Property | None, parameters: Sequence[object]
) -> set[str]:
    """The variables that a step changes or reads, or that the violated property reads at the end.

    All of them where there is no step: nothing is known of what matters.
    """
    if not trace.steps:
        return set(model.variables)
    variables: set[str] = set()
    states = trace.states
    for before, step in zip(states, trace.steps, strict=False):
        for name, old, new in zip(before.fields, before, step.state, strict=True):
            if old != new:
                variables.add(name)
        action = model.action(step.action).function
        _call(action, _Recorder(before, variables), NextState(before), *step.parameters)
    if violated is not None:
        ending = states[-2:] if violated.kind is Kind.STEP_INVARIANT else states[-1:]
        recorders = (_Recorder(state, variables) for state in ending)
        _call(violated.function, *recorders, *parameters)
    return variables


def _call(function: Callable[..., object], *arguments: object) -> None:
    with suppress(Exception):  # what it read until it ended is all that is wanted
        function(*arguments)
