"""What `review --json` prints: the shape is documented in docs/reference/json.md."""

from __future__ import annotations

from typing import Any

from lockstep.language.model import Model
from lockstep.report.json import document, verdicts
from lockstep.report.review_actions_json import actions_json
from lockstep.review.difference import Difference
from lockstep.trace.documents import steps_json
from lockstep.verbs.review import ReviewRun, Unreviewed
from lockstep.verbs.review_plan import ReviewPlan
from lockstep.verbs.review_properties import PropertyChange
from lockstep.verbs.review_scope import Direction, ScopeReview


def review_json(plan: ReviewPlan, run: ReviewRun) -> dict[str, object]:
    """The document."""
    rows = [
        _reviewed(result) if isinstance(result, ScopeReview) else _unreviewed(result)
        for result in run.results
    ]
    return document(
        rows,
        {
            "scopes": len(rows),
            **verdicts(rows),
            "unchanged": plan.unchanged,
            "omitted": plan.omitted,
            **_evidence(run),
            "actions": [actions_json(review) for review in run.actions],
            "not_compared": [str(task) for task in run.pending],
            "exit_code": run.exit_code,
        },
    )


def _evidence(run: ReviewRun) -> dict[str, Any]:
    evidence = run.evidence
    if evidence is None:
        return {"requirements": None, "faults": None}
    return {
        "requirements": [
            {
                "id": one.id,
                "base": str(one.base),
                "head": None if one.head is None else str(one.head),
            }
            for one in evidence.requirements
        ],
        "faults": list(evidence.faults),
    }


def _head(result: ScopeReview | Unreviewed) -> dict[str, Any]:
    return {
        "base": str(result.versions.base),
        "head": str(result.versions.head),
        "scope": result.scope,
        "verdict": str(result.verdict),
        "exit_code": result.exit_code,
    }


def _unreviewed(result: Unreviewed) -> dict[str, Any]:
    return {**_head(result), "because": str(result.error)}


def _reviewed(result: ScopeReview) -> dict[str, Any]:
    pair = result.pair
    return {
        **_head(result),
        "seconds": round(result.seconds, 3),
        "shared": list(pair.shared),
        "explored": [vars(size) for size in result.behaviours.sizes or ()],
        "properties": [_property(prop) for prop in result.properties],
        "unjudged": result.unjudged,
        "adds": _direction(result.behaviours.adds, pair.other, pair.one),
        "removes": _direction(result.behaviours.removes, pair.one, pair.other),
    }


def _property(prop: PropertyChange) -> dict[str, Any]:
    checked = prop.checked
    violation = None if checked is None else checked.result.violation
    is_shown = violation is not None and prop.name in violation.properties
    return {
        "name": prop.name,
        "change": str(prop.change),
        "base": None if prop.base is None else str(prop.base),
        "head": None if prop.head is None else str(prop.head),
        "is_reworded": prop.is_reworded,
        "steps": steps_json(checked.model, violation.trace)
        if checked is not None and violation is not None and is_shown
        else None,
    }


def _direction(direction: Direction, one: Model, other: Model) -> dict[str, Any]:
    return {
        "verdict": str(direction.verdict),
        "because": direction.because,
        "difference": None
        if direction.difference is None
        else _difference(direction.difference, one, other),
    }


def _difference(difference: Difference, one: Model, other: Model) -> dict[str, Any]:
    reason, followed = difference.reason, difference.followed
    conjunct = None if reason is None else reason.conjunct
    return {
        "steps": steps_json(one, difference.trace),
        "followed": None if followed is None else steps_json(other, followed),
        "refused": reason is not None and reason.refused,
        "requires": None if conjunct is None else conjunct.text,
        "line": None if conjunct is None else conjunct.line,
        "variables": [] if reason is None else list(reason.variables),
    }
