import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from lockstep.language import faults
from lockstep.language.loader import Universe
from lockstep.pages import progress
from lockstep.results.search_result import Progress
from lockstep.words import indented

if TYPE_CHECKING:
    from tests.cli.conftest import Desk

SAVED = ".lockstep/counterexamples/turnstile-entries_are_paid.itf.json"


def break_push(desk: "Desk") -> None:
    """A visitor that pushes goes in twice."""
    desk.edit("models/turnstile.py", "= s.entries[g] + 1", "= s.entries[g] + 2")
    desk.edit("models/turnstile.py", "require(s.arm[g] == Arm.OPEN)", TWICE)


TWICE = "require(s.arm[g] == Arm.OPEN and s.entries[g] == 0)"


def test_every_model_is_checked_in_its_default_scope(desk: "Desk") -> None:
    ran = desk.run("check")
    assert ran.code == 0
    assert ran.out.startswith("scope default\n")
    rows = [line.split()[:6] for line in ran.out.splitlines() if re.match("letters|turn", line)]
    assert rows == [
        ["letters", "violated", "2", "83", "124", "6"],
        ["turnstile", "holds", "3", "64", "208", "10"],
    ]
    assert "as pinned" in ran.out
    assert "2 models: 1 holds, 1 violated" in ran.out
    assert "\x1b" not in ran.out


@pytest.mark.parametrize("engine", ["python", "compiled"])
def test_json_is_all_that_is_printed(desk: "Desk", engine: str) -> None:
    ran = desk.run("check", "turnstile", "--scope", "small", "--engine", engine, "--json")
    assert ran.code == 0
    assert ran.json["version"] == 2
    (row,) = ran.json["results"]
    assert (row["model"], row["scope"]) == ("turnstile", "small")
    assert row["engine"] == engine
    assert (row["verdict"], row["because"]) == ("holds", "")
    assert (row["states"], row["transitions"], row["depth"]) == (5, 7, 4)
    assert row["details"]["fired"] == {"coin": 2, "push": 2, "jam": 0, "collect": 3}
    assert row["seconds"] >= 0
    assert ran.json["summary"]["holds"] == 1
    assert ran.json["summary"]["exit_code"] == 0


def test_verbose_counts_how_often_each_action_fired(desk: "Desk") -> None:
    ran = desk.run("check", "turnstile", "--scope", "small", "-v")
    assert re.search(r"coin +2\n +push +2\n +jam +0\n +collect +3\n", ran.out)
    assert "as pinned in specs/turnstile.toml: verdict holds, states 5" in ran.out


def test_a_violation_says_what_why_how_and_how_to_see_it_again(desk: "Desk") -> None:
    break_push(desk)
    ran = desk.run("check", "turnstile")
    assert ran.code == 1
    block = ran.out[ran.out.index("violated  turnstile.") :]
    assert block == (
        "violated  turnstile.entries_are_paid\n"
        "  Nobody gets in without a coin.\n"
        "  9-1  Every entry shall be paid for.\n"
        "  fails for g=east\n"
        "\n"
        "    0  the initial state\n"
        "         arm = {all: LOCKED}\n"
        "         2 other variables are 0, False, None or empty\n"
        "    1  coin(g=east)                                     models/turnstile.py:33\n"
        "         arm[east]: LOCKED -> OPEN\n"
        "         coins[east]: 0 -> 1\n"
        "    2  push(g=east)                                     models/turnstile.py:41\n"
        "         arm[east]: OPEN -> LOCKED\n"
        "         entries[east]: 0 -> 2\n"
        "    entries_are_paid(g=east) is false                invariants/turnstile.py:9\n"
        "         s.entries[g] <= s.coins[g]                 invariants/turnstile.py:11\n"
        "         s.entries[g] = 2\n"
        "         s.coins[g] = 1\n"
        "\n"
        f"  saved to {SAVED}\n"
        f"  reproduce with  lockstep replay {SAVED}\n"
        "  as a test       the same with --pytest FILE\n"
        "\n"
        "violated: turnstile.entries_are_paid\n"
    )
    assert (desk.root / SAVED).is_file()
    assert (desk.root / ".lockstep/.gitignore").read_text() == "*\n"


