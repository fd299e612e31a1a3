"""What `review` prints for a reader: what changes in each scope, and the shortest examples."""

from __future__ import annotations

from collections.abc import Iterator

from lockstep.language.model import Model
from lockstep.report.output import Output
from lockstep.report.review_actions_text import actions_lines
from lockstep.report.trace_text import print_trace
from lockstep.results.trace import Trace
from lockstep.results.verdict import Verdict
from lockstep.review.because import Reason
from lockstep.review.difference import Difference
from lockstep.trace.layout import show
from lockstep.trace.render import render_instance, render_trace, render_violation
from lockstep.verbs.review import ReviewRun, Unreviewed
from lockstep.verbs.review_actions import ActionsReview
from lockstep.verbs.review_evidence import Evidence
from lockstep.verbs.review_plan import ReviewPlan
from lockstep.verbs.review_properties import Change, PropertyChange
from lockstep.verbs.review_scope import Behaviours, Direction, ScopeReview
from lockstep.words import indented, plural, shown_path

_STYLES = {
    Change.BROKEN: "violated",
    Change.SILENCED: "inconclusive",
    Change.LOST: "inconclusive",
    Change.OPEN: "inconclusive",
    Change.MENDED: "holds",
    Change.GAINED: "holds",
    Change.STILL_VIOLATED: "violated",
}
"""The changes that are named one by one."""


class ReviewText:
    """Prints each scope as soon as it is compared, and the sum at the end."""

    def __init__(self, output: Output, plan: ReviewPlan, *, brief: bool) -> None:
        self._output = output
        self._plan = plan
        self._brief = brief

    def add(self, result: ScopeReview | Unreviewed) -> None:
        """Print one scope."""
        line = self._output.line
        line(f"{result.versions}, scope {result.scope}: {result.verdict}", str(result.verdict))
        if isinstance(result, Unreviewed):
            line(indented(f"not compared: {result.error}", 2))
            return
        self._properties(result)
        self._behaviours(result)
        line(f"  explored    {_sizes(result.behaviours)}{result.seconds:.2f} s", "dim")

    def actions(self, review: ActionsReview) -> None:
        """Print what becomes of the actions of two versions."""
        for line in actions_lines(review, brief=self._brief):
            self._output.line(line.text, line.style)

    def finish(self, run: ReviewRun) -> None:
        """Print what was not compared, and the last line."""
        line = self._output.line
        if run.evidence is not None:
            self._evidence(run.evidence)
        if self._plan.unchanged:
            line(f"the same in both  {', '.join(self._plan.unchanged)}", "dim")
        for text in self._plan.omitted:
            line(f"not compared  {text}", "dim")
        if run.pending:
            line(f"interrupted; not compared: {', '.join(map(str, run.pending))}", "inconclusive")
        verdicts = [result.verdict for result in run.results]
        if len(verdicts) > 1:
            counts = [f"{verdicts.count(one)} {one}" for one in Verdict if one in verdicts]
            line(f"{plural(len(verdicts), 'scope')}: {', '.join(counts)}", "bold")
        if run.exit_code:
            line(f"reproduce with  {self._plan.request.again}")

    def _evidence(self, evidence: Evidence) -> None:
        line = self._output.line
        for requirement in evidence.requirements:
            after = "it is gone" if requirement.head is None else str(requirement.head)
            line(f"requirement {requirement.id}  {requirement.base} -> {after}", "inconclusive")
        for fault in evidence.faults:
            line(f"fault  {fault}", "violated")
        if evidence.unread:
            line(indented(f"requirements are not compared: {evidence.unread}", 2), "inconclusive")

    def _properties(self, result: ScopeReview) -> None:
        line, changes = self._output.line, [prop.change for prop in result.properties]
        counts = [f"{changes.count(one)} {one}" for one in Change if one in changes]
        line(f"  properties  {', '.join(counts) or 'none'}")
        for prop in result.properties:
            if prop.change in _STYLES:
                words = " in the words of BASE" if prop.is_reworded else ""
                text = f"    {f'{prop.change}':<9} {prop.name}{words}{self._how(prop)}"
                line(text, _STYLES[prop.change])
        if result.unjudged:
            line(indented(f"HEAD is not judged by what BASE claims: {result.unjudged}", 4))
        if not self._brief:
            self._counterexamples(result)

    def _how(self, prop: PropertyChange) -> str:
        """After how many steps a property is violated, and where the behaviour was saved."""
        checked = prop.checked
        if checked is None:
            return ""
        violation = checked.result.violation
        if prop.name in checked.result.missed:
            return ""
        is_shown = violation is not None and prop.name in violation.properties
        if violation is None or not is_shown or violation.trace.loop is not None:
            return ", by a behaviour that never ends"
        text = f" after {plural(len(violation.trace.steps), 'step')}"
        if checked.saved is None or self._brief:
            return text
        return f"{text}, {shown_path(checked.saved)}"

    def _counterexamples(self, result: ScopeReview) -> None:
        line, shown = self._output.line, set()
        for prop in result.properties:
            checked = prop.checked
            if prop.change is not Change.BROKEN or checked is None or id(checked) in shown:
                continue
            shown.add(id(checked))  # what one behaviour breaks is shown once
            violation = checked.result.violation
            if violation is not None:
                line()
                fault = result.versions.head.fault
                print_trace(self._output, render_violation(checked.model, violation, fault), 6)
                line()

    def _behaviours(self, result: ScopeReview) -> None:
        line, pair, versions = self._output.line, result.pair, result.versions
        adds, removes = result.behaviours.adds, result.behaviours.removes
        line(f"  behaviours  {_summary(adds, removes)}")
        for name, model in (("BASE", pair.one), ("HEAD", pair.other)):
            if hidden := pair.hidden(model):
                line(f"    hidden in {name}: {', '.join(hidden)}", "dim")
        if adds.difference is not None:
            title = f"only HEAD ({versions.head}) shows"
            self._difference(title, "BASE", pair.other, pair.one, adds.difference)
        if removes.difference is not None:
            title = f"only BASE ({versions.base}) shows"
            self._difference(title, "HEAD", pair.one, pair.other, removes.difference)

    def _difference(
        self, title: str, other_name: str, one: Model, other: Model, difference: Difference
    ) -> None:
        line, count = self._output.line, len(difference.trace.steps)
        if difference.followed is None:
            line(f"    the initial states show something else: {other_name} begins with", "changed")
            for name in other.variables:
                line(f"      {name} = {show(getattr(other.initial, name))}")
            return
        line(f"    {title}, in {plural(count, 'step')}", "changed")
        if not self._brief:
            line()
            print_trace(self._output, render_trace(one, difference.trace), 6)
            line()
        line(f"    {other_name} shows the same up to step {count - 1}, and then not:")
        if difference.reason is not None:
            for text in _reason(other_name, other, difference.reason):
                line(f"      {text}")
        line(f"      {_way(one, other, difference.trace, difference.followed)}", "dim")
        if not self._brief:
            line()


