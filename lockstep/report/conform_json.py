"""What `conform --json` prints: the shape is documented in docs/reference/json.md."""

from __future__ import annotations

from dataclasses import asdict

from lockstep.report.json import document
from lockstep.verbs.conform import ConformResult


def conform_json(result: ConformResult) -> dict[str, object]:
    """The document."""
    return document(
        [asdict(session) for session in result.sessions],
        result.totals,
        unused=[asdict(line) for line in result.unused],
        reordered=[asdict(line) for line in result.reordered],
    )
