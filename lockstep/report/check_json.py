"""What `check --json` prints: the shape is documented in docs/reference/json.md."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lockstep.report.json import VERSION, error_json, parameters_json, steps_json
from lockstep.report.output import shown_path
from lockstep.results.verdict import Verdict
from lockstep.trace.claims import find_property
from lockstep.trace.pytest_export import to_pytest
from lockstep.verbs.check import Checked, Omitted, Request, Unchecked


def check_json(
    request: Request,
    results: Sequence[Checked | Unchecked],
    omitted: Omitted,
    exit_code: int,
    *,
    pytest: bool,
) -> dict[str, object]:
    """The document."""
    rows = [
        _checked(request, found, pytest) if isinstance(found, Checked) else _not(request, found)
        for found in results
    ]
    return {
        "version": VERSION,
        "results": rows,
        "summary": {
            "models": len(rows),
            **{str(v): sum(row["verdict"] == v for row in rows) for v in Verdict},
            "states": sum(row["states"] for row in rows),
            "transitions": sum(row["transitions"] for row in rows),
            "seconds": round(sum(row["seconds"] for row in rows), 3),
            "not_checked": list(omitted.models),
            "not_read": [
                {"file": shown_path(file.file), "why": file.why, "mistake": file.is_mistake}
                for file in omitted.unused
            ],
            "exit_code": exit_code,
        },
    }


def _checked(request: Request, found: Checked, pytest: bool) -> dict[str, Any]:
    result, judgement = found.result, found.judgement
    document: dict[str, Any] = {
        "model": result.model,
        "scope": request.scope,
        "fault": request.fault,
        "engine": result.engine,
        "verdict": str(found.verdict),
        "properties": len(found.model.properties),
        "checked": found.checked,
        "states": result.states,
        "transitions": result.transitions,
        "depth": result.depth,
        "seconds": round(result.seconds, 3),
        "because": judgement.because,
        "remark": result.remark,
        "sampled": {"states": result.sampled, "steps": result.sampled_steps},
        "unchecked": list(result.unchecked),
        "exit_code": found.exit_code,
        "fired": result.fired,
        "pinned": None if judgement.pins is None else vars(judgement.pins),
        "differences": [vars(difference) for difference in judgement.differences],
        "idle": list(judgement.idle),
        "vacuous": list(judgement.vacuous),
        "stale": list(judgement.stale),
        "missed_goals": list(result.missed),
        "interrupted": result.interrupted,
        "violation": _violation(found),
        "error": None if result.error is None else error_json(found.model, result.error),
        "trace": _trace(found),
    }
    if pytest and found.trace is not None and found.origin is not None and found.origin.property:
        document["pytest"] = to_pytest(found.model, found.trace, found.origin)
    return document


def _violation(found: Checked) -> dict[str, object] | None:
    violation = found.result.violation
    if violation is None:
        return None
    prop = find_property(found.model, violation.properties[0])
    return {
        "property": violation.properties[0],
        "properties": list(violation.properties) + _others(found),
        "requirements": list(prop.requirements) if prop else [],
        "parameters": parameters_json(prop.parameters, violation.parameters) if prop else {},
    }


def _others(found: Checked) -> list[str]:
    """What is unfulfilled besides, each along a behaviour of its own."""
    return [other.properties[0] for other in found.result.unfulfilled[1:]]


def _trace(found: Checked) -> dict[str, object] | None:
    if found.trace is None:
        return None
    return {
        "steps": steps_json(found.model, found.trace),
        "loop": found.trace.loop,
        "file": None if found.saved is None else str(found.saved),
        "not_saved": found.not_saved,
    }


def _not(request: Request, found: Unchecked) -> dict[str, Any]:
    """A model that was not explored, in the same fields as far as they have a meaning."""
    return {
        "model": found.name,
        "scope": request.scope,
        "fault": request.fault,
        "engine": request.engine,
        "verdict": str(Verdict.ERROR),
        "properties": 0,
        "checked": 0,
        "states": 0,
        "transitions": 0,
        "depth": 0,
        "seconds": 0.0,
        "because": str(found.error),
        "exit_code": found.exit_code,
    }
