"""What several verbs show: a counterexample step by step, and which models a change affects."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from datetime import datetime

from lockstep.answers.answer import Answer, earliest
from lockstep.language.model import Model
from lockstep.pages.blocks import Block, Lines, Paragraph, Section
from lockstep.report.ci.problems import Gap, Level, Unknown
from lockstep.requests.affected import Affected
from lockstep.results.search_result import Violation
from lockstep.trace.behaviour import to_pytest
from lockstep.trace.claims import RequirementTexts, render_fairness
from lockstep.trace.render import Line, render_binding, render_trace
from lockstep.verbs.check_result import Checked
from lockstep.words import plural, shown_path
from lockstep.workspace import option_for


def counterexample(
    checked: Checked, texts: RequirementTexts, *, pytest: bool = False
) -> Iterator[Block]:
    """What is violated, with the behaviour that shows it; nothing where nothing is."""
    for name in checked.result.missed:
        title = f"{checked.model.name}.{name}"
        says = tuple(claim(checked.model, name, checked.result.violation, texts))
        yield Section("never reached", title, "violated", says, apart=True)
    if checked.trace is None:
        return
    search = checked.result
    blocks: list[Block] = []
    if search.violation is not None:
        first, *others = search.violation.properties
        label = "as pinned" if checked.judgement.expected else "violated"
        title, style = f"{checked.model.name}.{first}", "violated"
        blocks += claim(checked.model, first, search.violation, texts)
        blocks += (Paragraph(f"{name} is violated there too") for name in others)
        blocks += (
            Paragraph(f"{other.properties[0]} is violated too, by another behaviour")
            for other in search.unfulfilled[1:]
        )
    else:
        label, title, style = "", str(search.error), "error"
        text = "the text has no meaning in the last state of this behaviour"
        blocks.append(Paragraph(text, "dim"))
    blocks += _shown(checked, pytest=pytest)
    folded = checked.judgement.expected
    yield Section(label, title, style, tuple(blocks), folded, apart=True)


def claim(
    model: Model, name: str, violation: Violation | None, texts: RequirementTexts
) -> Iterator[Paragraph]:
    """What a property says, what its requirements ask, and the binding for which it fails."""
    said, requirements = texts.of(model, name)
    if said:
        yield Paragraph(said)
    for identity, asks in requirements:
        text = f"{identity}  {asks}"
        lines = textwrap.wrap(text, 76, subsequent_indent=" " * (2 + len(identity)))
        yield Paragraph("\n".join(lines))
    prop = model.find_property(name)
    if violation is not None and prop is not None and prop.parameters:
        yield Paragraph(f"fails for {render_binding(prop.parameters, violation.parameters)}")


def _shown(checked: Checked, *, pytest: bool) -> Iterator[Block]:
    """The behaviour of a violation, and how it is seen again."""
    model, violation, trace = checked.model, checked.result.violation, checked.trace
    assert trace is not None
    fault = None if checked.origin is None else checked.origin.fault
    lines = render_trace(model, violation or trace, fault)
    caption = f"The behaviour, {plural(len(trace.steps), 'step')}"
    yield Lines(tuple(lines), caption)
    if violation is not None and violation.trace.loop is not None:
        fair = render_fairness(model, violation.properties[0], violation.trace)
        yield Lines(tuple(map(Line, fair)), "Fairness")
    if checked.saved is not None:
        file, root = shown_path(checked.saved), model.universe.root
        yield Paragraph(f"saved to {file}")
        yield Paragraph(f"reproduce with  lockstep replay {file}{option_for(root)}")
    else:
        yield Paragraph(f"not saved: {checked.not_saved}")
    if checked.origin is None or checked.origin.property is None:
        return
    if not pytest:
        if checked.saved is not None:
            yield Paragraph("as a test       the same with --pytest FILE")
        return
    yield Paragraph("as a test:\n")
    test = to_pytest(model, trace, checked.origin).rstrip().split("\n")
    yield Lines(tuple(map(Line, test)), "As a test", margin=0)


def affected_blocks(affected: Affected | None) -> Iterator[Paragraph]:
    """Why each model is checked or skipped; once where it is the same of all."""
    if affected is None:
        return
    reasons = set(affected.reasons.values())
    if len(affected.reasons) > 1 and len(reasons) == 1 and not affected.skipped:
        yield Paragraph(f"every model: checked, {reasons.pop()}", "dim")
    else:
        for name, why in affected.reasons.items():
            yield Paragraph(f"{name}: checked, {why}", "dim")
    for name in affected.skipped:
        yield Paragraph(f"{name}: skipped, {affected.why_skipped}", "dim")


def skipped_text(affected: Affected | None) -> str:
    """What is said of skipped models after the sum of the others; empty where there are none."""
    if affected is None or not affected.skipped:
        return ""
    number = len(affected.skipped)
    skipped = f"{plural(number, 'model')} skipped"
    return skipped if affected.reasons else f"{skipped}: nothing had to be checked"


def affected_json(affected: Affected | None) -> dict[str, object] | None:
    """The same as JSON; null where it was not asked."""
    if affected is None:
        return None
    return {
        "revision": affected.revision,
        "commit": affected.commit,
        "checked": [{"model": name, "because": why} for name, why in affected.reasons.items()],
        "skipped": [{"model": name, "because": affected.why_skipped} for name in affected.skipped],
    }


def skipped_gaps(affected: Affected | None) -> Iterator[Gap]:
    """A gap for each model that was skipped."""
    if affected is None:
        return
    for name in affected.skipped:
        text = f"{name}: skipped, {affected.why_skipped}"
        yield Gap(Unknown.SKIPPED, Level.NOTE, name, text)


def since_text(since: datetime | None) -> str:
    """What a line says after its verdict; nothing of a result that was decided in this run."""
    return "" if since is None else f", kept since {since.astimezone():%Y-%m-%d %H:%M}"


def rows_since_text(rows: Sequence[Answer]) -> str:
    """A line on the rows of a table that an earlier run has kept."""
    return f"{plural(len(rows), 'row')}{since_text(earliest(rows))}; --no-cache explores again"
