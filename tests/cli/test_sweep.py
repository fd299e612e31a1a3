"""`sweep`, of values and of seeds: one table of many checks."""

import json
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.processes import started

if TYPE_CHECKING:
    from tests.cli.conftest import Desk

FREE_ENTRY = """
from lockstep import replaces, require
from models.turnstile import MAX_COINS, Arm, Gate, push


@replaces(push)
def push_without_a_coin(s, new, g: Gate):
    require(s.entries[g] < MAX_COINS)
    new.arm[g] = Arm.LOCKED
    new.entries[g] = s.entries[g] + 1
"""
CHEAT = 's.arm[g] == Arm.OPEN or MODE == "free"'


def test_each_combination_is_a_row(desk: "Desk") -> None:
    ran = desk.run("sweep", "turnstile", "MAX_COINS=1..2", "CAN_JAM=all")
    lines = ran.out.splitlines()
    assert lines[0].split() == [
        *("model", "scope", "MAX_COINS", "CAN_JAM"),
        *("verdict", "states", "transitions", "depth", "seconds"),
    ]
    rows = [line.split() for line in lines[1:] if line.startswith("turnstile")]
    assert [row[2:4] for row in rows] == [
        ["1", "false"],
        ["1", "true"],
        ["2", "false"],
        ["2", "true"],
    ]
    assert rows[3][4:6] == ["holds", "64"]
    assert rows[0][4] == "inconclusive", "an action never fires, and the scope does not say so"
    assert ran.out.endswith("4 checks: 2 holds, 2 inconclusive\n")
    assert ran.code == 3


def test_a_sweep_of_lists_and_of_set_constants(desk: "Desk") -> None:
    names = 'GATES=["east"],["east","west"]'
    ran = desk.run("sweep", "turnstile", names, "--set", "MAX_COINS=1", "--json", "--no-cache")
    assert [row["constants"] for row in ran.json["results"]] == [
        {"MAX_COINS": 1, "GATES": ["east"]},
        {"MAX_COINS": 1, "GATES": ["east", "west"]},
    ]
    small, large = (row["states"] for row in ran.json["results"])
    assert small**2 == large


def free(desk: "Desk") -> None:
    """Give the turnstile a mode, of which one value lets everybody in."""
    coins = "CAN_JAM: Constant = True"
    desk.edit("models/turnstile.py", coins, f'{coins}\nMODE: Constant = "paid"\n')
    desk.edit("models/turnstile.py", "s.arm[g] == Arm.OPEN", CHEAT)


def test_all_values_of_a_text_are_those_that_it_is_compared_with(desk: "Desk") -> None:
    free(desk)
    ran = desk.run("sweep", "turnstile", "MODE=all")
    assert ran.code == 1
    rows = [line.split()[2:4] for line in ran.out.splitlines() if line.startswith("turnstile")]
    assert rows == [["paid", "holds"], ["free", "violated"]]
    name = "turnstile-entries_are_paid-MODE=free.itf.json"
    assert f"  replay   .lockstep/counterexamples/{name}\n" in ran.out
    replayed = desk.run("replay", f".lockstep/counterexamples/{name}")
    assert replayed.code == 1
    assert "entries_are_paid" in replayed.out


def test_a_row_of_json_has_what_a_notebook_needs(desk: "Desk") -> None:
    free(desk)
    ran = desk.run("sweep", "turnstile", "MODE=all", "--results", "rows.jsonl", "--json")
    violated = ran.json["results"][1]
    assert violated["constants"] == {"MODE": "free"}
    assert (violated["verdict"], violated["violated"]) == ("violated", "entries_are_paid")
    assert violated["length"] == 1
    summary = ran.json["summary"]
    assert (summary["checks"], summary["holds"], summary["violated"]) == (2, 1, 1)
    assert (summary["not_done"], summary["kept"], summary["exit_code"]) == (0, 0, 1)
    rows = [json.loads(line) for line in (desk.root / "rows.jsonl").read_text().splitlines()]
    assert [row["states"] for row in rows] == [row["states"] for row in ran.json["results"]]
    assert [(row["kind"], row["model"], row["trace"]) for row in rows] == [
        ("check", "turnstile", one["trace"]) for one in ran.json["results"]
    ]


