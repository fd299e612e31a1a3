"""What `review --json` prints: the shape is documented in docs/reference/json.md."""

from __future__ import annotations

from typing import Any

import msgspec

from lockstep.language.model import Model
from lockstep.pages.output import document, verdicts
from lockstep.report.review_actions import actions_json
from lockstep.requests.review_plan import ReviewPlan
from lockstep.review.difference import Difference
from lockstep.specs.expected import Expected
from lockstep.trace.claims import RequirementTexts
from lockstep.trace.documents import steps_json
from lockstep.verbs.costs import cost_change
from lockstep.verbs.review import ReviewRun, Unreviewed
from lockstep.verbs.review_evidence import PropertyChange, RequirementChange
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
            "twins_and_proofs": [
                {"name": one.name, "change": str(one.change), "because": one.because}
                for one in run.support.changes
            ],
            "unasked": list(run.support.unasked),
            "unmet": [_expected(entry) for entry in run.unmet],
            "unexamined": [_expected(entry) for entry in run.unexamined],
            "not_compared": [str(task) for task in run.pending],
            "exit_code": run.exit_code,
        },
    )


def _evidence(run: ReviewRun) -> dict[str, Any]:
    evidence = run.evidence
    if evidence is None:
        return {
            **{"requirements": None, "faults": None, "expected": None},
            **{"faults_undecided": None, "faults_looked_at": None, "faults_seconds": None},
        }
    return {
        "requirements": [_requirement(one) for one in evidence.requirements],
        "faults": list(evidence.faults),
        "faults_undecided": [*evidence.undecided, *evidence.unasked],
        "faults_looked_at": evidence.looked_at,
        "faults_seconds": evidence.seconds,
        "expected": [
            {**_expected(entry), "fault": change}
            if isinstance(change, str)
            else {**_expected(entry), "requirement": _requirement(change)}
            for change, entry in evidence.expected
        ],
    }


def _requirement(change: RequirementChange) -> dict[str, Any]:
    head = None if change.head is None else str(change.head)
    return {"id": change.id, "base": str(change.base), "head": head}


def _expected(entry: Expected) -> dict[str, Any]:
    return {
        "place": entry.place,
        "subject": str(entry.subject),
        "name": entry.name,
        "because": entry.because,
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
    return {**_head(result), "because": result.because}


def _reviewed(result: ScopeReview) -> dict[str, Any]:
    pair = result.pair
    return {
        **_head(result),
        "seconds": round(result.seconds, 3),
        "shared": list(pair.shared),
        "explored": [vars(size) for size in result.behaviours.sizes or ()],
        "properties": [
            {
                **_property(prop),
                "expected": [_expected(entry) for entry in result.expected.get(prop.name, ())],
            }
            for prop in result.properties
        ],
        "expected_behaviours": [_expected(entry) for entry in result.expected_behaviours],
        "unjudged": result.unjudged,
        "adds": _direction(result.behaviours.adds, pair.other, pair.one),
        "removes": _direction(result.behaviours.removes, pair.one, pair.other),
        "costs": msgspec.to_builtins([cost_change(one) for one in result.costs]),
    }


def _property(prop: PropertyChange) -> dict[str, Any]:
    checked = prop.checked
    violation = None if checked is None else checked.result.violation
    is_shown = violation is not None and prop.name in violation.properties
    says, requirements = "", tuple[tuple[str, str], ...]()
    if checked is not None:
        texts = RequirementTexts(checked.model.universe.root)
        says, requirements = texts.of(checked.model, prop.name)
    return {
        "name": prop.name,
        "change": str(prop.change),
        "base": None if prop.base is None else str(prop.base),
        "head": None if prop.head is None else str(prop.head),
        "is_reworded": prop.is_reworded,
        "says": says,
        "requirements": [{"id": identity, "text": text} for identity, text in requirements],
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
        "variables": [] if reason is None else list(reason.others),
    }