def test_violation_in_json(desk: "Desk") -> None:
    break_push(desk)
    (row,) = desk.run("check", "turnstile", "--json").json["results"]
    assert (row["violated"], row["violates"]) == ("entries_are_paid", ["entries_are_paid"])
    details = row["details"]
    assert (details["requirements"], details["parameters"]) == (["9-1"], {"g": "east"})
    assert details["steps"] == [
        {"action": "coin", "parameters": {"g": "east"}},
        {"action": "push", "parameters": {"g": "east"}},
    ]
    assert Path(row["trace"]) == desk.root / SAVED


def test_the_printed_test_fails_while_the_bug_is_there_and_passes_after(desk: "Desk") -> None:
    break_push(desk)
    out = desk.run("check", "turnstile", "--pytest").out
    program = out[out.index("from lockstep") : out.index('entries_are_paid")') + 19]
    file = desk.root / "test_pasted.py"
    file.write_text(program + "\n", encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(file)]
    failing = subprocess.run(command, cwd=desk.root, capture_output=True, text=True, check=False)
    assert failing.returncode == 1
    assert "1 failed" in failing.stdout
    assert "AssertionError" in failing.stdout
    desk.edit("models/turnstile.py", "= s.entries[g] + 2", "= s.entries[g] + 1")
    passing = subprocess.run(command, cwd=desk.root, capture_output=True, text=True, check=False)
    assert passing.returncode == 0
    assert "1 passed" in passing.stdout


def test_a_differing_count_has_a_verdict_of_its_own(desk: "Desk") -> None:
    desk.edit("specs/turnstile.toml", "states = 5\n", "states = 6\n")
    ran = desk.run("check", "turnstile", "--scope", "small")
    assert ran.code == 4
    assert re.search(r"turnstile +differs +3 +5 ", ran.out)
    assert "because  differs from what is pinned: states expected 6, found 5" in ran.out
    assert "reproduce with  lockstep check turnstile --scope small" in ran.out
    (row,) = desk.run("check", "turnstile", "--scope", "small", "--json").json["results"]
    assert (row["verdict"], row["exit_code"]) == ("differs", 4)
    assert row["details"]["differences"] == [{"name": "states", "expected": 6, "found": 5}]


def test_a_differing_count_hides_no_silence(desk: "Desk") -> None:
    desk.edit("specs/turnstile.toml", "states = 5\n", "states = 6\n")
    desk.edit("specs/turnstile.toml", '[scopes.small.idle]\n"CAN_JAM is false" = ["jam"]\n', "")
    ran = desk.run("check", "turnstile", "--scope", "small")
    assert ran.code == 3
    assert "never fired in this scope: jam; differs from what is pinned" in ran.out


def test_another_violation_than_the_pinned_one_is_violated(desk: "Desk") -> None:
    desk.edit(
        "specs/letters.toml",
        'violates = ["boxes_hold_one_letter"]',
        'violates = ["the_pleased_have_letters"]',
    )
    ran = desk.run("check", "letters")
    assert ran.code == 1
    expected = "violates expected the_pleased_have_letters, found boxes_hold_one_letter"
    assert expected in ran.out


def test_a_pinned_violation_names_a_property(desk: "Desk") -> None:
    desk.edit("specs/letters.toml", 'violates = ["boxes_hold_one_letter"]', 'violates = ["boxes"]')
    ran = desk.run("check", "letters")
    assert ran.code == 2
    assert "letters has no such property" in ran.out
    desk.edit("specs/letters.toml", 'violates = ["boxes"]\n', "")
    ran = desk.run("check", "letters")
    assert ran.code == 2
    assert "scopes.default.violates: is missing" in ran.out


