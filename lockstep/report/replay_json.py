"""What `replay --json` prints: the shape is documented in docs/reference/json.md."""

from __future__ import annotations

from pathlib import Path

from lockstep.report.json import document
from lockstep.trace.claims import find_property
from lockstep.trace.documents import error_json, parameters_json, steps_json
from lockstep.verbs.replay import Replay


def replay_json(file: Path, result: Replay) -> dict[str, object]:
    """The document; it has the text of the test, too, if one was written."""
    origin = result.origin
    prop = find_property(result.model, origin.property or "")
    failing = result.parameters
    row: dict[str, object] = {
        "file": str(file),
        "model": origin.model,
        "scope": origin.scope,
        "fault": origin.fault,
        "engine": "python",
        "property": origin.property,
        "goal": origin.goal,
        "start": origin.start,
        "verdict": str(result.verdict),
        "because": result.because,
        "parameters": (
            None if failing is None else parameters_json(prop.parameters, failing) if prop else {}
        ),
        "steps": steps_json(result.model, result.trace),
        "loop": result.trace.loop,
        "error": None if result.error is None else error_json(result.model, result.error),
    }
    if result.test is not None:
        row["pytest"] = result.test
    return document(
        [row],
        {"verdict": str(result.verdict), "exit_code": int(result.exit_code)},
    )
