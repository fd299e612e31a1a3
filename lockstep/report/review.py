"""How a review is shown: a section a scope, the actions, what else was lost, and the sum."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain

from lockstep.pages.blocks import BECAUSE, Block, Lines, Paragraph
from lockstep.pages.output import document as json_document
from lockstep.pages.output import verdicts
from lockstep.report.review_actions import actions_lines
from lockstep.report.review_scope import scope_section
from lockstep.report.view import View, counted, pending
from lockstep.requests.review_plan import ReviewPlan
from lockstep.specs.expected import Subject
from lockstep.verbs.review.actions import ActionsReview
from lockstep.verbs.review.evidence import Change, Evidence, RequirementChange
from lockstep.verbs.review.result import actions_details, review_answer
from lockstep.verbs.review.run import ReviewRun, Unreviewed
from lockstep.verbs.review.scope import ScopeReview
from lockstep.words import plural

_UNMET = {
    Subject.PROPERTY: "did not break",
    Subject.REQUIREMENT: "did not break",
    Subject.FAULT: "is caught as before",
    Subject.BEHAVIOURS: "HEAD shows nothing new",
}
"""What is said of an entry of which nothing happened."""

_SUPPORT = {Change.SAME: "holds", Change.BROKEN: "violated"}
"""The styles of what becomes of a twin or a proof; of all else it is for somebody to look at."""


class ReviewView(View["ScopeReview | Unreviewed | ActionsReview", ReviewRun]):
    """A review, scope by scope; a `brief` one has no behaviours."""

    nothing = "holds"

    def __init__(self, plan: ReviewPlan, *, brief: bool = False) -> None:
        self._plan = plan
        self._brief = brief
        self.title = f"lockstep review {' '.join(plan.request.versions)}"

    def result(self, result: ScopeReview | Unreviewed | ActionsReview) -> Iterator[Block]:
        if isinstance(result, ActionsReview):
            yield Lines(tuple(actions_lines(result, brief=self._brief)), margin=0)
        else:
            yield scope_section(result, brief=self._brief)

    def closing(self, run: ReviewRun) -> Iterator[Block]:
        plan = self._plan
        if run.evidence is not None:
            yield from _evidence(run.evidence)
        for one in run.support.changes:
            text = f"{one.change}: {one.because}" if one.because else str(one.change)
            yield Paragraph(text, _SUPPORT.get(one.change, "inconclusive"), one.name)
        for entry in run.unmet:
            label = f"expected, but {_UNMET[entry.subject]}"
            yield Paragraph(f"{entry}: {entry.because}", "inconclusive", label)
        if plan.unchanged:
            yield Paragraph(", ".join(plan.unchanged), "dim", "the same in both")
        for text in (
            *plan.omitted,
            *(() if run.evidence is None else run.evidence.unasked),
            *run.support.unasked,
            *(f"expected {entry}" for entry in run.unexamined),
        ):
            yield Paragraph(text, "dim", "not compared")
        yield from pending("not compared", run.pending)
        if len(run.results) > 1:
            yield Paragraph(_verdicts(run), "bold")
        if run.exit_code:
            yield Paragraph(plan.request.again, label="reproduce with")

    def summary(self, run: ReviewRun) -> str:
        return _summary(run)

    def blocks(self, run: ReviewRun) -> tuple[Block, ...]:
        results = chain.from_iterable(map(self.result, (*run.results, *run.actions)))
        return (*results, *self.closing(run))

    def document(self, run: ReviewRun) -> Mapping[str, object]:
        rows = [review_answer(self._plan, result) for result in run.results]
        return json_document(
            rows,
            {
                "scopes": len(rows),
                **verdicts(rows),
                "unchanged": self._plan.unchanged,
                "omitted": self._plan.omitted,
                "evidence": run.evidence,
                "support": run.support,
                "unmet": run.unmet,
                "unexamined": run.unexamined,
                "not_compared": list(map(str, run.pending)),
                "exit_code": run.exit_code,
            },
            actions=list(map(actions_details, run.actions)),
        )


def _evidence(evidence: Evidence) -> Iterator[Block]:
    for requirement in evidence.requirements:
        label = f"requirement {requirement.id}"
        yield Paragraph(_answers(requirement), "inconclusive", label)
    for fault in evidence.faults:
        yield Paragraph(fault, "violated", "fault")
    for change, entry in evidence.expected:
        what = f"fault  {change}"
        if isinstance(change, RequirementChange):
            what = f"requirement {change.id}  {_answers(change)}"
        yield Paragraph(f"{what}\n  {BECAUSE}  {entry.because}", "changed", "expected")
    for fault in evidence.undecided:
        yield Paragraph(fault, "inconclusive", "fault not decided")
    if evidence.looked_at:
        text = f"{plural(evidence.looked_at, 'fault')} looked at in {evidence.seconds:.2f} s"
        yield Paragraph(f"{text}; --no-faults leaves them out", "dim", "evidence")
    if evidence.unread:
        yield Paragraph(f"requirements are not compared: {evidence.unread}", "inconclusive")


def _answers(requirement: RequirementChange) -> str:
    after = "it is gone" if requirement.head is None else str(requirement.head)
    return f"{requirement.base} -> {after}"


def _verdicts(run: ReviewRun) -> str:
    """How many scopes have which verdict."""
    return counted("scope", (result.verdict for result in run.results), none="none")


def _summary(run: ReviewRun) -> str:
    """What the whole review comes to, in one line."""
    evidence = run.evidence or Evidence()
    scopes = [result for result in run.results if isinstance(result, ScopeReview)]
    changes = [
        prop.change
        for result in scopes
        for prop in result.properties
        if prop.name not in result.expected
    ]
    expected = sum(len(result.expected) + bool(result.expected_behaviours) for result in scopes)
    counts = {
        "broken properties": changes.count(Change.BROKEN),
        "silenced": changes.count(Change.SILENCED),
        "lost": changes.count(Change.LOST),
        "open": changes.count(Change.OPEN),
        "requirements answered less well": len(evidence.requirements),
        "faults not as before": len(evidence.faults),
        "faults not decided": len(evidence.undecided),
        "twins or proofs not as before": sum(
            one.change is not Change.SAME for one in run.support.changes
        ),
        "expected": expected + len(evidence.expected),
        "expected and not so": len(run.unmet),
    }
    parts = [f"{what}: {count}" for what, count in counts.items() if count]
    return "; ".join([_verdicts(run) if run.results else "no model differs", *parts])
