"""The compiled explorer agrees with plain Python: on random models, and on those of this workspace.

A disagreement is shown as the smallest model that Hypothesis finds; `LOCKSTEP_PROFILE=wide` looks
at thousands.
"""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, example, given, reject, settings

from lockstep.compiled.layout import NotCompiled
from lockstep.compiled.machine import machine_code
from lockstep.compiled.program import build_program
from lockstep.explore.engine import EvaluationError
from lockstep.explore.parallel.search import ParallelSearch
from lockstep.explore.plain import PlainEngine
from lockstep.explore.search import Search, SearchResult
from lockstep.language.model import Model, load_model, model_names
from lockstep.language.source import ModelError
from lockstep.specs.scopes import load_model_spec
from lockstep.testing.random_models import RandomModel, random_models

ROOT = Path(__file__).parents[2]
MOST_DEPTH = 6
"""Random models are explored this far: a bound in steps is the same for every engine."""
MOST_STATES = 3000
"""Random models with more states than that so near to the first are passed over."""


def place(error: EvaluationError | None) -> tuple[str, Path | None, int | None] | None:
    return None if error is None else (error.function, error.file, error.line)


def summary(result: SearchResult) -> dict[str, Any]:
    """All that engines must agree on. Which of several shortest traces is told is left open."""
    violation, error_trace = result.violation, result.error_trace
    said: dict[str, Any] = {
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
        said |= {"applied": result.applied, "reached": result.reached, "because": result.because}
    return said


def assert_takes_place(model: Model, result: SearchResult) -> None:
    """A trace is a behaviour of the model."""
    trace = result.violation.trace if result.violation else result.error_trace
    if trace is None:
        return
    plain = PlainEngine(model)
    assert trace.initial == model.initial
    for before, step in zip(trace.states, trace.steps, strict=False):
        assert plain.run(model.action(step.action), before, step.parameters) == step.state


# LLVM took this for a machine of the other byte order, when nobody told it which one it was.
OTHER_BYTE_ORDER = RandomModel(
    model="""\
from lockstep import Record, Sequence, State, action


class Message(Record):
    f0: bool


class Sample(State):
    a: Sequence[Message, 2] = ()


@action
def act0(s, new, x: Message, y: Sequence[bool, 1]):
    new.a = (s.a + (x,))[:2]
""",
    invariants="",
)


@example(text=OTHER_BYTE_ORDER)
@settings(max_examples=max(150, settings().max_examples), suppress_health_check=list(HealthCheck))
@given(text=random_models())
def test_compiled_agrees_on_random_models(
    text: RandomModel, tmp_path_factory: pytest.TempPathFactory
) -> None:
    try:
        model = text.load(tmp_path_factory.mktemp("random"))
        program = build_program(model)
    except (ModelError, NotCompiled):
        reject()
    code = machine_code(program.text, None)
    for deadlock_allowed in (True, False):
        options: dict[str, Any] = {
            "deadlock_allowed": deadlock_allowed,
            "max_depth": MOST_DEPTH,
        }
        oracle = Search(PlainEngine(model), **options, max_states=MOST_STATES).run()
        assume(oracle.states < MOST_STATES)
        for threads in (1, 2, 4):
            result = ParallelSearch(program, code, threads=threads, **options).run()
            assert summary(result) == summary(oracle)
            assert_takes_place(model, result)


@pytest.mark.parametrize("name", model_names(ROOT))
def test_compiled_agrees_on_every_model(name: str) -> None:
    scope = load_model_spec(ROOT, name).scope("small")
    model = load_model(ROOT, name, scope.constants)
    program = build_program(model)
    code = machine_code(program.text, None)
    oracle = summary(Search(PlainEngine(model)).run())
    for threads in (1, 2, 4):
        assert summary(ParallelSearch(program, code, threads=threads).run()) == oracle
