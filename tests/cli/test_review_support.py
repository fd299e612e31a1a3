"""What a review says of twins and proofs."""

from typing import TYPE_CHECKING

import pytest

import lockstep.verbs.review.run as review_support
from lockstep.errors import LockstepError
from tests.cli.conftest import LEMMA, PROOFS
from tests.cli.repository import CLAIMS, MODEL, git

if TYPE_CHECKING:
    from tests.cli.conftest import Desk

SMALL = ("review", "main..change", "--scope", "small", "--brief")
COMMENT = '"""Somebody pays."""'
COUNTS_TWICE = ("new.coins[g] = s.coins[g] + 1", "new.coins[g] = min(s.coins[g] + 2, MAX_COINS)")


def commit(desk: "Desk", message: str) -> None:
    git(desk, "add", ".")
    git(desk, "commit", "-m", message)


def lines_of(out: str, *beginnings: str) -> list[str]:
    return [line for line in out.splitlines() if line.startswith(beginnings)]


@pytest.fixture
def proved(repository: "Desk") -> "Desk":
    """The workspace in git, with a proof in both branches."""
    git(repository, "checkout", "main")
    with (repository.root / CLAIMS).open("a", encoding="utf-8") as claims:
        claims.write(LEMMA)
    with (repository.root / "specs/turnstile.toml").open("a", encoding="utf-8") as spec:
        spec.write(PROOFS[: PROOFS.index("\n[proofs.wide.bounded]")] + "\n")
    commit(repository, "a proof")
    git(repository, "checkout", "-B", "change")
    return repository


def test_what_is_not_asked_for_is_named(proved: "Desk") -> None:
    proved.edit(MODEL, COMMENT, '"""Somebody pays for an entry."""')
    commit(proved, "other words")
    ran = proved.run(*SMALL)
    assert ran.code == 0
    assert lines_of(ran.out, "not compared", "twin", "proof") == [
        "not compared  the twin of turnstile: --twins compares it",
        "not compared  the proofs of turnstile: --proofs makes them again",
    ]
    assert proved.run(*SMALL, "--json").json["summary"]["support"]["unasked"] == [
        "the twin of turnstile: --twins compares it",
        "the proofs of turnstile: --proofs makes them again",
    ]


def test_what_is_as_before_is_said(proved: "Desk") -> None:
    proved.edit(MODEL, COMMENT, '"""Somebody pays for an entry."""')
    commit(proved, "other words")
    ran = proved.run(*SMALL, "--twins", "--proofs")
    assert ran.code == 0, ran.out
    assert lines_of(ran.out, "not compared", "twin", "proof") == [
        "twin turnstile small  same",
        "proof turnstile wide  same",
    ]


def test_a_twin_that_does_not_follow_the_model_is_broken(repository: "Desk") -> None:
    repository.edit(MODEL, *COUNTS_TWICE)
    commit(repository, "two for one")
    ran = repository.run(*SMALL, "--twins")
    assert ran.code == 1
    (line,) = lines_of(ran.out, "twin")
    assert line.startswith("twin turnstile small  broken: ")
    assert ran.out.endswith("reproduce with  lockstep review main..change --scope small --twins\n")
    (change,) = repository.run(*SMALL, "--twins", "--json").json["summary"]["support"]["changes"]
    assert (change["name"], change["change"]) == ("twin turnstile small", "broken")


def test_a_twin_that_differed_before_is_not_this_changes(repository: "Desk") -> None:
    git(repository, "checkout", "main")
    repository.edit(MODEL, *COUNTS_TWICE)
    commit(repository, "two for one")
    git(repository, "checkout", "-B", "change")
    repository.edit(MODEL, COMMENT, '"""Somebody pays for an entry."""')
    commit(repository, "other words")
    ran = repository.run(*SMALL, "--twins")
    assert ran.code == 0, ran.out
    (line,) = lines_of(ran.out, "twin")
    assert line.startswith("twin turnstile small  still violated: ")


def test_a_twin_that_changes_by_itself_is_compared(repository: "Desk") -> None:
    """The model is the same in both: only the module that its twin's bounds extend is not."""
    repository.edit("tla/Turnstile.tla", "coins[g] + 1", "coins[g] + 2")
    commit(repository, "the twin counts otherwise")
    ran = repository.run(*SMALL)
    assert "the same in both  letters, turnstile" in ran.out
    assert lines_of(ran.out, "not compared") == [
        "not compared  the twin of turnstile: --twins compares it"
    ]
    ran = repository.run(*SMALL, "--twins")
    assert ran.code == 1
    assert lines_of(ran.out, "twin")[0].startswith("twin turnstile small  broken: ")


def test_a_twin_that_is_gone_is_lost(repository: "Desk") -> None:
    repository.edit("specs/turnstile.toml", 'twin = "Turnstile"\n', "")
    commit(repository, "no twin")
    ran = repository.run(*SMALL, "--twins")
    assert ran.code == 3
    assert "twin turnstile small  lost: HEAD does not have it\n" in ran.out


def test_without_java_nothing_is_passed_over(
    repository: "Desk", monkeypatch: pytest.MonkeyPatch
) -> None:
    def find_java() -> None:
        raise LockstepError("Java 17 or later is needed", cure="install it")

    monkeypatch.setattr(review_support, "find_java", find_java)
    repository.edit(MODEL, COMMENT, '"""Somebody pays for an entry."""')
    commit(repository, "other words")
    ran = repository.run(*SMALL, "--twins")
    assert ran.code == 3
    assert "twin turnstile  open: not compared: no Java. Java 17 or later is needed\n" in ran.out


def test_a_proof_that_is_not_found_any_more_is_open(proved: "Desk") -> None:
    proved.edit(CLAIMS, LEMMA, "\n")
    commit(proved, "no lemma")
    ran = proved.run(*SMALL, "--proofs")
    assert ran.code == 3, ran.out
    (line,) = lines_of(ran.out, "proof")
    assert line.startswith("proof turnstile wide  open: not proved: entries_are_paid")


def test_a_proof_that_is_refuted_is_broken_and_one_that_is_gone_lost(proved: "Desk") -> None:
    proved.edit(MODEL, "require(s.arm[g] == Arm.OPEN)", "require(s.arm[g] != Arm.JAMMED)")
    commit(proved, "whoever likes gets in")
    ran = proved.run(*SMALL, "--proofs")
    assert ran.code == 1
    assert lines_of(ran.out, "proof")[0].startswith("proof turnstile wide  broken: ")
    proved.edit("specs/turnstile.toml", "[proofs.wide]", "[proofs.wider]")
    commit(proved, "another name")
    ran = proved.run(*SMALL, "--proofs")
    assert "proof turnstile wide  lost: HEAD does not have it\n" in ran.out


@pytest.mark.parametrize("flag", ["--twins", "--proofs"])
def test_versions_without_a_twin_or_proof_of_their_own_are_refused(desk: "Desk", flag: str) -> None:
    ran = desk.run("review", "turnstile", "turnstile.stays_open", flag)
    assert ran.code == 2
    assert f"{flag} is for two revisions" in ran.err
