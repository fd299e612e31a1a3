"""What the JSON of all verbs has in common: docs/reference/json.md documents the shape."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from lockstep.language.model import Model, Parameter
from lockstep.results.evaluation_error import EvaluationError
from lockstep.results.trace import Trace
from lockstep.results.verdict import Verdict
from lockstep.system.strict_json import Json
from lockstep.trace.itf_values import encode

VERSION = 1
"""Raised when a field goes or changes its meaning; a new field leaves it as it is."""


def document(
    rows: Sequence[Mapping[str, Any]], summary: Mapping[str, object], **lists: object
) -> dict[str, object]:
    """What every verb prints: a row a result, lists of its own, and the sum of it."""
    return {"version": VERSION, "results": list(rows), **lists, "summary": dict(summary)}


def verdicts(rows: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """How many rows have each verdict."""
    return {str(verdict): sum(row["verdict"] == verdict for row in rows) for verdict in Verdict}


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
