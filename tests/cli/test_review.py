"""The command `lockstep review`; how behaviours are compared is tested in tests/review."""

import re
from typing import TYPE_CHECKING

import pytest

from tests.cli.repository import CLAIMS, MODEL, git

if TYPE_CHECKING:
    from tests.cli.conftest import Desk

JAMS = "require(CAN_JAM and s.arm[g] == Arm.LOCKED)"
FREE_ENTRY = """
from lockstep import action, replaces, require
from models.turnstile import MAX_COINS, Arm, Gate, push


@replaces(push)
def push_in_spite_of_the_count(s, new, g: Gate):
    require(s.arm[g] == Arm.OPEN)
    new.arm[g] = Arm.LOCKED
    new.entries[g] = min(s.entries[g] + 1, MAX_COINS)


@action
def climb_over(s, new, g: Gate):
    require(s.arm[g] == Arm.LOCKED and s.entries[g] == 0)
    new.entries[g] = 1
"""
SEEN = """
from lockstep import shows
from models.turnstile import Gate


@shows
def coins(s):
"""
FORGET = "    new.entries[g] = 0\n"


def test_a_version_refines_itself(desk: "Desk") -> None:
    ran = desk.run("review", "turnstile", "turnstile")
    assert ran.code == 0, ran.out
    assert "turnstile -> turnstile, scope small: holds" in ran.out
    assert "  behaviours  the same in both" in ran.out
    assert ran.out.splitlines()[-1] == "2 scopes: 2 holds"


def test_a_model_without_scopes_is_reviewed(desk: "Desk") -> None:
    specs = desk.root / "specs" / "turnstile.toml"
    specs.write_text(specs.read_text("utf-8").partition("[scopes")[0], "utf-8")
    ran = desk.run("review", "turnstile", "turnstile.kicked_open", "--brief")
    assert ran.code == 1, ran.out + ran.err
    assert "turnstile -> turnstile.kicked_open, scope default: violated" in ran.out
    assert "actions" in ran.out
    assert "internal error" not in ran.out


def test_a_fault_is_shown_with_what_it_breaks_and_what_it_adds(desk: "Desk") -> None:
    ran = desk.run("review", "turnstile", "turnstile.stays_open", "--scope", "small")
    assert ran.code == 1
    lines = [line.rstrip() for line in ran.out.splitlines()]
    first = lines.index("turnstile -> turnstile.stays_open, scope small: violated")
    assert lines[first + 1] == "  properties  2 broken, 2 same"
    assert lines[first + 2].startswith("    broken    entries_are_paid after 3 steps, ")
    assert "  behaviours  neither refines the other" in lines
    assert "    only HEAD (turnstile.stays_open) shows, in 2 steps" in lines
    assert "    BASE shows the same up to step 1, and then not:" in lines
    assert "      BASE's push leaves other values of arm:" in lines
    assert lines[-1] == (
        "reproduce with  lockstep review turnstile turnstile.stays_open --scope small"
    )


def shown(desk: "Desk", value: str) -> list[str]:
    """What is said of a proposal that shows a value in place of the coins, line by line."""
    file = desk.root / "models" / "proposals" / "turnstile" / "seen.py"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"{SEEN}    return {value}\n", encoding="utf-8")
    ran = desk.run("review", "turnstile", "turnstile.seen", "--scope", "small")
    return [line.rstrip() for line in ran.out.splitlines()]


def test_a_function_that_stands_for_a_variable_is_named(desk: "Desk") -> None:
    lines = shown(desk, "{g: s.coins[g] for g in Gate}")
    assert "  behaviours  the same in both" in lines
    assert "    HEAD shows coins by a function: models/proposals/turnstile/seen.py:7" in lines


def test_a_difference_names_what_a_function_shows(desk: "Desk") -> None:
    lines = shown(desk, "{g: min(s.coins[g], 1) for g in Gate}")
    place = lines.index("      HEAD's coin leaves other values of coins:")
    assert lines[place + 1] == "        coins = {east: 1}"


def test_a_function_without_a_value_leaves_behaviours_open(desk: "Desk") -> None:
    lines = shown(desk, "{g: 1 // s.coins[g] for g in Gate}")
    (line,) = (line for line in lines if "behaviours" in line)
    assert "has no meaning in a reachable state: models/proposals/turnstile/seen.py:8" in line
    assert "division" in line


