"""What `check --sweep --json` prints: the shape is documented in docs/reference/json.md."""

from __future__ import annotations

from typing import Any

from lockstep.campaign.task import Row
from lockstep.report.json import document, verdicts
from lockstep.verbs.sweep import SweepRun


def sweep_json(run: SweepRun) -> dict[str, object]:
    """The document."""
    rows = [_row(row) for row in run.results]
    return document(
        rows,
        {
            "checks": len(rows),
            **verdicts(rows),
            "kept": len(run.kept),
            "not_done": len(run.pending),
            "exit_code": run.exit_code,
        },
    )


def _row(row: Row) -> dict[str, Any]:
    return {
        "model": row.model,
        "scope": row.scope,
        "fault": row.fault,
        "proposal": row.proposal,
        "constants": row.constants,
        "seed": row.seed,
        "engine": row.engine,
        "verdict": row.verdict,
        "violated": row.violated,
        "states": row.states,
        "transitions": row.transitions,
        "depth": row.depth,
        "seconds": round(row.seconds, 3),
        "length": row.length,
        "trace": row.trace,
        "because": row.error or row.because,
        "exit_code": row.exit_code,
        "since": row.since,
    }
