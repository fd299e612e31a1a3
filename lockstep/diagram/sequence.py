"""A behaviour as a sequence diagram, as `[diagram]` of `specs/MODEL.toml` says.

Where nothing is declared, lanes are the names that most actions have as a parameter, and every step
is a note in its lane, or over all lanes if it has no such parameter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from lockstep.diagram.diagram import Diagram, DrawnStep
from lockstep.diagram.flights import Flights, Moment, fill
from lockstep.language.domain import Domain, NameDomain
from lockstep.language.faults import described_faults
from lockstep.language.model import Model
from lockstep.language.notation import State
from lockstep.results.trace import Step, Trace
from lockstep.specs.diagrams import DiagramSpec, is_named
from lockstep.specs.scopes import load_model_spec
from lockstep.trace.changes import FaultyStep, changes, faulty_steps
from lockstep.trace.layout import show
from lockstep.trace.render import render_instance


def sequence(
    model: Model,
    trace: Trace,
    *,
    violated: str | None = None,
    parameters: Sequence[Any] | None = None,
    fault: str | None = None,
) -> Diagram:
    """The diagram of a behaviour of a model.

    `violated` names the property that it violates, `deadlock` included, and `parameters` are those
    for which it does. `fault` is the one that is in place in the model. Steps are numbered from 1.
    `LockstepError` where `specs/MODEL.toml` cannot be read.
    """
    spec = load_model_spec(model.universe.root, model.name)
    declared = spec.diagram or DiagramSpec(_inferred_lanes(model), (), ())
    drawing = _Drawing(model, declared, faulty_steps(model, fault, trace))
    steps = drawing.steps(trace, spec.environment)
    messages = drawing.flights.messages()
    used = (
        {step.lane for step in steps if step.lane is not None}
        | {message.sender for message in messages}
        | {message.receiver for message in messages}
        | drawing.named(trace)
    )
    # Nothing says whose a step without a lane is: over one lane alone it would look like its own.
    if not used or (spec.diagram is None and any(step.lane is None for step in steps)):
        used = set(range(len(drawing.lanes)))
    return drawing.with_lanes(
        sorted(used),
        Diagram(
            model.name if fault is None else f"{model.name} with {described_faults(fault)}",
            tuple(drawing.lanes),
            tuple(steps),
            messages,
            trace.loop,
            _ending(model, violated, parameters),
        ),
    )


def _ending(model: Model, violated: str | None, parameters: Sequence[Any] | None) -> str | None:
    if violated is None:
        return None
    prop = model.find_property(violated)
    named = violated
    if prop is not None and prop.parameters and parameters is not None:
        named = render_instance(violated, prop.parameters, parameters)
    return f"{named} is violated"


def _inferred_lanes(model: Model) -> tuple[str, ...]:
    """The names of which most actions have one as a parameter; the model's own where none has."""
    counts: Counter[Domain] = Counter(
        domain
        for action in model.actions
        for domain in {parameter.domain for parameter in action.parameters}
        if isinstance(domain, NameDomain)
    )
    if not counts:
        return (model.name,)
    most = max(counts.values())
    domains = (parameter.domain for action in model.actions for parameter in action.parameters)
    domain = next(domain for domain in domains if counts.get(domain) == most)
    return tuple(show(name) for name in domain)


class _Drawing:
    """A behaviour while it is drawn."""

    def __init__(
        self,
        model: Model,
        declared: DiagramSpec,
        faulty: Mapping[int, FaultyStep],
    ) -> None:
        self._model = model
        self._declared = declared
        self._faulty = faulty
        self.lanes = [name for lane in declared.lanes for name in _lane_names(model, lane)]
        self.flights = Flights(declared.messages, self._number)

    def steps(self, trace: Trace, environment: Mapping[str, str]) -> list[DrawnStep]:
        """Every step in turn; the messages are those of `flights` then."""
        self.flights.begin(trace.initial)
        steps, before = [], trace.initial
        for number, step in enumerate(trace.steps, start=1):
            steps.append(self._step(number, before, step, step.action in environment))
            before = step.state
        return steps

    def named(self, trace: Trace) -> set[int]:
        """The lanes that parameters name, whether their steps are drawn there or elsewhere."""
        values = {show(value) for step in trace.steps for value in step.parameters}
        return {number for number, lane in enumerate(self.lanes) if lane in values}

    def with_lanes(self, used: Sequence[int], diagram: Diagram) -> Diagram:
        """The diagram with those lanes alone in which anything happens."""
        place = {lane: position for position, lane in enumerate(used)}
        return replace(
            diagram,
            lanes=tuple(diagram.lanes[lane] for lane in used),
            steps=tuple(
                replace(step, lane=None if step.lane is None else place[step.lane])
                for step in diagram.steps
            ),
            messages=tuple(
                replace(message, sender=place[message.sender], receiver=place[message.receiver])
                for message in diagram.messages
            ),
        )

    def _step(self, number: int, before: State, step: Step, is_environment: bool) -> DrawnStep:
        action = self._model.action(step.action)
        values = {
            parameter.name: value
            for parameter, value in zip(action.parameters, step.parameters, strict=True)
        }
        names = {**values, "s": before, "new": step.state}
        lane = self._lane(step, names)
        self.flights.take(Moment(number, step.action, before, step.state, names, lane))
        faulty = self._faulty.get(number)
        return DrawnStep(
            number,
            step.action,
            tuple(f"{name}={show(value)}" for name, value in values.items()),
            lane,
            self._changes(before, step.state),
            is_environment,
            None if faulty is None else f"{faulty.how} by the fault",
        )

    def _lane(self, step: Step, names: Mapping[str, object]) -> int | None:
        """Where a step happens: as declared, or where a parameter names one of the lanes."""
        for template, patterns in self._declared.at:
            if is_named(step.action, patterns):
                return None if template is None else self._number(fill(template, names))
        places = (self._number(show(value)) for value in step.parameters)
        return next((place for place in places if place is not None), None)

    def _number(self, name: str) -> int | None:
        return self.lanes.index(name) if name in self.lanes else None

    def _changes(self, before: State, after: State) -> tuple[str, ...]:
        """What a step changes, but for messages, which are drawn."""
        drawn = {message.name for message in self._declared.messages if not message.sent}
        found = changes(before, after)
        return tuple(str(change) for change in found if change.variable not in drawn)


def _lane_names(model: Model, lane: str) -> tuple[str, ...]:
    """The lanes that an entry of `lanes` stands for."""
    if not lane.isupper() or lane not in model.constants:
        return (lane,)
    value = model.constants[lane]
    return tuple(map(show, value)) if isinstance(value, tuple) else (show(value),)
