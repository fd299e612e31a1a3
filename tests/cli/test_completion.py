"""What a shell is sent that completes a line: the protocol of bash, and that of zsh."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.cli.test_main import COMMAND

if TYPE_CHECKING:
    from tests.cli.conftest import Desk


def asked(environment: dict[str, str], **changed: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        COMMAND,
        env={**os.environ, **environment, **changed},
        capture_output=True,
        text=True,
        check=False,
    )


def completed(line: str, **changed: str) -> list[str]:
    """The words for the last one of a line, as bash asks for them."""
    words = line.split(" ")
    bash = {
        "_LOCKSTEP_COMPLETE": "complete_bash",
        "COMP_WORDS": "\n".join(words),
        "COMP_CWORD": str(len(words) - 1),
    }
    ran = asked(bash, **changed)
    assert (ran.returncode, ran.stderr) == (0, "")
    return ran.stdout.split()


@pytest.fixture
def proposing(desk: Desk) -> Desk:
    assert desk.run("propose", "turnstile", "free_entry").code == 0
    with (desk.root / "specs/turnstile.toml").open("a") as spec:
        spec.write('\n[proofs.wide]\npurpose = "Wide."\n')
    return desk


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("lockstep do", "doctor"),
        ("lockstep check ", "letters turnstile"),
        ("lockstep check t", "turnstile"),
        ("lockstep twin letters t", "turnstile"),
        ("lockstep check --scope ", "default small"),
        ("lockstep check turnstile --scope=s", "small"),
        ("lockstep check turnstile --fault ", "kicked_open stays_open"),
        ("lockstep check letters --fault ", ""),
        ("lockstep check --fault k", "kicked_open"),
        ("lockstep check turnstile --proposal ", "free_entry"),
        ("lockstep prove --proof ", "wide"),
        ("lockstep propose ", "letters turnstile"),
        ("lockstep review turnstile t", "turnstile"),
        ("lockstep review turnstile turnstile.s", "turnstile.stays_open"),
        ("lockstep review turnstile turnstile.f", "turnstile.free_entry"),
        ("lockstep check --engine ", "auto compiled python spark"),
        ("lockstep fau", "faults"),
        ("lockstep sweep t", "turnstile"),
        ("lockstep check --fau", "--fault"),
        ("lockstep new ", "model"),
        ("lockstep check --workspace nowhere ", "letters turnstile"),
        ("lockstep check --workspace kafka fetch_session_", "fetch_session_draft"),
    ],
)
def test_words(proposing: Desk, line: str, words: str) -> None:
    assert completed(line) == words.split()


def test_faults_that_are_imported(desk: Desk) -> None:
    (desk.root / "models/faults/letters.py").write_text(
        "from lockstep import fault\nfrom models.faults.turnstile import stays_open, Arm\n"
        "import models.faults.letters\nfrom models.faults.gone import none\n"
        "@fault(breaks='x')\ndef lost(s, new): ...\ndef helper(s): ...\n"
    )
    assert completed("lockstep check letters --fault ") == ["lost", "stays_open"]
    (desk.root / "models/faults/letters.py").write_text("from models.faults.turnstile import *\n")
    assert completed("lockstep check letters --fault ") == ["kicked_open", "stays_open"]


def test_no_text_of_a_model_is_run(desk: Desk) -> None:
    for file in ("models/turnstile.py", "models/faults/turnstile.py"):
        text = (desk.root / file).read_text()
        (desk.root / file).write_text(f"{text}\nopen('was_run', 'w')\nraise SystemExit(5)\n")
    assert completed("lockstep check ") == ["letters", "turnstile"]
    assert completed("lockstep check turnstile --fault s") == ["stays_open"]
    assert not (desk.root / "was_run").exists()


@pytest.mark.parametrize("damage", ["[workspace", "\x00"])
def test_what_is_damaged_has_no_names_and_is_not_reported(desk: Desk, damage: str) -> None:
    (desk.root / "specs/turnstile.toml").write_text(damage)
    assert completed("lockstep check turnstile --scope ") == []
    (desk.root / "lockstep.toml").write_text(damage)
    assert completed("lockstep check ") == []


def test_where_there_is_no_workspace(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/")
    assert completed("lockstep check --scope ") == []


def test_zsh(desk: Desk) -> None:
    line = "lockstep check turnstile --fault "
    ran = asked({"_LOCKSTEP_COMPLETE": "complete_zsh", "_TYPER_COMPLETE_ARGS": line})
    assert ran.stdout == '_arguments \'*: :(("kicked_open"\n"stays_open"))\'\n'


def test_a_shell_that_is_unknown_is_reported(desk: Desk) -> None:
    ran = asked({"_LOCKSTEP_COMPLETE": "complete_of_ones_own"})
    assert ran.returncode == 1
    assert "not supported" in ran.stderr


def test_it_is_installed_once_asked_for(desk: Desk, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / ".bashrc").write_text("# mine\n")
    line = ["bash", "--norc", "-c", f"{COMMAND[0]} -m lockstep --install-completion; exit $?"]
    ran = subprocess.run(
        line, env={**os.environ, "HOME": str(home)}, capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    script = home / ".bash_completions" / "lockstep.sh"
    assert "_LOCKSTEP_COMPLETE=complete_bash" in script.read_text()
    assert (home / ".bashrc").read_text().startswith(f"# mine\n\nsource '{script}'")


def test_a_home_that_cannot_be_written(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    line = ["bash", "--norc", "-c", f"{COMMAND[0]} -m lockstep --install-completion; exit $?"]
    ran = subprocess.run(
        line,
        env={**os.environ, "HOME": str(tmp_path / "file")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 2
    assert ran.stderr.startswith(f"lockstep: {tmp_path}/file")
    assert "cannot be written" in ran.stderr
