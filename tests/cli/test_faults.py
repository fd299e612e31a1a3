import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lockstep.explore.engines import explore
from lockstep.language.model import Model
from lockstep.pages import progress
from lockstep.plain.exploration import Bounds, Exploration
from lockstep.results.search_result import Progress, SearchResult

if TYPE_CHECKING:
    from tests.cli.conftest import Desk


def test_every_fault_is_caught_by_what_it_names(desk: "Desk") -> None:
    ran = desk.run("faults", "turnstile")
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert all(len(line) <= 80 for line in lines)
    assert lines[0] == "turnstile"
    assert lines[1].split() == ["fault", "scope", "steps", "states", "seconds"]
    assert lines[2].split()[:4] == ["stays_open", "small", "3", "4"]
    assert lines[3:5] == ["  caught by entries_are_paid", "  source a gate in Graz"]
    assert lines[5].split()[:2] == ["kicked_open", "default"]
    assert lines[6] == "  caught by opens_only_for_a_coin"
    assert "entries_are_paid\n  stays_open\n" in ran.out
    assert ran.out.endswith(
        "2 faults, 2 caught as named; 2 invariants, 2 broken first by a fault.\n"
    )


def test_faults_that_do_not_load_leave_the_invariants_counted(desk: "Desk") -> None:
    desk.edit("models/faults/turnstile.py", "from models.turnstile import", "from models import")
    ran = desk.run("faults", "turnstile")
    assert ran.code == 2
    assert ran.out.endswith(
        "0 faults, 0 caught as named; 2 invariants, 0 broken first by a fault; not all of "
        "turnstile were loaded.\n"
    )


@pytest.mark.parametrize(
    "option",
    [
        ["--pin"],
        ["--scope", "small"],
        ["--set", "MAX_COINS=1"],
        ["--only", "entries_are_paid"],
        ["--except", "entries_are_paid"],
        ["--all"],
        ["--fault", "stays_open"],
        ["--symmetry"],
        ["--simulate", "5"],
        ["--steps", "5"],
        ["--seed", "5"],
        ["--checkpoint", "folder"],
        ["--pytest"],
        ["--verbose"],
    ],
    ids=lambda option: option[0],
)
def test_an_option_that_says_nothing_of_faults_is_refused(desk: "Desk", option: list[str]) -> None:
    ran = desk.run("faults", "turnstile", *option)
    assert (ran.code, ran.out) == (2, "")
    assert f"No such option: {option[0]}" in ran.err


def test_faults_are_explored_as_asked(desk: "Desk", monkeypatch: pytest.MonkeyPatch) -> None:
    requests: list[Exploration] = []

    def recorded(model: Model, request: Exploration) -> SearchResult:
        requests.append(request)
        return explore(model, request)

    monkeypatch.setattr("lockstep.verbs.fault_task.explore", recorded)
    bounds = ("--max-states", "500", "--max-seconds", "60", "--memory", "8GiB", "--spill", "spill")
    options = (*bounds, "--threads", "1", "--engine", "compiled", "--liveness", "--no-cache")
    assert desk.run("faults", "turnstile", *options).code == 0
    of_faults = [request for request in requests if request.bounds.max_depth is None]
    assert len(of_faults) == 2
    for request in of_faults:
        assert request.bounds == Bounds(500, 60, memory=2**33, spill=Path("spill"))
        assert (request.threads, request.engine, request.liveness) == (1, "compiled", True)


def test_a_fault_caught_by_another_invariant_than_it_names(desk: "Desk") -> None:
    named = 'breaks="opens_only_for_a_coin"'
    desk.edit("models/faults/turnstile.py", named, 'breaks="entries_are_paid"')
    ran = desk.run("faults", "turnstile")
    assert ran.code == 1
    assert (
        "wrong: turnstile.kicked_open: caught first by opens_only_for_a_coin, not by "
        "entries_are_paid" in ran.out
    )


def test_a_fault_is_not_caught_by_what_the_model_breaks_itself(desk: "Desk") -> None:
    desk.edit("models/turnstile.py", "s.entries[g] + 1", "s.entries[g] + 2")
    desk.edit("models/turnstile.py", "Count = Range(0, MAX_COINS)", "Count = Range(0, 9)")
    desk.edit(
        "models/turnstile.py",
        "require(s.arm[g] == Arm.OPEN)",
        "require(s.arm[g] == Arm.OPEN and s.entries[g] < 7)",
    )
    desk.edit("models/faults/turnstile.py", "s.entries[g] + 1", "s.entries[g] + 2")
    ran = desk.run("faults", "turnstile")
    assert ran.code == 1
    says = "entries_are_paid is broken by the same steps without the fault"
    assert f"wrong: turnstile.stays_open: {says}" in ran.out
    assert "wrong: turnstile.entries_are_paid: no fault breaks it first" in ran.out
    unchanged = 'unchanged=("arm",)'
    constants = f'{unchanged}, scope="default", constants={{"MAX_COINS": 2}}'
    desk.edit("models/faults/turnstile.py", unchanged, constants)
    assert f"wrong: turnstile.stays_open: {says}" in desk.run("faults", "turnstile").out


