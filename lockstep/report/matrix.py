"""The requirements: each, how and by what it is answered, as a section of a page and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from lockstep.pages.blocks import Block, Page, Paragraph, Row, Section, Span, Table
from lockstep.pages.output import document
from lockstep.report.report_models import NOT_CHECKED
from lockstep.report.source_links import SourceLinks
from lockstep.results.verdict import Verdict
from lockstep.specs.kip import Kip, Reference, Requirement
from lockstep.specs.matrix import AnswerKind, Matrix
from lockstep.verbs.matrix import requirement_answers
from lockstep.verbs.report import ModelReport, Report
from lockstep.words import plural


def matrix_page(matrix: Matrix) -> Page:
    """All requirements, and what is wrong with them."""
    verdict = Verdict.VIOLATED if matrix.exit_code else Verdict.HOLDS
    return Page(
        "lockstep matrix", str(verdict), counts_text(matrix), tuple(_Shown(matrix).blocks())
    )


def requirements_section(report: Report, links: SourceLinks, *, brief: bool) -> Iterator[Section]:
    """A folded table of each file of requirements, or its counts alone; nothing without any."""
    blocks: tuple[Block, ...] = ()
    if report.matrix_error:
        blocks = (Paragraph(report.matrix_error, "error"),)
    elif report.matrix is not None:
        models = {model.name: model for model in report.models}
        blocks = tuple(_Shown(report.matrix, models, links, folded=True, brief=brief).blocks())
    if blocks:
        yield Section(text="Requirements", anchor="requirements", blocks=blocks)


def counts_text(matrix: Matrix, kip: Kip | None = None) -> str:
    """How many requirements have each kind of answer, of one file or of all."""
    counts = matrix.counts(kip)
    parts = [f"{count} {answer}" for answer, count in counts.items() if count]
    return f"{plural(sum(counts.values()), 'requirement')}: {', '.join(parts)}."


_STYLES = {
    AnswerKind.OPEN: "inconclusive",
    AnswerKind.NOT_EXERCISED: "inconclusive",
    AnswerKind.UNANSWERABLE: "dim",
    AnswerKind.REFUTED: "changed",
}


@dataclass(frozen=True)
class _Shown:
    """Requirements as blocks, with what is known of the models that answer them."""

    matrix: Matrix
    models: Mapping[str, ModelReport] = field(default_factory=dict)
    links: SourceLinks = field(default_factory=SourceLinks)
    folded: bool = False
    brief: bool = False

    def blocks(self) -> Iterator[Block]:
        """A section a file, the sum of all, and what is wrong."""
        matrix = self.matrix
        for kip in matrix.kips:
            label, text = f"KIP-{kip.label}", f"{kip.title}: {counts_text(matrix, kip)}"
            if self.brief:
                yield Paragraph(text, label=label)
                continue
            rows = tuple(map(self._row, kip.requirements))
            table = Table(("id", "answer", "requirement", "by"), rows, caption=label, stacked=True)
            apart = len(matrix.kips) > 1
            yield Section(label, text, "bold", (table,), folded=self.folded, apart=apart)
        if len(matrix.kips) > 1:
            yield Paragraph(f"In all {counts_text(matrix)}")
        if matrix.unresolved:
            tests = plural(len(matrix.unresolved), "reference")
            text = f"{tests} to tests or reviews not looked up: this workspace came without them."
            yield Paragraph(text)
        yield from (Paragraph(problem, "violated", "wrong") for problem in matrix.problems)

    def _row(self, row: Requirement) -> Row:
        answer = self.matrix.answers[row.id]
        return Row(
            (
                Span(row.id, style="word"),
                Span(str(answer), style=_STYLES.get(answer)),
                f"{row.section}: {row.text}",
                tuple(self._by(row)),
            )
        )

    def _by(self, row: Requirement) -> Iterator[str | Span]:
        """What answers a requirement, a line each."""
        if row.unanswerable is not None:
            yield row.unanswerable + "\n" * bool(row.answered_by)
        cited = [
            *(("refuted by ", reference) for reference in row.refuted_by),
            *(("", reference) for reference in row.answered_by),
            *(("shown by ", reference) for reference in row.shown_by),
        ]
        for number, (words, reference) in enumerate(cited):
            yield "\n" * bool(number) + words
            yield from self._reference(reference)

    def _reference(self, reference: Reference) -> Iterator[str | Span]:
        """What it is, of a property what kind of property; where it is, and whether it holds."""
        model = self.models.get(reference.name.partition(".")[0])
        place = None if model is None else model.places.get(str(reference))
        target = self.links.to(place)
        kind = self.matrix.kinds.get(reference)
        word = reference.kind if kind is None else kind.name.lower().replace("_", " ")
        yield Span(f"{word} {reference.name}", target.target)
        if place is not None and not target.target:
            yield Span(f" {place}", style="dim")
        if model is not None and (standing := _standing(reference, model)) is not None:
            yield Span(
                f" {standing}", style=standing if standing != NOT_CHECKED else "inconclusive"
            )


def _standing(reference: Reference, model: ModelReport) -> str | None:
    """What is known of a property or a fault; None for what is not checked by itself."""
    name = reference.name.partition(".")[2]
    if reference.kind == "invariant":
        check = model.usual_check
        if name in check.violates:
            return "violated"
        is_known = check.verdict in (Verdict.HOLDS, Verdict.DIFFERS) or check.expected
        return "holds" if is_known else NOT_CHECKED
    if reference.kind == "fault" and model.faults is not None:
        runs = [run for run in model.faults.faults.runs if run.name == name]
        if not runs:
            return NOT_CHECKED
        return "violated" if runs[0].details.problem else None
    return None


def matrix_json(matrix: Matrix) -> dict[str, object]:
    """The document."""
    rows = list(requirement_answers(matrix))
    return document(
        rows,
        {
            "requirements": len(rows),
            "answers": matrix.counts(),
            "kips": {kip.label: matrix.counts(kip) for kip in matrix.kips},
            "unresolved": list(map(str, matrix.unresolved)),
            "problems": matrix.problems,
            "exit_code": matrix.exit_code,
        },
    )
