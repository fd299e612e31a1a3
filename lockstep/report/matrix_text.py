"""What `check --matrix` prints for a reader: each requirement and what answers it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lockstep.report.output import Output
from lockstep.specs.kip import Requirement
from lockstep.specs.matrix import Matrix
from lockstep.words import plural

HEADERS = ("id", "section", "requirement", "answered by")


def print_matrix(output: Output, matrix: Matrix) -> None:
    """Print the matrix: a table on a terminal, Markdown in a pipe."""
    for kip in matrix.kips:
        output.line(f"# KIP-{kip.number}: {kip.title}", "bold")
        output.line()
        if output.terminal:
            rows = [(row.id, row.section, row.text, _answer(row)) for row in kip.requirements]
            output.table(HEADERS, rows)
        else:
            for line in _markdown(kip.requirements):
                output.line(line)
        output.line()
    answered = sum(bool(row.answered_by) for row in matrix.requirements)
    left = len(matrix.requirements) - answered
    output.line(
        f"{plural(len(matrix.requirements), 'requirement')}: {answered} answered, "
        f"{left} that cannot be, each with the reason."
    )
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


def _answer(row: Requirement) -> str:
    if row.unanswerable is not None:
        return f"cannot be answered: {row.unanswerable}"
    return "\n".join(map(str, row.answered_by))


def _markdown(rows: Sequence[Requirement]) -> list[str]:
    lines = [f"| {' | '.join(HEADERS)} |", f"|{'---|' * len(HEADERS)}"]
    for row in rows:
        if row.unanswerable is None:
            answer = "<br>".join(f"{one.kind} `{one.name}`" for one in row.answered_by)
        else:
            answer = f"cannot be answered: {_escaped(row.unanswerable)}"
        lines.append(f"| {row.id} | {_escaped(row.section)} | {_escaped(row.text)} | {answer} |")
    return lines


def _escaped(text: str) -> str:
    """A text that stands in one cell as it is: `_`, `*`, `<` and `|` mean nothing."""
    return re.sub(r"([\\|`*_<\[\]])", r"\\\1", " ".join(text.split()))
