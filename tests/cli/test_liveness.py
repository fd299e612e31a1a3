"""What must come to pass, on the command line: checked, printed, saved, replayed, and broken."""

import json
import re
from typing import TYPE_CHECKING

import pytest

from lockstep.explore.known_space import MostStates

if TYPE_CHECKING:
    from tests.cli.conftest import Desk

CLAIMS = '''

from lockstep import each, leads_to
from models.turnstile import coin, push


@leads_to("9-1", weak=each(push))
def gets_in(s, g: Gate):
    """A visitor before an open arm gets in."""
    return s.arm[g] == Arm.OPEN, s.arm[g] != Arm.OPEN


@leads_to(weak=push, strong=coin)
def {second}(s, g: Gate):
    return {says}
'''


def claim(desk: "Desk", second: str, says: str) -> None:
    with (desk.root / "invariants/turnstile.py").open("a") as invariants:
        invariants.write(CLAIMS.format(second=second, says=says))


@pytest.fixture
def passed_over(desk: "Desk") -> "Desk":
    """A desk where one gate may be used for ever, and the other not once."""
    claim(desk, "is_passed", "s.arm[g] == Arm.OPEN, s.arm[g] != Arm.OPEN")
    return desk


def test_what_comes_to_pass_changes_no_count(desk: "Desk") -> None:
    claim(desk, "is_open_or_not", "s.arm[g] == Arm.OPEN, s.arm[g] == Arm.OPEN")
    ran = desk.run("check", "turnstile")
    assert ran.code == 0
    assert re.search(r"turnstile +holds +5 +64 +208 +10 ", ran.out)


def test_a_behaviour_that_goes_on_for_ever(passed_over: "Desk") -> None:
    ran = passed_over.run("check", "turnstile")
    assert ran.code == 1
    assert "because  is_passed is violated by a behaviour that goes on for ever" in ran.out
    assert re.search(r"fails for g=(east|west)\n", ran.out)
    _, for_ever = ran.out.split("\n    then for ever:\n")
    assert re.search(r"    \d+  push\(g=\w+\) +models/turnstile\.py:\d+\n", for_ever)
    assert re.search(r"    and on as after step \d+\n", for_ever)
    assert re.search(r"    fairness:\n      weak push: taken in step \d+\n", for_ever)
    assert "      strong coin: taken in step" in for_ever


def test_nothing_happens_any_more(desk: "Desk") -> None:
    claim(desk, "is_mended", "s.arm[g] == Arm.JAMMED, s.arm[g] != Arm.JAMMED")
    ran = desk.run("check", "turnstile", "--set", 'GATES=["east"]')
    assert "\n    then for ever: nothing happens any more\n" in ran.out
    assert "      weak push: not enabled any more\n" in ran.out
    assert "      strong coin: not enabled any more\n" in ran.out


def test_saved_and_replayed(passed_over: "Desk") -> None:
    found = passed_over.run("check", "turnstile", "--json").json["results"][0]
    assert found["violates"] == ["is_passed"]
    loop, count = found["details"]["loop"], found["length"]
    assert 0 <= loop < count
    file = found["trace"]
    with open(file, encoding="utf-8") as stream:
        saved = json.load(stream)
    assert saved["loop"] == loop
    first, last = ({**saved["states"][at], "#meta": None} for at in (loop, -1))
    assert first == last
    ran = passed_over.run("replay", file)
    assert ran.code == 1
    assert "then for ever:" in ran.out
    assert "is_passed is violated again, as recorded" in ran.out
    again = passed_over.run("replay", file, "--json").json["results"][0]
    replayed = again["details"]
    assert (replayed["loop"], replayed["parameters"]) == (loop, found["details"]["parameters"])


def test_replayed_after_fairness_was_promised(passed_over: "Desk") -> None:
    """With a promise for each gate the behaviour is no longer a fair one."""
    file = passed_over.run("check", "turnstile", "--json").json["results"][0]["trace"]
    passed_over.edit("invariants/turnstile.py", "weak=push,", "weak=each(push),")
    ran = passed_over.run("replay", file)
    assert ran.code == 0
    assert "is_passed holds along this behaviour now" in ran.out


@pytest.mark.parametrize("loop", ["0", "99", "-1", "true", '"1"'])
def test_a_damaged_loop(passed_over: "Desk", loop: str) -> None:
    file = passed_over.run("check", "turnstile", "--json").json["results"][0]["trace"]
    with open(file, encoding="utf-8") as stream:
        text = stream.read()
    with open(file, "w", encoding="utf-8") as stream:
        stream.write(re.sub(r'"loop": \d+', f'"loop": {loop}', text))
    ran = passed_over.run("replay", file)
    assert ran.code == 2
    assert "is damaged at loop: " in ran.err


