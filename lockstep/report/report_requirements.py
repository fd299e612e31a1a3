"""The requirements of a report: how each is answered, and whether what answers it was checked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from lockstep.report.matrix import counts_text
from lockstep.report.page import Block, Paragraph, Row, Section, Span, Table
from lockstep.report.report_models import NOT_CHECKED
from lockstep.report.source_links import SourceLinks
from lockstep.results.verdict import Verdict
from lockstep.specs.kip import Kip, Reference, Requirement
from lockstep.specs.matrix import Answer, Matrix
from lockstep.verbs.report_result import ModelReport, Report

_STYLES = {Answer.OPEN: "inconclusive", Answer.UNANSWERABLE: "dim", Answer.REFUTED: "changed"}


def requirements_section(report: Report, links: SourceLinks, *, brief: bool) -> Iterator[Section]:
    """A folded table of each file of requirements, or its counts alone; nothing without any."""
    if report.matrix_error:
        block = Paragraph(report.matrix_error, "error")
        yield Section(text="Requirements", anchor="requirements", blocks=(block,))
    if report.matrix is None:
        return
    matrix, models = report.matrix, {model.name: model for model in report.models}
    blocks: list[Block] = [Paragraph(counts_text(matrix))]
    blocks += [Paragraph(problem, "violated", "wrong") for problem in matrix.problems]
    for kip in matrix.kips:
        title = f"{kip.title}: {counts_text(matrix, kip)}"
        if brief:
            blocks.append(Paragraph(title, label=f"KIP-{kip.label}"))
            continue
        table = _table(matrix, kip, models, links)
        blocks.append(Section(f"KIP-{kip.label}", title, blocks=(table,), folded=True))
    yield Section(text="Requirements", anchor="requirements", blocks=tuple(blocks))


def _table(
    matrix: Matrix, kip: Kip, models: Mapping[str, ModelReport], links: SourceLinks
) -> Table:
    rows = tuple(
        Row(
            (
                Span(row.id, style="word"),
                Span(str(matrix.answers[row.id]), style=_STYLES.get(matrix.answers[row.id])),
                row.text,
                tuple(_by(row, models, links)),
            )
        )
        for row in kip.requirements
    )
    return Table(("id", "answer", "requirement", "by"), rows, caption=f"KIP-{kip.label}")


def _by(
    row: Requirement, models: Mapping[str, ModelReport], links: SourceLinks
) -> Iterator[str | Span]:
    """What answers a requirement, a line each."""
    if row.unanswerable is not None:
        yield row.unanswerable
        return
    cited = [
        *(("refuted by ", reference) for reference in row.refuted_by),
        *(("", reference) for reference in row.answered_by),
        *(("shown by ", reference) for reference in row.shown_by),
    ]
    for number, (words, reference) in enumerate(cited):
        yield "\n" * bool(number) + words
        yield from _reference(reference, models, links)


def _reference(
    reference: Reference, models: Mapping[str, ModelReport], links: SourceLinks
) -> Iterator[str | Span]:
    model = models.get(reference.name.partition(".")[0])
    place = None if model is None else model.places.get(str(reference))
    target = links.to(place)
    yield Span(f"{reference.kind} {reference.name}", target.target)
    if place is not None and not target.target:
        yield Span(f" {place}", style="dim")
    if model is not None and (standing := _standing(reference, model)) is not None:
        yield Span(f" {standing}", style=standing if standing != NOT_CHECKED else "inconclusive")


def _standing(reference: Reference, model: ModelReport) -> str | None:
    """What is known of a property or a fault; None for what is not checked by itself."""
    name = reference.name.partition(".")[2]
    if reference.kind == "invariant":
        check = model.usual_check
        if name in check.answer.violates:
            return "violated"
        is_known = check.verdict in (Verdict.HOLDS, Verdict.DIFFERS) or check.is_expected
        return "holds" if is_known else NOT_CHECKED
    if reference.kind == "fault" and model.faults is not None:
        runs = [run for run in model.faults.faults.runs if run.name == name]
        if not runs:
            return NOT_CHECKED
        return "violated" if runs[0].details.problem else None
    return None
