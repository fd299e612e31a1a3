"""Followers are found and loaded as the rest of a workspace is, each of its own workspace."""

import re
from pathlib import Path

import pytest

from lockstep.conform.broker_paths import BrokerPaths
from lockstep.conform.findings import FileFinding
from lockstep.conform.followers import load_follower
from lockstep.errors import LockstepError
from lockstep.language.inventory import FOLLOWERS, Inventory
from lockstep.language.model import Model, load_model
from tests.conform.workspaces import add_follower

MODEL = """\
from lockstep import State, action


class Lamp(State):
    lit: bool = False


@action
def switch(s, new):
    new.lit = not s.lit
"""


def write(root: Path, file: str, text: str = "") -> None:
    path = root / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path, "models/lamp.py", MODEL)
    return tmp_path


def follow(root: Path, log: str = "a.log") -> str:
    """The file of the one finding of a log."""

    def load(constants: object) -> Model:
        return load_model(root, "lamp")

    (finding,) = load_follower(root, "lamp")([log], load, BrokerPaths())
    assert isinstance(finding, FileFinding)
    return finding.file


def test_only_models_with_a_follower_can_be_followed(root: Path) -> None:
    write(root, "models/fan.py", MODEL)
    assert Inventory(root).with_file_in(FOLLOWERS) == []
    write(root, "models/observed/fan.py", "def observe(logs, load, paths): ...\n")
    assert Inventory(root).with_file_in(FOLLOWERS) == ["fan"]
    assert Inventory(root).unused == []


def test_a_follower_of_no_model_is_told(root: Path) -> None:
    write(root, "models/observed/lapm.py", "def observe(logs, load, paths): ...\n")
    (unused,) = Inventory(root).unused
    assert unused.file == root / "models/observed/lapm.py"
    assert unused.why == "there is no model lapm; did you mean lamp?"
    assert unused.is_mistake


def test_two_workspaces_have_followers_of_one_name(tmp_path: Path) -> None:
    for name in ("first", "second"):
        write(tmp_path / name, "models/kafka_files/marks.py", f"MARK = {name!r}\n")
        write(
            tmp_path / name,
            "models/observed/lamp.py",
            "from lockstep.conform.findings import FileFinding\n"
            "from models.kafka_files.marks import MARK\n\n\n"
            "def observe(logs, load, paths):\n    yield FileFinding(MARK, '')\n",
        )
    assert follow(tmp_path / "first") == "first"
    assert follow(tmp_path / "second") == "second"


def test_a_follower_is_ordinary_python(root: Path) -> None:
    write(root, "models/observed/parts.py", "LINES = 3\n")
    write(
        root,
        "models/observed/lamp.py",
        "from __future__ import annotations\n"
        "import json\n"
        "from dataclasses import dataclass\n"
        "from lockstep.conform.findings import FileFinding\n"
        "from . import parts\n"
        "from .parts import LINES\n\n\n"
        "@dataclass(frozen=True, slots=True)\n"
        "class Seen:\n"
        "    file: str\n"
        "    lines: dict[str, int]\n\n\n"
        "def observe(logs, load, paths):\n"
        "    assert LINES == parts.LINES\n"
        "    yield FileFinding(json.dumps(Seen(logs[0], {}).file), '')\n",
    )
    assert follow(root) == '"a.log"'
    assert load_model(root, "lamp").name == "lamp"


@pytest.mark.parametrize(("text", "why"), [
    ("import nothing_of_that_name", "ModuleNotFoundError: No module named 'nothing_of_that_name'"),
    ("from models.other import X", "ModuleNotFoundError: models/other.py"),
    ("X = 1 / 0", "ZeroDivisionError: division by zero"),
    ("exit(0)", "SystemExit: 0"),
    ("def observe(", "this is not Python: '(' was never closed"),
])  # fmt: skip
def test_a_follower_that_cannot_be_loaded(root: Path, text: str, why: str) -> None:
    write(root, "models/observed/lamp.py", f"{text}\n")
    with pytest.raises(LockstepError, match=re.escape(why)) as error:
        load_follower(root, "lamp")
    assert str(error.value).startswith("models/observed/lamp.py cannot be loaded:")


@pytest.mark.parametrize("text", ["", "observe = 3"])
def test_a_follower_that_does_not_follow(root: Path, text: str) -> None:
    write(root, "models/observed/lamp.py", f"{text}\n")
    with pytest.raises(LockstepError, match=r"models/observed/lamp\.py has no function observe"):
        load_follower(root, "lamp")


@pytest.mark.parametrize(("line", "problem"), [
    ("failing", r"models/observed/lamp\.py:\d+: this cannot go on: ValueError: of this line"),
    ("ending", r"models/observed/lamp\.py:\d+: this cannot go on: SystemExit: over"),
    ("unreadable", "not/there cannot be read: No such file or directory"),
    ("odd", r"models/observed/lamp\.py: this cannot go on: TypeError: observe gives str"),
])  # fmt: skip
def test_a_follower_that_fails(root: Path, line: str, problem: str) -> None:
    add_follower(root, "lamp")
    write(root, "a.log", line)
    with pytest.raises(LockstepError, match=f"^{problem}"):
        follow(root, str(root / "a.log"))


def test_a_follower_that_gives_nothing(root: Path) -> None:
    write(root, "models/observed/lamp.py", "def observe(logs, load, paths):\n    return None\n")
    with pytest.raises(LockstepError, match="observe gives NoneType, not findings"):
        follow(root)


def test_ctrl_c_ends_a_follower_as_it_is(root: Path) -> None:
    add_follower(root, "lamp")
    write(root, "a.log", "ctrl-c")
    with pytest.raises(KeyboardInterrupt):
        follow(root, str(root / "a.log"))
