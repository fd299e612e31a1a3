"""What a review shows of one scope: properties, differences of behaviour, costs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from lockstep.language.model import Model
from lockstep.pages.blocks import Block, Lines, Paragraph, Row, Section, Table
from lockstep.report.costs import review_cost_lines
from lockstep.results.trace import Step, Trace
from lockstep.results.verdict import Verdict
from lockstep.review.difference import Difference, Reason
from lockstep.review.pair import Pair, shown_names, shown_value
from lockstep.specs.expected import Expected
from lockstep.trace.claims import RequirementTexts
from lockstep.trace.layout import show
from lockstep.trace.render import Line, render_taken, render_trace
from lockstep.verbs.review.evidence import Change, PropertyChange
from lockstep.verbs.review.run import Unreviewed
from lockstep.verbs.review.scope import Behaviours, Direction, ScopeReview
from lockstep.words import plural, shown_path


def difference_sections(
    result: ScopeReview, broken: Mapping[tuple[str, ...], str], *, brief: bool
) -> Iterator[Section]:
    """What HEAD adds, and what it removes, where it does.

    `broken` has the steps of HEAD that are shown already, with the property that they break.
    """
    versions, behaviours = result.versions, result.behaviours
    for names, version, direction, pair in (
        (("HEAD", "BASE"), versions.head, behaviours.adds, result.pair.swapped),
        (("BASE", "HEAD"), versions.base, behaviours.removes, result.pair),
    ):
        difference = direction.difference
        if difference is None:
            continue
        already = broken.get(instances(pair.one, difference.trace.steps))
        steps: tuple[Block, ...] = ()
        if already is not None and names[0] == "HEAD":
            steps = (Paragraph(f"the steps by which {already} is broken", "dim"),)
        elif not brief:
            steps = (Lines(tuple(render_trace(pair.one, difference.trace)), "step by step"),)
        count = plural(len(difference.trace.steps), "step")
        title = Paragraph(f"only {names[0]} ({version}) shows, in {count}", "changed")
        yield _difference((title, *steps), names[1], pair, difference)


def _difference(
    behaviour: tuple[Block, ...], name: str, pair: Pair, difference: Difference
) -> Section:
    """A behaviour of the first of two models, and why the second, which has a name, parts."""
    other = pair.other
    if difference.followed is None:
        text = f"the initial states show something else: {name} begins with"
        values = (
            f"{shown} = {show(shown_value(other, shown, other.initial))}"
            for shown in shown_names(other)
        )
        return Section(blocks=(Paragraph(text, "changed"), Lines(tuple(map(Line, values)))))
    reason = [] if difference.reason is None else _reason(name, other, difference.reason)
    way = Line(_way(pair.one, other, difference.trace, difference.followed), "dim")
    count = len(difference.trace.steps)
    text = f"{name} shows the same up to step {count - 1}, and then not:"
    return Section(blocks=(*behaviour, Paragraph(text), Lines((*map(Line, reason), way))))


def _way(one: Model, other: Model, trace: Trace, followed: Trace) -> str:
    """How the other version came to where it cannot follow."""
    there = instances(other, followed.steps)
    if instances(one, trace.steps[:-1]) == there:
        return "it came there by the same steps"
    return f"it came there by {', '.join(there) or 'no step'}"


def instances(model: Model, steps: Sequence[Step]) -> tuple[str, ...]:
    """Steps by their actions and parameters."""
    return tuple(render_taken(model, step) for step in steps)


def _reason(name: str, model: Model, reason: Reason) -> Iterator[str]:
    """Why a version does not take the last step."""
    if reason.refused:
        yield f"{name} does not take {reason.action} there"
        if reason.conjunct is not None:
            yield f"because of {reason.conjunct.place}, which requires {reason.conjunct.text}"
            yield from (f"  {equation}" for equation in reason.conjunct.equations)
    elif reason.others:
        yield f"{name}'s {reason.action} leaves other values of {', '.join(reason.others)}:"
        for shown, value in reason.others.items():
            yield f"  {shown} = {show(value)}"
    else:
        yield f"{name} has no action {reason.action} with such parameters"


def shown_lines(pair: Pair) -> Iterator[str]:
    """A line for each such function whose value is compared."""
    for title, model in (("BASE", pair.one), ("HEAD", pair.other)):
        for shown in model.shown:
            if shown.name in pair.shared:
                place = model.universe.place_text(shown.function)
                yield f"{title} shows {shown.name} by a function: {place}"


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


def scope_section(result: ScopeReview | Unreviewed, *, brief: bool) -> Section:
    """The section of one scope; without behaviours where it is to be `brief`."""
    verdict = str(result.verdict)
    text = f"{result.versions}, scope {result.scope}: {verdict}"
    if isinstance(result, ScopeReview) and (result.expected or result.expected_behaviours):
        text += " beyond what is expected" if result.exit_code else ", as expected"
    if isinstance(result, Unreviewed):
        return Section("", text, verdict, (Paragraph(f"not compared: {result.because}"),))
    blocks = (
        _properties(result, brief),
        _behaviours(result, brief),
        *_costs(result, brief),
        Section("explored", f"{_sizes(result.behaviours)}{result.seconds:.2f} s", "dim"),
    )
    return Section("", text, verdict, blocks)


def _costs(result: ScopeReview, brief: bool) -> Iterator[Block]:
    """What the scenarios cost that both versions have."""
    if result.costs:
        lines = review_cost_lines(result.costs, brief=brief)
        yield Lines(tuple(lines), margin=2)


def _properties(result: ScopeReview, brief: bool) -> Section:
    changes = [prop.change for prop in result.properties if prop.name not in result.expected]
    counts = [f"{len(result.expected)} expected"] if result.expected else []
    counts += [f"{changes.count(one)} {one}" for one in Change if one in changes]
    rows = tuple(_row(prop, result, brief) for prop in result.properties if prop.change in _STYLES)
    blocks: list[Block] = [Table(("change", "property", "how"), rows)] if rows else []
    blocks += _broken(result)
    if result.unjudged:
        blocks.append(Paragraph(f"HEAD is not judged by what BASE claims: {result.unjudged}"))
    if not brief:
        blocks += _counterexamples(result)
    return Section("properties", ", ".join(counts) or "none", blocks=tuple(blocks))


def _broken(result: ScopeReview) -> Iterator[Section]:
    """What each broken property says, and the sentences of the requirements that it states."""
    for prop in result.properties:
        if prop.change is Change.BROKEN and prop.checked is not None:
            model = prop.checked.model
            says, requirements = RequirementTexts(model.universe.root).of(model, prop.name)
            if says or requirements:
                asked = (Paragraph(text, label=identity) for identity, text in requirements)
                sentence = (Paragraph(says),) if says else ()
                yield Section("", f"{prop.name} says", "bold", (*sentence, *asked))


def _row(prop: PropertyChange, result: ScopeReview, brief: bool) -> Row:
    """What becomes of a property; of what is expected that comes second, and then why."""
    how, expected = _how(prop, brief), result.expected.get(prop.name)
    if expected is None:
        return Row((str(prop.change), prop.name, how), _STYLES[prop.change])
    how = f"{prop.change} {how}".rstrip()
    return Row(("expected", prop.name, how), "changed", because(expected))


def because(expected: Iterable[Expected]) -> str:
    """Why something is expected."""
    return "; ".join(entry.because for entry in expected)


def _how(prop: PropertyChange, brief: bool) -> str:
    """In which words and after how many steps it is violated, and where the behaviour was saved."""
    words = ["in the words of BASE"] if prop.is_reworded else []
    checked = prop.checked
    if checked is not None and prop.name not in checked.result.missed:
        violation = prop.violation
        if violation is None or violation.trace.loop is not None:
            words.append("by a behaviour that never ends")
        else:
            saved = "" if checked.saved is None or brief else f", {shown_path(checked.saved)}"
            words.append(f"after {plural(len(violation.trace.steps), 'step')}{saved}")
    return " ".join(words)


def _counterexamples(result: ScopeReview) -> Iterator[Lines]:
    """The behaviours that break something; one that breaks several properties comes once."""
    shown = set()
    for prop in result.properties:
        checked, violation = prop.checked, prop.violation
        if prop.change is not Change.BROKEN or checked is None or id(checked) in shown:
            continue
        if violation is not None:
            shown.add(id(checked))
            lines = render_trace(checked.model, violation, result.versions.head.fault)
            yield Lines(tuple(lines), f"{prop.name} is broken, step by step")


def _broken_by(result: ScopeReview) -> dict[tuple[str, ...], str]:
    """The properties that are broken, by the steps that do it."""
    return {
        instances(checked.model, violation.trace.steps): violation.properties[0]
        for prop in result.properties
        if prop.change is Change.BROKEN
        and (checked := prop.checked) is not None
        and (violation := checked.result.violation) is not None
    }


def _behaviours(result: ScopeReview, brief: bool) -> Section:
    pair = result.pair
    hidden = tuple(
        Paragraph(f"hidden in {name}: {', '.join(variables)}", "dim")
        for name, model in (("BASE", pair.one), ("HEAD", pair.other))
        if (variables := pair.hidden(model))
    )
    shown = (Paragraph(line, "dim") for line in shown_lines(pair))
    text = _summary(result.behaviours.adds, result.behaviours.removes)
    expected = result.expected_behaviours
    reason = [Paragraph(because(expected), "changed", "expected")] if expected else []
    differences = difference_sections(result, {} if brief else _broken_by(result), brief=brief)
    return Section("behaviours", text, blocks=(*reason, *hidden, *shown, *differences))


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
