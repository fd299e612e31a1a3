"""The matrix of requirements: each, how and by what it is answered, for a reader and as JSON."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from lockstep.report.json import document
from lockstep.report.output import Output
from lockstep.specs.kip import Kip, Reference, Requirement
from lockstep.specs.matrix import Matrix
from lockstep.verbs.matrix import MatrixResult
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
