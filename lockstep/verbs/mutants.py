"""`mutants`: small changes of some models, and what becomes of each."""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from operator import itemgetter
from pathlib import Path
from typing import TypeAlias

import msgspec
from msgspec import structs

from lockstep.answers.answer import Answer, decode
from lockstep.answers.store import texts_of
from lockstep.campaign.processes import Share
from lockstep.campaign.task import Outcome, Task, answer_to
from lockstep.errors import ExitCode, LockstepError
from lockstep.language.model import Model, load_model
from lockstep.mutants.fate import Fate, Killer
from lockstep.mutants.judge import TIMES_AS_MANY_STATES, Judge, Judged
from lockstep.mutants.mutant import mutants_of
from lockstep.mutants.parting import Parting
from lockstep.plain.exploration import Bounds, Exploration
from lockstep.requests.campaign import MutantsRequest
from lockstep.requests.option import choose
from lockstep.requests.run import Watch
from lockstep.results.verdict import INTERRUPTED, Verdict, exit_code_of, worst
from lockstep.specs.judgement import check_declarations
from lockstep.specs.scopes import DEFAULT_SCOPE, ModelSpec, Scope, load_model_spec
from lockstep.system.crash import failure_of
from lockstep.trace.render import render_taken
from lockstep.verbs.campaign import (
    ModelsRun,
    SizedTask,
    TaskError,
    campaign_rows,
    outcome_of,
    run_models,
)
from lockstep.workspace import Workspace, find_workspace

__all__ = ["MutantsRequest", "MutantsRun", "mutants", "plan_mutants"]


class MutantDetails(msgspec.Struct, kw_only=True):
    """What only the row of a mutant has."""

    name: str
    """Its name, which `specs/MODEL.toml` explains it by."""
    kind: str
    """What was done, such as `guard dropped`."""
    file: str
    line: int
    before: str
    """What was changed."""
    after: str
    """Into what; empty where it was left out."""
    shows: str = ""
    """Of a survivor: the steps of a behaviour that it has and the model has not, or the reverse."""
    explained: str | None = None
    """Why it may survive, as `specs/MODEL.toml` says; not in a table of results."""


class MutantAnswer(Answer, kw_only=True):
    """The answer about one mutant with what only such an answer has."""

    details: MutantDetails

    @property
    def name(self) -> str:
        """The mutant's name."""
        return self.details.name

    @property
    def fate(self) -> Fate:
        """What becomes of it."""
        return Fate(self.verdict)

    @property
    def is_open(self) -> bool:
        """Whether it survives, or nobody knows."""
        return self.fate in (Fate.SURVIVES, Fate.INCONCLUSIVE)


_VERDICTS = {Fate.SURVIVES: Verdict.VIOLATED, Fate.INCONCLUSIVE: Verdict.INCONCLUSIVE}
"""What a fate says of the model's properties; that they hold, where it is any other."""

_JUDGED_ELSEWHERE = (Fate.NOT_EXERCISED, Fate.VOID)
"""What one scope says nothing of: other scopes do."""


_MOST_JUDGES = 16
"""In so many scopes a process remembers the model without a change."""


def row_of(task: Task, model: Model, judged: Judged, seconds: float) -> Answer:
    """The row of a mutant of a model that was judged."""
    mutant, sentence, result = judged.mutant, judged.sentence, judged.result
    details = MutantDetails(
        name=mutant.name,
        kind=mutant.kind,
        file=mutant.file.as_posix(),
        line=mutant.line,
        before=mutant.before,
        after=mutant.after,
        shows="" if judged.parting is None else _shown(model, judged.parting),
    )
    values = {
        "verdict": str(sentence.fate),
        "violated": sentence.by,
        "length": sentence.steps,
        "because": sentence.because,
        "seconds": round(seconds, 6),
        "exit_code": exit_code_of(
            _VERDICTS.get(sentence.fate, Verdict.HOLDS),
            interrupted=result is not None and result.interrupted,
        ),
        "details": msgspec.to_builtins(details),
    }
    return answer_to(task, result, **values)


def _shown(model: Model, parting: Parting) -> str:
    """What a survivor does otherwise, in one line."""
    *steps, last = (render_taken(model, step) for step in parting.trace.steps)
    way = f"after {', '.join(steps)}" if steps else "at once"
    return f"{parting.parts.value} {last} {way}"