def test_what_was_swept_is_not_swept_again(desk: "Desk") -> None:
    options = ("sweep", "turnstile", "MAX_COINS=1..3")
    first = desk.run(*options)
    assert "kept since" not in first.out
    again = desk.run(*options)
    assert "3 rows, kept since" in again.out
    assert again.out.replace("\n3 rows", "\n").startswith(first.out.splitlines()[0])
    assert desk.run(*options, "--json").json["summary"]["kept"] == 3
    assert "kept since" not in desk.run(*options, "--no-cache").out
    more = desk.run("sweep", "turnstile", "MAX_COINS=1..5", "--json")
    assert more.json["summary"]["kept"] == 3
    desk.edit("models/turnstile.py", "from", "# the text has changed\nfrom")
    assert desk.run(*options, "--json").json["summary"]["kept"] == 0


def test_seeds_of_random_walks(desk: "Desk") -> None:
    options = ("--simulate", "20", "--steps", "30", "--seeds", "1..3", "--json")
    ran = desk.run("sweep", "turnstile", *options)
    assert ran.code == 3, "walks say nothing of what they do not come by"
    assert [row["seed"] for row in ran.json["results"]] == [1, 2, 3]
    (one,) = desk.run(
        "check", "turnstile", "--simulate", "20", "--steps", "30", "--seed", "2", "--json"
    ).json["results"]
    assert ran.json["results"][1]["states"] == one["states"]
    assert desk.run("sweep", "turnstile", *options).json["summary"]["kept"] == 3


def test_seeds_of_walks_that_hypothesis_draws(desk: "Desk") -> None:
    options = ("--hypothesis", "40", "--steps", "30", "--seeds", "1..4", "--threads", "2")
    ran = desk.run("sweep", "turnstile", *options, "--json")
    assert ran.code == 3, "walks say nothing of what they do not come by"
    rows = ran.json["results"]
    assert [(row["seed"], row["engine"]) for row in rows] == [
        (n, "hypothesis") for n in range(1, 5)
    ]
    (one,) = desk.run(
        "check", "turnstile", "--hypothesis", "40", "--steps", "30", "--seed", "2", "--json"
    ).json["results"]
    assert rows[1]["transitions"] == one["transitions"]
    more = (*options[:4], "--seeds", "1..5", "--json")
    assert desk.run("sweep", "turnstile", *more).json["summary"]["kept"] == 4
    walks = ("--simulate", *more[1:])
    assert desk.run("sweep", "turnstile", *walks).json["summary"]["kept"] == 0


def test_hypothesis_finds_a_fault_by_each_seed(desk: "Desk") -> None:
    options = ("--fault", "stays_open", "--hypothesis", "100", "--seeds", "1..3", "--json")
    ran = desk.run("sweep", "turnstile", *options)
    assert ran.code == 1
    for row in ran.json["results"]:
        assert (row["violated"], row["length"]) == ("entries_are_paid", 3)
        assert desk.run("replay", row["trace"]).code == 1, "plain Python takes the same steps"


def test_a_proposal_is_swept(desk: "Desk") -> None:
    file = desk.root / "models" / "proposals" / "turnstile" / "free_entry.py"
    file.parent.mkdir(parents=True)
    file.write_text(FREE_ENTRY, encoding="utf-8")
    sweep = ("sweep", "turnstile", "MAX_COINS=1..2", "--json")
    assert [row["proposal"] for row in desk.run(*sweep).json["results"]] == [None, None]
    ran = desk.run(*sweep, "--proposal", "free_entry")
    assert ran.code == 1
    for row in ran.json["results"]:
        assert (row["proposal"], row["violated"]) == ("free_entry", "entries_are_paid")
        assert desk.run("replay", row["trace"]).code == 1
    assert desk.run(*sweep, "--proposal", "free_entry").json["summary"]["kept"] == 2


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (
            ["MAX_COIN=1..3"],
            "has no constant 'MAX_COIN'\n  cure: did you mean MAX_COINS",
        ),
        (["MAX_COINS=all"], "nobody can tell all values of MAX_COINS"),
        (["MAX_COINS=one,two"], "'one' is of another type"),
        (["CAN_JAM=0..1"], "0 is of another type"),
        (["MAX_COINS=5..2"], "is empty"),
        (["MAX_COINS=1..999999"], "more than 100,000 numbers"),
        (["MAX_COINS"], "no values are given to check with"),
        (["MAX_COINS="], "'MAX_COINS=' gives no values"),
        (["MAX_COINS=1", "MAX_COINS=2"], "MAX_COINS is given twice"),
        (["MAX_COINS=1..2", "MAX_COINS=3"], "MAX_COINS is given twice"),
        (["MAX_COINS=1..2", "--set", "MAX_COINS=3"], "by --set and by values to sweep"),
        (["MAX_COINS=1..2", "--pin"], "No such option: --pin"),
        (["MAX_COINS=1..2", "--checkpoint", "f"], "No such option: --checkpoint"),
        (["MAX_COINS=1..2", "--pytest"], "No such option: --pytest"),
        (["MAX_COINS=1..2", "--faults"], "No such option: --faults"),
        (["MAX_COINS=1..2", "--proposal", "free"], "has no proposal 'free'"),
        (["--seeds", "1..3"], "add --simulate N or --hypothesis N"),
        (["--hypothesis", "5", "--simulate", "5"], "--simulate does not go with --hypothesis"),
        (["--hypothesis", "5", "--symmetry"], "--hypothesis does not go with --symmetry"),
        (["--seeds", "1..3", "--simulate", "5", "--seed", "4"], "No such option: --seed"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, list) else None,
)
def test_what_makes_no_sense_is_refused(desk: "Desk", options: list[str], says: str) -> None:
    ran = desk.run("sweep", "turnstile", *options)
    assert (ran.code, ran.out) == (2, "")
    assert says in ran.err


