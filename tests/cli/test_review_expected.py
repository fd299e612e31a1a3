"""What a change is expected to break, compared with what it breaks."""

from typing import TYPE_CHECKING

import pytest

from tests.cli.repository import CLAIMS, FAULTS, MODEL, git

if TYPE_CHECKING:
    from tests.cli.conftest import Desk

FORGETS = "    new.coins[g] = 0\n    new.entries[g] = 0\n"


def expect(desk: "Desk", *lines: str, file: str = "specs/review.toml") -> None:
    """Write one more entry."""
    with (desk.root / file).open("a", encoding="utf-8") as text:
        text.write("\n".join(("[[review.expected]]", *lines, 'because = "9-5 says so"', "", "")))


def season_ticket(desk: "Desk") -> None:
    """Entries are not forgotten with their coins, and nobody is kept from going in."""
    desk.edit(MODEL, FORGETS, "    new.coins[g] = 0\n")
    desk.edit(MODEL, "= s.entries[g] + 1", "= min(s.entries[g] + 1, MAX_COINS)")


def commit(desk: "Desk", message: str) -> None:
    git(desk, "add", ".")
    git(desk, "commit", "-m", message)


STAYS_OPEN = ('base = "turnstile"', 'head = "turnstile.stays_open"')
SMALL = ("review", "turnstile", "turnstile.stays_open", "--scope", "small")


def test_what_is_expected_and_happens_is_no_violation(desk: "Desk") -> None:
    for subject in ('requirement = "9-1"', 'property = "deadlock"', 'behaviours = "added"'):
        expect(desk, *STAYS_OPEN, subject)
    ran = desk.run(*SMALL, "--brief")
    assert ran.code == 0, ran.out
    lines = ran.out.splitlines()
    assert lines[:6] == [
        "turnstile -> turnstile.stays_open, scope small: holds, as expected",
        "  properties  2 expected, 2 same",
        "    expected  entries_are_paid broken after 3 steps",
        "              because  9-5 says so",
        "    expected  deadlock broken after 3 steps",
        "              because  9-5 says so",
    ]
    assert "    expected    9-5 says so" in lines
    assert not any("reproduce" in line for line in lines)


def test_each_entry_allows_what_it_names_and_no_more(desk: "Desk") -> None:
    expect(desk, *STAYS_OPEN, 'property = "entries_are_paid"')
    ran = desk.run(*SMALL, "--brief")
    assert ran.code == 1
    assert ran.out.startswith(
        "turnstile -> turnstile.stays_open, scope small: violated beyond what is expected\n"
        "  properties  1 expected, 1 broken, 2 same\n"
    )
    expect(desk, *STAYS_OPEN, 'property = "deadlock"')
    assert desk.run(*SMALL, "--brief").code == 1  # HEAD shows more than BASE
    expect(desk, *STAYS_OPEN, 'behaviours = "added"')
    ran = desk.run(*SMALL, "--json")
    (row,) = ran.json["results"]
    assert (ran.code, row["verdict"]) == (0, "holds")
    expected = {
        prop["name"]: [one["place"] for one in prop["expected"]]
        for prop in row["details"]["properties"]
    }
    assert expected == {
        "entries_are_paid": ["specs/review.toml:1"],
        "deadlock": ["specs/review.toml:7"],
        "opens_only_for_a_coin": [],
        "somebody_gets_in": [],
    }
    assert [one["place"] for one in row["details"]["expected_behaviours"]] == [
        "specs/review.toml:13"
    ]


def test_what_is_expected_and_does_not_happen_is_inconclusive(desk: "Desk") -> None:
    for subject in ('requirement = "9-1"', 'property = "deadlock"', 'behaviours = "added"'):
        expect(desk, *STAYS_OPEN, subject)
    expect(desk, *STAYS_OPEN, 'property = "opens_only_for_a_coin"')
    ran = desk.run(*SMALL)
    assert ran.code == 3, ran.out
    said = "expected, but did not break  property opens_only_for_a_coin of "
    said += "turnstile -> turnstile.stays_open (specs/review.toml:19): 9-5 says so\n"
    assert said in ran.out
    (unmet,) = desk.run(*SMALL, "--json").json["summary"]["unmet"]
    assert unmet == {
        "place": "specs/review.toml:19",
        "subject": "property",
        "name": "opens_only_for_a_coin",
        "because": "9-5 says so",
        "model": None,
        "base": "turnstile",
        "head": "turnstile.stays_open",
        "scope": None,
    }