def test_a_fault_that_nothing_catches_and_an_invariant_without_one(desk: "Desk") -> None:
    kick = "new.arm[g] = Arm.OPEN"
    desk.edit("models/faults/turnstile.py", kick, "new.arm[g] = Arm.LOCKED")
    ran = desk.run("faults", "turnstile")
    assert ran.code == 1
    assert "kicked_open: not caught, though all of scope default was explored" in ran.out
    assert "wrong: turnstile.opens_only_for_a_coin: no fault breaks it first" in ran.out


def test_a_fault_whose_text_has_no_meaning_shows_the_line(desk: "Desk") -> None:
    desk.edit("models/faults/turnstile.py", "s.entries[g] + 1", "s.entries[g] - 1")
    ran = desk.run("faults", "turnstile")
    assert ran.code == 1
    assert "wrong: turnstile.stays_open: its text has no meaning in a reachable state:\n" in ran.out
    assert re.search(
        r" \d+ \|     new.entries\[g\] = s.entries\[g\] - 1\n +\|     \^{14}\n", ran.out
    )


def test_a_model_without_faults_has_unproven_invariants(desk: "Desk") -> None:
    ran = desk.run("faults", "letters", "--json")
    assert ran.code == 1
    assert ran.json["results"] == []
    assert ran.json["summary"]["problems"] == [
        "letters.boxes_hold_one_letter: no fault breaks it first",
        "letters.the_pleased_have_letters: no fault breaks it first",
    ]


def test_a_fault_that_names_nothing(desk: "Desk") -> None:
    named = 'breaks="opens_only_for_a_coin"'
    desk.edit("models/faults/turnstile.py", named, 'breaks="opens_only_for_coin"')
    ran = desk.run("faults", "turnstile")
    assert ran.code == 1
    assert (
        "it says that it breaks opens_only_for_coin, which turnstile does not have; "
        "did you mean opens_only_for_a_coin?"
    ) in ran.out


def test_a_fault_may_make_a_goal_unreachable(desk: "Desk") -> None:
    with (desk.root / "models/faults/turnstile.py").open("a") as faults:
        faults.write(
            '\n@fault(replaces=push, breaks="somebody_gets_in", unchanged=("entries",))\n'
            "def never_turns(s, new, g: Gate):\n"
            '    """The arm locks before anybody gets in."""\n'
            "    require(s.arm[g] == Arm.OPEN)\n"
            "    new.arm[g] = Arm.LOCKED\n"
        )
    ran = desk.run("faults", "turnstile")
    assert ran.code == 0
    assert re.search(r"never_turns +small +- .*\n  caught by somebody_gets_in\n", ran.out)


def test_faults_of_no_model_are_reported(desk: "Desk") -> None:
    file = desk.root / "models/faults/turnstyle.py"
    file.write_text("from lockstep import fault\n", encoding="utf-8")
    ran = desk.run(
        "faults",
    )
    assert ran.code == 2
    why = "there is no model turnstyle; did you mean turnstile?"
    assert f"error: models/faults/turnstyle.py is not read: {why}" in ran.out
    assert desk.run("faults", "turnstile").code == 0


def add_fault(desk: "Desk", text: str) -> None:
    with (desk.root / "models/faults/turnstile.py").open("a") as faults:
        faults.write(text)


SHOVE = """
@fault(harmless="A locked arm does not move.")
def shove(s, new, g: Gate):
    require(s.arm[g] == Arm.LOCKED)
    new.arm[g] = Arm.LOCKED
"""


def test_a_harmless_fault_breaks_nothing_in_all_of_its_scope(desk: "Desk") -> None:
    add_fault(desk, SHOVE)
    ran = desk.run("faults", "turnstile")
    assert ran.code == 0
    assert re.search(r"shove +small +- +5 ", ran.out)
    shown = "  harmless in all 5 states of scope small: A locked arm does not move.\n"
    assert shown in ran.out
    assert "3 faults, 2 caught as named, 1 harmless; 2 invariants" in ran.out


def test_a_harmless_fault_in_json(desk: "Desk") -> None:
    add_fault(desk, SHOVE)
    ran = desk.run("faults", "turnstile", "--json")
    row = ran.json["results"][-1]
    details = row["details"]
    assert details["harmless"] == "A locked arm does not move."
    assert (row["verdict"], details["expected"], details["caught_by"]) == ("holds", None, [])
    assert (row["states"], row["exit_code"], details["problem"]) == (5, 0, None)
    assert ran.json["results"][0]["details"]["harmless"] is None
    assert ran.json["summary"]["caught_as_named"] == 2
    assert ran.json["summary"]["harmless"] == 1


def test_a_fault_that_is_not_harmless(desk: "Desk") -> None:
    named = 'breaks="opens_only_for_a_coin"'
    desk.edit("models/faults/turnstile.py", named, 'harmless="Nobody sees it."')
    ran = desk.run("faults", "turnstile")
    assert ran.code == 1
    assert (
        "wrong: turnstile.kicked_open: not harmless: it breaks opens_only_for_a_coin after 1 step"
        in ran.out
    )


