"""Helpers are inlined: what that comes to is bounded, and sharing a value keeps it small."""

from pathlib import Path

import pytest

from lockstep.language import ir
from lockstep.language.frontend import lower
from lockstep.language.model import load_model
from lockstep.language.source import ModelError
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


def test_helpers_that_keep_what_they_call_stay_small(tmp_path: Path) -> None:
    nodes = [node for node in walk(code(tmp_path, SHARED, 60)) if isinstance(node, ir.Expression)]
    assert len(nodes) < 1_000
