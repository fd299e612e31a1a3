"""Decorators mean the same with and without parentheses, and nothing is dropped in silence."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lockstep.explore.engines import explore
from lockstep.language import notation
from lockstep.language.model import fault_marks, load_model
from lockstep.language.notation import MARK
from lockstep.language.source import ModelError
from lockstep.plain.exploration import ENGINES, Exploration
from lockstep.results.verdict import Verdict

MODEL = """
from lockstep import State, action

class Lamp(State):
    lit: bool = False

@action
def switch(s, new):
    new.lit = not s.lit
"""

DECORATORS: list[Callable[..., Any]] = [
    notation.action,
    notation.invariant,
    notation.step_invariant,
    notation.sometimes,
    notation.leads_to,
    notation.lemma,
    notation.measure,
]


def written(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        file = folder.joinpath(*name.split("__")).with_suffix(".py")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize("decorator", DECORATORS, ids=lambda decorator: decorator.__name__)
def test_a_decorator_means_the_same_bare_and_called(decorator: Callable[..., Any]) -> None:
    def bare(s: object) -> bool:
        return True

    def called(s: object) -> bool:
        return True

    assert decorator(bare) is bare
    assert decorator()(called) is called
    assert getattr(bare, MARK) == getattr(called, MARK)
    assert getattr(bare, MARK).requirements == ()


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "claim",
    [
        "@invariant\ndef nothing_ever(s): return False",
        "@step_invariant\ndef nothing_ever(s, new): return False",
        "@sometimes\ndef nothing_ever(s): return False",
        "@leads_to\ndef nothing_ever(s): return True, False",
    ],
)
def test_a_bare_claim_is_checked(engine: str, claim: str, tmp_path: Path) -> None:
    imports = "from lockstep import invariant, leads_to, sometimes, step_invariant\n"
    root = written(tmp_path, models__lamp=MODEL, invariants__lamp=imports + claim)
    model = load_model(root, "lamp")
    assert [prop.name for prop in model.properties] == ["nothing_ever"]
    result = explore(model, Exploration(engine, liveness=True))
    assert result.verdict is Verdict.VIOLATED


def test_a_bare_fault_says_that_its_outcome_is_missing(tmp_path: Path) -> None:
    fault = "from lockstep import fault\n@fault\ndef broken(s, new):\n    new.lit = True\n"
    root = written(tmp_path, models__lamp=MODEL, models__faults__lamp=fault)
    with pytest.raises(ModelError, match="neither what it breaks nor why it is harmless"):
        fault_marks(root, "lamp")


def test_a_function_among_faults_that_is_none_is_told(tmp_path: Path) -> None:
    fault = "def broken(s, new):\n    new.lit = True\n"
    root = written(tmp_path, models__lamp=MODEL, models__faults__lamp=fault)
    with pytest.raises(ModelError, match="nothing reads broken"):
        fault_marks(root, "lamp")


def test_what_another_file_uses_is_read(tmp_path: Path) -> None:
    helper = "\ndef flip(s, new):\n    new.lit = not s.lit\n"
    other = "from lockstep import State\nfrom models.lamp import flip\nclass Other(State): ...\n"
    root = written(tmp_path, models__lamp=MODEL + helper)
    with pytest.raises(ModelError, match="nothing reads flip"):
        load_model(root, "lamp")
    load_model(written(tmp_path, models__other=other), "lamp")


@pytest.mark.parametrize("decorator", ["action", "lemma", "fault"])
def test_a_decorator_without_requirements_takes_no_text(decorator: str, tmp_path: Path) -> None:
    given = "'227-4', breaks='switch'" if decorator == "fault" else "'227-4'"
    text = f"from lockstep import {decorator}\n@{decorator}({given})\ndef act(s, new): ...\n"
    root = written(tmp_path, models__lamp=MODEL + text)
    with pytest.raises(ModelError, match="takes no argument without a name"):
        load_model(root, "lamp")
