"""How behaviours are shown that one version has and the other has not, and what is compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from lockstep.language.model import Model
from lockstep.report.page import Block, Lines, Paragraph, Section
from lockstep.results.trace import Step, Trace
from lockstep.review.difference import Difference, Reason
from lockstep.review.pair import Pair, shown_names, shown_value
from lockstep.trace.layout import show
from lockstep.trace.render import Line, render_instance, render_trace
from lockstep.verbs.review_scope import ScopeReview
from lockstep.words import place_text, plural


def difference_sections(
    result: ScopeReview, broken: Mapping[tuple[str, ...], str], *, brief: bool
) -> Iterator[Section]:
    """What HEAD adds, and what it removes, where it does.

    `broken` has the steps of HEAD that are shown already, with the property that they break.
    """
    pair, versions, behaviours = result.pair, result.versions, result.behaviours
    if (added := behaviours.adds.difference) is not None:
        already = broken.get(instances(pair.other, added.trace.steps))
        title = _title("HEAD", str(versions.head), added)
        steps = _steps(pair.other, added, brief)
        if already is not None:
            steps = (Paragraph(f"the steps by which {already} is broken", "dim"),)
        yield _difference(title, "BASE", (pair.other, pair.one), added, steps)
    if (removed := behaviours.removes.difference) is not None:
        title = _title("BASE", str(versions.base), removed)
        steps = _steps(pair.one, removed, brief)
        yield _difference(title, "HEAD", (pair.one, pair.other), removed, steps)


def _title(name: str, version: str, difference: Difference) -> str:
    steps = plural(len(difference.trace.steps), "step")
    return f"only {name} ({version}) shows, in {steps}"


def _steps(model: Model, difference: Difference, brief: bool) -> tuple[Block, ...]:
    if brief or difference.followed is None:
        return ()
    return (Lines(tuple(render_trace(model, difference.trace)), "step by step"),)


def _difference(
    title: str,
    other_name: str,
    models: tuple[Model, Model],
    difference: Difference,
    steps: tuple[Block, ...],
) -> Section:
    """A behaviour of the first of two models, and why the second, which has a name, parts."""
    one, other = models
    count = len(difference.trace.steps)
    if difference.followed is None:
        text = f"the initial states show something else: {other_name} begins with"
        values = (
            f"{name} = {show(shown_value(other, name, other.initial))}"
            for name in shown_names(other)
        )
        return Section(blocks=(Paragraph(text, "changed"), Lines(tuple(map(Line, values)))))
    reason = [] if difference.reason is None else _reason(other_name, other, difference.reason)
    way = Line(_way(one, other, difference.trace, difference.followed), "dim")
    return Section(
        blocks=(
            Paragraph(title, "changed"),
            *steps,
            Paragraph(f"{other_name} shows the same up to step {count - 1}, and then not:"),
            Lines((*map(Line, reason), way)),
        )
    )


def _way(one: Model, other: Model, trace: Trace, followed: Trace) -> str:
    """How the other version came to where it cannot follow."""
    there = instances(other, followed.steps)
    if instances(one, trace.steps[:-1]) == there:
        return "it came there by the same steps"
    return f"it came there by {', '.join(there) or 'no step'}"


def instances(model: Model, steps: Sequence[Step]) -> tuple[str, ...]:
    """Steps by their actions and parameters."""
    return tuple(
        render_instance(step.action, model.action(step.action).parameters, step.parameters)
        for step in steps
    )


def _reason(name: str, model: Model, reason: Reason) -> Iterator[str]:
    """Why a version does not take the last step."""
    if reason.refused:
        yield f"{name} does not take {reason.action} there"
        if reason.conjunct is not None:
            conjunct = reason.conjunct
            place = place_text(conjunct.file, conjunct.line, model.universe.root)
            yield f"because of {place}, which requires {conjunct.text}"
            for bound, value in conjunct.known:
                yield f"  {bound} = {show(value)}"
    elif reason.others:
        yield f"{name}'s {reason.action} leaves other values of {', '.join(reason.others)}:"
        for shown, value in reason.others.items():
            yield f"  {shown} = {show(value)}"
    else:
        yield f"{name} has no action {reason.action} with such parameters"


def shown_lines(pair: Pair) -> Iterator[str]:
    """A line for each such function whose value is compared."""
    for title, model in (("BASE", pair.one), ("HEAD", pair.other)):
        root = model.universe.root
        for shown in model.shown:
            if shown.name in pair.shared:
                definition = model.universe.definition(shown.function)
                assert definition is not None
                node, file = definition
                place = place_text(file, node.lineno, root)
                yield f"{title} shows {shown.name} by a function: {place}"