def test_a_model_without_properties_is_not_checked(desk: "Desk") -> None:
    (desk.root / "invariants/turnstile.py").unlink()
    ran = desk.run("check", "turnstile", "--scope", "small")
    assert ran.code == 3
    assert re.search(r"turnstile +inconclusive +0 +5 ", ran.out)
    assert "nothing is claimed: invariants/turnstile.py has no property" in ran.out


def test_a_scope_that_is_not_run_is_read_all_the_same(desk: "Desk") -> None:
    with (desk.root / "specs/turnstile.toml").open("a") as spec:
        spec.write('[scopes.wide]\npurpose = "More."\nconstants = { GATE = ["east"] }\n')
    ran = desk.run("check", "turnstile", "--scope", "small")
    assert ran.code == 2
    assert "scopes.wide.constants.GATE: turnstile has no such constant" in ran.out
    assert "did you mean GATES?" in ran.out


LOST = {
    "invariants/turnstyle.py": "there is no model turnstyle; did you mean turnstile?",
    "models/faults/letter.py": "there is no model letter; did you mean letters?",
    "specs/turnstiles.toml": (
        "there is no model turnstiles; did you mean turnstile? (requirements are in kip_N.toml)"
    ),
    "models/old/door.py": "models and claims are read from no other folder below",
    "models/steps.py": "it declares no state, and no other file imports it",
}


@pytest.mark.parametrize("file", LOST)
def test_a_file_that_nothing_reads_is_named(desk: "Desk", file: str) -> None:
    path = desk.root / file
    path.parent.mkdir(exist_ok=True)
    path.write_text("from lockstep import action\n@action\ndef open(s, new): ...\n")
    ran = desk.run("check")
    assert ran.code == 2
    assert f"not read  {file}: {LOST[file]}\n" in ran.out
    assert "2 models: 1 holds, 1 violated" in ran.out
    unread = desk.run("check", "--json").json["summary"]["not_read"]
    assert unread == [{"file": file, "why": LOST[file], "mistake": True}]


def test_proofs_and_twins_are_not_made_beside_files_that_nothing_reads(desk: "Desk") -> None:
    (desk.root / "invariants/turnstyle.py").write_text("from lockstep import invariant\n")
    for verb in ("prove", "twin"):
        ran = desk.run(verb)
        assert ran.code == 2
        assert "not read: invariants/turnstyle.py: there is no model turnstyle" in ran.err


def test_a_bound_that_is_not_met_leaves_the_pins(desk: "Desk") -> None:
    desk.edit("specs/turnstile.toml", "states = 5\n", "states = 6\n")
    ran = desk.run("check", "turnstile", "--scope", "small", "--max-seconds", "3600")
    assert ran.code == 4
    assert "states expected 6, found 5" in ran.out


def test_a_property_cannot_be_called_deadlock(desk: "Desk") -> None:
    desk.edit("invariants/turnstile.py", "def entries_are_paid(", "def deadlock(")
    ran = desk.run("check", "turnstile")
    assert ran.code == 2
    assert "a property cannot be called deadlock" in ran.out


def test_a_hidden_file_is_skipped_and_named(desk: "Desk") -> None:
    (desk.root / "models/.#turnstile.py").symlink_to("somebody@somewhere.1234")
    ran = desk.run("check")
    assert ran.code == 0
    assert "not read  models/.#turnstile.py: its name begins with a dot\n" in ran.out
    (row,) = desk.run("check", "--json").json["summary"]["not_read"]
    assert row["mistake"] is False


def test_pinning_keeps_the_verdict_of_a_scope_that_is_to_be_violated(desk: "Desk") -> None:
    desk.edit("specs/letters.toml", "states = 83\n", "states = 84\n")
    ran = desk.run("check", "letters", "--pin")
    assert "pinned   states 83 instead of 84" in ran.out
    text = (desk.root / "specs" / "letters.toml").read_text("utf-8")
    assert 'verdict = "violated"\nviolates = ["boxes_hold_one_letter"]\nstates = 83\n' in text
    assert desk.run("check", "letters").code == 0


