"""Which steps of a behaviour a fault changed: plain Python takes them in the model without it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lockstep.errors import LockstepError
from lockstep.language.model import Model, load_model
from lockstep.language.notation import State
from lockstep.plain.run import PlainEngine
from lockstep.results.evaluation_error import EvaluationError
from lockstep.results.trace import Step, Trace
from lockstep.trace.itf_values import Misfit, decode, encode


@dataclass(frozen=True)
class FaultyStep:
    """A step that the model without the fault does not take, or takes to another state."""

    is_enabled: bool
    """Whether the model without the fault takes it at all."""
    faults: str
    """The faults without which it is not taken so, as `A+B`."""


def faulty_steps(model: Model, fault: str | None, trace: Trace) -> dict[int, FaultyStep]:
    """The steps of `trace` that a fault changed, by number from 1; none without a fault.

    None either where the model without the fault has no such scope, as with constants that only
    the fault declares.
    """
    if fault is None:
        return {}
    names = fault.split("+")
    enabled = _changed(model, None, trace)
    needed: dict[int, list[str]] = {number: [] for number in enabled}
    for name in names if len(names) > 1 else ():
        others = "+".join(other for other in names if other != name)
        for number in _changed(model, others, trace).keys() & enabled.keys():
            needed[number].append(name)
    return {
        number: FaultyStep(is_enabled, "+".join(needed[number]) or fault)
        for number, is_enabled in enabled.items()
    }


def _changed(model: Model, faults: str | None, trace: Trace) -> dict[int, bool]:
    """The steps that the model with these faults alone does not take, or takes elsewhere.

    Each says whether it takes the step at all.
    """
    universe = model.universe
    try:
        sound = load_model(universe.root, model.name, universe.constants, fault=faults)
    except LockstepError:
        return {}
    engine = PlainEngine(sound)
    changed = {}
    for number, step in enumerate(trace.steps, start=1):
        after = _taken(engine, model, step, trace.states[number - 1])
        if after is None or _encoded(after) != _encoded(step.state):
            changed[number] = after is not None
    return changed


def _taken(engine: PlainEngine, model: Model, step: Step, before: State) -> State | None:
    """Where the step leads in a model that was loaded apart; None where it is not enabled."""
    sound = engine.model
    action = sound.find_action(step.action)
    if action is None:
        return None
    try:
        state = sound.state.of(
            decode(domain, value, name)
            for (name, domain), value in zip(sound.variables.items(), _encoded(before), strict=True)
        )
        bindings = zip(model.action(step.action).parameters, step.parameters, strict=True)
        arguments = [encode(parameter.domain, value) for parameter, value in bindings]
        parameters: tuple[Any, ...] = tuple(
            decode(parameter.domain, value, parameter.name)
            for parameter, value in zip(action.parameters, arguments, strict=True)
        )
        return engine.run(action, state, parameters)
    except (EvaluationError, Misfit):
        return None


def _encoded(state: State) -> list[Any]:
    return [encode(domain, getattr(state, name)) for name, domain in state.fields.items()]
