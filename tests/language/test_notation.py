"""Decorators mean the same with and without parentheses, and nothing is dropped in silence."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lockstep.explore.engines import explore
from lockstep.language import notation
from lockstep.language.faults import fault_marks
from lockstep.language.model import load_model
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


def test_a_function_among_faults_that_is_none_is_reported(tmp_path: Path) -> None:
    fault = "def broken(s, new):\n    new.lit = True\n"
    root = written(tmp_path, models__lamp=MODEL, models__faults__lamp=fault)
    with pytest.raises(ModelError, match="nothing reads broken"):
        fault_marks(root, "lamp")


def test_what_another_file_uses_is_read(tmp_path: Path) -> None:
    helper = "\ndef flip(s, new):\n    new.lit = not s.lit\n"
    takes = "from lockstep import State, action\nfrom models.lamp import flip\n"
    takes += "class Other(State): ...\n"
    root = written(tmp_path, models__lamp=MODEL + helper)
    for other in ("", takes, f"{takes}@action\ndef act(s, new):\n    new.lit = flip\n"):
        written(root, models__other=other)
        if "def act" in other:
            load_model(root, "lamp")
            continue
        with pytest.raises(ModelError, match="nothing reads flip"):
            load_model(root, "lamp")


WAYS_TO_FORGET_A_MARK = {
    "a claim's file imports it": ("invariants/lamp.py", "from models.lamp import flip\n"),
    "a claim promises fairness to it": (
        "invariants/lamp.py",
        "from lockstep import leads_to\nfrom models.lamp import flip\n\n"
        "@leads_to(weak=flip)\ndef gets_lit(s):\n    return not s.lit, s.lit\n",
    ),
    "a claim's file names it": (
        "invariants/lamp.py",
        "from models.lamp import flip\nSPARE = flip\n",
    ),
    "a list in a claim's file names it": (
        "invariants/lamp.py",
        "from models import lamp\nfrom models.lamp import *\n\nSTEPS: tuple = (lamp.flip, 1)\n",
    ),
    "a fault replaces it": (
        "models/faults/lamp.py",
        "from lockstep import fault\nfrom models.lamp import flip\n\n"
        '@fault(replaces=flip, breaks="never")\ndef stays(s, new):\n    flip(s, new)\n',
    ),
    "a proposal replaces it": (
        "models/proposals/lamp/dim.py",
        "from lockstep import replaces\nfrom models.lamp import flip\n\n"
        "@replaces(flip)\ndef stays(s, new):\n    flip(s, new)\n",
    ),
}


@pytest.mark.parametrize(
    ("file", "text"), WAYS_TO_FORGET_A_MARK.values(), ids=list(WAYS_TO_FORGET_A_MARK)
)
@pytest.mark.parametrize("part", [False, True])
def test_an_action_without_its_mark_is_refused(
    file: str, text: str, part: bool, tmp_path: Path
) -> None:
    """Whatever other file names it, unless a function calls it."""
    flip = "\ndef flip(s, new):\n    new.lit = not s.lit\n"
    model = f"from models.part import LIT, flip\n{MODEL}" if part else MODEL + flip
    root = written(tmp_path, models__lamp=model)
    if part:
        written(root, models__part=f"LIT = True\n{flip}")
        text = text.replace("models.lamp", "models.part")
    path = root / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ModelError, match="nothing reads flip"):
        load_model(root, "lamp")


@pytest.mark.parametrize(
    "flip",
    [
        "def flip(s, new):\n    new.lit = not s.lit\n\nSTEPS = (flip, 1)\n",
        "def flip(old, new):\n    new.lit = not old.lit\n",
        "def flip(s, new, /):\n    new.lit = not s.lit\n",
        "def flip(s, *, new):\n    new.lit = not s.lit\n",
        "def flip(s, after):\n    after.lit = not s.lit\n",
    ],
)
def test_a_step_without_its_mark_is_refused_whatever_it_looks_like(
    flip: str, tmp_path: Path
) -> None:
    root = written(tmp_path, models__lamp=f"{MODEL}\n{flip}")
    with pytest.raises(ModelError, match="nothing reads flip"):
        load_model(root, "lamp")


@pytest.mark.parametrize(
    ("part", "model"),
    [
        ("FLIP = flip\n", "from models.part import FLIP\n"),
        ("", "from models.middle import FLIP\n"),
        ("", "from models import part\n\nFLIP = part.flip\n"),
    ],
)
def test_a_procedure_is_read_by_whatever_name_it_has(part: str, model: str, tmp_path: Path) -> None:
    flip = "def flip(s, new):\n    new.lit = not s.lit\n\n"
    lamp = f"{model}{MODEL.replace('new.lit = not s.lit', 'FLIP(s, new)')}"
    root = written(tmp_path, models__part=f"{flip}{part}", models__lamp=lamp)
    if "middle" in model:
        written(root, models__middle="from models.part import *\n\nFLIP = flip\n")
    assert [action.name for action in load_model(root, "lamp").actions] == ["switch"]


def test_a_state_derived_from_another_models_takes_its_actions(tmp_path: Path) -> None:
    base = MODEL.replace("Lamp", "Other")
    own = (
        "from lockstep import action\nfrom models.other import {0}\n\n"
        "class Lamp(Other):\n    dim: bool = False\n\n"
        "@action\ndef dims(s, new):\n    new.dim = True\n"
    )
    root = written(tmp_path, models__other=base, models__lamp=own.format("Other"))
    with pytest.raises(ModelError, match="switch is marked, and the model does not have it"):
        load_model(root, "lamp")
    written(root, models__lamp=own.format("Other, switch"))
    assert {action.name for action in load_model(root, "lamp").actions} == {"switch", "dims"}


@pytest.mark.parametrize("decorator", ["action", "lemma", "fault"])
def test_a_decorator_without_requirements_takes_no_text(decorator: str, tmp_path: Path) -> None:
    given = "'227-4', breaks='switch'" if decorator == "fault" else "'227-4'"
    text = f"from lockstep import {decorator}\n@{decorator}({given})\ndef act(s, new): ...\n"
    root = written(tmp_path, models__lamp=MODEL + text)
    with pytest.raises(ModelError, match="takes no argument without a name"):
        load_model(root, "lamp")
