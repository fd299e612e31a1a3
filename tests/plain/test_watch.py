"""Bounds on time and memory are kept inside the expansion of one state, too."""

from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

import lockstep.machine.search.search as parallel
import lockstep.system.resident as resident
from lockstep.explore.engines import explore
from lockstep.language.model import Model, load_model
from lockstep.plain.engine import WatchedEngine
from lockstep.plain.exploration import Bounds, Exploration
from lockstep.plain.run import PlainEngine
from lockstep.plain.search import Search
from lockstep.results.verdict import Verdict
from tests.interpreter.interpreter import InterpreterEngine

WIDE = """
from lockstep import Range, State, action, require

Many = Range(0, 1_000_000)


class Wide(State):
    at: Many = 0


@action
def never(s, new, x: Many):
    require(x * x + 3 == 7 * x * x)
    new.at = x
"""
CLAIM = """
from lockstep import invariant
from models.wide import Many


@invariant()
def not_negative(s, x: Many):
    return s.at + x >= 0
"""
STAR = """
from lockstep import Range, State, action, require

Many = Range(0, 5000)


class Star(State):
    at: Many = 0


@action
def go(s, new, x: Many):
    require(s.at == 0)
    new.at = x
"""


def load(root: Path, name: str, text: str, claim: str | None = None) -> Model:
    for folder, content in (("models", text), ("invariants", claim)):
        if content is not None:
            (root / folder).mkdir()
            (root / folder / f"{name}.py").write_text(content, encoding="utf-8")
    return load_model(root, name)


def clock(step: float) -> Callable[[], float]:
    """A clock that goes on by the same at each look."""
    times = count()
    return lambda: step * next(times)


@pytest.mark.parametrize("engine", [PlainEngine, InterpreterEngine])
@pytest.mark.parametrize("claim", [None, CLAIM])
def test_time_is_watched_at_each_instance(
    engine: Callable[[Model], WatchedEngine],
    claim: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = load(tmp_path, "wide", WIDE, claim)
    monkeypatch.setattr("lockstep.plain.supervision.time.perf_counter", clock(0.01))
    result = Search(engine(model), Exploration(bounds=Bounds(max_seconds=1))).run()
    assert (result.verdict, result.states) == (Verdict.INCONCLUSIVE, 1)
    assert result.because.startswith("stopped after 1 s as bounded")
    assert result.seconds < 1.1, "seconds of the clock that each look puts forward"


@pytest.mark.parametrize("engine", [PlainEngine, InterpreterEngine])
def test_memory_is_watched_at_each_instance(
    engine: Callable[[Model], WatchedEngine], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    weighed = count(2**20, 2**20)
    monkeypatch.setattr(resident, "_resident", lambda: (next(weighed), 0))
    monkeypatch.setattr("lockstep.plain.supervision.time.perf_counter", clock(0.01))
    wide = load(tmp_path, "wide", WIDE)
    result = Search(engine(wide), Exploration(bounds=Bounds(memory=24 * 2**20))).run()
    assert (result.verdict, result.states) == (Verdict.INCONCLUSIVE, 1)
    assert result.because.startswith("stopped at 24 MiB of memory as bounded")
    assert next(weighed) == 25 * 2**20


def test_a_search_leaves_no_watch_behind(tmp_path: Path) -> None:
    engine = PlainEngine(load(tmp_path, "star", STAR))
    Search(engine, Exploration(bounds=Bounds(max_seconds=0.0))).run()
    assert len(list(engine.successors(engine.model.initial))) == 5001


def test_machine_code_pauses_within_a_level(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = load(tmp_path, "star", STAR)
    whole = explore(model, Exploration("compiled", threads=1))
    assert (whole.states, whole.transitions) == (5001, 5001)
    monkeypatch.setattr(parallel, "_WORK", 10 * 5001)
    monkeypatch.setattr("lockstep.machine.search.search.time.perf_counter", clock(0.3))
    result = explore(model, Exploration("compiled", Bounds(max_seconds=20), threads=1))
    assert result.verdict is Verdict.INCONCLUSIVE
    assert result.states == 5001
    assert 20 <= result.seconds < 25, "of the clock that each look puts forward"
    slow = explore(model, Exploration("compiled", threads=1))
    assert (slow.verdict, slow.states, slow.transitions) == (Verdict.HOLDS, 5001, 5001)