def test_as_a_test_to_paste(passed_over: "Desk") -> None:
    found = passed_over.run("check", "turnstile", "--json", "--pytest").json["results"][0]
    text = found["details"]["pytest"]
    loop = found["details"]["loop"]
    assert text.endswith(f'    assert not behaviour.violates("is_passed", loop={loop})\n')
    module: dict[str, object] = {}
    exec(text, module)
    test = module["test_turnstile_keeps_is_passed"]
    assert callable(test)
    with pytest.raises(AssertionError):
        test()


def test_a_premise_that_is_never_true(desk: "Desk") -> None:
    claim(desk, "is_spent", "s.coins[g] < 0, s.coins[g] == 0")
    ran = desk.run("check", "turnstile")
    assert ran.code == 3
    assert "premise never true in this scope: is_spent" in ran.out


@pytest.mark.parametrize("engine", ["compiled", "python"])
def test_every_engine_checks_what_comes_to_pass(passed_over: "Desk", engine: str) -> None:
    ran = passed_over.run("check", "turnstile", "--engine", engine)
    assert ran.code == 1
    assert "because  is_passed is violated by a behaviour that goes on for ever" in ran.out
    assert "remark" not in ran.out


def test_what_is_not_checked_is_said(passed_over: "Desk", monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lockstep.explore.known_space.PLAIN", MostStates(63, 1000))
    ran = passed_over.run("check", "turnstile")
    assert ran.code == 3
    assert re.search(r"turnstile +inconclusive +3/5 +64 ", ran.out)
    assert "because  liveness not checked (64 states, more than 63)" in ran.out
    assert "gets_in, is_passed; --liveness insists" in ran.out
    found = passed_over.run("check", "turnstile", "--json").json
    assert found["results"][0]["details"]["unchecked"] == ["gets_in", "is_passed"]
    assert passed_over.run("check", "turnstile", "--liveness").code == 1


SWINGS = """
@fault(replaces=push, breaks="gets_in", unchanged=("arm",))
def swings(s, new, g: Gate):
    require(s.arm[g] == Arm.OPEN)
    new.entries[g] = 0 if s.entries[g] > 0 else 1
"""


def test_a_fault_that_only_liveness_catches(desk: "Desk") -> None:
    with (desk.root / "invariants/turnstile.py").open("a") as invariants:
        invariants.write(CLAIMS.split("\n\n\n@leads_to(weak=push")[0])
    with (desk.root / "models/faults/turnstile.py").open("a") as faults:
        faults.write(SWINGS)
    ran = desk.run("faults", "turnstile", "--save", "kept")
    assert ran.code == 0
    assert re.search(r"swings +small +1 \+ 2 .*\n  caught by gets_in\n", ran.out)
    assert "3 faults, 3 caught as named; 3 invariants, 3 broken first by a fault." in ran.out
    assert desk.run("replay", "kept/turnstile-gets_in-swings.itf.json").code == 1
    row = desk.run("faults", "turnstile", "--json").json["results"][-1]
    details = row["details"]
    found = details["caught_by"], details["loop"], len(details["steps"])
    assert found == (["gets_in"], 1, 3)


def test_a_fault_that_liveness_catches_is_not_harmless(desk: "Desk") -> None:
    claim(desk, "is_open_or_not", "s.arm[g] == Arm.OPEN, s.arm[g] == Arm.OPEN")
    with (desk.root / "models/faults/turnstile.py").open("a") as faults:
        faults.write(SWINGS.replace('breaks="gets_in"', 'harmless="It turns."'))
    ran = desk.run("faults", "turnstile")
    assert ran.code == 1
    assert "swings: not harmless: it breaks gets_in by a behaviour that goes on for ever" in ran.out


def test_a_fault_whose_liveness_cannot_be_checked(
    desk: "Desk", monkeypatch: pytest.MonkeyPatch
) -> None:
    claim(desk, "is_open_or_not", "s.arm[g] == Arm.OPEN, s.arm[g] == Arm.OPEN")
    with (desk.root / "models/faults/turnstile.py").open("a") as faults:
        faults.write(SWINGS)
    monkeypatch.setattr("lockstep.explore.known_space.PLAIN", MostStates(1, 2))
    ran = desk.run("faults", "turnstile")
    assert ran.code == 1
    assert "swings: not caught: liveness not checked (" in ran.out
