"""What `check --faults --json` prints: the shape is documented in docs/reference/json.md."""

from __future__ import annotations

from lockstep.report.affected import affected_json
from lockstep.report.json import document
from lockstep.verbs.fault_row import FaultRow
from lockstep.verbs.faults import FaultsRun


def faults_json(run: FaultsRun) -> dict[str, object]:
    """The document."""
    models = run.results
    runs = [fault for model in models for fault in model.runs]
    errors = [*run.errors, *(error for model in models for error in model.errors)]
    return document(
        [_fault(fault) for fault in runs],
        {
            "faults": len(runs),
            "caught_as_named": sum(fault.is_caught_as_named for fault in runs),
            "harmless": sum(fault.is_harmless for fault in runs),
            "invariants": sum(len(model.invariants) for model in models),
            "problems": [problem for model in models for problem in model.problems],
            "errors": [str(error) for error in errors],
            "kept": len(run.kept),
            "skipped": 0 if run.affected is None else len(run.affected.skipped),
            "exit_code": run.exit_code,
        },
        changed=affected_json(run.affected),
        invariants=[
            {"model": model.name, "invariant": name, "faults": faults}
            for model in models
            for name, faults in model.invariants.items()
        ],
    )


def _fault(fault: FaultRow) -> dict[str, object]:
    row, details = fault.row, fault.details
    return {
        "model": row.model,
        "scope": row.scope,
        "fault": row.fault,
        "engine": row.engine,
        "verdict": row.verdict,
        "states": row.states,
        "transitions": row.transitions,
        "depth": row.depth,
        "seconds": round(row.seconds, 3),
        "because": row.because,
        "caught_by": list(details.caught_by),
        "expected": details.expected,
        "harmless": details.harmless,
        "source": details.source,
        "by_constants": details.by_constants,
        "problem": details.problem,
        "error": details.error,
        "unchecked": list(details.unchecked),
        "steps": details.steps,
        "loop": details.loop,
    }
