"""Behaviours that one version shows and the other does not, as a reader sees them."""

from __future__ import annotations

from collections.abc import Iterator

from lockstep.language.model import Model
from lockstep.report.page import Lines, Paragraph, Section
from lockstep.results.trace import Trace
from lockstep.review.difference import Difference, Reason
from lockstep.review.pair import shown_names, shown_value
from lockstep.trace.layout import show
from lockstep.trace.render import Line, render_instance, render_trace
from lockstep.verbs.review_scope import ScopeReview
from lockstep.words import place_text, plural


def difference_sections(result: ScopeReview, *, brief: bool) -> Iterator[Section]:
    """What HEAD adds, and what it removes, where it does."""
    pair, versions, behaviours = result.pair, result.versions, result.behaviours
    if behaviours.adds.difference is not None:
        title = f"only HEAD ({versions.head}) shows"
        yield _difference(title, "BASE", (pair.other, pair.one), behaviours.adds.difference, brief)
    if behaviours.removes.difference is not None:
        title = f"only BASE ({versions.base}) shows"
        yield _difference(
            title, "HEAD", (pair.one, pair.other), behaviours.removes.difference, brief
        )


def _difference(
    title: str, other_name: str, models: tuple[Model, Model], difference: Difference, brief: bool
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
    behaviour = Lines(tuple(render_trace(one, difference.trace)), "step by step")
    reason = [] if difference.reason is None else _reason(other_name, other, difference.reason)
    way = Line(_way(one, other, difference.trace, difference.followed), "dim")
    return Section(
        blocks=(
            Paragraph(f"{title}, in {plural(count, 'step')}", "changed"),
            *[behaviour] * (not brief),
            Paragraph(f"{other_name} shows the same up to step {count - 1}, and then not:"),
            Lines((*map(Line, reason), way)),
        )
    )


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
