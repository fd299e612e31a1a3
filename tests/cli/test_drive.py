"""The command `lockstep drive`: software in step with a model, and each way in which that ends."""

import signal
from pathlib import Path

import pytest

from lockstep.drive import driven
from lockstep.drive.departure import Departed
from lockstep.system.interruption import INTERRUPTION
from tests.cli.conftest import Desk

DRIVER = '''
from lockstep.drive import NOT_DONE, Driver, Took


class Gates(Driver):
    """Turnstiles as the model has them."""

    def reset(self, constants):
        self.arm = {gate: "LOCKED" for gate in constants["GATES"]}
        self.coins = {gate: 0 for gate in constants["GATES"]}
        self.entries = {gate: 0 for gate in constants["GATES"]}

    def do(self, action, arguments):
        gate = arguments["g"]
        if action == "coin":
            self.arm[gate] = "OPEN"
            self.coins[gate] += 1
        elif action == "push":
            self.arm[gate] = "LOCKED"
            self.entries[gate] += 1
        elif action == "jam":
            self.arm[gate] = "JAMMED"
        else:
            self.arm[gate], self.coins[gate], self.entries[gate] = "LOCKED", 0, 0

    def observe(self):
        return {"arm": self.arm, "coins": self.coins, "entries": self.entries}
'''
SUBCLASS = """

class Other(Gates):
"""


def write(desk: Desk, body: str = "") -> None:
    """The driver, and a class below it with another body where there is one."""
    lines = (f"    {line}\n" if line else "\n" for line in body.strip("\n").splitlines())
    text = DRIVER + (SUBCLASS + "".join(lines) if body else "")
    (desk.root / "gates.py").write_text(text, encoding="utf-8")


OTHER = ("drive", "turnstile", "--driver", "gates.py:Other")
STAYS_OPEN = """
def do(self, action, arguments):
    super().do(action, arguments)
    if action == "push" and self.entries[arguments["g"]] == 2:
        self.arm[arguments["g"]] = "OPEN"
"""


def test_software_that_is_in_step_conforms_and_every_transition_was_done(desk: Desk) -> None:
    write(desk)
    ran = desk.run("drive", "turnstile", "--driver", "gates.py")
    assert ran.code == 0, ran.err
    assert ran.out.startswith("turnstile, scope default, gates.py: conforms\n")
    assert "transitions   208 of 208 done\n" in ran.out
    assert "not observed" not in ran.out


def test_a_departure_is_shortened_and_printed_with_its_test(desk: Desk) -> None:
    write(desk, STAYS_OPEN)
    ran = desk.run(*OTHER)
    assert ran.code == 1
    assert "gates.py:Other: departs\n" in ran.out
    assert "push(g=east): no outcome explains what was observed\n" in ran.out
    assert "push(g=east) gives arm[east] = LOCKED, but OPEN was observed\n" in ran.out
    test = ran.out[ran.out.index("from lockstep.drive import driven") :]
    assert test.count("software.do(") == 4
    with pytest.raises(Departed, match=r"arm\[east\] = LOCKED, but OPEN was observed"):
        exec(f"{test}\ntest_the_software_is_in_step_with_turnstile()", {})


def test_random_behaviours_find_it_too_and_shorten_it_as_far(desk: Desk) -> None:
    write(desk, STAYS_OPEN)
    row = desk.run(*OTHER, "--random", "20", "--seed", "3", "--json").json["results"][0]
    assert (row["kind"], row["verdict"], row["exit_code"]) == ("drive", "departs", 1)
    assert (row["length"], row["seed"]) == (4, 3)
    (reason,) = row["details"]["departure"]["reasons"]
    assert (reason["action"], reason["value"], reason["observed"]) == ("push", "LOCKED", "OPEN")
    again = desk.run(*OTHER, "--random", "20", "--seed", "3", "--json").json["results"][0]
    assert again["details"] == row["details"]


