"""What Hypothesis draws, as the result of a search."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from lockstep.language.model import DEADLOCK, Model, load_model
from lockstep.language.notation import Kind
from lockstep.plain import supervision
from lockstep.plain.exploration import Bounds, Exploration, Walks
from lockstep.plain.run import PlainEngine
from lockstep.results.search_result import Progress, SearchResult
from lockstep.results.verdict import Verdict
from lockstep.testing.behaviours import draw_behaviours

TURNSTILE = Path(__file__).parents[1] / "workspaces" / "turnstile"
DRAWN = Walks(200, seed=5, by_hypothesis=True)

COUNTER = """
from lockstep import Constant, Range, State, action, require

MAX: Constant = 9
SLIPS: Constant = False

class Counter(State):
    number: Range(0, MAX) = 0

@action
def count(s, new, by: Range(1, 3)):
    require(s.number < MAX - 2 or SLIPS)
    new.number = s.number + by
"""
SMALL = """
from lockstep import invariant

@invariant("1")
def small(s):
    return s.number < 5
"""


def counter(folder: Path, **constants: object) -> Model:
    for kind, text in (("models", COUNTER), ("invariants", SMALL)):
        (folder / kind).mkdir()
        (folder / kind / "counter.py").write_text(text, encoding="utf-8")
    return load_model(folder, "counter", constants)


def outcome(result: SearchResult) -> dict[str, object]:
    """All of a result but what it took."""
    return {name: value for name, value in vars(result).items() if name != "seconds"}


def test_without_a_fault_it_is_no_verdict() -> None:
    model = load_model(TURNSTILE, "turnstile").without(Kind.LEADS_TO)
    result = draw_behaviours(model, DRAWN)
    assert result.verdict is Verdict.INCONCLUSIVE
    assert result.because.startswith("all that was asked: 200 random behaviours of up to 200 steps")
    assert result.engine == "hypothesis"
    assert result.states == 64, "all that there are"
    assert result.transitions == sum(result.fired.values())
    assert all(result.fired.values())
    assert 0 < result.depth <= 200


def test_a_seed_says_what_is_drawn() -> None:
    model = load_model(TURNSTILE, "turnstile").without(Kind.LEADS_TO)
    results = [outcome(draw_behaviours(model, replace(DRAWN, seed=seed))) for seed in (1, 1, 2)]
    assert results[0] == results[1]
    assert results[0]["fired"] != results[2]["fired"]


def test_a_fault_is_found_and_shortened() -> None:
    model = load_model(TURNSTILE, "turnstile", fault="stays_open").without(Kind.LEADS_TO)
    result = draw_behaviours(model, DRAWN)
    assert result.verdict is Verdict.VIOLATED
    assert result.because == "entries_are_paid is violated after 3 steps"
    assert result.violation is not None
    trace, engine = result.violation.trace, PlainEngine(model)
    for before, step in zip(trace.states, trace.steps, strict=False):
        assert engine.run(model.action(step.action), before, step.parameters) == step.state
    broken = model.property("entries_are_paid")
    assert engine.evaluate(broken, trace.last, None).failing == result.violation.parameters


def test_steps_are_bounded(tmp_path: Path) -> None:
    result = draw_behaviours(counter(tmp_path), Walks(50, steps=1, by_hypothesis=True))
    assert (result.verdict, result.depth) == (Verdict.INCONCLUSIVE, 1)


def test_a_state_without_a_way_on_is_violated(tmp_path: Path) -> None:
    model = replace(counter(tmp_path), properties=())
    result = draw_behaviours(model, DRAWN, Exploration(deadlock_allowed=False))
    assert result.violation is not None
    assert result.violation.properties == (DEADLOCK,)
    assert draw_behaviours(model, DRAWN).violation is None


def test_a_text_without_meaning_is_an_error(tmp_path: Path) -> None:
    model = replace(counter(tmp_path, SLIPS=True), properties=())
    result = draw_behaviours(model, DRAWN)
    assert result.verdict is Verdict.ERROR
    assert result.error is not None
    assert result.error_trace is not None
    assert len(result.error_trace.steps) == 3, "to 7 and beyond"


def interrupt(progress: Progress) -> None:
    """As Ctrl-C does, when many states are known."""
    if progress.states > 20:
        raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("request_of", "because", "interrupted"),
    [
        (lambda: Exploration(bounds=Bounds(max_seconds=0.2)), "stopped after ", False),
        (lambda: Exploration(on_progress=interrupt), "interrupted: ", True),
    ],
)
def test_it_ends_at_a_bound(
    request_of: Callable[[], Exploration], because: str, interrupted: bool
) -> None:
    model = load_model(TURNSTILE, "turnstile").without(Kind.LEADS_TO)
    result = draw_behaviours(model, replace(DRAWN, count=10**6), request_of())
    assert result.verdict is Verdict.INCONCLUSIVE
    assert result.because.startswith(because)
    assert result.interrupted is interrupted


def test_what_was_found_before_a_bound_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervision, "PROGRESS_SECONDS", 0.0)  # a report of every state
    model = load_model(TURNSTILE, "turnstile", fault="stays_open").without(Kind.LEADS_TO)
    reports = 0

    def end(progress: Progress) -> None:
        nonlocal reports
        reports -= 1
        if reports == 0:
            raise KeyboardInterrupt

    whole = draw_behaviours(model, DRAWN, Exploration(on_progress=end))
    assert not whole.interrupted
    reports = -reports - 1
    result = draw_behaviours(model, DRAWN, Exploration(on_progress=end))
    assert result.interrupted
    assert result.violation is not None
    assert whole.violation is not None
    assert result.violation.properties == whole.violation.properties


def test_nothing_is_left_in_the_folder(tmp_path: Path) -> None:
    fault = ["check", "turnstile", "--fault", "stays_open", "--hypothesis", "50"]
    where = ["--workspace", str(TURNSTILE), "--save", str(tmp_path / "traces")]
    run = subprocess.run(
        [sys.executable, "-m", "lockstep", *fault, *where], cwd=tmp_path, capture_output=True
    )
    assert run.returncode == 1
    assert os.listdir(tmp_path) == ["traces"]
