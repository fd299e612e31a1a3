"""A behaviour as places of the text: where each of its steps is written, and what it changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from lockstep.language.faults import described_faults
from lockstep.language.model import Model
from lockstep.language.source import Place
from lockstep.report.ci.places import place_of_function, place_of_model, place_of_state
from lockstep.report.ci.problems import Remark
from lockstep.results.trace import Trace
from lockstep.trace.changes import changes
from lockstep.trace.claims import find_property
from lockstep.trace.conjuncts import false_at_the_end
from lockstep.trace.faulty_steps import faulty_steps
from lockstep.trace.layout import flat, show
from lockstep.trace.render import render_taken


def behaviour(model: Model, trace: Trace, fault: str | None) -> Iterator[Remark]:
    """The initial state and each step; `fault` is the one that is in place."""
    state = trace.initial
    values = "; ".join(f"{name} = {show(getattr(state, name))}" for name in state.fields)
    yield Remark(place_of_state(model), f"0  the initial state: {values}")
    faulty = faulty_steps(model, fault, trace)
    before = trace.initial
    for number, step in enumerate(trace.steps, start=1):
        action = model.action(step.action)
        texts = ["".join(map(flat, change.shortened)) for change in changes(before, step.state)]
        title = render_taken(model, step)
        by = f", by {described_faults(fault or '')}" if number in faulty else ""
        for_ever = "then for ever: " if trace.loop == number - 1 else ""
        place = place_of_function(model.universe, action.function)
        text = f"{number}  {for_ever}{title}{by}: {'; '.join(texts) or 'nothing changes'}"
        yield Remark(place or place_of_model(model.universe.root, model.name), text)
        before = step.state


def steps_text(model: Model, trace: Trace) -> str:
    """The steps alone, a line each."""
    lines = []
    for number, step in enumerate(trace.steps, start=1):
        for_ever = "then for ever: " if trace.loop == number - 1 else ""
        lines.append(f"{number}  {for_ever}{render_taken(model, step)}")
    return "\n".join(lines)


def actions_along(model: Model, trace: Trace) -> Iterator[Remark]:
    """Each action that a behaviour takes, once, and in which steps."""
    for action in model.actions:
        numbers = [
            str(number)
            for number, step in enumerate(trace.steps, start=1)
            if step.action == action.name
        ]
        place = place_of_function(model.universe, action.function)
        if numbers and place is not None:
            steps = "step" if len(numbers) == 1 else "steps"
            yield Remark(place, f"{action.name}, taken in {steps} {', '.join(numbers)}")


def false_part(model: Model, name: str, parameters: Sequence[Any], trace: Trace) -> Remark | None:
    """The part of a property that is false at the end, with the values it has there."""
    prop = find_property(model, name)
    if prop is None:
        return None
    conjunct = false_at_the_end(model.universe, prop, trace, parameters)
    if conjunct is None:
        return None
    known = "; ".join(f"{text} = {show(value)}" for text, value in conjunct.known)
    place = Place(conjunct.file, conjunct.line, 0, conjunct.line, 0)
    return Remark(place, f"{conjunct.text} is false" + (f" where {known}" if known else ""))
