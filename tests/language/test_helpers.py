"""Helpers are inlined: what that comes to is bounded, and sharing a value keeps it small."""

from pathlib import Path

import pytest

from lockstep.language import ir
from lockstep.language.frontend import lower
from lockstep.language.model import load_model
from lockstep.language.source import Diagnostic, ModelError, Place
from lockstep.language.totality import walk

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
