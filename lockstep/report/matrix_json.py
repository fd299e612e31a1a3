"""What `check --matrix --json` prints: the shape is documented in docs/reference/json.md."""

from __future__ import annotations

from lockstep.report.json import document
from lockstep.verbs.matrix import MatrixResult


def matrix_json(result: MatrixResult) -> dict[str, object]:
    """The document."""
    matrix = result.matrix
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
            "exit_code": result.exit_code,
        },
    )
