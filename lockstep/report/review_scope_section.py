"""What a review says of one scope: its properties, its behaviours, and what was explored."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lockstep.report.costs import review_cost_lines
from lockstep.report.page import Block, Lines, Paragraph, Row, Section, Table
from lockstep.report.requirement_texts import RequirementTexts
from lockstep.report.review_difference import difference_sections, instances, shown_lines
from lockstep.results.verdict import Verdict
from lockstep.specs.expected import Expected
from lockstep.trace.render import render_trace
from lockstep.verbs.review import Unreviewed
from lockstep.verbs.review_properties import Change, PropertyChange
from lockstep.verbs.review_scope import Behaviours, Direction, ScopeReview
from lockstep.words import plural, shown_path

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
        violation = checked.result.violation
        is_shown = violation is not None and prop.name in violation.properties
        if violation is None or not is_shown or violation.trace.loop is not None:
            words.append("by a behaviour that never ends")
        else:
            saved = "" if checked.saved is None or brief else f", {shown_path(checked.saved)}"
            words.append(f"after {plural(len(violation.trace.steps), 'step')}{saved}")
    return " ".join(words)


def _counterexamples(result: ScopeReview) -> Iterator[Lines]:
    """The behaviours that break something; one that breaks several properties comes once."""
    shown = set()
    for prop in result.properties:
        checked = prop.checked
        if prop.change is not Change.BROKEN or checked is None or id(checked) in shown:
            continue
        shown.add(id(checked))
        violation = checked.result.violation
        if violation is not None:
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