def test_a_fault_that_makes_a_goal_unreachable_is_not_harmless(desk: "Desk") -> None:
    add_fault(
        desk,
        '\n@fault(replaces=push, harmless="Who cares.", unchanged=("entries",))\n'
        "def never_turns(s, new, g: Gate):\n"
        "    require(s.arm[g] == Arm.OPEN)\n"
        "    new.arm[g] = Arm.LOCKED\n",
    )
    ran = desk.run("faults", "turnstile")
    assert ran.code == 1
    assert "never_turns: not harmless: it breaks somebody_gets_in\n" in ran.out


def test_a_fault_that_never_happens_is_not_known_to_be_harmless(desk: "Desk") -> None:
    add_fault(desk, SHOVE.replace("arm[g] == Arm.LOCKED", "coins[g] > 1000"))
    ran = desk.run("faults", "turnstile")
    assert ran.code == 1
    assert "shove: not known to be harmless: it never happens in scope small" in ran.out


def test_a_bounded_search_does_not_know_that_a_fault_is_harmless(desk: "Desk") -> None:
    add_fault(desk, SHOVE)
    ran = desk.run("faults", "turnstile", "--max-states", "3", "--engine", "python")
    assert ran.code == 1
    assert "shove: not known to be harmless: stopped as bounded" in ran.out


@pytest.mark.parametrize(
    ("outcome", "says"),
    [
        ("", "neither what it breaks nor why it is harmless"),
        ('harmless=""', "neither what it breaks nor why it is harmless"),
        ('breaks="opens", harmless="no"', "both what it breaks and why it is harmless"),
    ],
)
def test_a_fault_is_either_caught_or_harmless(desk: "Desk", outcome: str, says: str) -> None:
    add_fault(desk, SHOVE.replace('harmless="A locked arm does not move."', outcome))
    ran = desk.run("faults", "turnstile")
    assert ran.code == 2
    assert f"this fault says {says}" in ran.out


def test_constants_that_are_the_whole_fault_are_named(desk: "Desk") -> None:
    desk.edit("models/turnstile.py", "CAN_JAM: Constant = True", "CAN_JAM: Constant = True\nF")
    desk.edit("models/turnstile.py", "\nF\n", "\nFREE: Constant = False\n")
    desk.edit("models/turnstile.py", "s.arm[g] == Arm.OPEN)\n", "s.arm[g] == Arm.OPEN or FREE)\n")
    with (desk.root / "models/faults/turnstile.py").open("a") as faults:
        faults.write(
            '\n@fault(replaces=push, breaks="entries_are_paid", constants={"FREE": True})\n'
            "def free_for_all(s, new, g: Gate):\n"
            "    push(s, new, g)\n"
        )
    ran = desk.run("faults", "turnstile")
    assert ran.code == 0
    assert re.search(r"free_for_all .*\n.*\n  its constants alone break the model\n", ran.out)
    assert "kicked_open: its constants" not in ran.out


def test_faults_in_json_and_saved(desk: "Desk") -> None:
    ran = desk.run("faults", "turnstile", "--json", "--save", "kept")
    assert ran.code == 0
    first = ran.json["results"][0]
    assert (first["model"], first["scope"]) == ("turnstile", "small")
    assert first["fault"] == "stays_open"
    assert first["verdict"] == "violated"
    assert (first["kind"], first["violated"]) == ("fault", "entries_are_paid")
    assert (first["length"], first["exit_code"]) == (3, 0)
    assert first["details"]["caught_by"] == ["entries_are_paid"]
    assert [step["action"] for step in first["details"]["steps"]] == ["coin", "push", "push"]
    assert ran.json["invariants"][0] == {
        "model": "turnstile",
        "invariant": "entries_are_paid",
        "faults": ["stays_open"],
    }
    saved = sorted(path.name for path in (desk.root / "kept").iterdir())
    assert saved == [
        "turnstile-entries_are_paid-stays_open.itf.json",
        "turnstile-opens_only_for_a_coin-kicked_open.itf.json",
    ]
    assert desk.run("replay", f"kept/{saved[1]}").code == 1


def test_a_fault_that_cannot_be_loaded(desk: "Desk") -> None:
    desk.edit("models/faults/turnstile.py", 'scope="default"', 'scope="defaults"')
    ran = desk.run("faults", "turnstile")
    assert ran.code == 2
    assert "error: turnstile has no scope 'defaults'" in ran.out
    assert "stays_open" in ran.out


def test_ctrl_c_prints_what_is_known(desk: "Desk", monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def interrupting(
        title: str, expected: int | None
    ) -> Iterator[Callable[[Progress], None] | None]:
        def interrupt(now: Progress) -> None:
            raise KeyboardInterrupt

        yield interrupt if "kicked_open" in title else None

    monkeypatch.setattr(progress, "progress_line", interrupting)
    ran = desk.run("faults", "turnstile")
    assert ran.code == 130
    assert re.search(r"stays_open +small +3 .*\n  caught by entries_are_paid\n", ran.out)
    assert "interrupted: what is above is not all" in ran.out
    assert "no fault breaks it first" not in ran.out
