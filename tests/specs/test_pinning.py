"""Counts written into `specs/MODEL.toml`: what else stands there stays as it is."""

from pathlib import Path

import pytest

from lockstep.errors import LockstepError
from lockstep.specs.pinning import pin
from lockstep.specs.scopes import Pins, load_model_spec

BEFORE = """\
# A gate.
[model]
name = "gate"   # as in the hall

[scopes.small]
purpose = "One gate."
constants = { MAX = 2 }
verdict = "holds"
states = 5  # counted by hand

[scopes.small.idle]
"it cannot" = ["jam"]
"""
PINS = Pins("holds", 6, 7, 4)


def test_the_rest_of_a_file_stays(tmp_path: Path) -> None:
    file = tmp_path / "specs" / "gate.toml"
    file.parent.mkdir()
    file.write_text(BEFORE, encoding="utf-8")
    changes = pin(tmp_path, "gate", "small", PINS)
    assert changes == ("states 6 instead of 5", "transitions 7", "depth 4")
    lines = BEFORE.replace("states = 5 ", "states = 6 ").splitlines()
    written = file.read_text("utf-8").splitlines()
    assert [line for line in written if line in lines] == lines
    assert sorted(set(written) - set(lines)) == ["depth = 4", "transitions = 7"]
    scope = load_model_spec(tmp_path, "gate").scope("small")
    assert scope.pins == PINS
    assert scope.idle == {"jam": "it cannot"}
    assert pin(tmp_path, "gate", "small", PINS) == ()


def test_a_model_without_a_file_gets_one(tmp_path: Path) -> None:
    pin(tmp_path, "gate", "default", PINS)
    assert load_model_spec(tmp_path, "gate").scope("default").pins == PINS


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "specs").write_text("", encoding="utf-8")
    with pytest.raises(LockstepError, match=r"gate.toml cannot be written: "):
        pin(tmp_path, "gate", "default", PINS)
