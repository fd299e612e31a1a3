"""Models are found by parsing, and a file that nothing reads is named with the reason."""

from pathlib import Path

import pytest

from lockstep.errors import LockstepError
from lockstep.language.inventory import Inventory
from lockstep.language.model import load_model, model_names

BODY = "    lit: bool = False\n\n\n@action\ndef switch(s, new):\n    new.lit = not s.lit\n"

HEADS = {
    "as usual": "from lockstep import State, action\n\nclass Lamp(State):\n",
    "a blank before the colon": "from lockstep import State, action\n\nclass Lamp(State) :\n",
    "blanks": "from lockstep import State, action\n\nclass  Lamp( State ):\n",
    "a comment": "from lockstep import State, action\n\nclass Lamp(State):  # (State)\n",
    "another name": "from lockstep import State as S, action\n\nclass Lamp(S):\n",
    "an assigned name": "from lockstep import State, action\nS = State\n\nclass Lamp(S):\n",
    "the package": "import lockstep\nfrom lockstep import action\n\nclass Lamp(lockstep.State):\n",
    "the package by another name": (
        "import lockstep as k\nfrom lockstep import action\n\nclass Lamp(k.State):\n"
    ),
    "many lines": "from lockstep import (\n  State,\n  action,\n)\n\nclass Lamp(\n  State\n):\n",
    "a class in between": (
        "from lockstep import State, action\n\nclass Base(State): ...\n\nclass Lamp(Base):\n"
    ),
    "a class of another file": (
        "from lockstep import action\nfrom models.base import Base\n\nclass Lamp(Base):\n"
    ),
}
HEADS |= {
    "all names": "from lockstep import *\n\nclass Lamp(State):\n",
    "another way to import": (
        "try:\n    from nowhere import State\nexcept ImportError:\n"
        "    from lockstep import State, action\n\nclass Lamp(State):\n"
    ),
}
HEADS |= {
    "all names of another file": (
        "from lockstep import action\nfrom models.base import *\n\nclass Lamp(Base):\n"
    ),
    "an assigned name of another file": (
        "from lockstep import action\nfrom models import base\nB = base.Base\n\nclass Lamp(B):\n"
    ),
    "an assigned name of the package": (
        "import lockstep\nfrom lockstep import action\nS = lockstep.State\nT = S\n\n"
        "class Lamp(T):\n"
    ),
    "a name that another file imports": (
        "from lockstep import action\nfrom models.common import Base as B\n\nclass Lamp(B):\n"
    ),
}
COMMON = "from models.base import *\n"
BASE = "from lockstep import State\n\nclass Base(State):\n    on: bool = True\n"


def write(root: Path, file: str, text: str = "") -> Path:
    path = root / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def unused(root: Path) -> dict[str, str]:
    return {str(file.file.relative_to(root)): file.why for file in Inventory(root).unused}


@pytest.mark.parametrize("head", HEADS.values(), ids=HEADS)
def test_a_state_class_is_known_however_it_is_written(head: str, tmp_path: Path) -> None:
    write(tmp_path, "models/lamp.py", head + BODY)
    if "models" in head:
        write(tmp_path, "models/base.py", BASE)
    if "common" in head:
        write(tmp_path, "models/common.py", COMMON)
    assert model_names(tmp_path) == ["lamp"]
    assert unused(tmp_path) == {}
    assert load_model(tmp_path, "lamp").actions[0].name == "switch"


@pytest.mark.parametrize("encoding", ["utf-16", "latin-1"])
def test_a_file_that_is_no_python_is_a_model_so_that_loading_fails_there(
    encoding: str, tmp_path: Path
) -> None:
    path = write(tmp_path, "models/lamp.py")
    path.write_text("# gr\u00fcn\n" + HEADS["as usual"] + BODY, encoding=encoding)
    assert model_names(tmp_path) == ["lamp"]
    with pytest.raises(LockstepError, match="not UTF-8"):
        load_model(tmp_path, "lamp")


@pytest.mark.parametrize(
    "beside", ["invariants/lamp.py", "models/faults/lamp.py", "invariants/lemmas/lamp.py"]
)
def test_a_mistake_in_a_models_text_is_that_models(beside: str, tmp_path: Path) -> None:
    """Neither files that import it make it a part, nor a model that does."""
    write(tmp_path, "models/lamp.py", HEADS["as usual"] + BODY + "x = = 1\n")
    write(tmp_path, beside, "from models.lamp import switch\n")
    assert model_names(tmp_path) == ["lamp"]
    with pytest.raises(LockstepError, match=r"this is not Python(.|\n)*models/lamp.py:10:"):
        load_model(tmp_path, "lamp")
    write(
        tmp_path, "models/clock.py", "from models.lamp import switch\n" + HEADS["as usual"] + BODY
    )
    assert model_names(tmp_path) == ["clock", "lamp"]


def test_a_mistake_in_a_text_from_which_a_state_is_derived(tmp_path: Path) -> None:
    """It is in no file of its own name, and the model that needs it says so."""
    write(tmp_path, "models/base.py", HEADS["as usual"] + BODY + "x = = 1\n")
    write(
        tmp_path,
        "models/lamp.py",
        "from models.base import Lamp as Base\n\n\nclass Lamp(Base):\n    on: bool = False\n",
    )
    assert model_names(tmp_path) == ["lamp"]
    with pytest.raises(LockstepError, match=r"this is not Python(.|\n)*models/base.py:10:"):
        load_model(tmp_path, "lamp")


