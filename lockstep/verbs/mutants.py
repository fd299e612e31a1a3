"""`check --mutants`: makes small changes to models, and sees whether anything tells."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from lockstep.campaign.task import Row, Task
from lockstep.language.model import Model, load_model
from lockstep.mutants.mutant import mutants_of
from lockstep.specs.judgement import check_declarations
from lockstep.specs.scopes import DEFAULT_SCOPE, ModelSpec, Scope, load_model_spec
from lockstep.system.crash import failure_of
from lockstep.verbs.campaign import Resources, campaign_rows
from lockstep.verbs.collection import Collection
from lockstep.verbs.decided import texts_of
from lockstep.verbs.models import choose
from lockstep.verbs.mutant_task import judge_mutant
from lockstep.verbs.mutants_of_model import MutantsOfModel
from lockstep.verbs.run import Run, Unwatched, Watch
from lockstep.workspace import Workspace, find_workspace


@dataclass(frozen=True)
class MutantsRequest:
    """The mutants of some models, each in one scope; of all models unless some are named."""

    models: tuple[str, ...] = ()
    workspace: Workspace | None = None
    scope: str = DEFAULT_SCOPE
    resources: Resources = Resources()
    """How each mutant is explored and where; by default up to some times its model's states."""


@dataclass(frozen=True)
class MutantsRun(Run[str, MutantsOfModel]):
    """The mutants of each model."""

    kept: tuple[Row, ...] = ()
    """The rows that an earlier run has kept."""

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended it."""
        return bool(self.pending) or any(model.interrupted for model in self.results)


def mutants(
    request: MutantsRequest = MutantsRequest(),
    *,
    on_result: Callable[[MutantsOfModel], None] = lambda _: None,
    watch: Watch = Unwatched(),
) -> MutantsRun:
    """Judge every mutant of some models, on all cores.

    `on_result` is told of each model, in the order of the models, as soon as it and those before it
    are done. What is wrong with one model is in its result, and the others are judged.
    """
    workspace = request.workspace or find_workspace()
    names = choose(request.models, workspace)
    plan = _Plan(workspace, request)
    collection: Collection[MutantsOfModel] = Collection(on_result)
    try:
        for name in names:
            plan.add(name)
        collection.begin(plan.models)
        resources = request.resources
        for done in campaign_rows(workspace, judge_mutant, plan.tasks, resources, watch):
            collection.add(done)
    except KeyboardInterrupt:
        collection.interrupt()
    results = collection.results
    begun = {result.name for result in results}
    pending = tuple(name for name in names if name not in begun)
    return MutantsRun(tuple(results), pending, tuple(collection.kept))


class _Plan:
    """The tasks of all models, one a mutant, and which of them are whose."""

    def __init__(self, workspace: Workspace, request: MutantsRequest) -> None:
        self._workspace = workspace
        self._request = request
        self.tasks: list[tuple[Task, int | None]] = []
        self.models: list[tuple[MutantsOfModel, range]] = []

    def add(self, name: str) -> None:
        """Find the mutants of a model. What is wrong with it is in its result."""
        result, first = MutantsOfModel(name, self._request.scope), len(self.tasks)
        root = self._workspace.root
        try:
            spec = load_model_spec(root, name)
            scope = spec.scope(self._request.scope)
            model = load_model(root, name, scope.constants)
            check_declarations(model, spec)
            tasks = self._tasks(model, spec, scope)
        except Exception as error:
            result.errors.append(failure_of(error, self._workspace))
        else:
            result.reasons, result.is_default = spec.mutants, scope.name == DEFAULT_SCOPE
            self.tasks += ((task, scope.pins.states) for task in tasks)
        self.models.append((result, range(first, len(self.tasks))))

    def _tasks(self, model: Model, spec: ModelSpec, scope: Scope) -> Iterable[Task]:
        resources = self._request.resources
        bounds = resources.exploration.bounds
        text = _digest(model, spec, scope)
        return [
            Task(
                kind="mutant",
                model=model.name,
                scope=scope.name,
                mutant=mutant.name,
                text=text,
                engine=resources.engine,
                max_states=bounds.max_states,
                max_seconds=bounds.max_seconds,
            )
            for mutant in mutants_of(model)
        ]


def _digest(model: Model, spec: ModelSpec, scope: Scope) -> str:
    """A number that is another one when anything is that the fate of a mutant depends on.

    Why a mutant survives is no part of it: an explanation that is added leaves every row as it is.
    """
    document = {
        "texts": texts_of(model),
        "constants": {name: repr(value) for name, value in scope.constants.items()},
        "deadlock_allowed": spec.deadlock_allowed,
        "environment": sorted(spec.environment),
    }
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()
