"""What `check --faults --json` prints: the shape is documented in docs/reference/json.md."""

from __future__ import annotations

from lockstep.report.json import document, error_json, steps_json
from lockstep.verbs.fault_run import FaultRun
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
            "caught_as_named": sum(bool(fault.mark.breaks) and not fault.problem for fault in runs),
            "harmless": sum(bool(fault.mark.harmless) and not fault.problem for fault in runs),
            "invariants": sum(len(model.invariants) for model in models),
            "problems": [problem for model in models for problem in model.problems],
            "errors": [str(error) for error in errors],
            "exit_code": run.exit_code,
        },
        invariants=[
            {"model": model.name, "invariant": name, "faults": faults}
            for model in models
            for name, faults in model.invariants.items()
        ],
    )


def _fault(run: FaultRun) -> dict[str, object]:
    result = run.result
    return {
        "model": run.model.name,
        "scope": run.scope.name,
        "fault": run.name,
        "engine": result.engine,
        "verdict": str(result.verdict),
        "states": result.states,
        "transitions": result.transitions,
        "depth": result.depth,
        "seconds": round(result.seconds, 3),
        "because": result.because,
        "caught_by": list(run.caught_by),
        "expected": run.mark.breaks,
        "harmless": run.mark.harmless,
        "source": run.mark.source,
        "by_constants": run.by_constants,
        "problem": run.problem,
        "error": None if result.error is None else error_json(run.model, result.error),
        "unchecked": list(result.unchecked),
        "steps": None if run.trace is None else steps_json(run.model, run.trace),
        "loop": None if run.trace is None else run.trace.loop,
    }