def test_a_seed_range_that_is_none_is_refused(desk: "Desk") -> None:
    ran = desk.run("sweep", "turnstile", "--simulate", "5", "--seeds", "1-3")
    assert ran.code == 2
    assert "write it as 1..100" in ran.err


def test_each_model_has_to_have_the_constant(desk: "Desk") -> None:
    ran = desk.run("sweep", "MAX_COINS=1..2")
    assert ran.code == 2
    assert "letters has no constant 'MAX_COINS'" in ran.err


def test_a_check_that_cannot_be_made_is_a_row(desk: "Desk") -> None:
    ran = desk.run("sweep", "turnstile", "MAX_COINS=-1,1")
    assert ran.code == 2
    rows = [line.split()[2:4] for line in ran.out.splitlines() if line.startswith("turnstile")]
    assert rows[0] == ["-1", "error"]
    assert rows[1][0] == "1"


def test_a_workspace_that_cannot_be_written_is_swept_all_the_same(desk: "Desk") -> None:
    (desk.root / ".lockstep").write_text("a file where the folder would be")
    ran = desk.run("sweep", "turnstile", "MAX_COINS=1..2")
    assert ran.code == 0
    assert ran.out.endswith("2 checks: 2 holds\n")
    assert ran.err.startswith("lockstep: the results are not kept: ")


LONG = ("sweep", "turnstile", "MAX_COINS=10..25", "--engine", "python")
"""Checks that take seconds together, so that other processes do them."""


@pytest.mark.daily(2)
def test_a_killed_sweep_goes_on_where_it_was(desk: "Desk", tmp_path: Path) -> None:
    results = desk.root / ".lockstep" / "results.jsonl"
    with started(*LONG, "--threads", "2", temporary=tmp_path / "temporary") as command:
        command.await_that(lambda: results.exists() and results.read_bytes().count(b"\n") >= 2)
        command.send(signal.SIGKILL)
        command.ended()
    kept = results.read_bytes().count(b"\n")
    with results.open("ab") as file:
        file.write(results.read_bytes()[:100])  # as if it had been killed while it wrote
    ran = desk.run(*LONG, "--json")
    assert 2 <= ran.json["summary"]["kept"] == kept < 16
    assert f"lockstep: .lockstep/results.jsonl:{kept + 1} is damaged" in ran.err
    again = desk.run(*LONG, "--json", "--no-cache", "--threads", "1")
    assert [(row["constants"], row["states"]) for row in ran.json["results"]] == [
        (row["constants"], row["states"]) for row in again.json["results"]
    ]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda one: one.name)
def test_ctrl_c_ends_all_processes_and_says_what_is_not_done(
    desk: "Desk", tmp_path: Path, number: signal.Signals
) -> None:
    results = desk.root / ".lockstep" / "results.jsonl"
    with started(*LONG, "--threads", "2", temporary=tmp_path / "temporary") as command:
        command.await_that(lambda: results.exists() and results.read_bytes().count(b"\n") >= 1)
        command.send(number)
        code, out, err = command.ended()
    assert (code, err) == (130, "lockstep: interrupted\n")
    assert "interrupted; not done: " in out
