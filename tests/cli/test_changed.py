"""`check --changed REV`."""

import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lockstep.requests import affected
from tests.cli.repository import CLAIMS, FAULTS, MODEL, git

if TYPE_CHECKING:
    from tests.cli.conftest import Desk, Ran

SKIPPED = "skipped, nothing that it is made of changed since main"


def skipped(desk: "Desk", *arguments: str, verb: str = "check") -> "tuple[list[str], Ran]":
    """The models that are skipped."""
    ran = desk.run(verb, "--changed", "main", "--json", *arguments)
    changed = ran.json["changed"]
    names = {one["model"] for one in changed["checked"]}
    assert {row["model"] for row in ran.json["results"]} <= names
    return [one["model"] for one in changed["skipped"]], ran


def append(desk: "Desk", file: str, text: str = "\n# changed\n") -> None:
    path = desk.root / file
    path.parent.mkdir(exist_ok=True)
    with path.open("a", encoding="utf-8") as out:
        out.write(text)


def test_nothing_changed_and_nothing_is_checked_which_is_said(repository: "Desk") -> None:
    ran = repository.run("check", "--changed", "main")
    assert ran.code == 0
    assert ran.out.splitlines() == [
        "scope default",
        f"letters: {SKIPPED}",
        f"turnstile: {SKIPPED}",
        "2 models skipped: nothing had to be checked",
    ]


def test_a_skipped_model_neither_holds_nor_counts(repository: "Desk") -> None:
    names, ran = skipped(repository)
    summary = ran.json["summary"]
    assert (names, ran.json["results"]) == (["letters", "turnstile"], [])
    assert (summary["models"], summary["holds"], summary["skipped"]) == (0, 0, 2)
    assert ran.json["changed"]["skipped"][0]["because"] == SKIPPED.removeprefix("skipped, ")
    assert len(ran.json["changed"]["commit"]) == 40


def test_what_changed_is_checked_and_the_file_named(repository: "Desk") -> None:
    append(repository, CLAIMS)
    ran = repository.run("check", "--changed", "main")
    assert ran.code == 0
    assert f"turnstile: checked, {CLAIMS} changed since main" in ran.out
    assert f"letters: {SKIPPED}" in ran.out
    assert ran.out.splitlines()[-1] == "1 model skipped"


@pytest.mark.parametrize(
    "file",
    [MODEL, CLAIMS, "specs/turnstile.toml", "specs/kip_9.toml", "invariants/lemmas/turnstile.py"],
)
def test_every_file_that_a_model_is_made_of_counts(repository: "Desk", file: str) -> None:
    append(repository, file)
    assert skipped(repository)[0] == ["letters"]


@pytest.mark.parametrize("file", [FAULTS, "tla/Turnstile.tla", "notes.txt", "lockstep.toml"])
def test_what_no_model_reads_does_not_count(repository: "Desk", file: str) -> None:
    append(repository, file, "\n")
    assert skipped(repository)[0] == ["letters", "turnstile"]


@pytest.mark.parametrize("how", ["committed", "staged", "unstaged", "hidden"])
def test_a_change_counts_whatever_git_knows_of_it(repository: "Desk", how: str) -> None:
    if how == "hidden":
        git(repository, "update-index", "--assume-unchanged", MODEL)
    append(repository, MODEL)
    if how in ("committed", "staged"):
        git(repository, "add", ".")
    if how == "committed":
        git(repository, "commit", "-m", "a change")
    assert skipped(repository)[0] == ["letters"]


def test_a_part_that_git_ignores_counts(repository: "Desk") -> None:
    append(repository, ".gitignore", "models/parts/\n")
    git(repository, "add", ".")
    git(repository, "commit", "-m", "ignored")
    git(repository, "branch", "-f", "main")
    append(repository, "models/parts/rooms.py", "def is_free(s):\n    return True\n")
    repository.edit(MODEL, "\nGATES:", "\nfrom models.parts.rooms import is_free\n\nGATES:")
    git(repository, "commit", "-am", "a part")
    git(repository, "branch", "-f", "main")
    assert skipped(repository)[0] == ["letters"]


