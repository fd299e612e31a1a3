"""What `check --mutants --json` prints: the shape is documented in docs/reference/json.md."""

from __future__ import annotations

from lockstep.mutants.fate import Fate
from lockstep.report.json import document
from lockstep.verbs.mutant_row import MutantRow
from lockstep.verbs.mutants import MutantsRun
from lockstep.verbs.mutants_of_model import MutantsOfModel


def mutants_json(run: MutantsRun) -> dict[str, object]:
    """The document."""
    models = run.results
    return document(
        [_mutant(mutant, model) for model in models for mutant in model.mutants],
        {
            **{str(fate): sum(model.count(fate) for model in models) for fate in Fate},
            "unexplained": sum(len(model.unexplained) for model in models),
            "errors": [str(error) for model in models for error in model.errors],
            "kept": len(run.kept),
            "exit_code": run.exit_code,
        },
        models=[_model(model) for model in models],
    )


def _model(model: MutantsOfModel) -> dict[str, object]:
    return {
        "model": model.name,
        "scope": model.scope,
        **{str(fate): model.count(fate) for fate in Fate},
        "unexplained": [mutant.name for mutant in model.unexplained],
        "stale": model.stale,
    }


def _mutant(mutant: MutantRow, model: MutantsOfModel) -> dict[str, object]:
    row, details = mutant.row, mutant.details
    return {
        "model": row.model,
        "scope": row.scope,
        "mutant": details.name,
        "kind": details.kind,
        "file": details.file,
        "line": details.line,
        "before": details.before,
        "after": details.after,
        "fate": row.verdict,
        "killed_by": row.violated,
        "steps": row.length,
        "because": row.because,
        "explained": model.reasons.get(details.name) if mutant.is_open else None,
        "engine": row.engine,
        "states": row.states,
        "transitions": row.transitions,
        "depth": row.depth,
        "seconds": round(row.seconds, 3),
    }
