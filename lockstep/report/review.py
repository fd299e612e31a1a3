"""How a review is shown: a section a scope, the actions, what else was lost, and the sum."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from itertools import chain

from lockstep.language.notation import State
from lockstep.pages.blocks import BECAUSE, Block, Lines, Paragraph
from lockstep.pages.output import document as json_document
from lockstep.pages.output import verdicts
from lockstep.report.review_scope import scope_section
from lockstep.report.view import View, counted, pending
from lockstep.requests.review_plan import ReviewPlan
from lockstep.review.action_change import Strength
from lockstep.review.action_example import Example
from lockstep.specs.expected import Subject
from lockstep.trace.changes import changes
from lockstep.trace.layout import WIDTH, Group, Room, Text, lay_out, prefixed, text_of
from lockstep.trace.render import Line
from lockstep.verbs.review.actions import ActionsReview, DecidedAction
from lockstep.verbs.review.evidence import Change, Evidence, RequirementChange
from lockstep.verbs.review.result import actions_details, review_answer
from lockstep.verbs.review.run import ReviewRun, Unreviewed
from lockstep.verbs.review.scope import ScopeReview
from lockstep.words import indented, plural

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


_STYLES = {
    Strength.ADDED: "changed",
    Strength.REMOVED: "changed",
    Strength.CHANGED: "changed",
    Strength.WEAKENED: "violated",
    Strength.STRENGTHENED: "changed",
    Strength.UNDECIDED: "inconclusive",
}
"""The actions that are named one by one."""

_MORE_TIME = "--action-seconds S gives the solver S seconds"

_NAMES = ("BASE", "HEAD")


def actions_lines(review: ActionsReview, *, brief: bool) -> Iterator[Line]:
    """The lines of two versions; a `brief` text has no examples."""
    if review.error is not None:
        yield Line(f"{review.versions}, actions: not compared", "error")
        yield Line(indented(str(review.error), 2))
        return
    decided = review.actions
    strengths = [one.change.strength for one in decided]
    counts = [f"{strengths.count(one)} {one}" for one in Strength if one in strengths]
    yield Line(f"{review.versions}, actions: {', '.join(counts)}", "bold")
    for strength in _STYLES:
        for one in decided:
            if one.change.strength is strength:
                yield from _changed(one, review.widths[0], brief=brief)
    yield from _compared(review)


def _compared(review: ActionsReview) -> Iterator[Line]:
    """At which constants the actions were compared, and what was proved to be the same."""
    for one in review.actions:
        if one.change.strength is Strength.SAME and one.change.because:
            yield Line(indented(f"{'same':<12}  {one.change.name}, but {one.change.because}", 2))
    first, *others = review.widths
    proved = [
        one.change
        for one in review.actions
        if one.change.strength is Strength.SAME and not one.change.is_same_text
    ]
    for is_idle, text in ((False, "in other words"), (True, f"in that {first} never enables them")):
        if names := [change.name for change in proved if change.is_idle is is_idle]:
            yield from _wrapped(f"{'same':<12}  {text}: {', '.join(names)}")
    text = f"compared at {first}, in all states within the types, reachable or not"
    if others and proved:
        text += f"; what is the same in other words at {', '.join(others)}"
    yield from _wrapped(text)
    pair = review.actions[0].pair
    for name, model in zip(_NAMES, (pair.one, pair.other), strict=True):
        if hidden := pair.hidden(model):
            yield from _wrapped(f"only {name} has {', '.join(hidden)}: with any value")
    for text in review.omitted:
        yield Line(indented(f"not compared at {text}", 2), "dim")
    yield Line(f"  decided in {review.seconds:.2f} s", "dim")


def _wrapped(text: str) -> Iterator[Line]:
    for line in textwrap.wrap(text, WIDTH, initial_indent="  ", subsequent_indent=" " * 6):
        yield Line(line, "dim")


def _changed(decided: DecidedAction, first: str, *, brief: bool) -> Iterator[Line]:
    """One action: what becomes of it, where the texts part, and examples."""
    change = decided.change
    names = ", ".join(parameter.name for parameter in change.action.parameters)
    title = f"  {f'{change.strength}':<12}  {change.name}({names})"
    if change.is_internal:
        title += ", which changes hidden variables alone"
    if change.examples and change.in_order not in (change.strength, None):
        title += f"; {change.in_order} where the invariants of BASE hold"
    yield Line(title, _STYLES[change.strength])
    if decided.at != first:
        yield Line(f"    at the constants of {decided.at}; the same at {first}")
    is_in_both = change.base is not None and change.head is not None
    places = " -> ".join(dict.fromkeys(filter(None, decided.places)))
    yield Line(f"    {'the texts part at ' * is_in_both}{places}", "dim")
    if change.because:
        more = f"; {_MORE_TIME}" if change.is_late else ""
        yield Line(indented(f"{change.because}{more}", 4), "inconclusive")
    if brief:
        return
    is_shown_in_order = any(example.is_in_order for example in change.examples)
    for example in change.examples:
        if is_shown_in_order and example.is_in_order is False:
            one, other = _NAMES[example.number], _NAMES[1 - example.number]
            text = f"{one} takes another step that {other} does not, where BASE breaks an invariant"
            yield Line(f"    {text}", "dim")
        else:
            yield from _example(decided, example)


def _example(decided: DecidedAction, example: Example) -> Iterator[Line]:
    """A state, and what both versions do there."""
    pair = decided.pair
    models = (pair.one, pair.other)
    texts: tuple[Text, ...] = ()
    if example.step is not None:
        parameters = models[example.number].action(example.step.action).parameters
        values = zip(parameters, example.step.parameters, strict=True)
        texts = tuple(prefixed(f"{one.name}=", text_of(value)) for one, value in values)
    is_first = example.states == (pair.one.initial, pair.other.initial)
    for line in lay_out([Group(f"{decided.change.name}(", texts, ")")], Room(4, 12)):
        yield Line(line, "bold")
    where = "in the initial state" if is_first else "where all is as at first, but for"
    yield Line(f"      {where}", "dim")
    for number, model in enumerate(models):
        names = None if number == 0 else frozenset(pair.hidden(model))
        yield from _differences(model.initial, example.states[number], names)
    if not is_first:
        yield Line(f"      {_ORDERS[example.is_in_order]}", "dim")
    for number, name in enumerate(_NAMES):
        yield from _does(name, example, number)


_ORDERS = {
    True: "the invariants of BASE hold there; whether it is reachable is not said",
    False: "an invariant of BASE is false wherever they differ so",
    None: "whether that can be where the invariants of BASE hold is not known",
}
"""What is said of a state, by whether it is in order."""


def _differences(first: State, state: State, names: frozenset[str] | None) -> Iterator[Line]:
    """What sets a state apart from the initial one, of all variables or of some."""
    for change in changes(first, state):
        if names is None or change.variable in names:
            text: Text = str(change)
            if change.old is not None:
                text = prefixed(f"{change.place} = ", change.new)
            for line in lay_out([text], Room(8, 12)):
                yield Line(line)


def _does(name: str, example: Example, number: int) -> Iterator[Line]:
    """What one version does in the state of an example."""
    if example.step is None:
        text = f"has no meaning: {example.failure}" if number == example.number else "takes no step"
        yield Line(f"      {name} {text}")
        return
    if number == example.number:
        yield from _step(name, example.states[number], example.step.state)
    elif example.failure:
        yield Line(f"      {name} has no meaning there: {example.failure}")
    elif example.reason is not None and example.reason.after is not None:
        yield from _step(name, example.states[number], example.reason.after)
    elif example.reason is not None and example.reason.conjunct is not None:
        conjunct = example.reason.conjunct
        yield Line(f"      {name} does not: {conjunct.place} requires {conjunct.text}")
        yield from (Line(f"        {equation}", "dim") for equation in conjunct.equations)
    else:
        yield Line(f"      {name} does not take it")


def _step(name: str, before: State, after: State) -> Iterator[Line]:
    differences = changes(before, after)
    if not differences:
        yield Line(f"      {name} changes nothing")
        return
    yield Line(f"      {name} takes it:")
    for change in differences:
        for line in lay_out(change.shortened, Room(8, 12)):
            yield Line(line, "changed")