def test_an_unpinned_scope_says_so(desk: "Desk") -> None:
    desk.edit("specs/turnstile.toml", "depth = 4\n", "")
    ran = desk.run("check", "turnstile", "--scope", "small")
    assert ran.code == 0
    assert "not pinned in specs/turnstile.toml: depth" in ran.out


def test_an_action_that_never_fires_is_no_proof(desk: "Desk") -> None:
    desk.edit("specs/turnstile.toml", '[scopes.small.idle]\n"CAN_JAM is false" = ["jam"]\n', "")
    ran = desk.run("check", "turnstile", "--scope", "small")
    assert ran.code == 3
    assert "inconclusive" in ran.out
    assert "because  never fired in this scope: jam" in ran.out


def test_a_premise_that_never_holds_is_no_proof(desk: "Desk") -> None:
    desk.edit("invariants/turnstile.py", "new.arm[g] == Arm.OPEN)", "new.coins[g] < 0)")
    ran = desk.run("check", "turnstile", "--scope", "small")
    assert ran.code == 3
    assert "premise never true in this scope: opens_only_for_a_coin" in ran.out
    with (desk.root / "specs/turnstile.toml").open("a") as spec:
        spec.write('[scopes.small.vacuous]\n"said" = ["opens_only_for_a_coin"]\n')
    assert desk.run("check", "turnstile", "--scope", "small").code == 0


def test_a_declaration_that_is_no_longer_true_is_reported(desk: "Desk") -> None:
    desk.edit("specs/turnstile.toml", '["jam"]', '["push", "jam"]')
    ran = desk.run("check", "turnstile", "--scope", "small", "--json")
    assert ran.code == 4
    assert ran.json["results"][0]["details"]["stale"] == ["push"]


def test_a_declaration_of_nothing_is_refused(desk: "Desk") -> None:
    desk.edit("specs/turnstile.toml", '["jam"]', '["jamm"]')
    ran = desk.run("check", "turnstile", "--scope", "small")
    assert ran.code == 2
    assert "scopes.small.idle.jamm: turnstile has no such action" in ran.out


def test_changed_constants_are_not_held_against_pins(desk: "Desk") -> None:
    ran = desk.run("check", "turnstile", "--set", 'GATES=["east"]', "--set", "MAX_COINS=1")
    assert ran.code == 0
    assert re.search(r"turnstile +holds +3 +5 ", ran.out)
    assert "pinned" not in ran.out


@pytest.mark.parametrize("engine", ["python", "compiled", "spark"])
def test_a_bound_is_inconclusive_and_says_what_was_covered(desk: "Desk", engine: str) -> None:
    ran = desk.run("check", "turnstile", "--engine", engine, "--max-states", "20")
    assert ran.code == 3
    assert (
        "because  stopped as bounded, with 19 states known; "
        "every behaviour of up to 3 steps is covered\n" in ran.out
    )
    again = f"lockstep check turnstile --scope default --engine {engine} --max-states 20"
    assert again in ran.out
    assert desk.run("check", "turnstile", "--engine", engine, "--max-states", "64").code == 0


NO_MEANING = """
error[no-meaning]: coin: coins['east'] = 3 is not in 0..2
  --> models/turnstile.py:37:5
   |
37 |     new.coins[g] = s.coins[g] + 1
   |     ^^^^^^^^^^^^
   = why: a variable, a field and a key hold values of their own domain only
   = cure: exclude it first with `require(...)`, bring the value into 0..2, or widen that domain
"""


