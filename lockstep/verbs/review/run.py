"""`review`: what a change changes, scope by scope: properties, behaviours, and what is lost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from lockstep.errors import ExitCode, LockstepError
from lockstep.requests.review import ReviewRequest
from lockstep.requests.review_plan import ReviewPlan, ReviewTask, plan_review
from lockstep.requests.run import Failure, Run, Unwatched, Watch, run_each
from lockstep.requests.version import VersionPair
from lockstep.results.verdict import INTERRUPTED, worst
from lockstep.specs.expected import Expected
from lockstep.system.crash import failure_of
from lockstep.verbs.review.actions import ActionsReview, review_actions, version_pairs
from lockstep.verbs.review.evidence import Evidence, evidence_of
from lockstep.verbs.review.expected import Expectations, expectations_of
from lockstep.verbs.review.scope import ScopeReview, review_scope
from lockstep.verbs.review.support import Support, support_of

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
    watch: Watch = Unwatched(),
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
