"""`review`: what a change changes, scope by scope, and which proofs, twins and faults hold."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from lockstep.errors import ExitCode, LockstepError
from lockstep.requests.prove import SECONDS
from lockstep.requests.review import ReviewRequest
from lockstep.requests.review_plan import ReviewPlan, ReviewTask, plan_review
from lockstep.requests.run import Failure, Run, Watch, run_each
from lockstep.requests.version import VersionPair
from lockstep.results.verdict import INTERRUPTED, Verdict, worst
from lockstep.specs.expected import Expected
from lockstep.specs.scopes import ModelSpec, load_model_spec
from lockstep.system.crash import failure_of
from lockstep.system.java import find_java
from lockstep.system.text_files import read_text
from lockstep.verbs.prove import Proved, ProveRequest, prove
from lockstep.verbs.review.actions import ActionsReview, review_actions, version_pairs
from lockstep.verbs.review.evidence import Change, Evidence, evidence_of
from lockstep.verbs.review.expected import Expectations, expectations_of
from lockstep.verbs.review.scope import ScopeReview, review_scope
from lockstep.verbs.twin import USUAL_SCOPES, Compared, TwinRequest, twin
from lockstep.workspace import Workspace

_EXITS = {
    Change.BROKEN: ExitCode.VIOLATED,
    Change.LOST: ExitCode.INCONCLUSIVE,
    Change.OPEN: ExitCode.INCONCLUSIVE,
}


@dataclass(frozen=True)
class SupportChange:
    """What becomes of one twin in a scope, or of one proof; `because` says why it is not the same.

    It is `broken` where HEAD's twin is not the model any more, or HEAD violates what was to be
    proved; `open` where that is not known or a proof is not found any more.
    """

    name: str
    change: Change
    because: str = ""


@dataclass(frozen=True)
class Support:
    """What becomes of twins and proofs; `unasked` are those that were not looked at."""

    changes: tuple[SupportChange, ...] = ()
    unasked: tuple[str, ...] = ()

    @property
    def exit_code(self) -> int:
        """1 where a twin or a proof is refuted, 3 where it is lost or not known."""
        return worst(int(_EXITS.get(one.change, ExitCode.HOLDS)) for one in self.changes)


def support_of(plan: ReviewPlan, watch: Watch) -> Support:
    """What becomes of the twins and the proofs of the models that two revisions have not alike."""
    if plan.revisions is None:
        return Support()
    before, after = plan.revisions
    request, changes, unasked = plan.request, list[SupportChange](), list[str]()
    for model in _models(plan, before, after):
        base, head = (
            _Asking(request, workspace, _spec(workspace, model), watch)
            for workspace in plan.revisions
        )
        is_changed = model not in plan.unchanged
        if is_changed or _modules(base) != _modules(head):
            if request.twins:
                changes += _twins(base, head)
            elif base.scopes() or head.scopes():
                unasked.append(f"the twin of {model}: --twins compares it")
        if is_changed and request.proofs:
            changes += _proofs(base, head)
        elif is_changed and (base.proofs() or head.proofs()):
            unasked.append(f"the proofs of {model}: --proofs makes them again")
    return Support(tuple(changes), tuple(unasked))


def _models(plan: ReviewPlan, before: Workspace, after: Workspace) -> Iterator[str]:
    """The models that both revisions have, of all or of those that are named."""
    names = plan.request.versions[1:] or before.models()
    return (name for name in names if name in before.models() and name in after.models())


def _spec(workspace: Workspace, model: str) -> ModelSpec:
    """What is known of a model; nothing where its file is damaged, which the review says."""
    try:
        return load_model_spec(workspace.root, model)
    except LockstepError:
        return ModelSpec(None, model)


def _modules(asking: _Asking) -> Mapping[str, str]:
    """The TLA+ files of a twin, with all that they name: each by its name, with its text."""
    workspace, spec = asking.workspace, asking.spec
    files = {file.stem: file for file in workspace.root.joinpath("tla").rglob("*.tla")}
    pending = [f"MC{spec.twin}", f"{spec.twin}Refines", f"{spec.refines}"]
    texts: dict[str, str] = {}
    while pending:
        name = pending.pop()
        if name in files and name not in texts:
            texts[name] = read_text(files[name])
            pending += re.findall(r"\w+", texts[name])
    for file in workspace.root.glob(f"tla/MC{spec.twin}.cfg"):
        texts[file.name] = read_text(file)
    return texts


@dataclass(frozen=True)
class _Outcome:
    """What a revision says of a twin in a scope, or of a proof."""

    verdict: Verdict
    because: str


@dataclass(frozen=True)
class _Asking:
    """One revision of a model, and how it is asked."""

    request: ReviewRequest
    workspace: Workspace
    spec: ModelSpec
    watch: Watch

    def scopes(self) -> list[str]:
        """The scopes in which the twin is compared, if there is one."""
        scope = self.request.scope
        names = USUAL_SCOPES if scope is None else (scope,)
        return [name for name in names if self.spec.twin is not None and name in self.spec.scopes]

    def twin(self, scope: str) -> _Outcome:
        """Compare the twin in a scope."""
        asked = TwinRequest(
            (self.spec.name,), self.workspace, scope, max_seconds=self.request.max_seconds
        )
        try:
            run = twin(asked, watch=self.watch)
        except LockstepError as error:
            return self._outcome(Verdict.ERROR, str(error))
        if run.pending:
            raise KeyboardInterrupt
        (result,) = run.results
        because = result.result.because if isinstance(result, Compared) else str(result.error)
        return self._outcome(result.verdict, because)

    def proofs(self) -> list[str]:
        """The names of the proofs."""
        return list(self.spec.proofs)

    def proof(self, name: str) -> _Outcome:
        """Make a proof."""
        bound = self.request.max_seconds
        seconds = SECONDS if bound is None else bound
        asked = ProveRequest((self.spec.name,), self.workspace, proof=name, max_seconds=seconds)
        run = prove(asked, watch=self.watch)
        if run.pending or run.exit_code == INTERRUPTED:
            raise KeyboardInterrupt
        (result,) = run.results
        if isinstance(result, Proved):
            return self._outcome(result.verdict, result.because)
        return self._outcome(Verdict.ERROR, str(result.error))

    def _outcome(self, verdict: Verdict, because: str) -> _Outcome:
        return _Outcome(verdict, because.replace(f"{self.workspace.root}/", ""))


def _twins(base: _Asking, head: _Asking) -> Iterator[SupportChange]:
    """What becomes of a model's twin, scope by scope."""
    scopes = base.scopes(), head.scopes()
    if any(scopes):
        name = f"twin {head.spec.name}"
        try:
            find_java()
        except LockstepError as error:
            yield SupportChange(name, Change.OPEN, f"not compared: no Java. {error}")
        else:
            yield from _changes(name, scopes, base.twin, head.twin)


