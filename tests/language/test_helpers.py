"""Helpers are inlined: what they mean, how large that is, and how sharing keeps it small."""

import re
from pathlib import Path

import pytest

from lockstep.explore.engines import explore
from lockstep.language import ir
from lockstep.language.domains import OptionDomain, RangeDomain
from lockstep.language.frontend import lower
from lockstep.language.model import Model, load_model
from lockstep.language.source import Diagnostic, ModelError, Place
from lockstep.language.totality import walk
from lockstep.plain.engine import Outcome
from lockstep.plain.exploration import Exploration
from lockstep.plain.run import PlainEngine
from lockstep.prove.bounded import check_bounded
from lockstep.prove.relation import Relation
from tests.interpreter.interpreter import InterpreterEngine

HEAD = """
from lockstep import Range, State, action


class Deep(State):
    count: Range(0, 9) = 0


def level_0(n):
    return n + 1

"""
TWICE = """
def level_{0}(n):
    return (level_{1}(n) + level_{1}(n)) % 5

"""
SHARED = """
def level_{0}(n):
    x = level_{1}(n)
    return (x + x) % 5

"""
STEP = """
@action
def step(s, new):
    new.count = level_{0}(s.count)
"""


def code(root: Path, helper: str, levels: int) -> ir.ModelCode:
    helpers = "".join(helper.format(level, level - 1) for level in range(1, levels + 1))
    (root / "models").mkdir()
    (root / "models" / "deep.py").write_text(HEAD + helpers + STEP.format(levels), "utf-8")
    return lower(load_model(root, "deep"))


@pytest.mark.parametrize("levels", [18, 60])
def test_helpers_that_each_call_the_last_one_twice_are_refused(tmp_path: Path, levels: int) -> None:
    with pytest.raises(ModelError) as raised:
        code(tmp_path, TWICE, levels)
    (problem,) = raised.value.diagnostics
    text = (tmp_path / "models" / "deep.py").read_text("utf-8").splitlines()
    assert problem.code == "too-large"
    assert text[problem.place.line - 1] == f"    new.count = level_{levels}(s.count)"


def test_a_long_chain_is_refused_once_and_shown_in_part(tmp_path: Path) -> None:
    chain = " or ".join(f"n == {number % 7}" for number in range(4000))
    with pytest.raises(ModelError) as raised:
        code(tmp_path, f"def level_{{0}}(n):\n    return 1 if {chain} else 0\n", 1)
    (problem,) = raised.value.diagnostics
    assert problem.code == "too-large"
    assert max(map(len, problem.render().splitlines())) < 200


def test_the_mark_of_a_long_line_stands_below_what_it_marks(tmp_path: Path) -> None:
    file = tmp_path / "long.py"
    file.write_text(f"x = {'1 + ' * 100}wrong{' + 1' * 100}\n", encoding="utf-8")
    place = Place(file, 1, 404, 1, 409)
    _, _, _, line, marks, *_ = Diagnostic("wrong", place, "", "", "").render().splitlines()
    assert line.startswith("1 | ... ")
    assert line.endswith(" ...")
    assert line[marks.index("^") : marks.rindex("^") + 1] == "wrong"


def test_helpers_that_keep_what_they_call_stay_small(tmp_path: Path) -> None:
    nodes = [node for node in walk(code(tmp_path, SHARED, 60)) if isinstance(node, ir.Expression)]
    assert len(nodes) < 1_000


LADDER = """
from lockstep import Range, State, action, present


class Deep(State):
    count: Range(0, 9) = 0
    level: Range(0, 5) | None = None
    after: Range(0, 9) | None = None


def rank(s, least):
{0}

@action
def step(s, new):
    low = rank(s, least=s.count)
    after = present(s.after)
    new.count = low
    new.after = {1}
"""
LINES = """\
    if s.level is None:
        return least
    more = s.level + 1
    if more < least:
        return more
    return s.level
"""
ONE_RETURN = """\
    return least if s.level is None else risen(s, least, s.level + 1)


def risen(s, least, more):
    return more if more < least else s.level
"""