def test_claims_that_are_gone_count(repository: "Desk") -> None:
    (repository.root / "invariants/letters.py").unlink()
    assert skipped(repository)[0] == ["turnstile"]


def test_a_folder_in_place_of_a_part_counts(repository: "Desk") -> None:
    append(repository, "models/rooms.py", "SIZE = 1\n")
    append(repository, "models/box.py", "SIZE = 1\n")
    repository.edit(MODEL, "\nGATES:", "\nimport models.rooms\nimport models.box\n\nGATES:")
    git(repository, "add", ".")
    git(repository, "commit", "-m", "parts")
    git(repository, "branch", "-f", "main")
    assert skipped(repository)[0] == ["letters", "turnstile"]
    (repository.root / "models/rooms.py").unlink()
    append(repository, "models/rooms/other.py", "SIZE = 1\n")
    assert skipped(repository)[0] == ["letters"]


def test_a_part_that_becomes_a_model_was_never_checked(repository: "Desk") -> None:
    text = repository.root.joinpath(MODEL).read_text(encoding="utf-8")
    state, actions = text[: text.index("\ndef has_room")], text[text.index("\ndef has_room") :]
    repository.root.joinpath("models/gates.py").write_text(state, encoding="utf-8")
    head = "from lockstep import action, require\nfrom models.gates import *\n"
    append(repository, "models/other.py", head.replace("*", "Arm, Gate, MAX_COINS, Turnstile"))
    append(repository, "models/other.py", actions.replace("CAN_JAM and ", ""))
    git(repository, "add", ".")
    git(repository, "commit", "-m", "a part")
    git(repository, "branch", "-f", "main")
    assert "gates" not in repository.run("check", "--changed", "main").out
    (repository.root / "models/other.py").unlink()
    assert "gates: checked, there was no model gates in main" in (
        repository.run("check", "--changed", "main").out
    )


def test_a_new_model_and_one_that_cannot_be_loaded_are_checked(repository: "Desk") -> None:
    text = repository.root.joinpath(MODEL).read_text(encoding="utf-8")
    append(repository, "models/newcomer.py", text)
    append(repository, "models/letters.py", "\nimport nothing\n")
    ran = repository.run("check", "--changed", "main")
    assert "newcomer: checked, there was no model newcomer in main" in ran.out
    assert "letters: checked, what it is made of is not known" in ran.out
    assert ran.code == 2


def test_faults_are_run_of_what_they_are_made_of(repository: "Desk") -> None:
    append(repository, FAULTS)
    assert skipped(repository)[0] == ["letters", "turnstile"]
    assert skipped(repository, verb="faults")[0] == ["letters"]
    ran = repository.run("faults", "--changed", "main")
    assert f"turnstile: checked, {FAULTS} changed since main" in ran.out
    assert ran.out.splitlines()[-1] == "1 model skipped"


def test_a_fault_in_place_is_part_of_the_model(repository: "Desk") -> None:
    arguments = ("turnstile", "--fault", "stays_open")
    assert skipped(repository, *arguments)[0] == ["turnstile"]
    append(repository, FAULTS)
    assert skipped(repository, *arguments)[0] == []


@pytest.mark.parametrize("file", ["requirements.lock", "pyproject.toml", "requirements-dev.txt"])
def test_other_versions_of_what_is_installed_affect_all(repository: "Desk", file: str) -> None:
    append(repository, file, "")
    names, ran = skipped(repository)
    assert names == []
    reasons = {one["because"] for one in ran.json["changed"]["checked"]}
    assert reasons == {f"{file} changed since main, which any model depends on"}
    said = repository.run("check", "--changed", "main").out
    assert f"every model: checked, {file} changed since main" in said