def judge_mutant(workspace: Path, task: bytes, share: Share, *, watch: Watch = Watch()) -> bytes:
    """Judge a mutant; the encoded outcome. What is wrong with it is in its row."""
    asked = decode(task, Task)
    return outcome_of(workspace, asked, lambda: Outcome(_row(workspace, asked, share, watch)))


def _row(workspace: Path, task: Task, share: Share, watch: Watch) -> Answer:
    began = time.perf_counter()
    bounds = Bounds(task.max_states, task.max_seconds, memory=share.memory)
    spec = load_model_spec(workspace, task.model)

    def judge_in(scope: str) -> Judge:
        made = _judge(workspace, task.model, scope, task.text, task.engine, bounds, _Watched(watch))
        if isinstance(made, LockstepError):
            raise made
        return made

    judge = judge_in(task.scope)
    mutant = judge.mutants[str(task.mutant)]
    with watch.search(task.name, None):
        judged = judge.judge(mutant)
        if judged.sentence.fate in _JUDGED_ELSEWHERE:
            for name in task.elsewhere:
                if judged.actions and judged.actions <= spec.scope(name).idle.keys():
                    continue
                try:
                    other = judge_in(name)
                except LockstepError:
                    continue  # it met a bound: nothing is judged there
                there = other.judge(mutant)
                if there.sentence.fate not in _JUDGED_ELSEWHERE:
                    judge, judged, task = other, there, structs.replace(task, scope=name)
                    break
    return row_of(task, judge.model, judged, time.perf_counter() - began)


@dataclass(frozen=True)
class _Watched:
    """Who looks on, which makes no difference to what is judged."""

    watch: Watch = field(compare=False)


@lru_cache(maxsize=_MOST_JUDGES)
def _judge(
    workspace: Path,
    model: str,
    scope: str,
    text: str,
    engine: str,
    bounds: Bounds,
    watched: _Watched,
) -> Judge | LockstepError:
    """Who judges the mutants of a model; `text` stands for all that is read for it.

    Why nobody can is remembered as well: the model is explored no second time for that.
    """
    spec = load_model_spec(workspace, model)
    pins = spec.scope(scope).pins
    loaded = load_model(workspace, model, spec.scope(scope).constants)
    with watched.watch.search(f"{model} {scope}, without a change", pins.states) as on_progress:
        request = Exploration(
            engine, bounds, deadlock_allowed=spec.deadlock_allowed, on_progress=on_progress
        )
        try:
            return Judge(loaded, request, spec.environment, pins.violates or ())
        except LockstepError as error:
            return error


@dataclass
class MutantsOfModel:
    """All mutants of one model in one scope, or where what they change runs.

    `reasons` are those that `specs/MODEL.toml` gives for mutants that nothing kills. It speaks of
    the scope `default`: only there a reason can be out of date. `errors` are of what could not be
    loaded or judged.
    """

    name: str
    scope: str
    reasons: Mapping[str, str] = field(default_factory=dict)
    is_default: bool = True
    mutants: list[MutantAnswer] = field(default_factory=list)
    errors: list[LockstepError] = field(default_factory=list)
    interrupted: bool = False

    def take(self, row: Answer) -> None:
        """Take in the row of a task."""
        if row.details:
            mutant = MutantAnswer.of(row)
            if mutant.is_open and mutant.name in self.reasons:
                mutant.details.explained = self.reasons[mutant.name]
                mutant.exit_code = int(ExitCode.HOLDS)
            self.mutants.append(mutant)
        if row.error and row.error not in {error.message for error in self.errors}:
            self.errors.append(TaskError(row))

    def count(self, fate: Fate) -> int:
        """How many mutants have a fate."""
        return sum(mutant.fate is fate for mutant in self.mutants)

    def killed_by(self, killer: Killer) -> int:
        """How many mutants something of a kind kills."""
        killed = (one.violated for one in self.mutants if one.fate is Fate.KILLED)
        return sum(by is not None and Killer.of(by) is killer for by in killed)

    @property
    def open(self) -> list[MutantAnswer]:
        """The mutants that survive, or of which nothing is known."""
        return [mutant for mutant in self.mutants if mutant.is_open]

    @property
    def unexplained(self) -> list[MutantAnswer]:
        """Those of them that no reason is given for."""
        return [mutant for mutant in self.open if mutant.name not in self.reasons]

    @property
    def stale(self) -> list[str]:
        """The mutants that a reason is given for although they do not survive, or are not there."""
        if not self.is_default or self.interrupted or self.errors:
            return []
        names = {mutant.name for mutant in self.open}
        return [name for name in self.reasons if name not in names]

    @property
    def exit_code(self) -> int:
        """What this model alone would end the process with."""
        codes = [int(error.exit_code) for error in self.errors]
        codes += [mutant.exit_code for mutant in self.mutants]
        codes += [int(ExitCode.VIOLATED)] * bool(self.stale) + [INTERRUPTED] * self.interrupted
        return worst(codes)