def test_random_behaviours_that_find_nothing_conform(desk: Desk) -> None:
    write(desk)
    ran = desk.run("drive", "turnstile", "--driver", "gates.py", "--random", "5", "--steps", "7")
    assert ran.code == 0
    assert "5 random behaviours (seed 0), 35 steps, 5 resets" in ran.out


def test_the_behaviour_up_to_a_departure_is_replayed(desk: Desk) -> None:
    write(desk, STAYS_OPEN)
    desk.run(*OTHER, "--save", "kept")
    file = "kept/turnstile-departs-default.itf.json"
    ran = desk.run("replay", file)
    assert ran.code == 0
    assert "it was found for a departure of gates.py:Other" in ran.out


def test_a_fault_and_constants_are_those_of_the_model(desk: Desk) -> None:
    write(desk)
    ran = desk.run("drive", "turnstile", "--driver", "gates.py", "--fault", "stays_open")
    assert ran.code == 1
    assert "turnstile.stays_open-departs-" in ran.out
    assert 'fault="stays_open"' in ran.out
    ran = desk.run("drive", "turnstile", "--driver", "gates.py", "--set", "MAX_COINS=1", "--json")
    assert ran.json["results"][0]["constants"] == {"MAX_COINS": 1}
    assert ran.code == 0


@pytest.mark.parametrize(
    ("body", "options", "because"),
    [
        ("def observe(self):\n    return {}", (), "nothing was observed, so nothing was compared"),
        (
            "def observe(self):\n    return {'arm': {}}",
            (),
            "nothing was observed, so nothing was compared",
        ),
        (
            "def do(self, *_):\n    return NOT_DONE",
            (),
            "the software did nothing that it was given",
        ),
        ("", ("--max-steps", "10"), "stopped after 10 steps, as bounded"),
        ("", ("--max-seconds", "0"), "stopped after 0 seconds, as bounded"),
    ],
)
def test_what_says_nothing_is_inconclusive(
    desk: Desk, body: str, options: tuple[str, ...], because: str
) -> None:
    write(desk, body or "pass")
    ran = desk.run(*OTHER, *options)
    assert ran.code == 3
    assert f"gates.py:Other: inconclusive: {because}\n" in ran.out


def test_what_the_software_does_not_offer_is_no_departure_and_is_counted(desk: Desk) -> None:
    body = """
def do(self, action, arguments):
    if action == "jam" and arguments["g"] == "west":
        return NOT_DONE
    return super().do(action, arguments)
"""
    write(desk, body)
    ran = desk.run(*OTHER, "--json")
    assert ran.code == 0
    details = ran.json["results"][0]["details"]
    assert details["done"] + sum(details["not_done"].values()) == details["chosen"] == 208
    assert set(details["not_done"]) == {
        "from states that were not reached",
        "not offered by the software",
    }


def test_what_a_bound_left_is_not_laid_to_the_software(desk: Desk) -> None:
    write(desk)
    ran = desk.run("drive", "turnstile", "--driver", "gates.py", "--max-steps", "9", "--json")
    assert ran.code == 3
    assert set(ran.json["results"][0]["details"]["not_done"]) == {
        "from states that were not reached",
        "not asked for before the run ended",
    }


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ('models = ("door", "lease")', "Other drives door and lease, and not turnstile"),
        (
            """
def check(self, constants):
    from lockstep.errors import LockstepError
    raise LockstepError(f"it has {len(constants['GATES'])} gates", cure="choose another scope")
def reset(self, constants):
    raise AssertionError("it is not driven")
""",
            "it has 2 gates",
        ),
    ],
)
def test_a_driver_refuses_what_it_cannot_drive(desk: Desk, body: str, said: str) -> None:
    write(desk, body)
    ran = desk.run(*OTHER)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"lockstep: {said}\n")