def _way(one: Model, other: Model, trace: Trace, followed: Trace) -> str:
    """How the other version came to where it cannot follow."""
    own, there = (
        [
            render_instance(step.action, model.action(step.action).parameters, step.parameters)
            for step in steps
        ]
        for model, steps in ((one, trace.steps[:-1]), (other, followed.steps))
    )
    if own == there:
        return "it came there by the same steps"
    return f"it came there by {', '.join(there) or 'no step'}"


def _sizes(behaviours: Behaviours) -> str:
    """The states and the depth of both versions."""
    if behaviours.sizes is None:
        return ""
    base, head = behaviours.sizes
    states, depth = _from_to(base.states, head.states), _from_to(base.depth, head.depth)
    return f"states {states}, depth {depth}; "


def _from_to(before: int, after: int) -> str:
    return f"{before:,}" if before == after else f"{before:,} -> {after:,}"


def _summary(adds: Direction, removes: Direction) -> str:
    """What the two directions come to, in one line."""
    match adds.verdict, removes.verdict:
        case Verdict.HOLDS, Verdict.HOLDS:
            return "the same in both"
        case Verdict.HOLDS, Verdict.VIOLATED:
            return "HEAD refines BASE: it shows nothing new, and not all that BASE does"
        case Verdict.VIOLATED, Verdict.HOLDS:
            return "BASE refines HEAD: HEAD shows all that BASE does, and more"
        case Verdict.VIOLATED, Verdict.VIOLATED:
            return "neither refines the other"
    texts = [
        f"{text}: {direction.because or direction.verdict}"
        for text, direction in (("what HEAD adds", adds), ("what HEAD removes", removes))
    ]
    return "; ".join(texts)


def _reason(name: str, model: Model, reason: Reason) -> Iterator[str]:
    """Why a version does not take the last step."""
    if reason.refused:
        yield f"{name} does not take {reason.action} there"
        if reason.conjunct is not None:
            conjunct = reason.conjunct
            root = model.universe.root
            file = conjunct.file.relative_to(root) if conjunct.file.is_relative_to(root) else None
            place = f"{file or conjunct.file.name}:{conjunct.line}"
            yield f"because of {place}, which requires {conjunct.text}"
            for bound, value in (*conjunct.bound.items(), *conjunct.values.items()):
                yield f"  {bound} = {show(value)}"
    elif reason.after is not None:
        yield f"{name}'s {reason.action} leaves other values of {', '.join(reason.variables)}:"
        for variable in reason.variables:
            yield f"  {variable} = {show(getattr(reason.after, variable))}"
    else:
        yield f"{name} has no action {reason.action} with such parameters"
