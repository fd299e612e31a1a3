"""What `replay --on --json` prints: the shape is documented in docs/reference/json.md."""

from __future__ import annotations

from pathlib import Path

from lockstep.report.json import document
from lockstep.trace.claims import find_property
from lockstep.trace.documents import conjunct_json, error_json, parameters_json, steps_json
from lockstep.verbs.replay_on import Refusal, ReplayedOn


def replay_on_json(file: Path, result: ReplayedOn) -> dict[str, object]:
    """The document."""
    origin, violation, parting = result.origin, result.violation, result.parting
    name = None if violation is None else violation.properties[0]
    prop = find_property(result.model, name or "")
    row: dict[str, object] = {
        "file": str(file),
        "model": origin.model,
        "scope": origin.scope,
        "fault": origin.fault,
        "on": str(result.version),
        "engine": "python",
        "property": origin.property,
        "goal": origin.goal,
        "start": origin.start,
        "verdict": str(result.verdict),
        "because": result.because,
        "violated": name,
        "parameters": (
            None
            if violation is None
            else parameters_json(prop.parameters, violation.parameters)
            if prop
            else {}
        ),
        "steps": steps_json(result.model, result.trace),
        "loop": result.trace.loop,
        "refused": None if result.refusal is None else _refusal(result, result.refusal),
        "parting": None if parting is None else {"step": parting.step, "changes": parting.changes},
        "others": {str(number): instance for number, instance in result.others.items()},
        "missing": list(result.missing),
        "added": list(result.added),
        "uncompared": list(result.uncompared),
        "error": None if result.error is None else error_json(result.model, result.error),
    }
    return document([row], {"verdict": str(result.verdict), "exit_code": int(result.exit_code)})


def _refusal(result: ReplayedOn, refusal: Refusal) -> dict[str, object]:
    action = result.model.action(refusal.action)
    return {
        "step": refusal.step,
        "action": refusal.action,
        "parameters": parameters_json(action.parameters, refusal.parameters),
        "requires": conjunct_json(result.model, action, result.trace.last, refusal.parameters),
    }