def test_json_has_the_behaviours(desk: "Desk") -> None:
    ran = desk.run("review", "turnstile", "turnstile.stays_open", "--scope", "small", "--json")
    (row,) = ran.json["results"]
    assert (row["kind"], row["model"], row["fault"]) == ("review", "turnstile", "stays_open")
    assert (row["verdict"], row["exit_code"]) == ("violated", 1)
    assert row["because"] == "broken: entries_are_paid, deadlock; HEAD shows what BASE does not"
    assert (row["violated"], row["length"]) == ("entries_are_paid", 3)
    assert row["violates"] == ["entries_are_paid", "deadlock"]
    assert (desk.root / row["trace"]).is_file()
    details = row["details"]
    assert (details["base"], details["head"]) == ("turnstile", "turnstile.stays_open")
    assert details["shared"] == ["arm", "coins", "entries"]
    assert details["explored"][1] == {"states": row["states"], "depth": row["depth"]}
    broken = [prop for prop in details["properties"] if prop["change"] == "broken"]
    assert [(prop["name"], len(prop["steps"])) for prop in broken] == [
        ("entries_are_paid", 3),
        ("deadlock", 3),
    ]
    difference = details["adds"]["difference"]
    assert [step["action"] for step in difference["steps"]] == ["coin", "push"]
    assert [step["action"] for step in difference["followed"]] == ["coin"]
    assert (difference["refused"], difference["variables"]) == (False, ["arm"])


def test_a_pull_request_with_a_bad_change(repository: "Desk") -> None:
    """Entries are not forgotten with their coins, and the claim on it is weakened with it."""
    repository.edit(
        MODEL, "    new.coins[g] = 0\n    new.entries[g] = 0\n", "    new.coins[g] = 0\n"
    )
    repository.edit(MODEL, "= s.entries[g] + 1", "= min(s.entries[g] + 1, MAX_COINS)")
    repository.edit(CLAIMS, "return s.entries[g] <= s.coins[g]", "return s.entries[g] <= 2")
    git(repository, "commit", "-am", "entries are counted for ever")
    ran = repository.run("review", "main..change", "turnstile", "--scope", "small")
    assert ran.code == 1
    assert "main:turnstile -> change:turnstile, scope small: violated" in ran.out
    assert "entries_are_paid in the words of BASE after 3 steps" in ran.out
    assert "    only HEAD (change:turnstile) shows, in 3 steps" in ran.out


def test_a_text_without_meaning_is_said(repository: "Desk") -> None:
    """Coins that are not counted let more people in than the domain has room for."""
    repository.edit(MODEL, "new.coins[g] = s.coins[g] + 1", "new.coins[g] = s.coins[g]")
    git(repository, "commit", "-am", "coins are counted later")
    ran = repository.run("review", "main..change", "turnstile", "--scope", "small")
    assert ran.code == 1
    assert "broken    entries_are_paid after 2 steps" in ran.out
    assert "HEAD has no meaning in a reachable state: " in ran.out


def test_what_a_change_forbids_is_no_fault(repository: "Desk") -> None:
    repository.edit(MODEL, JAMS, JAMS.replace("CAN_JAM", "CAN_JAM and has_room(s, g)"))
    git(repository, "commit", "-am", "a box that is full keeps the arm from jamming")
    ran = repository.run("review", "main..change", "turnstile", "--scope", "default")
    assert ran.code == 0, ran.out
    assert "HEAD refines BASE: it shows nothing new, and not all that BASE does" in ran.out
    assert "      HEAD does not take jam there" in ran.out
    assert "which requires s.coins[g] < MAX_COINS" in ran.out


def test_a_hidden_variable_is_no_difference(repository: "Desk") -> None:
    counted = "    entries: Map[Gate, Count] = {g: 0 for g in Gate}\n"
    repository.edit(MODEL, counted, f"{counted}    pushes: Range(0, 1) = 0\n")
    pushed = "    new.entries[g] = s.entries[g] + 1\n"
    repository.edit(MODEL, pushed, f"{pushed}    new.pushes = 1 - s.pushes\n")
    repository.edit("models/faults/turnstile.py", '("arm",)', '("arm", "pushes")')
    git(repository, "commit", "-am", "pushes are counted modulo two")
    ran = repository.run("review", "main..change", "turnstile", "--scope", "default")
    assert ran.code == 0, ran.out
    assert "  behaviours  the same in both" in ran.out
    assert "    hidden in HEAD: pushes" in ran.out
    assert "states 64 -> 128" in ran.out