@pytest.mark.parametrize(
    ("subject", "words"),
    [
        ('behaviours = "added"', "expected, but HEAD shows nothing new  behaviours of turnstile"),
        ('requirement = "9-1"', "expected, but did not break  requirement 9-1 of turnstile"),
    ],
)
def test_a_version_that_is_the_same_meets_nothing(desk: "Desk", subject: str, words: str) -> None:
    expect(desk, 'base = "turnstile"', 'head = "turnstile"', subject)
    ran = desk.run("review", "turnstile", "turnstile", "--scope", "small")
    assert (ran.code, words in ran.out) == (3, True), ran.out


def test_what_is_open_is_not_said_to_have_failed(desk: "Desk") -> None:
    expect(desk, 'base = "turnstile"', 'head = "turnstile"', 'behaviours = "added"')
    ran = desk.run("review", "turnstile", "turnstile", "--scope", "default", "--max-states", "9")
    assert ran.code == 3
    assert "expected" not in ran.out


def test_other_versions_and_scopes_are_not_looked_at(desk: "Desk") -> None:
    expect(desk, 'model = "turnstile"', 'property = "deadlock"')
    expect(desk, 'base = "turnstile"', 'head = "turnstile.kicked_open"', 'property = "deadlock"')
    expect(desk, *STAYS_OPEN, 'scope = "default"', 'property = "deadlock"')
    ran = desk.run(*SMALL, "--brief")
    assert ran.code == 1
    assert [line for line in ran.out.splitlines() if "expected" in line] == [
        "not compared  expected property deadlock of turnstile -> turnstile.stays_open in scope "
        "default (specs/review.toml:12)"
    ]


def test_another_file_can_be_named(desk: "Desk") -> None:
    expect(desk, *STAYS_OPEN, 'requirement = "9-1"', file="line.toml")
    ran = desk.run(*SMALL, "--brief", "--expected", "line.toml")
    assert "    expected  entries_are_paid broken after 3 steps\n" in ran.out
    again = "reproduce with  lockstep review turnstile turnstile.stays_open --scope small"
    assert ran.out.endswith(f"{again} --expected line.toml\n")
    assert "expected" not in desk.run(*SMALL, "--brief").out
    ran = desk.run(*SMALL, "--expected", "other.toml")
    assert (ran.code, "other.toml cannot be read" in ran.err) == (2, True)


def test_a_pull_request_says_itself_what_it_breaks(repository: "Desk") -> None:
    season_ticket(repository)
    repository.edit(CLAIMS, "return s.entries[g] <= s.coins[g]", "return s.entries[g] <= 2")
    for subject in (
        'requirement = "9-1"',
        'behaviours = "added"',
        'fault = "stays_open"',
        'property = "entries_are_paid"',
    ):
        expect(repository, 'model = "turnstile"', subject)
    commit(repository, "season tickets")
    ran = repository.run("review", "main..change", "--brief")
    assert ran.code == 0, ran.out
    assert "main:turnstile -> change:turnstile, scope default: holds, as expected\n" in ran.out
    assert "expected  fault  turnstile.stays_open: caught first by deadlock, not by" in ran.out
    assert "expected  fault  turnstile.entries_are_paid: no fault breaks it first\n" in ran.out
    assert ran.out.endswith("2 scopes: 2 holds\n")
    summary = repository.run("review", "main..change", "--json").json["summary"]
    assert [entry["subject"] for _, entry in summary["evidence"]["expected"]] == [
        "fault",
        "property",
    ]
    assert (summary["evidence"]["faults"], summary["unmet"]) == ([], [])
    # What is expected has to be in HEAD: the branch that others review from does not have it.
    ran = repository.run("review", "change..main", "--brief")
    assert "expected" not in ran.out


