"""What `lockstep review` prints of actions; how they are compared is tested in tests/review."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.cli.conftest import Desk


def propose(desk: "Desk", name: str, text: str) -> str:
    folder = desk.root / "models" / "proposals" / "turnstile"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.py").write_text(text, encoding="utf-8")
    return f"turnstile.{name}"


def actions_of(desk: "Desk", head: str, *options: str) -> list[str]:
    """The lines about actions, which come after the scopes."""
    ran = desk.run("review", "turnstile", head, "--scope", "default", *options)
    return after_scopes(ran.out)


def after_scopes(out: str) -> list[str]:
    """The lines from the title of the actions on, up to the seconds that they took."""
    lines = out.splitlines()
    first = next(number for number, line in enumerate(lines) if ", actions: " in line)
    end = next(number for number, line in enumerate(lines) if line.startswith("  decided in"))
    return lines[first : end + 1]


WAITS = """
from lockstep import replaces, require
from models.turnstile import Arm, Gate, jam


@replaces(jam)
def jams_when_paid_for(s, new, g: Gate):
    require(s.arm[g] == Arm.LOCKED and s.coins[g] == 1)
    new.arm[g] = Arm.JAMMED
"""


def test_a_guard_that_is_narrower_is_shown_with_its_line(desk: "Desk") -> None:
    lines = actions_of(desk, propose(desk, "waits", WAITS))
    assert lines[:-3] == [
        "turnstile -> turnstile.waits, actions: 1 strengthened, 3 same",
        "  strengthened  jam(g)",
        "    the texts part at models/turnstile.py:51 -> models/proposals/turnstile/waits.py:8",
        "    jam(g=east)",
        "      in the initial state",
        "      BASE takes it:",
        "        arm[east]: LOCKED -> JAMMED",
        "      HEAD does not: models/proposals/turnstile/waits.py:8 requires s.coins[g] == 1",
        "        s.coins[g] = 0",
    ]
    assert "compared at scope default, in all states within the types" in lines[-3]


def test_a_brief_review_names_what_becomes_of_an_action(desk: "Desk") -> None:
    lines = actions_of(desk, propose(desk, "waits", WAITS), "--brief")
    assert lines[1:3] == [
        "  strengthened  jam(g)",
        "    the texts part at models/turnstile.py:51 -> models/proposals/turnstile/waits.py:8",
    ]
    assert not any("takes it" in line for line in lines)


COUNTS = """
from lockstep import Range, action, replaces, require
from models.turnstile import Arm, Gate, Turnstile, has_room, push


class Counting(Turnstile):
    pushes: Range(0, 1) = 0


@replaces(has_room)
def has_place(s: Counting, g):
    return not s.coins[g] > 1


@replaces(push)
def push_and_count(s: Counting, new: Counting, g: Gate):
    require(s.arm[g] == Arm.OPEN)
    new.arm[g] = Arm.LOCKED
    new.entries[g] = s.entries[g] + 1
    new.pushes = 1 - s.pushes


@action
def forget(s: Counting, new: Counting):
    new.pushes = 0
"""


def test_hidden_variables_and_other_words_are_no_difference(desk: "Desk") -> None:
    lines = actions_of(desk, propose(desk, "counts", COUNTS))
    assert lines[0] == "turnstile -> turnstile.counts, actions: 1 added, 4 same"
    assert "  added         forget(), which changes hidden variables alone" in lines
    assert "  same          in other words: coin, push" in lines
    assert "  only HEAD has pushes: with any value" in lines


def test_a_choice_of_another_scope_is_asked_about(desk: "Desk") -> None:
    """Where arms cannot jam, a rule of how they jam shows in no step."""
    desk.edit(
        "specs/turnstile.toml",
        "[scopes.default]",
        '[scopes.wide]\npurpose = "Four gates."\n'
        'constants = { GATES = ["a", "b", "c", "d"], CAN_JAM = false }\n\n[scopes.default]',
    )
    text = WAITS.replace("require(", "require(CAN_JAM and ").replace(
        "Arm, Gate", "CAN_JAM, Arm, Gate"
    )
    ran = desk.run("review", "turnstile", propose(desk, "waits", text), "--max-states", "10")
    lines = after_scopes(ran.out)
    assert lines[1:3] == [
        "  strengthened  jam(g)",
        "    at the constants of scope default; the same at scope wide",
    ]


def test_constants_that_cannot_be_read_are_named(desk: "Desk") -> None:
    desk.edit(
        "specs/turnstile.toml",
        "[scopes.default]",
        '[proofs.odd]\npurpose = "No coins."\nconstants = { MAX_COINS = -1 }\n\n[scopes.default]',
    )
    lines = actions_of(desk, propose(desk, "waits", WAITS))
    assert lines[0] == "turnstile -> turnstile.waits, actions: 1 strengthened, 3 same"
    assert any(line.startswith("  not compared at proof odd: ") for line in lines)


def test_no_time_is_no_answer(desk: "Desk") -> None:
    lines = actions_of(desk, propose(desk, "waits", WAITS), "--action-seconds", "0")
    assert lines[0] == "turnstile -> turnstile.waits, actions: 1 not decided, 3 same"
    assert lines[3] == "    no answer within 0 s; --action-seconds S gives the solver S seconds"


def test_json_has_the_actions(desk: "Desk") -> None:
    head = propose(desk, "waits", WAITS)
    ran = desk.run("review", "turnstile", head, "--scope", "default", "--json")
    (pair,) = ran.json["actions"]
    assert (pair["base"], pair["head"], pair["because"], pair["constants"]) == (
        *("turnstile", head, ""),
        ["scope default"],
    )
    jam = next(one for one in pair["actions"] if one["name"] == "jam")
    assert (jam["strength"], jam["in_order"], jam["at"]) == (
        *("strengthened", "strengthened"),
        "scope default",
    )
    assert (jam["base"], jam["head"]) == (
        "models/turnstile.py:51",
        "models/proposals/turnstile/waits.py:8",
    )
    (example,) = jam["examples"]
    assert (example["taken_by"], example["is_in_order"]) == ("base", True)
    assert example["requires"] == {
        "text": "s.coins[g] == 1",
        "file": "models/proposals/turnstile/waits.py",
        "line": 8,
        "values": {"s.coins[g]": "0"},
    }
    assert example["head"]["after"] is None
    assert example["base"]["after"] != example["base"]["before"]
    assert all(one["is_same_text"] for one in pair["actions"] if one["name"] != "jam")


def test_a_fault_leads_elsewhere(desk: "Desk") -> None:
    lines = actions_of(desk, "turnstile.stays_open")
    assert "  changed       push(g)" in lines
    assert "      BASE takes it:" in lines
    assert "      HEAD takes it:" in lines