def test_lockstep_in_the_same_repository_affects_all(
    repository: "Desk", monkeypatch: pytest.MonkeyPatch
) -> None:
    package = repository.root / "lockstep"
    append(repository, "lockstep/engine.py")
    monkeypatch.setattr(affected, "_PACKAGE", package.resolve())
    git(repository, "add", ".")
    git(repository, "commit", "-m", "an engine")
    git(repository, "branch", "-f", "main")
    assert skipped(repository)[0] == ["letters", "turnstile"]
    append(repository, "lockstep/other.py")
    assert skipped(repository)[0] == []


def test_a_workspace_may_be_a_folder_of_its_repository(
    desk: "Desk", monkeypatch: pytest.MonkeyPatch
) -> None:
    top = desk.root.parent / "top"
    shutil.copytree(desk.root, top / "specs" / "of the gates")
    desk.root = top
    git(desk, "init", "--initial-branch=main")
    append(desk, "README.md")
    git(desk, "add", "README.md")
    git(desk, "commit", "-m", "before there was a workspace")
    desk.root = top / "specs" / "of the gates"
    monkeypatch.chdir(desk.root)
    names, ran = skipped(desk)
    assert names == []
    assert "the workspace is new since main" in ran.out
    git(desk, "add", ".")
    git(desk, "commit", "-m", "a workspace")
    append(desk, MODEL)
    assert skipped(desk)[0] == ["letters"]
    append(desk, "../../requirements.txt")
    assert skipped(desk)[0] == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--changed", "chance"), "git has no revision 'chance'"),
        (("--changed", "--help"), "git has no revision '--help'"),
        (("--changed", "main..change"), "git has no revision 'main..change'"),
    ],
)
def test_what_cannot_be_asked_is_said(
    repository: "Desk", arguments: tuple[str, ...], words: str
) -> None:
    ran = repository.run("check", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert words in ran.err


@pytest.mark.parametrize("verb", ["matrix", "mutants", "sweep"])
def test_a_verb_that_skips_no_model_takes_no_revision(repository: "Desk", verb: str) -> None:
    ran = repository.run(verb, "--changed", "main")
    assert (ran.code, ran.out) == (2, "")
    assert "No such option: --changed" in ran.err


def test_a_folder_in_no_repository_is_said(desk: "Desk") -> None:
    ran = desk.run("check", "--changed", "main")
    assert ran.code == 2
    assert "not a git repository" in ran.err


def test_a_hook_of_git_asks_of_the_workspace(
    repository: "Desk", monkeypatch: pytest.MonkeyPatch
) -> None:
    append(repository, MODEL)
    monkeypatch.setenv("GIT_DIR", "/nowhere/.git")
    monkeypatch.setenv("GIT_INDEX_FILE", "/nowhere/index")
    assert skipped(repository)[0] == ["letters"]


def test_a_machine_without_git_is_said(repository: "Desk", monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    ran = repository.run("check", "--changed", "main")
    assert ran.code == 2
    assert "git cannot be started" in ran.err


def test_a_shallow_clone_is_said(repository: "Desk", monkeypatch: pytest.MonkeyPatch) -> None:
    append(repository, MODEL)
    git(repository, "commit", "-am", "later")
    clone = repository.root.parent / "clone"
    address = f"file://{repository.root}"
    subprocess.run(["git", "clone", "-q", "--depth=1", address, str(clone)], check=True)
    monkeypatch.chdir(clone)
    ran = repository.run("check", "--changed", "main")
    assert ran.code == 2
    assert "this clone is shallow: fetch the revision" in ran.err


def test_git_and_nothing_else_is_left_as_it_was(repository: "Desk") -> None:
    def files() -> dict[Path, bytes]:
        return {
            path: path.read_bytes()
            for path in repository.root.rglob("*")
            if path.is_file() and ".lockstep" not in path.parts
        }

    before = files()
    repository.run("check", "--changed", "main")
    assert files() == before
