"""`lockstep prove --find`, `--from` and `--equal`: questions about one model."""

import json
import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Desk


def test_a_state_is_found(proved: "Desk") -> None:
    ran = proved.run("prove", "turnstile", "--find", "all(s.entries[g] > 0 for g in Gate)")
    assert ran.code == 0
    assert "turnstile wide: found after 4 steps" in ran.out
    file = ".lockstep/counterexamples/turnstile-found.itf.json"
    assert f"saved to {file}" in ran.out
    assert len(json.loads((proved.root / file).read_text())["states"]) == 5
    again = proved.run("replay", file)
    assert again.code == 0
    assert (
        "the model still goes so; it was found for all(s.entries[g] > 0 for g in Gate)\n"
        in again.out
    )
    row = proved.run("prove", "turnstile", "--find", "s.arm['east'] == Arm.JAMMED", "--json").json
    (found,) = row["results"]
    assert (found["verdict"], found["exit_code"]) == ("holds", 0)
    assert [step["action"] for step in found["details"]["steps"]] == ["jam"]
    assert (found["kind"], found["length"], found["trace"]) == ("find", 1, str(proved.root / file))


LAST = "s.coins['east'] == MAX_COINS and s.arm['east'] == Arm.LOCKED"


def test_a_behaviour_from_any_state(proved: "Desk") -> None:
    """Where no behaviour gets from the first state, one coin after the other."""
    asked = ("prove", "turnstile", "--from", LAST, "--find", "s.arm['east'] == Arm.JAMMED")
    ran = proved.run(*asked)
    assert ran.code == 0
    assert (
        f"turnstile wide, from any state in which {LAST} and all invariants hold: found" in ran.out
    )
    assert "0  a state to begin with\n" in ran.out
    assert re.search(r"coins = \{east: 2147483647[,}]", ran.out)
    again = proved.run("replay", ".lockstep/counterexamples/turnstile-found.itf.json")
    assert again.code == 0
    assert f"from a state in which {LAST}; it need not be reachable\n" in again.out
    assert re.search(r"coins = \{east: 2147483647[,}]", again.out)


def test_nothing_is_broken_from_there(proved: "Desk") -> None:
    ran = proved.run("prove", "turnstile", "--from", LAST, "--depth", "2")
    assert ran.code == 3
    assert "nothing is broken: no behaviour in up to 2 steps breaks anything\n" in ran.out
    (row,) = proved.run("prove", "turnstile", "--from", LAST, "--depth", "2", "--json").json[
        "results"
    ]
    details = row["details"]
    assert (details["start"], details["goal"], details["covered"]) == (LAST, None, 2)
    assert (row["verdict"], row["violates"]) == ("inconclusive", [])


def test_a_fault_breaks_something_from_there(proved: "Desk") -> None:
    start = "s.coins['east'] == MAX_COINS and s.entries['east'] == MAX_COINS - 1"
    ran = proved.run("prove", "turnstile", "--fault", "stays_open", "--from", start)
    assert ran.code == 1
    assert "entries_are_paid violated after" in ran.out
    file = ".lockstep/counterexamples/turnstile-entries_are_paid-stays_open.itf.json"
    assert proved.run("replay", file).code == 1
    (proved.root / file).write_text(
        (proved.root / file).read_text().replace("2147483647", "2147483640", 1)
    )
    assert proved.run("replay", file).code == 2


def test_a_state_is_not_found(proved: "Desk") -> None:
    asked = ("prove", "turnstile", "--find", "s.entries['east'] > s.coins['east']", "--depth", "3")
    ran = proved.run(*asked)
    assert ran.code == 3
    assert "not found: no behaviour in up to 3 steps reaches it" in ran.out
    (row,) = proved.run(*asked, "--json").json["results"]
    assert (row["verdict"], row["trace"]) == ("inconclusive", None)
    assert (row["details"]["covered"], row["details"]["steps"]) == (3, None)


@pytest.mark.parametrize(
    ("predicate", "reported"),
    [
        ("s.enters['east'] > 0", "enters"),
        ("s.arm['east'] >", "invalid syntax"),
        ("s.arm['east'] == 3", "error["),
        ("", "error["),
    ],
)
def test_a_predicate_that_is_not_well_formed(proved: "Desk", predicate: str, reported: str) -> None:
    ran = proved.run("prove", "turnstile", "--find", predicate)
    assert ran.code == 2
    assert reported in ran.err
    assert "found.py" in ran.err
    assert ran.out == ""


def test_actions_that_are_the_same_and_that_are_not(proved: "Desk") -> None:
    with (proved.root / "models/turnstile.py").open("a") as model:
        model.write(
            "\n\n@action\ndef shove(s, new, g: Gate):\n    require(not (s.arm[g] != Arm.OPEN))\n"
            "    new.entries[g] = 1 + s.entries[g]\n    new.arm[g] = Arm.LOCKED\n"
        )
    ran = proved.run("prove", "turnstile", "--equal", "push", "shove")
    assert ran.code == 0
    assert "push and shove do the same in every state" in ran.out
    ran = proved.run("prove", "turnstile", "--equal", "push", "jam")
    assert ran.code == 1
    assert re.search(r"push and jam differ, with g=(east|west), in\n", ran.out)
    assert "is not enabled" in ran.out
    (row,) = proved.run("prove", "turnstile", "--equal", "push", "jam", "--json").json["results"]
    assert (row["verdict"], row["exit_code"]) == ("violated", 1)
    assert set(row["details"]["differ"]) == {"push", "jam"}
