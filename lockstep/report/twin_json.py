"""What `twin --json` prints: the shape is documented in docs/reference/json.md."""

from __future__ import annotations

from typing import Any

from lockstep.plain.exploration import DEFAULT_ENGINE
from lockstep.report.json import document, verdicts
from lockstep.trace.documents import steps_json
from lockstep.twin.findings import TlcRun
from lockstep.twin.states import render_tlc_trace
from lockstep.twin.twin_result import TwinResult
from lockstep.verbs.twin import Compared, Task, TwinRun, Uncompared


def twin_json(run: TwinRun) -> dict[str, object]:
    """The document."""
    rows = [
        _compared(result) if isinstance(result, Compared) else _uncompared(result)
        for result in run.results
    ]
    return document(
        rows,
        {
            "comparisons": len(rows),
            **verdicts(rows),
            "states": sum(row["states"] for row in rows),
            "transitions": sum(row["transitions"] for row in rows),
            "seconds": round(sum(row["seconds"] for row in rows), 3),
            "without_twin": list(run.without_twin),
            "not_compared": [
                {"model": task.model, "scope": task.scope.name} for task in run.pending
            ],
            "exit_code": run.exit_code,
        },
    )


def _compared(comparison: Compared) -> dict[str, Any]:
    result, explored = comparison.result, comparison.result.explored
    return {
        **_head(comparison.task),
        "engine": explored.engine,
        "verdict": str(result.verdict),
        "states": explored.states,
        "transitions": explored.transitions,
        "depth": explored.depth,
        "seconds": round(result.seconds, 3),
        "because": result.because,
        "exit_code": comparison.exit_code,
        "twin": _run(result.run),
        "difference": _difference(result),
        "counts": [vars(count) for count in result.counts],
        "refutation": _refutation(result),
        "unchecked": list(result.unchecked),
        "refinement": _refinement(result),
        "unrefined": result.unrefined,
        **({} if comparison.since is None else {"kept_since": comparison.since.isoformat()}),
    }


def _head(task: Task) -> dict[str, Any]:
    return {"model": task.model, "scope": task.scope.name, "compare": task.scope.compare}


def _run(run: TlcRun) -> dict[str, object]:
    """What TLC counted; its depth is exact with one worker only."""
    return {
        "states": run.distinct,
        "transitions": run.transitions,
        "depth": run.steps if run.workers == 1 else None,
        "seconds": round(run.seconds, 3),
        "workers": run.workers,
    }


def _difference(result: TwinResult) -> dict[str, object] | None:
    difference = result.difference
    if difference is None:
        return None
    return {
        "because": difference.because,
        "details": list(difference.details),
        "steps": steps_json(result.model, difference.trace),
    }


def _refutation(result: TwinResult) -> dict[str, object] | None:
    if result.refuting is None:
        return None
    return {
        "claim": result.refuted,
        "message": result.refuting.message,
        "behaviour": list(render_tlc_trace(result.model, result.refuting.trace)),
    }


def _refinement(result: TwinResult) -> dict[str, object] | None:
    refinement = result.refinement
    if refinement is None:
        return None
    return {
        "abstract": refinement.abstract,
        "verdict": str(refinement.verdict),
        **_run(refinement.run),
        "behaviour": list(render_tlc_trace(result.model, refinement.run.trace)),
    }


def _uncompared(uncompared: Uncompared) -> dict[str, Any]:
    """A comparison that was not made, in the same fields as far as they have a meaning."""
    return {
        **_head(uncompared.task),
        "engine": DEFAULT_ENGINE,
        "verdict": str(uncompared.verdict),
        "states": 0,
        "transitions": 0,
        "depth": 0,
        "seconds": 0.0,
        "because": str(uncompared.error),
        "exit_code": uncompared.exit_code,
    }