def test_a_requirement_that_loses_its_answer_may_be_expected(repository: "Desk") -> None:
    repository.edit(CLAIMS, '@step_invariant("9-2")', "@step_invariant()")
    commit(repository, "fewer words")
    assert repository.run("review", "main..change", "--brief").code == 3
    expect(repository, 'model = "turnstile"', 'requirement = "9-2"')
    commit(repository, "said so")
    ran = repository.run("review", "main..change", "--brief")
    assert ran.code == 0, ran.out
    assert "expected  requirement 9-2  answered -> open\n  because  9-5 says so\n" in ran.out


def test_a_requirement_may_be_all_that_is_lost(repository: "Desk") -> None:
    """The model and what it claims are the same: nothing of it is explored."""
    cited = 'answered_by = ["action turnstile.coin"]'
    repository.edit("specs/kip_9.toml", cited, 'unanswerable = "Nobody watches."')
    expect(repository, 'model = "turnstile"', 'requirement = "9-2"')
    commit(repository, "nobody watches")
    ran = repository.run("review", "main..change", "--brief")
    assert "the same in both  letters, turnstile" in ran.out
    assert "expected  requirement 9-2  answered -> unanswerable\n" in ran.out
    assert "not compared" not in ran.out
    assert ran.code == 0, ran.out


def test_a_model_that_is_not_compared_is_named(repository: "Desk") -> None:
    expect(repository, 'model = "letters"', 'property = "boxes_hold_one_letter"')
    commit(repository, "nothing but an entry")
    ran = repository.run("review", "main..change")
    assert ran.code == 0
    said = "not compared  expected property boxes_hold_one_letter of letters"
    assert f"{said} (change:specs/review.toml:1)\n" in ran.out


def test_a_fault_that_is_still_caught_was_not_to_be(repository: "Desk") -> None:
    repository.edit(MODEL, '"""Somebody pays."""', '"""Somebody pays for an entry."""')
    repository.edit(FAULTS, "The arm does not lock", "The arm locks not")
    expect(repository, 'model = "turnstile"', 'fault = "stays_open"')
    commit(repository, "other words")
    ran = repository.run("review", "main..change", "--brief")
    assert ran.code == 3
    assert "expected, but is caught as before  fault stays_open of turnstile" in ran.out


def test_a_model_called_review_keeps_its_scopes(desk: "Desk") -> None:
    for folder in ("models", "invariants", "specs"):
        (file,) = (desk.root / folder).glob("letters.*")
        text = file.read_text(encoding="utf-8").replace("letters", "review")
        file.with_stem("review").write_text(text, encoding="utf-8")
    assert desk.run("review", "review", "review", "--scope", "small").code == 0


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (('model = "turnstyle"', 'fault = "f"'), "there is no model 'turnstyle'\n  cure: did you"),
        (
            ('model = "turnstile"', 'property = "entries_paid"'),
            "there is no property 'entries_paid'\n  cure: did you mean entries_are_paid?",
        ),
        (
            ('model = "turnstile"', 'requirement = "9-7"'),
            "there is no requirement '9-7'\n  cure: did you mean 9-",
        ),
        (
            ('model = "turnstile"', 'fault = "stays_opened"'),
            "there is no fault 'stays_opened'\n  cure: did you mean stays_open?",
        ),
        (
            ('model = "turnstile"', 'scope = "smal"', 'property = "deadlock"'),
            "there is no scope 'smal'\n  cure: did you mean small?",
        ),
        (
            ('base = "turnstile"', 'head = "turnstile.open"', 'property = "deadlock"'),
            "turnstile has no fault and no proposal 'open'",
        ),
        ((*STAYS_OPEN, 'fault = "stays_open"'), "faults are caught is compared of revisions alone"),
        ((*STAYS_OPEN, 'fault = "stays_open"', 'property = "deadlock"'), "it expects one thing"),
    ],
)
def test_what_is_not_there_is_said_with_its_line(
    desk: "Desk", lines: tuple[str, ...], words: str
) -> None:
    expect(desk, *lines)
    ran = desk.run(*SMALL)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("lockstep: specs/review.toml:1: ")
    assert words in ran.err