def test_text_without_meaning_is_an_error_with_the_way_to_it(desk: "Desk") -> None:
    desk.edit("models/turnstile.py", " and has_room(s, g))", ")")
    ran = desk.run("check", "turnstile", "--scope", "small")
    assert ran.code == 2
    assert re.search(r"turnstile +error +\d", ran.out)
    assert NO_MEANING in ran.out
    assert re.search(r"^    4  push\(g=east\) +models/turnstile\.py:\d+$", ran.out, re.MULTILINE)
    assert "turnstile-error.itf.json" in ran.out
    again = desk.run("replay", ".lockstep/counterexamples/turnstile-error.itf.json")
    assert again.code == 2
    assert "  37 |     new.coins[g] = s.coins[g] + 1\n" in indented(again.out, 2)
    assert again.out.splitlines()[-1].startswith("error  models/turnstile.py:37: coin: ")
    again = desk.run("replay", ".lockstep/counterexamples/turnstile-error.itf.json")
    assert again.code == 2
    assert "coin: coins['east'] = 3 is not in 0..2" in again.out


def test_a_state_without_successors_is_a_deadlock_unless_allowed(desk: "Desk") -> None:
    desk.edit("specs/letters.toml", 'deadlock = "allowed"\ndeadlock_reason = "letters run out"', "")
    ran = desk.run("check", "letters", "--scope", "small")
    assert ran.code == 1
    assert "violated  letters.deadlock" in ran.out
    assert "No step leads from the last state to another" in ran.out
    assert desk.run("replay", ".lockstep/counterexamples/letters-deadlock.itf.json").code == 1


def test_a_goal_that_nothing_reaches(desk: "Desk") -> None:
    desk.edit("invariants/turnstile.py", "s.entries[g] > 0", "s.entries[g] > MAX")
    desk.edit("invariants/turnstile.py", "from models.turnstile", "MAX = 7\nfrom models.turnstile")
    ran = desk.run("check", "turnstile", "--scope", "small")
    assert ran.code == 1
    assert "never reached  turnstile.somebody_gets_in" in ran.out
    assert "9-3  Whoever pays shall get in." in ran.out


def test_one_broken_model_does_not_hide_the_others(desk: "Desk") -> None:
    desk.edit("models/letters.py", "new.hand = letter", "new.hand = [letter]")
    ran = desk.run("check")
    assert ran.code == 2
    assert "not checked: error[" in ran.out
    assert re.search(r"turnstile +holds +3 +64 ", ran.out)
    (broken, fine) = desk.run("check", "--json").json["results"]
    assert (broken["verdict"], broken["exit_code"], fine["verdict"]) == ("error", 2, "holds")


@pytest.mark.parametrize(
    ("arguments", "reported"),
    [
        (["check", "turnstyle"], "there is no model 'turnstyle'\n  cure: did you mean turnstile?"),
        (["check", "x"], "cure: the models are: letters, turnstile"),
        (
            ["check", "--engine", "tlc"],
            "cure: the engines are: auto, compiled, python",
        ),
        (["check", "--set", "GATES"], "cure: write --set NAME=VALUE"),
        (["check", "--set", "N=1", "--set", "N=2"], "--set gives N two values"),
        (["check", "--fault", "stays_open"], "cure: name the model before it"),
        (["faults", "--scope", "small"], "No such option: --scope"),
        (["check", "--results", "rows.jsonl"], "No such option: --results"),
        (
            ["check", "--hypothesis", "5", "--checkpoint", "f"],
            "--hypothesis does not go with --checkpoint",
        ),
        (["check", "--max-states", "0"], "Invalid value for '--max-states'"),
        (["chekc"], "No such command 'chekc'"),
    ],
)
def test_wrong_use_is_one_clear_line(desk: "Desk", arguments: list[str], reported: str) -> None:
    ran = desk.run(*arguments)
    assert ran.code == 2
    assert reported in ran.err
    assert ran.out == ""


@pytest.mark.parametrize(
    ("arguments", "reported"),
    [
        (["--set", "COINS=3"], "turnstile has no constant COINS"),
        (["--set", "MAX_COINS=1.5"], "no constant can be"),
        (["--fault", "stays_opn"], "did you mean stays_open?"),
        (["--fault", "melts"], "its faults are: stays_open, kicked_open"),
        (["--scope", "small", "--fault", "melts"], "its faults are: stays_open, kicked_open"),
    ],
)
def test_what_one_model_lacks(desk: "Desk", arguments: list[str], reported: str) -> None:
    ran = desk.run("check", "turnstile", *arguments)
    assert ran.code == 2
    assert reported in ran.out + ran.err