def test_a_property_that_is_lost_is_not_passed_over(repository: "Desk") -> None:
    goal = (repository.root / CLAIMS).read_text("utf-8").partition("\n\n\n@sometimes")[2]
    repository.edit(CLAIMS, f"\n\n\n@sometimes{goal}", "\n")
    git(repository, "commit", "-am", "nobody need get in")
    ran = repository.run("review", "main..change", "turnstile", "--scope", "small")
    assert ran.code == 3, ran.out
    assert "    lost      somebody_gets_in" in ran.out


def test_scenarios_are_counted_in_both_revisions(repository: "Desk") -> None:
    """A scenario that counts in another way afterwards is seen; one more count is not that."""
    spec = "specs/turnstile.toml"
    scenario = '\n[costs.entry]\nto = "somebody_gets_in"\ncounts = { coins = ["coin"] }\n'
    for extra in ("", ', pushes = ["push"]', ', pushes = ["push", "coin"]'):
        counted = scenario.replace(" }", f"{extra} }}")
        rest = (repository.root / spec).read_text("utf-8").partition("\n[costs")[0]
        (repository.root / spec).write_text(rest + counted, "utf-8")
        git(repository, "commit", "-am", "counts are added")
    first = repository.run("review", "change~2..change~1", "--scope", "small", "--brief").out
    assert "\n    coins   1                 1\n" in first
    assert "\n    pushes  not counted -> 1  not counted -> 1\n" in first
    assert "do not count it in the same way" not in first
    second = repository.run("review", "change~1..change", "--scope", "small", "--brief").out
    assert "\n    BASE and HEAD do not count it in the same way\n" in second
    assert "\n    pushes  1 -> 2  1 -> 2\n" in second


def test_a_stop_that_is_newly_allowed_is_seen(repository: "Desk") -> None:
    repository.edit(MODEL, JAMS, JAMS.replace("CAN_JAM", "(CAN_JAM or s.coins[g] == 2)"))
    repository.edit(MODEL, "require(s.arm[g] != Arm.OPEN)", "require(s.arm[g] == Arm.LOCKED)")
    name = 'name = "turnstile"\n'
    allowed = f'{name}deadlock = "allowed"\ndeadlock_reason = "it may break"\n'
    repository.edit("specs/turnstile.toml", name, allowed)
    git(repository, "commit", "-am", "what is jammed stays so")
    ran = repository.run("review", "main..change", "turnstile", "--scope", "default", "--brief")
    assert ran.code == 1, ran.out
    assert "    broken    deadlock in the words of BASE after 2 steps" in ran.out


def test_a_scope_may_speak_of_a_property_that_is_new(repository: "Desk") -> None:
    claims = (repository.root / CLAIMS).read_text("utf-8")
    new = "\n\n@invariant()\ndef nothing(s, g: Gate):\n    when(s.coins[g] > 9)\n    return True\n"
    repository.edit(CLAIMS, claims, claims + new)
    vacuous = '[scopes.small.vacuous]\n"There are two coins." = ["nothing"]\n\n[scopes.default]'
    repository.edit("specs/turnstile.toml", "[scopes.default]", vacuous)
    git(repository, "commit", "-am", "one claim more")
    ran = repository.run("review", "main..change", "turnstile", "--scope", "small")
    assert "    gained    nothing" in ran.out
    assert "not judged" not in ran.out


