"""`replay --on`: whether a change stops what was recorded."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Desk

FILE = "kept/turnstile-entries_are_paid-stays_open.itf.json"
MODEL = "models/turnstile.py"


def record(desk: "Desk") -> None:
    """The trace of the fault that leaves the arm open: coin, push, push."""
    arguments = ["--scope", "small", "--fault", "stays_open", "--save", "kept"]
    assert desk.run("check", "turnstile", *arguments).code == 1


@pytest.fixture
def saved(desk: "Desk") -> Path:
    record(desk)
    return desk.root / FILE


def row(desk: "Desk", version: str, *options: str, file: str = FILE) -> dict[str, Any]:
    ran = desk.run("replay", file, "--on", version, *options, "--json")
    (only,) = ran.json["results"]
    assert ran.json["summary"] == {"verdict": only["verdict"], "exit_code": ran.code}
    return {**only, **only["details"], **only["details"]["on"], "code": ran.code}


def test_a_guard_stops_it(desk: "Desk", saved: Path) -> None:
    ran = desk.run("replay", FILE, "--on", "turnstile")
    assert ran.code == 0
    assert ran.out == (
        "turnstile (scope small, fault stays_open), on turnstile\n"
        "\n"
        "0  the initial state\n"
        "     arm = {east: LOCKED}\n"
        "     2 other variables are 0, False, None or empty\n"
        "1  coin(g=east)                                     models/turnstile.py:33\n"
        "     arm[east]: LOCKED -> OPEN\n"
        "     coins[east]: 0 -> 1\n"
        "2  push(g=east)                                     models/turnstile.py:41\n"
        "     arm[east]: OPEN -> LOCKED\n"
        "     entries[east]: 0 -> 1\n"
        "3  push(g=east) is not enabled                      models/turnstile.py:41\n"
        "     s.arm[g] == Arm.OPEN                           models/turnstile.py:43\n"
        "     s.arm[g] = LOCKED\n"
        "\n"
        "after step 2 the state is another than recorded (recorded -> here):\n"
        "  arm[east]: OPEN -> LOCKED\n"
        "holds  turnstile stops it: step 3, push(g=east), is not enabled\n"
        "whether another behaviour violates it says  lockstep check turnstile --scope small\n"
    )


def test_what_stops_it_in_json(desk: "Desk", saved: Path) -> None:
    on = row(desk, "turnstile")
    assert (on["code"], on["verdict"], on["violated"]) == (0, "holds", None)
    assert on["refused"] == {
        "step": 3,
        "action": "push",
        "parameters": {"g": "east"},
        "requires": {
            "text": "s.arm[g] == Arm.OPEN",
            "file": MODEL,
            "line": 43,
            "values": {"s.arm[g]": "LOCKED"},
        },
    }
    assert on["parting"] == {"step": 2, "changes": ["arm[east]: OPEN -> LOCKED"]}


def test_what_does_not_stop_it(desk: "Desk", saved: Path) -> None:
    on = row(desk, "turnstile.stays_open")
    assert (on["code"], on["verdict"], on["violated"]) == (1, "violated", "entries_are_paid")
    assert on["parameters"] == {"g": "east"}
    assert on["parting"] is None
    ran = desk.run("replay", FILE, "--on", "turnstile.stays_open")
    assert "up to here the states are those recorded: 3 steps\n" in ran.out
    assert ran.out.endswith(
        "violated  entries_are_paid is violated on turnstile.stays_open, as recorded\n"
    )


def test_what_goes_so_and_holds(desk: "Desk", saved: Path) -> None:
    desk.edit("invariants/turnstile.py", "<= s.coins[g]", "<= s.coins[g] + 1")
    on = row(desk, "turnstile.stays_open")
    assert (on["code"], on["verdict"]) == (0, "holds")
    assert "entries_are_paid holds at the end of this behaviour" in on["because"]


def test_something_else_is_violated_in_its_stead(desk: "Desk", saved: Path) -> None:
    text = "\n\n@invariant()\ndef few(s, g: Gate):\n    return s.entries[g] < 2\n"
    file = desk.root / "invariants/turnstile.py"
    desk.edit("invariants/turnstile.py", "<= s.coins[g]", "<= s.coins[g] + 1")
    file.write_text(file.read_text() + text)
    on = row(desk, "turnstile.stays_open")
    assert (on["code"], on["verdict"], on["violated"]) == (1, "violated", "few")
    assert "in its stead: entries_are_paid holds" in on["because"]


def test_it_is_violated_earlier(desk: "Desk", saved: Path) -> None:
    desk.edit("invariants/turnstile.py", "<= s.coins[g]", "< max(s.coins[g], 1)")
    on = row(desk, "turnstile.stays_open")
    assert (on["code"], len(on["steps"])) == (1, 2)
    assert on["because"].endswith("already after step 2")
    desk.edit("invariants/turnstile.py", "< max(s.coins[g], 1)", "< s.coins[g]")
    on = row(desk, "turnstile.stays_open")
    assert (on["code"], on["steps"]) == (1, [])
    assert on["because"].endswith("already in the initial state")


def test_an_action_under_another_name(desk: "Desk", saved: Path) -> None:
    desk.edit(MODEL, "def coin(", "def pay(")
    on = row(desk, "turnstile.stays_open")
    assert (on["code"], on["others"]) == (1, {"1": "pay(g=east)"})
    assert "step 1 was recorded as another; here pay(g=east) leads to the same state" in (
        desk.run("replay", FILE, "--on", "turnstile.stays_open").out
    )


def test_an_action_that_is_gone(desk: "Desk", saved: Path) -> None:
    desk.edit(MODEL, "def coin(", "def pay(")
    desk.edit(MODEL, "new.coins[g] = s.coins[g] + 1", "new.coins[g] = MAX_COINS")
    on = row(desk, "turnstile.stays_open")
    assert (on["code"], on["verdict"]) == (3, "inconclusive")
    assert on["because"] == (
        "step 1: turnstile.stays_open has no action coin, and no other step leads where it led"
    )


def test_variables_that_only_one_has(desk: "Desk", saved: Path) -> None:
    desk.edit(MODEL, "    entries: Map", "    tries: Count = 0\n    entries: Map")
    on = row(desk, "turnstile.stays_open")
    assert (on["code"], on["added"], on["missing"]) == (1, ["tries"], [])
    ran = desk.run("replay", FILE, "--on", "turnstile.stays_open")
    assert "only in turnstile.stays_open: tries\n" in ran.out


def test_another_scope(desk: "Desk", saved: Path) -> None:
    on = row(desk, "turnstile", "--scope", "default")
    assert (on["code"], on["refused"]["step"]) == (0, 3)
    assert on["uncompared"] == ["arm", "coins", "entries"]


@pytest.mark.parametrize(
    ("version", "because"),
    [
        ("letters", "letters has none of the variables recorded"),
        (
            'turnstile@GATES=["west"]',
            'step 1, coin: turnstile@GATES=["west"] cannot be given its parameters: '
            "'east' is not in {'west'}, and no other step leads where it led",
        ),
    ],
)
def test_what_cannot_be_said(desk: "Desk", saved: Path, version: str, because: str) -> None:
    on = row(desk, version)
    assert (on["code"], on["verdict"], on["because"]) == (3, "inconclusive", because)


def test_a_property_that_is_not_claimed(desk: "Desk", saved: Path) -> None:
    desk.edit("invariants/turnstile.py", "entries_are_paid", "all_pay")
    desk.edit("models/faults/turnstile.py", "entries_are_paid", "all_pay")
    on = row(desk, "turnstile.stays_open")
    assert on["code"] == 3
    assert "claims no entries_are_paid" in on["because"]


def test_no_meaning(desk: "Desk", saved: Path) -> None:
    desk.edit(MODEL, "    new.coins[g] = s.coins[g] + 1", "    new.coins[g] = s.coins[g] + 3")
    on = row(desk, "turnstile")
    assert (on["code"], on["verdict"]) == (2, "error")
    assert on["error"]["function"] == "coin"


def test_a_revision(repository: "Desk") -> None:
    record(repository)
    repository.edit(MODEL, "    require(s.arm[g] == Arm.OPEN)\n", "")
    assert row(repository, "turnstile")["code"] == 1
    on = row(repository, "main:turnstile")
    assert (on["code"], on["version"]) == (0, "main:turnstile")
    assert row(repository, "main:turnstile.stays_open")["code"] == 1
    ran = repository.run("replay", FILE, "--on", "main:turnstile.stays_open")
    assert "<- changed by the fault stays_open" in ran.out


@pytest.mark.parametrize(
    ("options", "error"),
    [
        (["--on", "nobody"], "there is no model 'nobody'"),
        (["--on", "turnstile.nobody"], "turnstile has no fault and no proposal 'nobody'"),
        (["--on", "nowhere:turnstile"], "git rev-parse"),
        (["--scope", "small"], "--scope is that of another version"),
        (["--on", "turnstile", "--pytest", "test_it.py"], "--on does not go with --pytest"),
    ],
)
def test_what_cannot_be_asked(desk: "Desk", saved: Path, options: list[str], error: str) -> None:
    ran = desk.run("replay", FILE, *options)
    assert ran.code == 2
    assert error in ran.err


CLAIM = """

