"""What is kept of `check`, `prove` and `twin`, for the texts as they stand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from lockstep.errors import LockstepError
from lockstep.language.frontend import lower
from lockstep.language.model import Model, load_model
from lockstep.plain.exploration import DEFAULT_ENGINE, ENGINES, Exploration
from lockstep.results.verdict import Verdict, verdict_without
from lockstep.specs.judgement import check_declarations, judge
from lockstep.specs.matrix import check_stated_requirements
from lockstep.specs.scopes import DEFAULT_SCOPE, ModelSpec, Scope
from lockstep.verbs.check_kept import search_question
from lockstep.verbs.check_request import CheckRequest
from lockstep.verbs.failed_result import FailedResult
from lockstep.verbs.prove_kept import proof_question
from lockstep.verbs.prove_request import ProveRequest
from lockstep.verbs.prove_result import Proved
from lockstep.verbs.prove_subject import Subject, load_subjects
from lockstep.verbs.report_entry import CHECK, PROVE, TWIN, Counts, Entry, Kept
from lockstep.verbs.twin import TwinRequest, twin_scopes
from lockstep.verbs.twin_kept import comparison_question
from lockstep.workspace import Workspace


@dataclass(frozen=True)
class KeptResults:
    """The results that a workspace keeps of three verbs.

    What is kept depends on what a model is in a scope, so it is loaded in each.
    """

    workspace: Workspace

    def checks(self, spec: ModelSpec) -> Iterator[Entry]:
        """An entry for each scope of a model; only the scope `default` is wanted."""
        scopes = spec.scopes.values() or [Scope(DEFAULT_SCOPE)]
        for scope in scopes:
            is_usual = scope.name == DEFAULT_SCOPE
            request = CheckRequest(scope=None if is_usual else scope.name)
            entry = Entry(CHECK, spec.name, scope.name, request.again(spec.name), wanted=is_usual)
            try:
                yield self._check(entry, spec, self._model(spec, scope), scope)
            except LockstepError as error:
                yield _refused(entry, error)

    def _check(self, entry: Entry, spec: ModelSpec, model: Model, scope: Scope) -> Entry:
        judged = f"{len(model.properties)}"
        for engine in dict.fromkeys((DEFAULT_ENGINE, *ENGINES)):
            asked = Exploration(engine, deadlock_allowed=spec.deadlock_allowed)
            question = search_question(self.workspace, model, scope.name, scope.constants, asked)
            match self._checks.result(question):
                case None:
                    continue
                case FailedResult() as failed, since:
                    entry = _failed(replace(entry, since=since, judged=judged), failed)
                    return replace(entry, is_expected=_is_pinned(scope, failed))
                case result, since:
                    judgement = judge(model, scope, result, pinned=True)
                    return replace(
                        entry,
                        verdict=judgement.verdict,
                        because=judgement.because,
                        since=since,
                        judged=judged,
                        counts=Counts(
                            result.states,
                            result.transitions,
                            result.depth,
                            result.seconds,
                            tuple(result.levels),
                        ),
                    )
        outdated = self._checks.outdated(f"{spec.name} {scope.name}")
        return replace(entry, outdated=outdated, judged=judged)

    def proofs(self, spec: ModelSpec) -> Iterator[tuple[Entry, Proved | None]]:
        """An entry for each proof of a model, with what was proved."""
        request = ProveRequest()
        subjects = load_subjects(self.workspace, spec.name, request.widths, with_proofs_only=True)
        for subject in subjects:
            name = subject.proof.name
            again = request.again(spec.name, name, None)
            entry = Entry(PROVE, spec.name, name, again)
            try:
                yield self._proof(entry, subject, request, subject.load())
            except LockstepError as error:
                yield _refused(entry, error), None

    def _proof(
        self, entry: Entry, subject: Subject, request: ProveRequest, model: Model
    ) -> tuple[Entry, Proved | None]:
        match self._proofs.result(proof_question(subject, request, model)):
            case None:
                return replace(entry, outdated=self._proofs.outdated(str(subject))), None
            case FailedResult() as failed, since:
                return _failed(replace(entry, since=since), failed), None
            case proved, since:
                induction = proved.induction
                count = sum(proof.proved for proof in induction.proofs)
                entry = replace(
                    entry,
                    verdict=proved.verdict,
                    because=proved.because,
                    since=since,
                    judged=f"{count}/{len(induction.proofs)}",
                    counts=Counts(seconds=induction.seconds),
                )
                return entry, proved

    def _model(self, spec: ModelSpec, scope: Scope) -> Model:
        return load_model(self.workspace.root, spec.name, scope.constants)

    def twins(self, spec: ModelSpec) -> Iterator[Entry]:
        """An entry for each scope in which a model is usually compared with its twin."""
        if spec.twin is None:
            return
        for name in twin_scopes(spec):
            again = TwinRequest(scope=name).again(spec.name)
            entry = Entry(TWIN, spec.name, name, again)
            try:
                scope = spec.scope(name)
                yield self._twin(entry, spec, self._model(spec, scope), scope)
            except LockstepError as error:
                yield replace(entry, because=error.message)

    def _twin(self, entry: Entry, spec: ModelSpec, model: Model, scope: Scope) -> Entry:
        question = comparison_question(self.workspace, spec, scope, model, TwinRequest())
        match self._twins.result(question):
            case None:
                return replace(entry, outdated=self._twins.outdated(f"{spec.name} {scope.name}"))
            case FailedResult() as failed, since:
                return _failed(replace(entry, since=since), failed)
            case result, since:
                explored = result.explored
                return replace(
                    entry,
                    verdict=result.verdict,
                    because="; ".join(filter(None, (result.because, *result.left_out))),
                    since=since,
                    judged=result.compare,
                    counts=Counts(
                        explored.states, explored.transitions, explored.depth, result.seconds
                    ),
                )

    @cached_property
    def _checks(self) -> Kept:
        return Kept(self.workspace, "check")

    @cached_property
    def _proofs(self) -> Kept:
        return Kept(self.workspace, "prove")

    @cached_property
    def _twins(self) -> Kept:
        return Kept(self.workspace, "twin")


def _failed(entry: Entry, failed: FailedResult) -> Entry:
    """The entry of a result that does not hold."""
    return replace(
        entry,
        verdict=failed.verdict,
        because=failed.because,
        violates=failed.violates,
        length=failed.length,
        trace=None if failed.trace is None else Path(failed.trace),
        counts=Counts(failed.states, failed.transitions, failed.depth, failed.seconds),
    )


def _refused(entry: Entry, error: LockstepError) -> Entry:
    """The entry of a text that cannot be used."""
    return replace(entry, verdict=verdict_without(error), because=str(error))


def _is_pinned(scope: Scope, failed: FailedResult) -> bool:
    """Whether a violation is just what the scope pins."""
    pins = scope.pins
    return (
        failed.verdict == pins.verdict == Verdict.VIOLATED
        and sorted(failed.violates) == sorted(pins.violates or ())
        and all(
            pin in (None, getattr(failed, name))
            for name, pin in vars(pins).items()
            if name in ("states", "transitions", "depth")
        )
    )


def model_of(workspace: Workspace, spec: ModelSpec) -> Model:
    """A model as its usual scope has it; `LockstepError` where `check` would refuse it."""
    scopes = spec.scopes
    scope = scopes.get(DEFAULT_SCOPE, next(iter(scopes.values()), Scope(DEFAULT_SCOPE)))
    model = load_model(workspace.root, spec.name, scope.constants)
    check_declarations(model, spec)
    check_stated_requirements(model, spec)
    lower(model)
    return model
