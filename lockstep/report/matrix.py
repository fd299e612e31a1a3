"""The matrix of requirements: each, how and by what it is answered, for a reader and as JSON."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from lockstep.pages.blocks import Block, Paragraph, Row, Section, Span, Table
from lockstep.pages.output import Output, document
from lockstep.report.report_models import NOT_CHECKED
from lockstep.report.source_links import SourceLinks
from lockstep.results.verdict import Verdict
from lockstep.specs.kip import Kip, Reference, Requirement
from lockstep.specs.matrix import AnswerKind, Matrix
from lockstep.verbs.matrix import MatrixResult
from lockstep.verbs.report import ModelReport, Report
from lockstep.words import plural

HEADERS = ("id", "section", "requirement", "answer", "by")


def print_matrix(output: Output, matrix: Matrix) -> None:
    """Print the matrix: a table on a terminal, Markdown in a pipe."""
    for index, kip in enumerate(matrix.kips):
        if index:
            output.line()
        output.line(f"# KIP-{kip.label}: {kip.title}", "bold")
        output.line()
        if output.terminal:
            output.table(HEADERS, [_cells(matrix, row) for row in kip.requirements])
        else:
            for line in _markdown(matrix, kip.requirements):
                output.line(line)
        output.line()
        output.line(counts_text(matrix, kip))
    if len(matrix.kips) > 1:
        output.line()
        output.line(f"In all {counts_text(matrix)}")
    if matrix.unresolved:
        output.line(
            f"{plural(len(matrix.unresolved), 'reference')} to tests not looked up: "
            "this workspace came without its tests."
        )
    if matrix.problems:
        output.line()
        output.line(f"{plural(len(matrix.problems), 'reference')} wrong:", "violated")
        for problem in matrix.problems:
            output.line(f"- {problem}")


def counts_text(matrix: Matrix, kip: Kip | None = None) -> str:
    """How many requirements have each kind of answer, of one file or of all."""
    counts = matrix.counts(kip)
    parts = [f"{count} {answer}" for answer, count in counts.items() if count]
    return f"{plural(sum(counts.values()), 'requirement')}: {', '.join(parts)}."


def _cells(matrix: Matrix, row: Requirement) -> tuple[str, ...]:
    answer = matrix.answers[row.id]
    by = row.unanswerable or "\n".join(" ".join(of) for of in _citations(matrix, row))
    return (row.id, row.section, row.text, answer, by)


def _citations(matrix: Matrix, row: Requirement) -> Iterator[tuple[str, str]]:
    """What a requirement cites: what each is, and its name."""
    for reference in row.refuted_by:
        yield f"refuted by {_kind(matrix, reference)}", reference.name
    for reference in row.answered_by:
        yield _kind(matrix, reference), reference.name
    for reference in row.shown_by:
        yield f"shown by {reference.kind}", reference.name


def _kind(matrix: Matrix, reference: Reference) -> str:
    """The word for a reference; of a property that exists, what kind of property it is."""
    kind = matrix.kinds.get(reference)
    return reference.kind if kind is None else kind.name.lower().replace("_", " ")


def _markdown(matrix: Matrix, rows: Sequence[Requirement]) -> list[str]:
    lines = [f"| {' | '.join(HEADERS)} |", f"|{'---|' * len(HEADERS)}"]
    for row in rows:
        cells = [_escaped(cell) for cell in _cells(matrix, row)]
        if row.unanswerable is None:
            cells[-1] = "<br>".join(f"{kind} `{name}`" for kind, name in _citations(matrix, row))
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def _escaped(text: str) -> str:
    """A text that stands in one cell as it is: `_`, `*`, `<` and `|` mean nothing."""
    return re.sub(r"([\\|`*_<\[\]])", r"\\\1", " ".join(text.split()))


def matrix_json(result: MatrixResult) -> dict[str, object]:
    """The document."""
    matrix = result.matrix
    rows = [
        {
            "id": row.id,
            "section": row.section,
            "text": row.text,
            "answer": matrix.answers[row.id],
            "answered_by": _names(row.answered_by),
            "shown_by": _names(row.shown_by),
            "refuted_by": _names(row.refuted_by),
            "unanswerable": row.unanswerable,
        }
        for row in matrix.requirements
    ]
    return document(
        rows,
        {
            "requirements": len(rows),
            "answers": matrix.counts(),
            "kips": {kip.label: matrix.counts(kip) for kip in matrix.kips},
            "unresolved": [str(reference) for reference in matrix.unresolved],
            "problems": matrix.problems,
            "exit_code": result.exit_code,
        },
    )


def _names(references: Iterable[Reference]) -> list[dict[str, str]]:
    return [{"kind": reference.kind, "name": reference.name} for reference in references]


_STYLES = {
    AnswerKind.OPEN: "inconclusive",
    AnswerKind.UNANSWERABLE: "dim",
    AnswerKind.REFUTED: "changed",
}


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
