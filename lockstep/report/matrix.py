"""`lockstep check --matrix`: each requirement and what answers it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from lockstep.errors import ExitCode, LockstepError
from lockstep.report.json import document
from lockstep.report.output import Output
from lockstep.specs.kip import Requirement
from lockstep.specs.matrix import Matrix, build_matrix
from lockstep.words import plural

if TYPE_CHECKING:
    from lockstep.workspace import Workspace

HEADERS = ("id", "section", "requirement", "answered by")


def print_matrix(
    workspace: Workspace, names: Sequence[str], *, every_file: bool, as_json: bool
) -> int:
    """Print the matrix: a table on a terminal, Markdown in a pipe, or JSON.

    It has the files of requirements that the models `names` refer to, or every file of `specs/`.
    """
    matrix = build_matrix(workspace.root, names, every_file=every_file)
    if not matrix.kips:
        raise LockstepError(
            f"{', '.join(names)}: there are no requirements",
            cure='write `requirements = ["kip_N"]` in [model] of specs/MODEL.toml',
        )
    exit_code = ExitCode.VIOLATED if matrix.problems else ExitCode.HOLDS
    output = Output()
    if as_json:
        output.json(_json(matrix, exit_code))
    else:
        _print(output, matrix)
    return int(exit_code)


def _print(output: Output, matrix: Matrix) -> None:
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


def _json(matrix: Matrix, exit_code: int) -> dict[str, object]:
    rows = [
        {
            "id": row.id,
            "section": row.section,
            "text": row.text,
            "answered_by": [vars(reference) for reference in row.answered_by],
            "unanswerable": row.unanswerable,
        }
        for row in matrix.requirements
    ]
    return document(
        rows,
        {
            "requirements": len(rows),
            "answered": sum(bool(row["answered_by"]) for row in rows),
            "unresolved": [str(reference) for reference in matrix.unresolved],
            "problems": matrix.problems,
            "exit_code": int(exit_code),
        },
    )
