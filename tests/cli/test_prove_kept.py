"""What `lockstep prove` keeps of an earlier run, and when it decides again."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from lockstep.prove import any_number
from lockstep.verbs import prove as verb

if TYPE_CHECKING:
    from tests.cli.conftest import Desk

FOLDER = ".lockstep/decided/prove"


@pytest.fixture
def decided(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The proofs that were made, and not taken from an earlier run."""
    made: list[str] = []
    decide = verb._decide

    def note(subject: Any, *others: Any) -> Any:
        made.append(str(subject))
        return decide(subject, *others)

    monkeypatch.setattr(verb, "_decide", note)
    return made


def files(desk: "Desk") -> list[Path]:
    folder = desk.root / FOLDER
    return sorted(folder.iterdir()) if folder.exists() else []


def holding(desk: "Desk") -> list[Path]:
    """The files of answers that hold: a later run takes no other."""
    verdicts = {file: json.loads(file.read_text())["document"]["verdict"] for file in files(desk)}
    return [file for file, verdict in verdicts.items() if verdict == "holds"]


def test_an_unchanged_workspace_is_not_decided_again(proved: "Desk", decided: list[str]) -> None:
    started = datetime.now(UTC).replace(microsecond=0)
    (first,) = proved.run("prove", "--json").json["results"]
    assert first["since"] is None
    ran = proved.run("prove", "turnstile", "--proof", "wide", "--json")
    (row,) = ran.json["results"]
    assert started <= datetime.fromisoformat(row["since"]) <= datetime.now(UTC)
    assert {**row, "since": None} == first
    assert ran.code == 0
    assert decided == ["turnstile wide"]
    ran = proved.run("prove")
    assert ran.code == 0
    assert f" s, kept since {datetime.now():%Y}-" in ran.out.splitlines()[0]
    assert "4 of 4 properties proved" in ran.out
    assert ran.out.endswith("\n1 of 1 proof kept (--no-cache proves them again)\n")
    assert decided == ["turnstile wide"]


def test_no_cache_decides_again(proved: "Desk", decided: list[str]) -> None:
    assert "kept" not in proved.run("prove").out
    assert "kept" not in proved.run("prove", "--no-cache").out
    assert "kept" not in proved.run("prove", "--examples").out
    assert "kept since" in proved.run("prove").out
    assert len(decided) == 3


CHANGES: dict[str, tuple[str, str, str]] = {
    "model": ("models/turnstile.py", "MAX_COINS: Constant = 2", "MAX_COINS: Constant = 3"),
    "lemma": ("invariants/turnstile.py", "def an_open_arm_is_paid_for", "def paid_for"),
    "constant": ("specs/turnstile.toml", "MAX_COINS = 2147483647", "MAX_COINS = 2147483646"),
    "depth": ("specs/turnstile.toml", "\ndepth = 4", "\ndepth = 5"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_changed_is_decided_again(proved: "Desk", decided: list[str], change: str) -> None:
    proved.run("prove")
    file, old, new = CHANGES[change]
    proved.edit(file, old, new)
    ran = proved.run("prove")
    assert ran.code == 0
    assert "kept" not in ran.out
    assert len(decided) == 2
    proved.edit(file, new, old)
    assert "kept since" in proved.run("prove").out


def test_what_no_longer_holds_is_not_taken_from_before(proved: "Desk") -> None:
    assert proved.run("prove").code == 0
    proved.edit("invariants/turnstile.py", "s.entries[g] <= s.coins[g]", "s.entries[g] < 2")
    assert proved.run("prove").code == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["--set", "MAX_COINS=9"],
        ["--scope", "small"],
        ["--fault", "stays_open"],
        ["--k", "2"],
        ["--depth", "2"],
        ["--smt", "questions"],
        ["--max-seconds", "0"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_only_the_pinned_proof_is_kept(
    proved: "Desk", decided: list[str], arguments: list[str]
) -> None:
    for _ in range(2):
        assert "kept" not in proved.run("prove", "turnstile", *arguments).out
    assert len(decided) == 2
    assert holding(proved) == []


def test_what_does_not_hold_is_decided_again(proving: "Desk", decided: list[str]) -> None:
    """Nothing but time may have been missing, and a counterexample has to be written."""
    for _ in range(2):
        assert proving.run("prove").code == 3
    proving.edit("invariants/turnstile.py", "s.entries[g] <= s.coins[g]", "s.entries[g] < 2")
    for _ in range(2):
        assert proving.run("prove").code == 1
    assert len(decided) == 4
    assert holding(proving) == []


def test_an_interrupted_proof_is_made_again(
    proved: "Desk", monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("lockstep.prove.induction.silence", interrupt)
        assert proved.run("prove").code == 130
    assert files(proved) == []
    assert proved.run("prove").code == 0
    assert len(files(proved)) == 1


def test_the_option_infer_is_a_question_of_its_own(proved: "Desk", decided: list[str]) -> None:
    for _ in range(2):
        proved.run("prove")
        proved.run("prove", "--infer")
    assert len(decided) == 2


def test_a_proof_for_any_number_is_kept_with_its_number(
    interchangeable: "Desk", decided: list[str]
) -> None:
    with (interchangeable.root / "specs/turnstile.toml").open("a") as spec:
        spec.write('\n[proofs.any]\nlike = "wide"\npurpose = "All."\nany_number = "GATES"\n')
    asked = ("prove", "turnstile", "--proof", "any")
    first = interchangeable.run(*asked).out
    second = interchangeable.run(*asked).out
    assert decided == ["turnstile any"]
    assert first.splitlines()[1:] == second.splitlines()[1:-1]
    assert "no more than 2 matter at once\n" in second


def test_a_text_that_is_edited_meanwhile_is_not_kept(
    interchangeable: "Desk", monkeypatch: pytest.MonkeyPatch
) -> None:
    """A proof for any number of names loads the model again and again."""
    with (interchangeable.root / "specs/turnstile.toml").open("a") as spec:
        spec.write('\n[proofs.any]\nlike = "wide"\npurpose = "All."\nany_number = "GATES"\n')
    enough_names = any_number.enough_names

    def editing(*arguments: Any) -> Any:
        with (interchangeable.root / "models/turnstile.py").open("a") as model:
            model.write("\n# Edited while the proof was made.\n")
        return enough_names(*arguments)

    monkeypatch.setattr(any_number, "enough_names", editing)
    assert interchangeable.run("prove", "turnstile", "--proof", "any").code == 0
    assert files(interchangeable) == []


DAMAGE: dict[str, Callable[[Path], object]] = {
    "cut short": lambda file: file.write_text(file.read_text()[:-9]),
    "another verdict": lambda file: file.write_text(
        file.read_text().replace('"proved": true', '"proved": false', 1)
    ),
    "a folder": lambda file: file.rename(file.with_name("moved")).with_name(file.name).mkdir(),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_decision_is_made_again(
    proved: "Desk", decided: list[str], damage: Callable[[Path], object]
) -> None:
    proved.run("prove")
    damage(files(proved)[0])
    ran = proved.run("prove")
    assert (ran.code, len(decided)) == (0, 2)
    assert "kept since" not in ran.out


def test_a_decision_that_cannot_be_kept_is_reported(proved: "Desk") -> None:
    (proved.root / ".lockstep").write_text("a file, not a folder")
    ran = proved.run("prove")
    assert ran.code == 0
    assert "  not kept for the next run: " in ran.out
    assert "/.lockstep cannot be written: File exists\n" in ran.out
