"""What `check --json` prints: the shape is documented in docs/reference/json.md."""

from __future__ import annotations

from typing import Any

from lockstep.report.affected import affected_json
from lockstep.report.json import document, verdicts
from lockstep.results.verdict import Verdict
from lockstep.trace.claims import find_property
from lockstep.trace.documents import error_json, parameters_json, steps_json
from lockstep.trace.pytest_export import to_pytest
from lockstep.verbs.check_request import CheckRequest
from lockstep.verbs.check_result import Checked, CheckResult, CheckRun, Unchecked
from lockstep.words import shown_path


def check_json(request: CheckRequest, run: CheckRun, *, pytest: bool) -> dict[str, object]:
    """The document."""
    rows = [_row(request, result, pytest) for result in run.results]
    return document(
        rows,
        {
            "models": len(rows),
            **verdicts(rows),
            "states": sum(row["states"] for row in rows),
            "transitions": sum(row["transitions"] for row in rows),
            "seconds": round(sum(row["seconds"] for row in rows), 3),
            "not_checked": list(run.pending),
            "not_read": [
                {"file": shown_path(file.file), "why": file.why, "mistake": file.is_mistake}
                for file in run.unused
            ],
            "skipped": 0 if run.affected is None else len(run.affected.skipped),
            "exit_code": run.exit_code,
        },
        changed=affected_json(run.affected),
    )


def _row(request: CheckRequest, result: CheckResult, pytest: bool) -> dict[str, Any]:
    if isinstance(result, Unchecked):
        return _unchecked(request, result)
    row = _checked(request, result, pytest)
    if request.goes_on:
        others = [{"violation": _violation(one), "trace": _trace(one)} for one in result.others]
        row["others"] = others
        row["rest"] = None if result.rest is None else _row(request, result.rest, pytest)
    return row


def _checked(request: CheckRequest, checked: Checked, pytest: bool) -> dict[str, Any]:
    result, judgement = checked.result, checked.judgement
    document: dict[str, Any] = {
        "model": result.model,
        "scope": checked.scope,
        "fault": request.fault,
        "engine": result.engine,
        "verdict": str(checked.verdict),
        "properties": len(checked.model.properties),
        "checked": checked.checked,
        "states": result.states,
        "transitions": result.transitions,
        "depth": result.depth,
        "levels": result.levels,
        "seconds": round(result.seconds, 3),
        "because": judgement.because,
        "remark": result.remark,
        "sampled": {"states": result.sampled, "steps": result.sampled_steps},
        "unchecked": list(result.unchecked),
        "exit_code": checked.exit_code,
        "fired": result.fired,
        "pinned": None if judgement.pins is None else vars(judgement.pins),
        "differences": [vars(difference) for difference in judgement.differences],
        "idle": list(judgement.idle),
        "vacuous": list(judgement.vacuous),
        "stale": list(judgement.stale),
        "missed_goals": list(result.missed),
        "interrupted": result.interrupted,
        "violation": _violation(checked),
        "error": None if result.error is None else error_json(checked.model, result.error),
        "trace": _trace(checked),
    }
    if pytest and checked.trace is not None and checked.origin and checked.origin.property:
        document["pytest"] = to_pytest(checked.model, checked.trace, checked.origin)
    if checked.since is not None:
        document["kept_since"] = checked.since.isoformat()
    return document


def _violation(checked: Checked) -> dict[str, object] | None:
    violation = checked.result.violation
    if violation is None:
        return None
    prop = find_property(checked.model, violation.properties[0])
    # What is unfulfilled besides, each along a behaviour of its own.
    others = [other.properties[0] for other in checked.result.unfulfilled[1:]]
    return {
        "property": violation.properties[0],
        "properties": [*violation.properties, *others],
        "requirements": list(prop.requirements) if prop else [],
        "parameters": parameters_json(prop.parameters, violation.parameters) if prop else {},
    }


def _trace(checked: Checked) -> dict[str, object] | None:
    if checked.trace is None:
        return None
    return {
        "steps": steps_json(checked.model, checked.trace),
        "loop": checked.trace.loop,
        "file": None if checked.saved is None else str(checked.saved),
        "not_saved": checked.not_saved,
    }


def _unchecked(request: CheckRequest, unchecked: Unchecked) -> dict[str, Any]:
    """A model that was not explored, in the same fields as far as they have a meaning."""
    return {
        "model": unchecked.name,
        "scope": unchecked.scope,
        "fault": request.fault,
        "engine": request.engine,
        "verdict": str(Verdict.ERROR),
        "properties": 0,
        "checked": 0,
        "states": 0,
        "transitions": 0,
        "depth": 0,
        "levels": [],
        "seconds": 0.0,
        "because": str(unchecked.error),
        "exit_code": unchecked.exit_code,
    }