def test_an_action_that_the_driver_never_does_is_not_explored(desk: Desk) -> None:
    write(desk, 'never = {"jam": "Nobody has a hammer."}')
    ran = desk.run(*OTHER)
    assert ran.code == 0
    calm = desk.run("check", "turnstile", "--set", "CAN_JAM=false", "--json").json["results"][0]
    count = calm["transitions"]
    assert f"transitions   {count} of {count} done\n" in ran.out
    assert "never         jam: Nobody has a hammer.\n" in ran.out


def test_what_is_observed_in_part_leaves_the_rest_open(desk: Desk) -> None:
    write(desk, 'def observe(self):\n    return {"arm": {"east": self.arm["east"]}}')
    ran = desk.run(*OTHER)
    assert ran.code == 0
    assert "not observed  coins, entries\n" in ran.out


def test_a_value_that_the_model_can_never_show_departs_and_says_so(desk: Desk) -> None:
    write(desk, 'def observe(self):\n    return {"coins[east]": 7}')
    ran = desk.run(*OTHER)
    assert ran.code == 1
    assert "the reset: no outcome explains what was observed" in ran.out
    assert "which coins[east] can never be: its domain is 0..2" in ran.out


MISTAKES = {
    "def for_model(self, name):\n    return name": "for_model('turnstile') returned 'turnstile'",
    "def for_model(self, name):\n    return 1 // 0": "raised ZeroDivisionError",
    "def reset(self, constants):\n    self.lock.open()": (
        ":32: reset of Other raised AttributeError: 'Other' object has no attribute 'lock'"
    ),
    "def do(self, action, arguments):\n    return 'OPEN'": "returned 'OPEN'",
    "def do(self, action, arguments):\n    return Took('jump')": "Took('jump') is no outcome of",
    "def observe(self):\n    return {'arms': {}}": "gates.py:31: the model has no 'arms'",
    "def observe(self):\n    return {'arm[north]': 1}": "arm[north] has no part 'north'",
    "def observe(self):\n    return {'arm': {'east': 1}}": "arm[east] is 1, of type int",
    "def observe(self):\n    return 7": "observe() returned 7",
    "outcomes = {'coin': ('coins',)}": "names an action 'coins', which the model does not have",
    "decides = {'coin': ('gate',)}": "coin has no parameter 'gate'",
    "def do(self, *_):\n    raise SystemExit(0)": ":32: do of Other raised SystemExit: 0",
}


@pytest.mark.parametrize("body", MISTAKES)
def test_a_mistake_of_the_driver_is_one_line_with_its_place(desk: Desk, body: str) -> None:
    write(desk, body)
    ran = desk.run(*OTHER)
    assert ran.code == 2
    assert ran.out == ""
    first = ran.err.splitlines()[0]
    assert first.startswith("lockstep: gates.py:")
    assert MISTAKES[body] in first


@pytest.mark.parametrize(
    ("text", "name", "complaint"),
    [
        (None, "gates.py", "there is no driver gates.py"),
        ("x = 1", "gates.py", "gates.py has no drivers"),
        (DRIVER, "gates.py:Door", "gates.py has no driver 'Door'"),
        (f"{DRIVER}{SUBCLASS}    pass", "gates.py", "gates.py has 2 drivers"),
        ("import nowhere", "gates.py", "gates.py:1: gates.py raised ModuleNotFoundError"),
        ("def f(:", "gates.py", "gates.py:1: gates.py raised SyntaxError"),
    ],
)
def test_a_driver_that_cannot_be_used_is_one_line(
    desk: Desk, text: str | None, name: str, complaint: str
) -> None:
    if text is not None:
        (desk.root / "gates.py").write_text(text, encoding="utf-8")
    ran = desk.run("drive", "turnstile", "--driver", name)
    assert ran.code == 2
    assert ran.err.startswith(f"lockstep: {complaint}")


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no alarms")
def test_a_driver_that_hangs_is_ended(desk: Desk) -> None:
    write(desk, "def observe(self):\n    while True:\n        pass")
    ran = desk.run(*OTHER, "--call-seconds", "0.2")
    assert ran.code == 2
    assert "observe of Other took longer than 0.2 s" in ran.err


