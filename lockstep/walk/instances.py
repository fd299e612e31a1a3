"""Enabled action instances by their texts: `serve(c=c1, p=p2)`."""

from __future__ import annotations

from dataclasses import dataclass

from lockstep.language.model import Action
from lockstep.language.notation import State
from lockstep.plain.run import PlainEngine
from lockstep.results.evaluation_error import EvaluationError
from lockstep.results.trace import Step
from lockstep.trace.render import render_instance


@dataclass(frozen=True)
class ActionHere:
    """What one action can do in a state.

    `steps` are its enabled instances by their names, in the model's order. `error` says where the
    action's text has no meaning here: instances after that place are not known.
    """

    action: Action
    steps: dict[str, Step]
    error: EvaluationError | None = None


def action_here(engine: PlainEngine, action: Action, state: State) -> ActionHere:
    """The enabled instances of one action in `state`.

    Each has a name of its own, by which it can be found again in that state. Where values of
    several kinds look the same, a number tells them apart: `take(x=None) #2`.
    """
    steps: dict[str, Step] = {}
    try:
        for step in engine.instances(action, state):
            text = render_instance(action.name, action.parameters, step.parameters)
            name, number = text, 2
            while name in steps:
                name, number = f"{text} #{number}", number + 1
            steps[name] = step
    except EvaluationError as error:
        return ActionHere(action, steps, error)
    return ActionHere(action, steps)


def action_of(name: str) -> str:
    """The action that the name of an instance begins with."""
    return name.partition("(")[0]