def _proofs(base: _Asking, head: _Asking) -> Iterator[SupportChange]:
    """What becomes of the proofs of a model."""
    names = base.proofs(), head.proofs()
    yield from _changes(f"proof {head.spec.name}", names, base.proof, head.proof)


def _changes(
    title: str,
    names: tuple[list[str], list[str]],
    ask_base: Callable[[str], _Outcome],
    ask_head: Callable[[str], _Outcome],
) -> Iterator[SupportChange]:
    """What becomes of each name of BASE and of HEAD; BASE is asked where HEAD's does not hold."""
    before, after = names
    for name in after:
        outcome = ask_head(name)
        change = Change.SAME
        if outcome.verdict is not Verdict.HOLDS:
            held = name not in before or ask_base(name).verdict is Verdict.HOLDS
            refuted = outcome.verdict in (Verdict.VIOLATED, Verdict.DIFFERS)
            change = (Change.BROKEN if refuted else Change.OPEN) if held else Change.STILL_VIOLATED
        yield SupportChange(f"{title} {name}", change, outcome.because)
    for name in before:
        if name not in after:
            yield SupportChange(f"{title} {name}", Change.LOST, "HEAD does not have it")


__all__ = ["ReviewPlan", "ReviewRequest", "ReviewRun", "ScopeReview", "Unreviewed", "plan_review"]


@dataclass(frozen=True)
class Unreviewed(Failure):
    """Two versions that were not compared in a scope, or in any."""

    versions: VersionPair
    scope: str
    error: LockstepError

    @property
    def because(self) -> str:
        """Why not."""
        return self.versions.shown(str(self.error))


@dataclass(frozen=True)
class ReviewRun(Run[ReviewTask, "ScopeReview | Unreviewed"]):
    """All scopes; `pending` are those that the run did not come to.

    `evidence` is what HEAD lost beside; None where Ctrl-C came before that was looked at. `unmet`
    was expected and did not happen; of what was `unexamined` nothing is compared. `support` is what
    becomes of twins and proofs.
    """

    evidence: Evidence | None = field(default_factory=Evidence)
    unmet: tuple[Expected, ...] = ()
    unexamined: tuple[Expected, ...] = ()
    support: Support = field(default_factory=Support)
    actions: tuple[ActionsReview, ...] = ()

    @property
    def exit_code(self) -> int:
        """The worst of all scopes, and of what is lost."""
        codes = [super().exit_code, self.support.exit_code]
        codes += [review.exit_code for review in self.actions]
        if self.evidence is None:
            codes.append(INTERRUPTED)
        elif self.evidence.faults:
            codes.append(int(ExitCode.VIOLATED))
        elif self.evidence.requirements or self.evidence.unread or self.evidence.undecided:
            codes.append(int(ExitCode.INCONCLUSIVE))
        codes += [int(ExitCode.INCONCLUSIVE)] * bool(self.unmet)
        return worst(codes)


def run_review(
    plan: ReviewPlan,
    *,
    on_result: Callable[[ScopeReview | Unreviewed | ActionsReview], None] = lambda _: None,
    watch: Watch = Watch(),
) -> ReviewRun:
    """Do what was planned: all scopes, then the actions of each pair of versions.

    `on_result` gets each as soon as it is done.

    `LockstepError` where what is expected of it cannot be read.
    """
    expected = expectations_of(plan)
    run = run_each(plan.tasks, lambda task: _review(plan, task, expected, watch), on_result)
    if run.pending or run.exit_code == INTERRUPTED:
        return ReviewRun(run.results, run.pending, None)
    compared = run_each(
        version_pairs(plan), lambda versions: review_actions(plan, versions, watch), on_result
    )
    actions = compared.results
    if compared.pending:
        return ReviewRun(run.results, evidence=None, actions=actions)
    try:
        evidence = expected.without_expected(evidence_of(plan, watch))
        support = support_of(plan, watch)
    except KeyboardInterrupt:
        return ReviewRun(run.results, evidence=None, actions=actions)  # it was not looked at
    unmet, left_out = expected.unmet(run.results, evidence), expected.left_out(evidence)
    return ReviewRun(run.results, (), evidence, unmet, left_out, support, actions)


def _review(
    plan: ReviewPlan, task: ReviewTask, expected: Expectations, watch: Watch
) -> ScopeReview | Unreviewed:
    try:
        return expected.judged(review_scope(plan, task, watch))
    except Exception as error:
        return Unreviewed(task.versions, task.scope, failure_of(error, plan.workspace))