from lockstep import leads_to
from models.turnstile import coin, push


@leads_to(weak=push, strong=coin)
def is_passed(s, g: Gate):
    return s.arm[g] == Arm.OPEN, s.arm[g] != Arm.OPEN
"""
LASSO = "kept/turnstile-is_passed.itf.json"


def test_a_behaviour_that_goes_on_for_ever(desk: "Desk") -> None:
    with (desk.root / "invariants/turnstile.py").open("a") as invariants:
        invariants.write(CLAIM)
    assert desk.run("check", "turnstile", "--save", "kept").code == 1
    again = desk.run("replay", LASSO, "--on", "turnstile")
    assert (again.code, "fairness:" in again.out) == (1, True)
    desk.edit("invariants/turnstile.py", "weak=push, strong=coin", "weak=each(push), strong=coin")
    desk.edit("invariants/turnstile.py", "import leads_to", "import each, leads_to")
    kept = desk.run("replay", LASSO, "--on", "turnstile")
    assert kept.code == 0
    assert "is_passed holds along this behaviour on turnstile" in kept.out
    assert row(desk, "turnstile", file=LASSO)["loop"] is not None
    desk.edit(MODEL, "    new.coins[g] = 0\n", "")
    assert desk.run("replay", LASSO, "--on", "turnstile").code in (0, 3)
