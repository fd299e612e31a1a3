"""What engines must agree on, and that what they tell takes place in plain Python."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from lockstep.language.model import Model
from lockstep.plain.run import PlainEngine
from lockstep.results.search_result import EvaluationError, SearchResult
from lockstep.results.trace import Trace

COUNTS = ("states", "transitions", "deadlocks", "fired")
"""What symmetry makes smaller."""


def place(error: EvaluationError | None) -> tuple[str, Path | None, int | None] | None:
    """Where an evaluation failed: the action or claim, the file and the line."""
    return None if error is None else (error.function, error.file, error.line)


def summary(result: SearchResult, *, without: Iterable[str] = ()) -> dict[str, Any]:
    """All that engines must agree on. Any of several shortest traces will do."""
    violation, error_trace = result.violation, result.error_trace
    claimed: dict[str, Any] = {
        "verdict": result.verdict,
        "states": result.states,
        "transitions": result.transitions,
        "depth": result.depth,
        "deadlocks": result.deadlocks,
        "fired": result.fired,
        "missed": result.missed,
        "first broken": violation and violation.properties[0],
        "steps": violation and len(violation.trace.steps),
        "error": place(result.error),
        "steps to the error": error_trace and len(error_trace.steps),
    }
    if result.error is None:
        claimed |= {"applied": result.applied, "reached": result.reached}
        # It says how many states are known.
        claimed |= {} if "states" in without else {"because": result.because}
    if "states" not in without:
        claimed["levels"] = result.levels
    return {name: value for name, value in claimed.items() if name not in without}


def assert_takes_place(model: Model, result: SearchResult) -> None:
    """The trace of a result is a behaviour of the model."""
    trace = result.violation.trace if result.violation else result.error_trace
    if trace is not None:
        assert_is_behaviour(model, trace)


def assert_is_behaviour(model: Model, trace: Trace) -> None:
    """Each step of a trace is one of plain Python's."""
    plain = PlainEngine(model)
    assert trace.initial == model.initial
    for before, step in zip(trace.states, trace.steps, strict=False):
        assert plain.run(model.action(step.action), before, step.parameters) == step.state
