"""What `--json` prints of scenarios: the shape is documented in docs/reference/json.md."""

from __future__ import annotations

from typing import Any

from lockstep.costs.scenario import Attained
from lockstep.report.json import document
from lockstep.verbs.costs import EXTREMES, CostsRun, ModelCosts, SavedCost, Uncosted
from lockstep.verbs.review_costs import CostChange


def costs_json(run: CostsRun) -> dict[str, object]:
    """The document of `check --costs`."""
    rows = [_model(result) for result in run.results]
    summary = {
        "models": len(rows),
        "not_counted": list(run.pending),
        "exit_code": run.exit_code,
    }
    return document(rows, summary)


def cost_change_json(change: CostChange) -> dict[str, Any]:
    """A scenario of a review."""
    return {
        "scenario": change.head.cost.scenario.name,
        "is_reworded": change.is_reworded,
        "base": _cost(change.base),
        "head": _cost(change.head),
    }


def _model(result: ModelCosts | Uncosted) -> dict[str, Any]:
    head = {"verdict": str(result.verdict), "exit_code": result.exit_code}
    if isinstance(result, Uncosted):
        error = {"because": str(result.error)}
        return {"model": result.model, "scope": result.scope, **head, **error}
    return {
        "model": str(result.version),
        "scope": result.scope,
        **head,
        "seconds": round(result.seconds, 3),
        "costs": {saved.cost.scenario.name: _cost(saved) for saved in result.costs},
    }


def _cost(saved: SavedCost) -> dict[str, Any]:
    cost = saved.cost
    scenario = cost.scenario
    return {
        "from": scenario.begin,
        "to": scenario.goal,
        "without": list(scenario.without),
        "never": cost.never,
        "unknown": cost.unknown,
        "counts": {
            count.name: {
                extreme: _attained(getattr(count, extreme), saved.files.get((count.name, extreme)))
                for extreme in EXTREMES
            }
            for count in cost.counts
        },
    }


def _attained(attained: Attained, file: object) -> dict[str, Any]:
    return {
        "number": attained.number,
        "actions": [step.action for step in attained.trace.steps[attained.begins :]],
        "begins": attained.begins,
        "repeats": None if attained.repeats is None else list(attained.repeats),
        "repeated": list(attained.repeated),
        "file": None if file is None else str(file),
    }