def test_evidence_that_is_lost_is_named(repository: "Desk") -> None:
    """A claim that says nothing any more, of which the fault that it caught is the only sign."""
    repository.edit(CLAIMS, "return s.entries[g] <= s.coins[g]", "return s.entries[g] <= 9")
    repository.edit(CLAIMS, '@step_invariant("9-2")', "@step_invariant()")
    git(repository, "commit", "-am", "fewer words")
    ran = repository.run("review", "main..change", "--scope", "small")
    assert ran.code == 1, ran.out
    assert "  behaviours  the same in both" in ran.out
    assert "requirement 9-2  answered -> open" in ran.out
    assert "fault  turnstile.stays_open: " in ran.out
    assert "fault  turnstile.entries_are_paid: no fault breaks it first" in ran.out
    assert "the same in both  letters" in ran.out
    summary = repository.run("review", "main..change", "--scope", "small", "--json").json["summary"]
    assert summary["evidence"]["requirements"] == [
        {"id": "9-2", "base": "answered", "head": "open"}
    ]
    assert summary["unchanged"] == ["letters"]


def weakened(repository: "Desk") -> None:
    """The branch has an invariant that says nothing, so that no fault is caught by it."""
    repository.edit(CLAIMS, "return s.entries[g] <= s.coins[g]", "return s.entries[g] >= 0")
    git(repository, "commit", "-am", "weaker")


def test_faults_are_left_out_where_nobody_wants_them(repository: "Desk") -> None:
    weakened(repository)
    ran = repository.run("review", "main..change", "--scope", "small", "--no-faults", "--json")
    summary = ran.json["summary"]
    left_out = "the faults of turnstile: left out by --no-faults"
    evidence = summary["evidence"]
    assert (evidence["faults"], evidence["unasked"]) == ([], [left_out])
    assert evidence["looked_at"] == 0
    text = repository.run("review", "main..change", "--scope", "small", "--no-faults", "--brief")
    assert f"not compared  {left_out}" in text.out
    assert "fault  turnstile" not in text.out
    full = repository.run("review", "main..change", "--scope", "small", "--brief").out
    assert re.search(
        r"evidence  4 faults looked at in \d+\.\d\d s; --no-faults leaves them out", full
    )
    assert "fault  turnstile.entries_are_paid: no fault breaks it first" in full


def test_no_fault_is_begun_when_the_time_is_over(repository: "Desk") -> None:
    """What was not looked at is no fault that is lost, and the review is not conclusive."""
    weakened(repository)
    ran = repository.run("review", "main..change", "--scope", "small", "--max-seconds", "0")
    assert "fault not decided  turnstile: 2 faults not looked at in time" in ran.out
    assert "\nfault  " not in ran.out
    assert ran.code == 3


def test_a_broken_property_comes_with_what_it_says(desk: "Desk") -> None:
    """Its own sentence and those of its requirements, as in a check; also where it is brief."""
    review = ("review", "turnstile", "turnstile.stays_open", "--scope", "small")
    for options in (("--brief",), ()):
        assert (
            "    entries_are_paid says\n"
            "      Nobody gets in without a coin.\n"
            "      9-1         Every entry shall be paid for.\n"
            "    deadlock says\n"
            "      No step leads from the last state to another, and the model may not stop.\n"
        ) in desk.run(*review, *options).out
    markdown = desk.run(*review, "--markdown").out
    assert "Nobody gets in without a coin." in markdown
    assert "Every entry shall be paid for." in markdown
    first = desk.run(*review, "--json").json["results"][0]["details"]["properties"][0]
    assert (first["name"], first["says"]) == ("entries_are_paid", "Nobody gets in without a coin.")
    assert first["requirements"] == [{"id": "9-1", "text": "Every entry shall be paid for."}]


def test_revisions_that_are_the_same_have_nothing_to_compare(repository: "Desk") -> None:
    ran = repository.run("review", "main..change")
    assert ran.code == 0, ran.out
    assert ran.out.splitlines() == ["the same in both  letters, turnstile"]