def test_a_mistake_in_a_text_from_which_all_is_imported(tmp_path: Path) -> None:
    write(tmp_path, "models/base.py", HEADS["as usual"] + BODY + "x = = 1\n")
    write(tmp_path, "models/lamp.py", "from models.base import Lamp, switch\n")
    assert model_names(tmp_path) == ["lamp"]


def test_classes_that_are_derived_from_each_other_are_no_states(tmp_path: Path) -> None:
    write(tmp_path, "models/lamp.py", "from models.base import *\n\nclass Lamp(Base):\n    pass\n")
    write(tmp_path, "models/base.py", "from models.lamp import *\n\nclass Base(Lamp):\n    pass\n")
    assert model_names(tmp_path) == []


def test_text_that_only_mentions_a_state_is_no_model(tmp_path: Path) -> None:
    write(tmp_path, "models/lamp.py", HEADS["as usual"] + BODY)
    write(tmp_path, "models/notes.py", '"""Not every class Lamp(State): is one."""\n')
    write(tmp_path, "models/other.py", "class State: ...\n\nclass Lamp(State): ...\n")
    assert model_names(tmp_path) == ["lamp"]
    assert unused(tmp_path) == dict.fromkeys(
        ("models/notes.py", "models/other.py"), "it declares no state, and no other file imports it"
    )


def test_a_part_is_used_by_the_files_that_import_it(tmp_path: Path) -> None:
    write(tmp_path, "models/lamp.py", "from models import bulbs\n" + HEADS["as usual"] + BODY)
    write(tmp_path, "models/bulbs.py", "MOST = 3\n")
    write(tmp_path, "invariants/lamp.py", "from invariants.shared import bright\n")
    write(tmp_path, "invariants/shared.py", "def bright(s):\n    return s.lit\n")
    write(tmp_path, "models/faults/lamp.py", "from models.faults.common import dark\n")
    write(tmp_path, "models/faults/common.py", "def dark(s):\n    return not s.lit\n")
    assert unused(tmp_path) == {}


def test_a_model_may_take_its_state_and_its_actions_from_parts(tmp_path: Path) -> None:
    write(tmp_path, "models/lamp_state.py", HEADS["as usual"] + "    lit: bool = False\n")
    switch = "from lockstep import action\nfrom models.lamp_state import Lamp\n\n\n@action\n"
    switch += "def switch(s: Lamp, new: Lamp):\n    new.lit = not s.lit\n"
    write(tmp_path, "models/lamp_switch.py", switch)
    take = "from models.lamp_state import Lamp\nfrom models.lamp_switch import switch\n"
    write(tmp_path, "models/lamp.py", take)
    write(tmp_path, "models/faults/lamp.py", take)
    assert model_names(tmp_path) == ["lamp"]
    assert unused(tmp_path) == {}
    assert [action.name for action in load_model(tmp_path, "lamp").actions] == ["switch"]


def test_lemmas_of_no_model_are_named(tmp_path: Path) -> None:
    write(tmp_path, "models/lamp.py", HEADS["as usual"] + BODY)
    write(tmp_path, "invariants/lemmas/lamp.py")
    write(tmp_path, "invariants/lemmas/lump.py")
    assert unused(tmp_path) == {
        "invariants/lemmas/lump.py": "there is no model lump; did you mean lamp?"
    }


def test_files_of_no_model_are_named(tmp_path: Path) -> None:
    write(tmp_path, "models/lamp.py", HEADS["as usual"] + BODY)
    for file in ("invariants/lump.py", "models/faults/clock.py", "specs/lam.toml"):
        write(tmp_path, file)
    write(tmp_path, "specs/kip_1.toml")
    (tmp_path / "models/gone.py").symlink_to(tmp_path / "nowhere")
    assert unused(tmp_path) == {
        "invariants/lump.py": "there is no model lump; did you mean lamp?",
        "models/faults/clock.py": "there is no model clock",
        "models/gone.py": "it is no file that can be read",
        "specs/lam.toml": (
            "there is no model lam; did you mean lamp? (requirements are in kip_N.toml)"
        ),
    }


def test_names_that_are_nearly_right_are_named(tmp_path: Path) -> None:
    write(tmp_path, "models/lamp.py", HEADS["as usual"] + BODY)
    for file in ("models/q.PY", "specs/lamp.TOML", "invariant/lamp.py", "faults/lamp.py"):
        write(tmp_path, file)
    write(tmp_path, "spec/lamp.toml")
    assert unused(tmp_path) == {
        "faults": "the folder is called models/faults/",
        "invariant": "the folder is called invariants/",
        "models/q.PY": "its name has to end in .py",
        "spec": "the folder is called specs/",
        "specs/lamp.TOML": "its name has to end in .toml",
    }


def test_classes_that_are_derived_in_a_circle_are_no_state(tmp_path: Path) -> None:
    write(tmp_path, "models/one.py", "from models.two import B\n\nclass A(B): ...\n")
    write(tmp_path, "models/two.py", "from models.one import A\n\nclass B(A): ...\n")
    assert model_names(tmp_path) == []