def test_a_scope_that_no_model_has(desk: "Desk") -> None:
    """It is refused before anything is printed; a damaged file is for its own row to report."""
    ran = desk.run("check", "turnstile", "--scope", "smal")
    assert (ran.code, ran.out) == (2, "")
    assert "turnstile has no scope 'smal'" in ran.err
    assert "did you mean small?" in ran.err
    (desk.root / "models/other.py").write_text((desk.root / "models/turnstile.py").read_text())
    ran = desk.run("check", "--scope", "zzz")
    assert (ran.code, ran.out) == (2, "")
    assert "no model has a scope 'zzz'\n  cure: there are: " in ran.err
    (desk.root / "specs/other.toml").write_text("damaged")
    ran = desk.run("check", "--scope", "smal")
    assert ran.code == 2
    assert "is not TOML" in ran.out


def test_a_fault_in_place(desk: "Desk") -> None:
    ran = desk.run("check", "turnstile", "--scope", "small", "--fault", "stays_open")
    assert ran.code == 1
    file = ".lockstep/counterexamples/turnstile-entries_are_paid-stays_open.itf.json"
    assert desk.run("replay", file).code == 1


def test_faults_are_loaded_for_the_plan_and_for_the_model(
    desk: "Desk", monkeypatch: pytest.MonkeyPatch
) -> None:
    """The heading, the scope and the constants are of those that the plan has."""
    loaded = []
    load = faults._faults

    def counted(universe: Universe, name: str) -> dict[str, Callable[..., Any]]:
        loaded.append(name)
        return load(universe, name)

    monkeypatch.setattr(faults, "_faults", counted)
    assert "fault  stays_open: " in desk.run("check", "turnstile", "--fault", "stays_open").out
    assert len(loaded) == 2


def test_two_faults_in_place(desk: "Desk") -> None:
    """A trace needs both, says so, and is replayed with both; so do the other verbs."""
    both = ("--fault", "stays_open", "--fault", "kicked_open")
    ran = desk.run("check", "turnstile", *both, "--only", "entries_are_paid", "--json")
    assert ran.code == 1
    (result,) = ran.json["results"]
    assert (result["fault"], result["scope"]) == ("stays_open+kicked_open", "default")
    actions = [step["action"] for step in result["details"]["steps"]]
    assert actions == ["kicked_open", "push"]
    file = ".lockstep/counterexamples/turnstile-entries_are_paid-stays_open+kicked_open.itf.json"
    replayed = desk.run("replay", file)
    assert replayed.code == 1
    assert "<- possible only by the fault kicked_open" in replayed.out
    assert "<- changed by the fault stays_open" in replayed.out
    assert "stays_open+kicked_open" in replayed.out
    assert desk.run("replay", file, "--on", "turnstile.kicked_open").code == 1
    assert desk.run("replay", file, "--on", "turnstile").code == 3
    named = desk.run("check", "turnstile", "--fault", "stays_open+kicked_open", "--github")
    assert named.code == 1
    assert "with the faults stays_open and kicked_open" in named.out
    review = desk.run("review", "turnstile", "turnstile.stays_open+kicked_open", "--brief")
    assert "turnstile.stays_open+kicked_open" in review.out


def test_two_faults_that_exclude_each_other_are_refused(desk: "Desk") -> None:
    with (desk.root / "models/faults/turnstile.py").open("a") as faults:
        faults.write(
            '\n@fault(replaces=push, breaks="entries_are_paid")\n'
            "def pushes_on(s, new, g: Gate):\n"
            "    push(s, new, g)\n"
        )
    ran = desk.run("check", "turnstile", "--fault", "stays_open", "--fault", "pushes_on")
    assert ran.code == 2
    assert "the faults stays_open and pushes_on both replace push" in ran.out
    for verb in ("check", "explore", "prove"):
        ran = desk.run(verb, "turnstile", "--fault", "stays_open", "--fault", "stays_open")
        assert ran.code == 2
        assert "the fault stays_open is named twice" in ran.out + ran.err


