"""What the JSON of all verbs has in common: docs/reference/json.md documents the shape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lockstep.results.verdict import Verdict

VERSION = 1
"""Raised when a field goes or changes its meaning; a new field leaves it as it is."""


def document(
    rows: Sequence[Mapping[str, Any]], summary: Mapping[str, object], **lists: object
) -> dict[str, object]:
    """What every verb prints: a row a result, lists of its own, and the sum of it."""
    return {"version": VERSION, "results": list(rows), **lists, "summary": dict(summary)}


def verdicts(rows: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """How many rows have each verdict."""
    return {str(verdict): sum(row["verdict"] == verdict for row in rows) for verdict in Verdict}
