"""A workspace of one's own: a copy of `tests/workspaces/turnstile`, and the command run in it."""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from lockstep.cli.main import run
from tests.cli.repository import git

TURNSTILE = Path(__file__).parents[1] / "workspaces" / "turnstile"


@dataclass
class Ran:
    """How one run of the command ended and what it printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@dataclass
class Desk:
    """A workspace that a test may change, and the command in it."""

    root: Path
    capsys: pytest.CaptureFixture[str]

    def run(self, *arguments: str) -> Ran:
        self.capsys.readouterr()
        code = run(arguments)
        captured = self.capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    def edit(self, file: str, old: str, new: str) -> None:
        path = self.root / file
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.fixture
def desk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Desk:
    root = tmp_path / "turnstile"
    # What somebody who tried the command there left behind is no part of it.
    shutil.copytree(TURNSTILE, root, ignore=shutil.ignore_patterns(".lockstep"))
    monkeypatch.chdir(root)
    return Desk(root, capsys)


@pytest.fixture
def repository(desk: Desk) -> Desk:
    """The workspace in git: a branch `main`, and `change` checked out."""
    git(desk, "init", "--initial-branch=main")
    git(desk, "add", ".")
    git(desk, "commit", "-m", "turnstiles")
    git(desk, "checkout", "-b", "change")
    return desk


PROOFS = """
[proofs.wide]
purpose = "Far more coins than can be counted one by one."
constants = { MAX_COINS = 2147483647 }
depth = 4

[proofs.wide.bounded]
"It says nothing of the arms." = ["entries_are_paid"]
"""

LEMMA = """

from lockstep import lemma


@lemma
def an_open_arm_is_paid_for(s, g: Gate):
    return s.arm[g] != Arm.OPEN or s.entries[g] < s.coins[g]
"""


@pytest.fixture
def proving(desk: Desk) -> Desk:
    """A desk whose turnstile has a proof."""
    with (desk.root / "specs/turnstile.toml").open("a") as spec:
        spec.write(PROOFS)
    return desk


@pytest.fixture
def proved(proving: Desk) -> Desk:
    """The same with the lemma that its proof needs."""
    with (proving.root / "invariants/turnstile.py").open("a") as invariants:
        invariants.write(LEMMA)
    proving.edit("specs/turnstile.toml", PROOFS[PROOFS.index("\n[proofs.wide.bounded]") :], "\n")
    return proving


@pytest.fixture
def interchangeable(proved: Desk) -> Desk:
    """The same with gates of which none is special."""
    proved.edit("models/turnstile.py", "OneOf(GATES)", "OneOf(GATES, interchangeable=True)")
    return proved
