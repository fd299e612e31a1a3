"""Behaviours as they are printed: step, action with its parameters, and only what changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from lockstep.language.model import Model, Parameter
from lockstep.language.notation import State
from lockstep.results.trace import Trace
from lockstep.trace.changes import changes, show


def render_trace(model: Model, trace: Trace) -> Iterator[str]:
    """The lines of a behaviour, the whole initial state first, and how it goes on for ever."""
    width = len(str(len(trace.steps)))
    what = "the initial state" if trace.initial == model.initial else "a state to begin with"
    yield from render_initial(trace.initial, width, what)
    before = trace.initial
    for number, step in enumerate(trace.steps, start=1):
        if trace.loop == number - 1:
            yield "then for ever:"
        parameters = model.action(step.action).parameters
        instance = render_instance(step.action, parameters, step.parameters)
        yield from render_step(number, instance, before, step.state, width)
        before = step.state
    if trace.loop == len(trace.steps):
        yield "then for ever: nothing happens any more"
    elif trace.loop is not None:
        yield f"and on as after step {trace.loop}"


def render_initial(state: State, width: int = 1, what: str = "the initial state") -> Iterator[str]:
    """The first state of a behaviour, one line a variable."""
    yield f"{0:>{width}}  {what}"
    for name in state.fields:
        yield f"{'':>{width}}    {name} = {show(getattr(state, name))}"


def render_step(
    number: int, instance: str, before: State, after: State, width: int = 1
) -> Iterator[str]:
    """One step and what it changed; `width` is that of the greatest number."""
    yield f"{number:>{width}}  {instance}"
    found = changes(before, after)
    for change in found:
        yield f"{'':>{width}}    {change}"
    if not found:
        yield f"{'':>{width}}    nothing changes"


def render_instance(name: str, parameters: Sequence[Parameter], values: Sequence[Any]) -> str:
    """An action or a property with its parameters: `serve(c=c1, p=p2)`."""
    return f"{name}({render_binding(parameters, values)})"


def render_binding(parameters: Sequence[Parameter], values: Sequence[Any]) -> str:
    """Parameters with their values: `c=c1, p=p2`."""
    return ", ".join(
        f"{parameter.name}={show(value)}"
        for parameter, value in zip(parameters, values, strict=True)
    )
