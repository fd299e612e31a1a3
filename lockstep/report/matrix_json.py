"""What `check --matrix --json` prints: the shape is documented in docs/reference/json.md."""

from __future__ import annotations

from collections.abc import Iterable

from lockstep.report.json import document
from lockstep.specs.kip import Reference
from lockstep.verbs.matrix import MatrixResult


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
