"""Counterexamples as they are read: golden texts, which are the same on any terminal."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from lockstep.language.model import Model, load_model
from lockstep.plain.run import PlainEngine
from lockstep.plain.search import Search
from lockstep.results.search_result import Violation
from lockstep.results.trace import Step, Trace
from lockstep.trace.render import Line, render_trace

ROOT = Path(__file__).parents[2]
TURNSTILE = ROOT / "tests" / "workspaces" / "turnstile"
GOLDEN = Path(__file__).parent / "golden"
SMALL = {"GATES": ("east",)}


@cache
def counterexample(fault: str) -> tuple[Model, Violation]:
    model = load_model(ROOT, "leader_discovery", fault=fault)
    return model, violation(model)


def violation(model: Model) -> Violation:
    result = Search(PlainEngine(model)).run()
    assert result.violation is not None
    return result.violation


def text(lines: Iterator[Line]) -> str:
    return "".join(f"{line}\n" for line in lines)


def without_line_numbers(shown: str) -> str:
    """Where an action stands changes with every line that is written before it."""
    return re.sub(r" +(\S+\.py):\d+$", r"  \1", shown, flags=re.MULTILINE)


def test_a_turnstile() -> None:
    model = load_model(TURNSTILE, "turnstile", SMALL, fault="stays_open")
    shown = text(render_trace(model, violation(model), "stays_open"))
    assert shown == (GOLDEN / "turnstile-stays_open.txt").read_text("utf-8")


# The same in a pipe and on any terminal.
@pytest.mark.parametrize("columns", ["40", "80", "160"])
def test_a_fault_of_a_protocol_of_kafka(columns: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    fault = "keeps_the_endpoint_it_had"
    shown = text(render_trace(*counterexample(fault), fault))
    assert max(map(len, shown.splitlines())) <= 74
    golden = (GOLDEN / f"leader_discovery-{fault}.txt").read_text("utf-8")
    assert without_line_numbers(shown) == without_line_numbers(golden)


def test_the_place_of_an_action_is_where_it_is_written() -> None:
    model = load_model(TURNSTILE, "turnstile", SMALL, fault="stays_open")
    lines = list(map(str, render_trace(model, violation(model), "stays_open")))
    places = [line.split()[-1].rsplit(":", 1) for line in lines if line[0] in "123"]
    for (file, number), name in zip(places, ("coin", "stays_open", "stays_open"), strict=True):
        source = (TURNSTILE / file).read_text("utf-8").splitlines()
        assert source[int(number) - 1].startswith(f"def {name}(")


def test_what_is_special_has_a_style() -> None:
    model = load_model(TURNSTILE, "turnstile", SMALL, fault="stays_open")
    lines = list(render_trace(model, violation(model), "stays_open"))
    styles = {line.style: line.text.strip() for line in lines}
    assert styles["changed"] == "entries[east]: 1 -> 2"
    assert styles["violated"].startswith("entries_are_paid(g=east) is false")
    assert styles["dim"] == "2 other variables are 0, False, None or empty"


def test_a_fault_that_adds_an_action_makes_its_steps_possible() -> None:
    model = load_model(TURNSTILE, "turnstile", SMALL, fault="kicked_open")
    shown = text(render_trace(model, violation(model), "kicked_open"))
    assert "<- possible only by the fault kicked_open\n" in shown
    assert "changed by the fault" not in shown


def test_no_step_is_marked_without_a_fault() -> None:
    model = load_model(TURNSTILE, "turnstile", SMALL)
    step = next(iter(PlainEngine(model).successors(model.initial)))
    shown = text(render_trace(model, Trace(model.initial, (step,))))
    assert "fault" not in shown
    assert "is false" not in shown


def test_a_behaviour_from_a_state_of_its_own_that_nothing_changes() -> None:
    model = load_model(TURNSTILE, "turnstile", SMALL)
    opened = next(iter(PlainEngine(model).successors(model.initial))).state
    assert text(render_trace(model, Trace(opened, ()))).splitlines() == [
        "0  a state to begin with",
        "     arm = {east: OPEN}",
        "     coins = {east: 1}",
        "     1 other variable is 0, False, None or empty",
    ]
    still = Trace(opened, (Step("coin", ("east",), opened),), 0)
    assert text(render_trace(model, still)).splitlines()[-4:] == [
        "then for ever:",
        "1  coin(g=east)                                     models/turnstile.py:33",
        "     nothing changes",
        "and on as after step 0",
    ]
