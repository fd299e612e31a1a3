"""A review as a page: a section a scope, what else was lost, what was not compared, and the sum."""

from __future__ import annotations

from collections.abc import Iterator

from lockstep.errors import ExitCode
from lockstep.pages.blocks import BECAUSE, Block, Lines, Page, Paragraph
from lockstep.pages.output import Output
from lockstep.pages.text import PageText
from lockstep.report.review_actions import actions_lines
from lockstep.report.review_scope import scope_section
from lockstep.requests.review_plan import ReviewPlan
from lockstep.results.verdict import INTERRUPTED, Verdict
from lockstep.specs.expected import Subject
from lockstep.verbs.review import ReviewRun, Unreviewed
from lockstep.verbs.review_actions import ActionsReview
from lockstep.verbs.review_evidence import Change, Evidence, RequirementChange
from lockstep.verbs.review_scope import ScopeReview
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

_VERDICTS = {
    int(ExitCode.HOLDS): "holds",
    int(ExitCode.VIOLATED): "violated",
    int(ExitCode.INCONCLUSIVE): "inconclusive",
    INTERRUPTED: "interrupted",
}
"""The word for how a review ends; any other end is an error."""


def review_page(plan: ReviewPlan, run: ReviewRun, *, brief: bool) -> Page:
    """The whole page of a review that has ended."""
    return Page(
        title=f"lockstep review {' '.join(plan.request.versions)}",
        verdict=_VERDICTS.get(run.exit_code, "error"),
        summary=_summary(run),
        blocks=(
            *(scope_section(result, brief=brief) for result in run.results),
            *(actions_block(review, brief=brief) for review in run.actions),
            *closing(plan, run),
        ),
    )


def actions_block(review: ActionsReview, *, brief: bool) -> Lines:
    """What becomes of the actions of two versions."""
    return Lines(tuple(actions_lines(review, brief=brief)), margin=0)


def closing(plan: ReviewPlan, run: ReviewRun) -> Iterator[Block]:
    """What comes after the scopes."""
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
    if run.pending:
        text = f"interrupted; not compared: {', '.join(map(str, run.pending))}"
        yield Paragraph(text, "inconclusive")
    if len(run.results) > 1:
        yield Paragraph(_verdicts(run), "bold")
    if run.exit_code:
        yield Paragraph(plan.request.again, label="reproduce with")


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
    verdicts = [result.verdict for result in run.results]
    counts = [f"{verdicts.count(one)} {one}" for one in Verdict if one in verdicts]
    return f"{plural(len(verdicts), 'scope')}: {', '.join(counts)}"


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


class ReviewText:
    """Prints each scope as soon as it is compared, and the rest at the end."""

    def __init__(self, output: Output, plan: ReviewPlan, *, brief: bool) -> None:
        self._text = PageText(output)
        self._plan = plan
        self._brief = brief

    def add(self, result: ScopeReview | Unreviewed) -> None:
        """Print one scope."""
        self._text.show([scope_section(result, brief=self._brief)])

    def actions(self, review: ActionsReview) -> None:
        """Print what becomes of the actions of two versions."""
        self._text.show([actions_block(review, brief=self._brief)])

    def finish(self, run: ReviewRun) -> None:
        """Print what was not compared, and the last line."""
        self._text.show(closing(self._plan, run))
