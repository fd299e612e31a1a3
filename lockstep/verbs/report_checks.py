"""What is kept of `check`, `prove` and `twin`, for the texts as they stand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache, cached_property, partial

from lockstep.answers.answer import Answer, earliest
from lockstep.answers.history import CHECK, FAULTS, MUTANTS, PROVE, TWIN, Entry
from lockstep.answers.store import Question, latest_answers
from lockstep.errors import LockstepError
from lockstep.language.frontend import lower
from lockstep.language.model import Model, load_model
from lockstep.mutants.fate import Fate
from lockstep.plain.exploration import DEFAULT_ENGINE, ENGINES, Exploration
from lockstep.requests.check import CheckRequest
from lockstep.requests.prove import ProveRequest
from lockstep.results.verdict import Verdict, verdict_without
from lockstep.specs.judgement import check_declarations, judge
from lockstep.specs.matrix import check_stated_requirements
from lockstep.specs.scopes import DEFAULT_SCOPE, ModelSpec, Scope
from lockstep.verbs.campaign import EarlierRows
from lockstep.verbs.check_result import kept_search, search_question
from lockstep.verbs.faults import FaultsOfModel, FaultsRequest, plan_faults
from lockstep.verbs.mutants import MutantsOfModel, MutantsRequest, plan_mutants
from lockstep.verbs.prove_kept import kept_proof, proof_question
from lockstep.verbs.prove_result import Proved, Subject, load_subjects
from lockstep.verbs.twin import TwinRequest, comparison_question, twin_scopes
from lockstep.verbs.twin_result import kept_comparison
from lockstep.words import plural
from lockstep.workspace import Workspace


@dataclass(frozen=True)
class KeptResults:
    """The results that a workspace keeps of three verbs.

    What is kept depends on what a model is in a scope, so it is loaded in each.
    """

    workspace: Workspace

    @cached_property
    def _latest(self) -> Callable[[str], Mapping[tuple[str, str], datetime]]:
        """When a verb answered last about each model and scope or proof."""
        return cache(partial(latest_answers, self.workspace))

    def checks(self, spec: ModelSpec) -> Iterator[Entry]:
        """An entry for each scope of a model; only the scope `default` is wanted."""
        scopes = spec.scopes.values() or [Scope(DEFAULT_SCOPE)]
        for scope in scopes:
            is_usual = scope.name == DEFAULT_SCOPE
            request = CheckRequest(scope=None if is_usual else scope.name)
            again = request.again(spec.name)
            entry = Entry(
                kind=CHECK, model=spec.name, scope=scope.name, again=again, wanted=is_usual
            )
            try:
                yield self._check(entry, spec, self._model(spec, scope), scope)
            except LockstepError as error:
                yield _refused(entry, error)

    def _check(self, entry: Entry, spec: ModelSpec, model: Model, scope: Scope) -> Entry:
        judged = f"{len(model.properties)}"
        for engine in dict.fromkeys((DEFAULT_ENGINE, *ENGINES)):
            asked = Exploration(engine, deadlock_allowed=spec.deadlock_allowed)
            question = search_question(self.workspace, model, scope.name, scope.constants, asked)
            answer = self._answer(question)
            if answer is None:
                continue
            answer.judged = judged
            if answer.verdict != Verdict.HOLDS:
                return entry.answered(answer, expected=_is_pinned(scope, answer))
            result = kept_search(model, answer)
            if result is not None:
                judgement = judge(model, scope, result, pinned=True)
                entry = entry.answered(answer)
                return entry.saying(judgement.verdict, judgement.because)
        entry.judged = judged
        return self._outdated(entry)

    def proofs(self, spec: ModelSpec) -> Iterator[tuple[Entry, Proved | None]]:
        """An entry for each proof of a model, with what was proved."""
        request = ProveRequest()
        subjects = load_subjects(self.workspace, spec.name, request, with_proofs_only=True)
        for subject in subjects:
            name = subject.proof.name
            again = request.again(spec.name, name, None)
            entry = Entry(kind=PROVE, model=spec.name, scope=name, again=again)
            try:
                yield self._proof(entry, subject, subject.load())
            except LockstepError as error:
                yield _refused(entry, error), None

    def _proof(self, entry: Entry, subject: Subject, model: Model) -> tuple[Entry, Proved | None]:
        answer = self._answer(proof_question(subject, model))
        if answer is None:
            return self._outdated(entry), None
        if answer.verdict != Verdict.HOLDS:
            return entry.answered(answer), None
        proved = kept_proof(subject, model, answer)
        if proved is None:
            return self._outdated(entry), None
        answer.seconds = proved.induction.seconds
        return entry.answered(answer), proved

    def _model(self, spec: ModelSpec, scope: Scope) -> Model:
        return load_model(self.workspace.root, spec.name, scope.constants)

    def twins(self, spec: ModelSpec) -> Iterator[Entry]:
        """An entry for each scope in which a model is usually compared with its twin."""
        if spec.twin is None:
            return
        for name in twin_scopes(spec):
            again = TwinRequest(scope=name).again(spec.name)
            entry = Entry(kind=TWIN, model=spec.name, scope=name, again=again)
            try:
                scope = spec.scope(name)
                yield self._twin(entry, spec, self._model(spec, scope), scope)
            except LockstepError as error:
                entry.because = error.message
                yield entry

    def _twin(self, entry: Entry, spec: ModelSpec, model: Model, scope: Scope) -> Entry:
        question = comparison_question(self.workspace, spec, scope, model, TwinRequest())
        answer = self._answer(question)
        if answer is None:
            return self._outdated(entry)
        if answer.verdict != Verdict.HOLDS:
            return entry.answered(answer)
        result = kept_comparison(model, answer)
        if result is None:
            return self._outdated(entry)
        answer.because = "; ".join(filter(None, (result.because, *result.left_out)))
        return entry.answered(answer)

    def _answer(self, question: Question) -> Answer | None:
        """What was decided last of a question as it stands; None where nothing was."""
        if (question.model, question.scope) not in self._latest(question.verb):
            return None  # nothing of it was ever decided: its digest need not be known
        return question.find()

    def _outdated(self, entry: Entry) -> Entry:
        """The entry of what was decided, if at all, of other texts."""
        entry.outdated = self._latest(entry.kind).get((entry.model, entry.scope))
        return entry


def _refused(entry: Entry, error: LockstepError) -> Entry:
    """The entry of a text that cannot be used."""
    return entry.saying(verdict_without(error), str(error))


def _is_pinned(scope: Scope, failed: Answer) -> bool:
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
    model = load_model(workspace.root, spec.name, spec.usual_scope.constants)
    check_declarations(model, spec)
    check_stated_requirements(model, spec)
    lower(model)
    return model


@dataclass(frozen=True)
class FaultsReport:
    """The faults of a model of which a row is kept, and the names of those of which none is."""

    entry: Entry
    faults: FaultsOfModel
    missing: tuple[str, ...] = ()


def faults_report(workspace: Workspace, spec: ModelSpec, rows: EarlierRows) -> FaultsReport | None:
    """What is kept of the faults of a model; None where it has none."""
    result, planned = plan_faults(workspace, FaultsRequest(), spec.name)
    again = f"lockstep faults {spec.name}"
    entry = Entry(kind=FAULTS, model=spec.name, scope="", again=again)
    entry.judged = f"0/{len(planned)}"
    if result.errors:
        return FaultsReport(entry.saying(Verdict.ERROR, str(result.errors[0])), result)
    if not planned and not result.invariants:
        return None
    tasks = [task for task, _ in planned]
    known = rows.of(tasks)
    missing = tuple(str(task.fault) for at, task in enumerate(tasks) if at not in known)
    for row in known.values():
        result.take(row)
    result.interrupted = bool(missing)
    if not known and tasks:
        entry.outdated = rows.latest("fault", spec.name)
        return FaultsReport(entry, result, missing)
    kept = [run for run in result.runs if run.details.problem is None]
    entry.judged = f"{len(kept)}/{len(tasks)}"
    entry.since = earliest(result.runs)
    if result.problems:
        entry = entry.saying(Verdict.VIOLATED, "; ".join(result.problems))
    elif missing:
        because = f"{plural(len(missing), 'fault')} not run: {_some(missing)}"
        entry = entry.saying(Verdict.INCONCLUSIVE, because)
    else:
        entry = entry.saying(Verdict.HOLDS)
    return FaultsReport(entry, result, missing)


def mutants_report(
    workspace: Workspace, spec: ModelSpec, rows: EarlierRows
) -> tuple[Entry, MutantsOfModel | None]:
    """What is kept of the mutants of a model; a workspace is whole without."""
    again = f"lockstep mutants {spec.name}"
    entry = Entry(kind=MUTANTS, model=spec.name, scope=DEFAULT_SCOPE, again=again, wanted=False)
    if not rows.are_there("mutant", spec.name):
        return entry, None
    result, planned = plan_mutants(workspace, MutantsRequest(), spec.name)
    if result.errors:
        return entry, None  # the model's own check says what is wrong
    known = rows.of([task for task, _ in planned])
    if not known:
        entry.outdated = rows.latest("mutant", spec.name)
        return entry, None
    for row in known.values():
        result.take(row)
    result.interrupted = len(known) < len(planned)
    counted = [mutant for mutant in result.mutants if mutant.fate is not Fate.VOID]
    settled = len(counted) - len(result.unexplained)
    entry.judged = f"{settled}/{len(counted)}"
    entry.since = earliest(result.mutants)
    left = len(planned) - len(known)
    if any(mutant.fate is Fate.SURVIVES for mutant in result.unexplained) or result.stale:
        because = f"{plural(len(result.unexplained), 'unexplained survivor')}"
        if result.stale:
            because += f"; explained although killed: {', '.join(result.stale)}"
        return entry.saying(Verdict.VIOLATED, because), result
    if left or result.unexplained:
        because = f"{plural(left + len(result.unexplained), 'mutant')} not judged"
        return entry.saying(Verdict.INCONCLUSIVE, because), result
    return entry.saying(Verdict.HOLDS), result


_MOST_NAMES = 3


def _some(names: Sequence[str]) -> str:
    """Some of many names."""
    others = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f" and {others} more" if others > 0 else "")