MutantsRun: TypeAlias = ModelsRun[MutantsOfModel]
"""The mutants of each model."""


def mutants(
    request: MutantsRequest = MutantsRequest(),
    *,
    on_result: Callable[[MutantsOfModel], None] = lambda _: None,
    watch: Watch = Watch(),
) -> MutantsRun:
    """Judge every mutant of some models, on all cores.

    `on_result` hears of each model, in the order of the models, as soon as it and those before it
    are done. What is wrong with one model is in its result, and the others are judged.
    """
    workspace = request.workspace or find_workspace()
    return run_models(
        choose(request.models, workspace),
        lambda name: plan_mutants(workspace, request, name),
        lambda tasks: campaign_rows(workspace, judge_mutant, tasks, request, watch),
        on_result,
    )


def plan_mutants(
    workspace: Workspace, request: MutantsRequest, name: str
) -> tuple[MutantsOfModel, list[SizedTask]]:
    """The tasks of a model, one a mutant. What is wrong with it is in its result."""
    asked = request.scope or DEFAULT_SCOPE
    result = MutantsOfModel(name, asked)
    try:
        spec = load_model_spec(workspace.root, name)
        scope = spec.scope(asked)
        model = load_model(workspace.root, name, scope.constants)
        check_declarations(model, spec)
        if {prop.name for prop in model.properties} <= set(scope.pins.violates or ()):
            raise LockstepError(
                f"{name} does not hold itself in scope {scope.name}: it is pinned as violated, "
                f"and no other property can judge",
                cure="name another scope with --scope",
            )
        tasks = _tasks(model, spec, scope, request)
    except Exception as error:
        result.errors.append(failure_of(error, workspace))
        return result, []
    result.reasons, result.is_default = spec.mutants, scope.name == DEFAULT_SCOPE
    return result, [(task, scope.pins.states) for task in tasks]


def _tasks(model: Model, spec: ModelSpec, scope: Scope, request: MutantsRequest) -> list[Task]:
    others = _elsewhere(spec, scope) if request.scope is None else ()
    text = _digest(model, spec, (scope, *others))
    return [
        Task(
            kind="mutant",
            model=model.name,
            scope=scope.name,
            elsewhere=tuple(other.name for other in others),
            mutant=mutant.name,
            text=text,
            engine=request.engine_of_each,
            max_states=request.max_states,
            max_seconds=request.max_seconds,
        )
        for mutant in mutants_of(model)
    ]


def _elsewhere(spec: ModelSpec, scope: Scope) -> tuple[Scope, ...]:
    """The other scopes that judge what one does not exercise, the smallest first.

    They are no larger than a mutant may grow; where no number of states is pinned, that is unknown.
    """
    most = math.inf if scope.pins.states is None else TIMES_AS_MANY_STATES * scope.pins.states
    others = [
        (other.pins.states, other)
        for other in spec.scopes.values()
        if other.name != scope.name and other.pins.states and other.pins.states <= most
    ]
    return tuple(other for _, other in sorted(others, key=itemgetter(0)))


def _digest(model: Model, spec: ModelSpec, scopes: Sequence[Scope]) -> str:
    """A number that is another one when anything is that the fate of a mutant depends on.

    Why a mutant survives is no part of it: an explanation that is added leaves every row as it is.
    """
    document = {
        "texts": texts_of(model),
        "scopes": [
            [sorted(map(repr, part)) for part in (scope.constants.items(), scope.idle)]
            for scope in scopes
        ],
        "violated": [sorted(scope.pins.violates or ()) for scope in scopes],
        "deadlock_allowed": spec.deadlock_allowed,
        "environment": sorted(spec.environment),
    }
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()
