"""The command `lockstep new`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Desk

FILES = [
    "invariants/lock_service.py",
    "models/faults/lock_service.py",
    "models/lock_service.py",
    "specs/lock_service.toml",
    "tests/test_lock_service.py",
    "tla/LockService.tla",
    "tla/MCLockService.cfg",
    "tla/MCLockService.tla",
]


def test_a_protocol_beside_others(desk: Desk) -> None:
    before = {file: file.read_bytes() for file in desk.root.rglob("*") if file.is_file()}
    ran = desk.run("new", "model", "lock_service")
    assert (ran.code, ran.err) == (0, "")
    assert all(file.read_bytes() == text for file, text in before.items())
    assert sorted(ran.out.splitlines()[: len(FILES)]) == [f"wrote {file}" for file in FILES]
    assert "1. lockstep check lock_service" in ran.out.splitlines()
    assert desk.run("check", "lock_service").code == 0
    assert desk.run("faults", "lock_service").code == 0


def test_json(desk: Desk) -> None:
    (row,) = desk.run("new", "model", "lock_service", "--json").json["results"]
    details = row["details"]
    assert (row["kind"], row["model"], details["folder"]) == ("new", "lock_service", str(desk.root))
    assert sorted(details["files"]) == FILES


def test_nothing_is_written_over(desk: Desk) -> None:
    for file in ("specs/lock_service.toml", "tla/LockService.tla"):
        (desk.root / file).write_text("mine")
    ran = desk.run("new", "model", "lock_service")
    assert ran.code == 2
    assert ran.err == (
        "lockstep: nothing was written, for there is already: specs/lock_service.toml, "
        "tla/LockService.tla\n  cure: choose another name, or move them out of the way\n"
    )
    assert not (desk.root / "models/lock_service.py").exists()


@pytest.mark.parametrize("name", ["", "Lock", "lock-service", "a__b", "_a", "a_", "2pc", "l" * 65])
def test_names_that_are_none(desk: Desk, name: str) -> None:
    ran = desk.run("new", "model", name)
    assert (ran.code, ran.out) == (2, "")
    assert "is no name of a model\n  cure: write up to 64 small letters" in ran.err


@pytest.mark.parametrize(
    "name", ["faults", "proposals", "review", "kip_5", "state", "none", "sequences", "count"]
)
def test_names_that_mean_something_else(desk: Desk, name: str) -> None:
    ran = desk.run("new", "model", name)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == f"lockstep: {name} means something else\n  cure: choose another name\n"


def test_a_python_word_is_no_name(desk: Desk) -> None:
    assert "class is a keyword of Python" in desk.run("new", "model", "class").err


def test_only_models_are_new(desk: Desk) -> None:
    ran = desk.run("new", "planet", "mars")
    assert ran.code == 2
    assert "'planet' is not one of 'model'" in ran.err


def test_the_shipped_workspace_is_not_changed(desk: Desk) -> None:
    ran = desk.run("new", "model", "lock_service", "--workspace", "kafka")
    assert ran.code == 2
    assert "came with lockstep, and is not changed\n  cure: make a workspace of your own" in ran.err