CLAIM = """
from lockstep import invariant, present


@invariant
def after_is_low(s):
    after = present(s.after)
    return after < 5
"""


def ladder(root: Path, body: str, value: str = "after") -> Model:
    (root / "models").mkdir(exist_ok=True)
    (root / "models" / "deep.py").write_text(LADDER.format(body, value), "utf-8")
    return load_model(root, "deep")


def without_places(code: ir.ModelCode) -> str:
    return re.sub(
        r"Place\(file=\S+, line=\d+, column=\d+, end_line=\d+, end_column=\d+\)", "", f"{code}"
    )


def test_guard_lines_are_a_conditional(tmp_path: Path) -> None:
    lines = lower(ladder(tmp_path, LINES))
    assert without_places(lines) == without_places(lower(ladder(tmp_path, ONE_RETURN)))


def test_guard_lines_mean_what_python_does(tmp_path: Path) -> None:
    model = ladder(tmp_path, LINES)
    states = [
        model.state.of((count, level, 0)) for count in range(9) for level in (None, *range(6))
    ]
    plain, interpreter = PlainEngine(model), InterpreterEngine(model)
    for state in states:
        (step,) = plain.successors(state)
        assert list(interpreter.successors(state)) == [step]


def test_what_a_guard_line_excludes_its_caller_does_not_know(tmp_path: Path) -> None:
    (action,) = lower(ladder(tmp_path, LINES, "s.level + after")).actions
    *_, write = action.statements
    unwraps = [node for node in walk(write) if isinstance(node, ir.Unwrap)]
    assert {node.option.domain: node.certain for node in unwraps} == {
        OptionDomain(RangeDomain(0, 5)): False,
        OptionDomain(RangeDomain(0, 9)): True,
    }


OPTIONAL = """
from lockstep import Range, State, action, present, require

Level = Range(0, 3)


class Deep(State):
    count: Level = 0
    level: Level | None = None


def rank(level: Level | None):
    if level is None:
        return 3
    return level


def is_at(s, level: Level | None):
    return s.level == level


def count(s, new, level: Level | None):
    counted = present(level)
    new.count = counted


@action
def of_the_option(s, new):
    new.count = rank(s.level)


@action
def of_what_is_there(s, new):
    require(rank(s.count) < 3 and rank(level=2) == 2 and rank(None) == 3)
    new.level = s.count


@action
def once_more(s, new):
    require(is_at(s, None) or is_at(s, s.level))
    count(s, new, (s.count + 1) % 3)


@action
def never(s, new):
    count(s, new, None)
"""


def test_what_a_signature_lets_be_none_may_be_there_in_every_call(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "deep.py").write_text(OPTIONAL, "utf-8")
    model = load_model(tmp_path, "deep")
    plain, compiled = (explore(model, Exploration(name)) for name in ("python", "compiled"))
    assert (plain.states, plain.transitions, plain.error) == (13, 38, None)
    assert (compiled.states, compiled.transitions) == (plain.states, plain.transitions)
    assert check_bounded(Relation(model), plain.depth).error is None


def test_an_action_is_not_enabled_where_nothing_is_present(tmp_path: Path) -> None:
    model = ladder(tmp_path, LINES)
    for engine in (PlainEngine(model), InterpreterEngine(model)):
        assert list(engine.successors(model.initial)) == []


def test_an_invariant_says_nothing_where_nothing_is_present(tmp_path: Path) -> None:
    (tmp_path / "invariants").mkdir()
    (tmp_path / "invariants" / "deep.py").write_text(CLAIM, "utf-8")
    model = ladder(tmp_path, LINES)
    absent, low, high = (model.state.of((0, None, after)) for after in (None, 1, 7))
    for engine in (PlainEngine(model), InterpreterEngine(model)):
        (claim,) = model.properties
        assert engine.evaluate(claim, absent, None) == Outcome(None, False)
        assert engine.evaluate(claim, low, None) == Outcome(None, True)
        assert engine.evaluate(claim, high, None) == Outcome((), True)