def test_a_fault_in_its_own_scope(desk: "Desk") -> None:
    """With the constants that it needs, but where others are asked for."""
    own = "replaces=push, constants={'MAX_COINS': 3}, "
    desk.edit("models/faults/turnstile.py", "replaces=push, ", own)
    ran = desk.run("check", "turnstile", "--fault", "stays_open")
    assert ran.code == 1
    assert re.search(r"\nturnstile +violated", ran.out)
    file = desk.root / ".lockstep/counterexamples/turnstile-entries_are_paid-stays_open.itf.json"
    assert '"MAX_COINS": 3' in file.read_text()
    ran = desk.run(
        "check", "turnstile", "--fault", "stays_open", "--scope", "default", "--set", "MAX_COINS=4"
    )
    assert re.search(r"\nturnstile +violated", ran.out)
    assert '"MAX_COINS": 4' in file.read_text()


def test_traces_are_saved_where_asked(desk: "Desk") -> None:
    break_push(desk)
    ran = desk.run("check", "turnstile", "--save", "kept/here")
    assert "lockstep replay kept/here/turnstile-entries_are_paid.itf.json" in ran.out
    assert (desk.root / "kept/here/turnstile-entries_are_paid.itf.json").is_file()
    assert not (desk.root / ".lockstep/counterexamples").exists()


def test_a_folder_that_cannot_be_written_loses_no_verdict(desk: "Desk") -> None:
    break_push(desk)
    (desk.root / "taken").write_text("a file, not a folder")
    ran = desk.run("check", "turnstile", "--save", "taken")
    assert ran.code == 1
    assert "violated  turnstile.entries_are_paid" in ran.out
    assert "not saved: taken/turnstile-entries_are_paid.itf.json cannot be written" in ran.out
    assert "reproduce with  lockstep check turnstile --scope default" in ran.out


