"""Behaviours and errors of a model as JSON: docs/reference/json.md documents the shape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lockstep.language.model import Model, Parameter
from lockstep.results.search_result import EvaluationError, Violation
from lockstep.results.trace import Trace
from lockstep.system.strict_json import Json
from lockstep.trace.conjuncts import Conjunct
from lockstep.trace.itf_values import encode
from lockstep.trace.layout import show
from lockstep.words import path_below


def steps_json(model: Model, trace: Trace) -> list[Json]:
    """The steps of a behaviour, parameters as in ITF."""
    return [
        {
            "action": step.action,
            "parameters": parameters_json(model.action(step.action).parameters, step.parameters),
        }
        for step in trace.steps
    ]


def parameters_json(parameters: Sequence[Parameter], values: Sequence[Any]) -> dict[str, Json]:
    """Parameters by name, their values as in ITF."""
    return {
        parameter.name: encode(parameter.domain, value)
        for parameter, value in zip(parameters, values, strict=True)
    }


def claim_json(model: Model, violation: Violation | None) -> dict[str, object]:
    """The `requirements` that a broken property states, and the `parameters` for which it fails."""
    prop = None if violation is None else model.find_property(violation.properties[0])
    if prop is None or violation is None:
        return {"requirements": (), "parameters": {}}
    parameters = parameters_json(prop.parameters, violation.parameters)
    return {"requirements": prop.requirements, "parameters": parameters}


def conjunct_json(model: Model, conjunct: Conjunct | None) -> dict[str, object] | None:
    """The part of a guard that is false in a state; None where that is not sure."""
    if conjunct is None:
        return None
    return {
        "text": conjunct.text,
        "file": path_below(conjunct.file, model.universe.root),
        "line": conjunct.line,
        "values": {name: show(value) for name, value in conjunct.known},
    }


def error_json(model: Model, error: EvaluationError) -> dict[str, object]:
    """Where a model's text has no meaning, and why; the file is relative to the workspace."""
    root = model.universe.root
    file = error.file
    return {
        "function": error.function,
        "file": None if file is None else file.relative_to(root).as_posix(),
        "line": error.line,
        "column": None if error.place is None else error.place.column + 1,
        "reason": error.reason,
        "why": error.why,
        "cure": error.cure,
    }
