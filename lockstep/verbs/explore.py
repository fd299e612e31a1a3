"""`explore`: a model that is walked by hand, and predicates over its states as they are typed."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, replace

import msgspec

from lockstep.answers.answer import Answer
from lockstep.errors import LockstepError, not_written
from lockstep.language.frontend import lower
from lockstep.language.model import Model, with_goal
from lockstep.language.notation import State
from lockstep.plain.exploration import Bounds, Exploration
from lockstep.plain.run import PlainEngine
from lockstep.plain.space import Limits
from lockstep.requests.option import choose, command_line
from lockstep.requests.others import ExploreRequest
from lockstep.requests.version import Version, version_of
from lockstep.specs.scopes import Scope
from lockstep.walk.drawing import MOST_STATES, Drawing, draw
from lockstep.walk.nearest import Coverage, cover
from lockstep.walk.walk import SEARCH, Walk
from lockstep.workspace import Workspace, find_workspace

__all__ = ["ExploreRequest", "Explored", "explore"]


@dataclass(frozen=True)
class Explored:
    """A model in one scope, with a walk that stands in its initial state."""

    request: ExploreRequest
    version: Version
    scope: Scope
    model: Model
    walk: Walk
    deadlock_allowed: bool

    @property
    def name(self) -> str:
        """The model with what is changed of it: `fetch_session.no_retries@MAX_EPOCH=2`."""
        return str(self.version)

    @property
    def command(self) -> str:
        """The command that explores the same."""
        request = replace(self.request, scope=self.scope.name, workspace=None)
        return command_line("explore", request, request.model)

    @property
    def bounds(self) -> Bounds:
        """Where a search of it ends."""
        return replace(SEARCH, max_seconds=self.request.max_seconds)

    def coverage(self) -> Coverage:
        """What a search from the initial state comes by, within the bounds."""
        request = Exploration(bounds=self.bounds, deadlock_allowed=self.deadlock_allowed)
        return cover(self.model, request)

    def drawing(self) -> Drawing:
        """The graph of all reachable states; `TooLarge` where there are too many to draw."""
        return draw(self.model, limits=Limits.of(self.bounds, MOST_STATES))


class ExploreDetails(msgspec.Struct, frozen=True):
    """What only the answer of `explore` has."""

    url: str
    """The address of the page that is served."""


def explore_answer(explored: Explored, url: str) -> Answer:
    """The answer of `explore`, which is there before anything is explored."""
    version = explored.version
    return Answer(
        kind="explore",
        model=version.model,
        scope=explored.scope.name,
        **version.changes,
        details=ExploreDetails(url),
    )


def explore(request: ExploreRequest) -> Explored:
    """Load a model to be walked.

    `LockstepError` for a name that is not there, and `ModelError` for a model that is not well
    formed.
    """
    workspace = request.workspace or find_workspace()
    (name,) = choose([request.model], workspace)
    version = version_of(workspace, name, request)
    scope = version.spec.scope(request.scope or version.usual_scope)
    model, allowed = version.at(scope.name), version.spec.deadlock_allowed
    walk = Walk(model, deadlock_allowed=allowed)
    return Explored(request, version, scope, model, walk, allowed)


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
