"""What a behaviour never reads or changes is left out of its first state, and counted."""

from pathlib import Path

from lockstep.language.model import Model, load_model
from lockstep.plain.run import PlainEngine
from lockstep.plain.search import Search
from lockstep.trace.changes import touched
from lockstep.trace.render import render_trace

MODEL = """\
from lockstep import Range, State, action, require


class Counters(State):
    count: Range(0, 9) = 1
    step: Range(0, 9) = 2
    most: Range(0, 9) = 4
    other: Range(0, 9) = 7
    empty: Range(0, 9) = 0


@action
def add(s, new):
    require(s.count < 9 - s.step)
    new.count = s.count + s.step


@action
def change_other(s, new):
    require(s.other < 7)
    new.other = s.other + s.empty
"""
INVARIANT = """\
from lockstep import invariant


@invariant
def few(s):
    return s.count < s.most
"""


def counters(root: Path) -> Model:
    for folder, text in (("models", MODEL), ("invariants", INVARIANT)):
        (root / folder).mkdir()
        (root / folder / "counters.py").write_text(text)
    return load_model(root, "counters")


def test_what_steps_and_the_property_read_or_change_matters(tmp_path: Path) -> None:
    model = counters(tmp_path)
    violation = Search(PlainEngine(model)).run().violation
    assert violation is not None
    trace = violation.trace
    assert touched(model, trace, None, ()) == {"count", "step"}
    assert touched(model, trace, model.property("few"), ()) == {"count", "step", "most"}
    lines = list(map(str, render_trace(model, violation)))
    assert lines[:6] == [
        "0  the initial state",
        "     count = 1",
        "     step = 2",
        "     most = 4",
        "     1 other variable is 0, False, None or empty",
        "     1 other variable is neither read nor changed here",
    ]
    assert lines[-4:] == [
        "few() is false                                    invariants/counters.py:5",
        "     s.count < s.most                             invariants/counters.py:6",
        "     s.count = 5",
        "     s.most = 4",
    ]


def test_a_state_alone_is_shown_with_all_that_is_not_empty(tmp_path: Path) -> None:
    model = counters(tmp_path)
    violation = Search(PlainEngine(model)).run().violation
    assert violation is not None
    alone = type(violation.trace)(violation.trace.last, ())
    lines = list(map(str, render_trace(model, alone)))
    assert lines[1:5] == ["     count = 5", "     step = 2", "     most = 4", "     other = 7"]