def test_models_that_only_one_revision_has_are_named(repository: "Desk") -> None:
    git(repository, "rm", "-q", *("models/letters.py", "invariants/letters.py"))
    repository.edit(MODEL, '"""Somebody pays."""', '"""Somebody pays for an entry."""')
    git(repository, "commit", "-am", "no letters")
    ran = repository.run("review", "main..change")
    assert "not compared  letters: only main has it" in ran.out
    assert "2 scopes: 2 holds" in ran.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "a review is of two versions"),
        (("turnstile",), "a review is of two versions"),
        (("turnstile", "turnstyle"), "did you mean turnstile?"),
        (("turnstile", "turnstile.stays_opened"), "did you mean stays_open?"),
        (("turnstile", "turnstile", "--scope", "smal"), "nothing is compared"),
        (
            ("turnstile", "turnstile", "--engine", "spark"),
            "no engine 'spark'\n  cure: the engines are: auto, compiled, python\n",
        ),
        (("main...change",), "'main...change' is not two revisions"),
        (("main..change",), "git rev-parse --show-prefix failed"),
    ],
)
def test_what_cannot_be_reviewed_is_said(
    desk: "Desk", arguments: tuple[str, ...], words: str
) -> None:
    ran = desk.run("review", *arguments)
    assert ran.code == 2
    assert words in ran.err


def test_a_workspace_may_be_a_folder_of_its_repository(
    desk: "Desk", monkeypatch: pytest.MonkeyPatch
) -> None:
    top = desk.root.parent / "top"
    top.mkdir()
    desk.root = desk.root.rename(top / "gates")
    monkeypatch.chdir(desk.root)
    git(desk, "init", "--initial-branch=main", "..")
    git(desk, "add", ".")
    git(desk, "commit", "-m", "turnstiles")
    desk.edit(MODEL, '"""Somebody pays."""', '"""Somebody pays for an entry."""')
    git(desk, "commit", "-am", "other words")
    ran = desk.run("review", "main~1..main", "--brief")
    assert ran.code == 0, ran.err
    assert "the same in both  letters" in ran.out


def test_an_unknown_revision_is_said(repository: "Desk") -> None:
    ran = repository.run("review", "main..chance")
    assert ran.code == 2
    assert "git has no revision 'chance'" in ran.err


def test_a_constant_makes_a_version(desk: "Desk") -> None:
    head = 'turnstile@CAN_JAM=true,GATES=["west"]'
    ran = desk.run("review", 'turnstile@GATES=["west"]', head, "--scope", "small")
    assert ran.code == 1
    assert (
        'turnstile@GATES=["west"] -> turnstile@CAN_JAM=true,GATES=["west"], scope small: violated'
    ) in ran.out.splitlines()
    assert "BASE refines HEAD" in ran.out
    assert "because of models/turnstile.py:51, which requires CAN_JAM" in ran.out


def test_a_proposal_is_begun_and_reviewed(desk: "Desk") -> None:
    ran = desk.run("propose", "turnstile", "free_entry")
    file = desk.root / "models" / "proposals" / "turnstile" / "free_entry.py"
    assert ran.code == 0
    assert ran.out.splitlines() == [
        "wrote models/proposals/turnstile/free_entry.py",
        "see what it changes with  lockstep review turnstile turnstile.free_entry",
    ]
    ran = desk.run("review", "turnstile", "turnstile.free_entry", "--scope", "small")
    assert (ran.code, "the same in both" in ran.out) == (0, True)
    with file.open("a", encoding="utf-8") as text:
        text.write(FREE_ENTRY)
    ran = desk.run("review", "turnstile", "turnstile.free_entry", "--scope", "small", "--brief")
    assert ran.code == 1
    assert "    broken    entries_are_paid after 1 step\n" in ran.out
    assert "      BASE has no action climb_over with such parameters" in ran.out
    ran = desk.run("check", "turnstile", "--proposal", "free_entry", "--scope", "small")
    assert ran.code == 1
    trace = ".lockstep/counterexamples/turnstile-entries_are_paid-free_entry.itf.json"
    assert desk.run("replay", trace).code == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("turnstyle", "more"), "did you mean turnstile?"),
        (("turnstile", "no good"), "'no good' is no name"),
        (("turnstile", "stays_open"), "turnstile has a fault stays_open"),
    ],
)
def test_what_cannot_be_proposed_is_said(
    desk: "Desk", arguments: tuple[str, ...], words: str
) -> None:
    ran = desk.run("propose", *arguments)
    assert ran.code == 2
    assert words in ran.err


def test_a_bound_leaves_it_open(desk: "Desk") -> None:
    ran = desk.run("review", "turnstile", "turnstile", "--scope", "default", "--max-states", "9")
    assert ran.code == 3
    assert "what HEAD adds: more than 9 states" in ran.out
    assert "open" in ran.out