def test_ctrl_c_while_it_is_shortened_keeps_the_departure(desk: Desk) -> None:
    body = f"""
resets = 0
{STAYS_OPEN}
def reset(self, constants):
    Other.resets += 1
    if Other.resets == 3:
        raise KeyboardInterrupt
    super().reset(constants)
"""
    write(desk, body)
    row = desk.run(*OTHER, "--random", "40", "--seed", "3", "--json").json["results"][0]
    assert (row["verdict"], row["details"]["resets"]) == ("departs", 1)
    assert row["length"] > 4


def test_a_signal_leaves_what_was_found(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """As that of the process, which is remembered until it ends."""
    monkeypatch.setattr(INTERRUPTION, "has_come", False)
    body = """
gives = 0
def do(self, *stimulus):
    Other.gives += 1
    if Other.gives == 4:
        from lockstep.system.interruption import INTERRUPTION
        INTERRUPTION.has_come = True
        raise KeyboardInterrupt
    return super().do(*stimulus)
"""
    write(desk, body)
    ran = desk.run(*OTHER)
    assert ran.code == 130
    assert "gates.py:Other: inconclusive: interrupted\n" in ran.out


def test_a_driver_that_does_not_close_hides_no_departure(desk: Desk) -> None:
    write(desk, f"{STAYS_OPEN}\ndef close(self):\n    raise OSError('still there')")
    ran = desk.run(*OTHER)
    assert ran.code == 1
    assert "close of Other raised OSError: still there" in ran.out
    assert "saved up to there to" in ran.out


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("def __init__(self):\n    open('/nowhere/x')", "raised FileNotFoundError"),
        ("never = ['jam']", "never of Other is ['jam']"),
        ("outcomes = ['jam']", "outcomes of Other is ['jam']"),
        ("never = {'jam': 'no'}\nby_itself = ('jam',)", "never does jam, and does it by itself"),
    ],
)
def test_a_mistake_of_a_declaration_is_one_line(desk: Desk, body: str, said: str) -> None:
    write(desk, body)
    ran = desk.run(*OTHER)
    assert ran.code == 2
    assert said in ran.err
    assert "gates.py:" in ran.err


def test_a_driver_may_be_beside_a_dataclass(desk: Desk) -> None:
    write(desk)
    text = (desk.root / "gates.py").read_text()
    head = "from __future__ import annotations\nfrom dataclasses import dataclass\n"
    (desk.root / "gates.py").write_text(f"{head}{text}\n@dataclass\nclass Seen:\n    x: int\n")
    assert desk.run("drive", "turnstile", "--driver", "gates.py:Gates").code == 0


def test_options_of_random_behaviours_go_with_them(desk: Desk) -> None:
    ran = desk.run("drive", "turnstile", "--driver", "gates.py", "--seed", "2")
    assert ran.code == 2
    assert "--seed is that of random behaviours" in ran.err


def test_what_a_driver_prints_is_no_part_of_the_document(desk: Desk) -> None:
    write(desk, 'def observe(self):\n    print("here")\n    return super().observe()')
    ran = desk.run(*OTHER, "--json")
    assert ran.json["results"][0]["verdict"] == "conforms"
    assert "here" in ran.err


def test_a_test_drives_step_by_step(desk: Desk) -> None:
    write(desk)
    with driven("turnstile", "gates.py", constants={"MAX_COINS": 1}) as gates:
        assert gates.do("coin", g="east")
        (state,) = gates.states
        assert dict(zip(state.fields, state, strict=True))["coins"]["east"] == 1
        with pytest.raises(Departed, match=r"coin\(g=east\) is not enabled: .* is false"):
            gates.do("coin", g="east")
    assert Path("gates.py").is_file()