def test_ctrl_c_keeps_what_was_found(desk: "Desk", monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def interrupting(
        title: str, expected: int | None
    ) -> Iterator[Callable[[Progress], None] | None]:
        def interrupt(now: Progress) -> None:
            raise KeyboardInterrupt

        yield interrupt if title.startswith("turnstile") else None

    monkeypatch.setattr(progress, "progress_line", interrupting)
    ran = desk.run("check", "letters", "turnstile", "letters")
    assert ran.code == 130
    assert re.search(r"letters +violated +2 +83 ", ran.out)
    assert re.search(r"turnstile +inconclusive +2/3 +1 ", ran.out)
    assert "interrupted, with 1 state known; every behaviour of up to 0 steps is covered" in ran.out
    ran = desk.run("check", "turnstile", "letters", "--json")
    assert ran.code == 130
    assert ran.json["results"][0]["details"]["interrupted"] is True
    assert ran.json["summary"]["not_checked"] == ["letters"]


def test_an_output_folder_that_cannot_be_made_loses_no_verdict(desk: "Desk") -> None:
    break_push(desk)
    (desk.root / ".lockstep").write_text("a file, not a folder")
    ran = desk.run("check", "turnstile")
    assert ran.code == 1
    assert ".lockstep cannot be written: File exists" in ran.out


def test_pin_writes_the_counts_that_are_asked_for(desk: "Desk") -> None:
    desk.edit("specs/turnstile.toml", "states = 64\n", "")
    assert "not pinned in specs/turnstile.toml: states" in desk.run("check", "turnstile").out
    ran = desk.run("check", "turnstile", "--pin")
    assert ran.code == 0
    assert "  pinned   states 64\n" in ran.out
    assert "not pinned" not in desk.run("check", "turnstile").out
    broken = desk.run("check", "turnstile", "--pin", "--set", "MAX_COINS=1")
    assert broken.code == 2


def test_what_is_violated_is_not_pinned(desk: "Desk") -> None:
    break_push(desk)
    before = (desk.root / "specs/turnstile.toml").read_bytes()
    assert desk.run("check", "turnstile", "--pin").code == 1
    assert (desk.root / "specs/turnstile.toml").read_bytes() == before


def test_tables_fit_eighty_columns_and_the_last_line_names_what_is_violated(desk: "Desk") -> None:
    break_push(desk)
    ran = desk.run("check", "--all", "-v")
    lines = ran.out.splitlines()
    rows = [line for line in lines if re.match("(model|letters|turnstile) ", line)]
    assert len(rows) == 3
    assert max(map(len, rows)) <= 80
    assert lines.index(rows[-1]) < next(i for i, x in enumerate(lines) if "violated  turn" in x)
    assert lines[-1] == "violated: turnstile.entries_are_paid, turnstile.deadlock"


def test_a_requirement_that_is_in_no_file_is_one_clear_line(desk: "Desk") -> None:
    desk.edit("invariants/turnstile.py", '"9-2"', '"227-6"')
    ran = desk.run("check")
    assert ran.code == 2
    assert (
        "  not checked: invariants/turnstile.py:14: opens_only_for_a_coin states 227-6, "
        "which has no row in specs/kip_9.toml\n"
    ) in ran.out
    assert re.search(r"\nletters +violated", ran.out), "the other models are checked"
    (_, row) = desk.run("check", "--json").json["results"]
    assert (row["verdict"], row["exit_code"]) == ("error", 2)


def test_all_says_what_comes_of_the_rest(desk: "Desk") -> None:
    with (desk.root / "invariants/turnstile.py").open("a") as claims:
        claims.write(
            "\n\n@invariant\ndef there_are_no_coins(s, g: Gate):\n    return s.coins[g] < 1\n"
        )
    ran = desk.run("check", "turnstile", "--all")
    assert ran.code == 1
    assert "\n  because  there_are_no_coins is violated after 1 step\n  rest     holds\n" in ran.out
    ran = desk.run("check", "turnstile", "--all", "--max-states", "20")
    assert ran.code == 1
    assert "\n  rest     inconclusive: stopped as bounded, with " in ran.out
    assert (
        "\nreproduce with  lockstep check turnstile --scope default --max-states 20 --all\n"
        in ran.out
    )
    (row,) = desk.run("check", "turnstile", "--all", "--json").json["results"]
    rest = row["details"]["rest"]
    assert (row["verdict"], rest["verdict"], rest["states"]) == ("violated", "holds", 64)
    (row,) = desk.run("check", "turnstile", "--json").json["results"]
    assert row["details"]["rest"] is None


def test_all_shows_where_the_rest_has_no_meaning(desk: "Desk") -> None:
    desk.edit("models/turnstile.py", "s.entries[g] + 1", "s.entries[g] - 1")
    with (desk.root / "invariants/turnstile.py").open("a") as claims:
        claims.write(
            "\n\n@invariant\ndef there_are_no_coins(s, g: Gate):\n    return s.coins[g] < 1\n"
        )
    ran = desk.run("check", "turnstile", "--all")
    assert ran.code == 2
    assert "\n  because  there_are_no_coins is violated after 1 step\n  rest     error\n" in ran.out
    assert "\nviolated  turnstile.there_are_no_coins\n" in ran.out
    assert "the text has no meaning in the last state of this behaviour" in ran.out
    assert (desk.root / ".lockstep/counterexamples/turnstile-error.itf.json").exists()
    (row,) = desk.run("check", "turnstile", "--all", "--json").json["results"]
    rest = row["details"]["rest"]
    assert (row["exit_code"], rest["verdict"]) == (2, "error")
    assert rest["details"]["error"]["function"] == "push"
    assert len(rest["details"]["steps"]) == 1
