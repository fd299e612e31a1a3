"""A predicate over a state as somebody types it: in the notation of models, typed as claims are."""

from __future__ import annotations

import ast
from collections.abc import Callable

from lockstep.errors import LockstepError, not_written
from lockstep.language.frontend import lower
from lockstep.language.model import Model, with_goal
from lockstep.language.notation import State
from lockstep.plain.run import PlainEngine
from lockstep.workspace import Workspace

_NAME = "asked"


def predicate_of(workspace: Workspace, model: Model, text: str) -> Callable[[State], bool]:
    """What says of a state of the model whether a predicate such as `s.x > 3` is true in it.

    `LockstepError` for a text that is no expression, that is outside the notation, or that is no
    predicate. The function raises `EvaluationError` where the predicate has no value.
    """
    try:
        ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise LockstepError(
            f"{text.strip()!r} is no predicate", cure="write one over `s`, as in s.x > 3"
        ) from None
    asking = goal_model(workspace, model, _NAME, text.strip())
    lower(asking)
    prop = asking.properties[-1]
    engine = PlainEngine(asking)
    return lambda state: engine.evaluate(prop, state, None).failing is None


def goal_model(workspace: Workspace, model: Model, name: str, predicate: str) -> Model:
    """A model with a predicate as one goal more."""
    try:
        workspace.make_output()
        return with_goal(model, name, predicate, workspace.output / f"{name}.py")
    except OSError as error:
        raise LockstepError(not_written(workspace.output, error)) from None
