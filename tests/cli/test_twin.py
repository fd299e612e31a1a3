"""The command `lockstep twin`; what it compares, and how, is tested in tests/twin."""

import re
from typing import TYPE_CHECKING, Any

import pytest

from lockstep.report.twin import after_the_last
from lockstep.twin.findings import TlcRun, TraceStep
from lockstep.twin.tlc import run_tlc

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Desk, Ran

TWIN = "tla/Turnstile.tla"


def rows(ran: "Ran") -> list[list[str]]:
    """The rows without their seconds, which are the last of seven."""
    lines = ran.out.splitlines()
    return [line.split()[:6] for line in lines if re.match("(letters|turnstile) ", line)]


def test_every_twin_is_compared_in_the_usual_scopes(desk: "Desk") -> None:
    ran = desk.run("twin")
    assert ran.code == 0
    assert rows(ran) == [
        ["letters", "small", "graph", "holds", "13", "3"],
        ["letters", "default", "counts", "holds", "83", "6"],
        ["turnstile", "small", "graph", "holds", "5", "4"],
        ["turnstile", "default", "counts", "holds", "64", "10"],
    ]
    assert ran.out.splitlines()[0].split() == [
        *("model", "scope", "compare", "verdict", "states", "depth", "seconds")
    ]
    assert ran.out.splitlines()[-1] == "4 comparisons: 4 holds"
    assert ran.err == ""
    assert "\x1b" not in ran.out


def test_json_is_all_that_is_printed(desk: "Desk") -> None:
    ran = desk.run("twin", "turnstile", "--scope", "default", "--workers", "2", "--json")
    assert ran.code == 0
    assert ran.json["version"] == 2
    (row,) = ran.json["results"]
    details = row["details"]
    run = details.pop("run")
    assert row["seconds"] >= run["seconds"] > 0
    assert (row["model"], row["scope"], row["judged"]) == ("turnstile", "default", "counts")
    assert (row["engine"], row["states"], row["transitions"], row["depth"]) == (
        "python",
        64,
        208,
        10,
    )
    assert (row["verdict"], row["because"], row["exit_code"]) == ("holds", "", 0)
    assert (run["distinct"], run["transitions"], run["workers"]) == (64, 208, 2)
    assert details == {
        **{"difference": None, "counts": [], "refutation": None},
        **{"unchecked": [], "refinement": None, "unrefined": None},
    }
    summary = ran.json["summary"]
    assert (summary["comparisons"], summary["holds"], summary["exit_code"]) == (1, 1, 0)
    assert (summary["without_twin"], summary["not_compared"]) == ([], [])


def test_a_wrong_twin_is_shown_with_the_way_to_the_first_difference(desk: "Desk") -> None:
    desk.edit(
        TWIN, "    /\\ entries' = [entries EXCEPT ![g] = @ + 1]\n", "    /\\ UNCHANGED entries\n"
    )
    ran = desk.run("twin", "turnstile", "--scope", "small")
    assert ran.code == 1
    assert rows(ran) == [["turnstile", "small", "graph", "violated", "5", "4"]]
    reported = ran.out[ran.out.index("  because") :]
    assert reported.startswith("  because  push leads to another state in the twin\n")
    assert "  in the model, push(g=east):\n    arm[east]: OPEN -> LOCKED\n" in reported
    assert "    entries[east]: 0 -> 1\n" in reported
    assert "the two part first after 1 step, which both can take:" in reported
    assert re.search(
        r"1  coin\(g=east\) +models/turnstile\.py:\d+\n +arm\[east\]: LOCKED -> OPEN\n", reported
    )
    assert "\n  reproduce with  lockstep twin turnstile --scope small\n" in reported


def test_a_difference_in_json(desk: "Desk") -> None:
    desk.edit(TWIN, "Coin(g) \\/ Push(g)", "Coin(g)")
    ran = desk.run("twin", "turnstile", "--scope", "small", "--json")
    assert ran.code == 1
    (row,) = ran.json["results"]
    assert (row["verdict"], row["exit_code"]) == ("violated", 1)
    details = row["details"]
    assert details["difference"]["because"] == "the model can take push, and the twin cannot"
    assert details["difference"]["steps"] == [{"action": "coin", "parameters": {"g": "east"}}]
    assert (row["violated"], row["violates"]) == ("deadlock", ["deadlock"])
    assert details["refutation"]["message"] == "Deadlock reached."
    assert [line.split() for line in details["refutation"]["behaviour"]][-3] == ["1", "coin"]


def test_counts_that_differ_in_json(desk: "Desk") -> None:
    desk.edit(TWIN, "    /\\ CanJam\n", "    /\\ CanJam /\\ coins[g] = 0\n")
    ran = desk.run("twin", "turnstile", "--scope", "default", "--json")
    assert ran.code == 1
    (row,) = ran.json["results"]
    assert row["because"].startswith("the counts differ: states: 64 in the model, ")
    first = row["details"]["counts"][0]
    assert (first["name"], first["model"], first["at_least"]) == ("states", 64, False)
    assert first["twin"] == row["details"]["run"]["distinct"] < 64


def test_a_refuted_claim_comes_with_the_behaviour_of_tlc(desk: "Desk") -> None:
    desk.edit(TWIN, "entries[g] <= coins[g]", "entries[g] < coins[g]")
    ran = desk.run("twin", "turnstile", "--scope", "small")
    assert ran.code == 1
    assert "because  TLC refutes what the twin claims: EntriesArePaid" in ran.out
    assert "TLC's behaviour:" in ran.out
    assert "entries = {east: 0}" in ran.out


@pytest.mark.parametrize(
    ("loops", "reported"), [(1, "and nothing happens any more"), (0, "and on as after step 0")]
)
def test_how_a_behaviour_without_end_goes_on(loops: int, reported: str) -> None:
    trace = (TraceStep("Init", {"x": 0}), TraceStep("Next", {"x": 1}))
    run = TlcRun(verdict="violated", trace=trace, loops_to=loops)
    assert list(after_the_last(run)) == [reported]
    assert list(after_the_last(TlcRun(verdict="violated", trace=trace))) == []


def test_a_twin_that_does_not_parse_keeps_no_other_from_being_compared(desk: "Desk") -> None:
    desk.edit("tla/Letters.tla", "/\\ hand = letter\n", "/\\ hand = = letter\n")
    ran = desk.run("twin", "--scope", "small")
    assert ran.code == 2
    assert [row[:4] for row in rows(ran)] == [
        ["letters", "small", "graph", "error"],
        ["turnstile", "small", "graph", "holds"],
    ]
    assert re.search(
        r"not compared: error\[twin\]: Was expecting .*\n +--> tla/Letters.tla:\d+", ran.out
    )
    assert "2 comparisons: 1 holds, 1 error" in ran.out


def test_a_twin_that_does_not_parse_in_json(desk: "Desk") -> None:
    desk.edit(TWIN, 'arm[g] = "LOCKED"\n    /\\ coins', "arm[g] = missing\n    /\\ coins")
    ran = desk.run("twin", "turnstile", "--scope", "small", "--json")
    assert ran.code == 2
    (row,) = ran.json["results"]
    assert (row["verdict"], row["exit_code"], row["states"]) == ("error", 2, 0)
    assert "Unknown operator: `missing'" in row["because"]
    assert "tla/Turnstile.tla:22:17" in row["because"]


@pytest.mark.parametrize("bound", ["model", "TLC"])
def test_a_bound_that_is_met_is_not_conclusive(desk: "Desk", bound: str) -> None:
    if bound == "model":
        ran = desk.run("twin", "turnstile", "--scope", "small", "--max-seconds", "0")
        assert "the search of turnstile stopped after 0 s as bounded" in ran.out
    else:
        desk.edit(
            TWIN, "Spec == Init", "Long == \\A n \\in 1 .. 10^9 : n > 0\nSpec == Init /\\ Long"
        )
        ran = desk.run("twin", "turnstile", "--scope", "small", "--max-seconds", "2")
        assert "within 2 s and was stopped" in ran.out
        assert "reproduce with  lockstep twin turnstile --scope small --max-seconds 2" in ran.out
    assert ran.code == 3
    assert [row[3] for row in rows(ran)] == ["inconclusive"]


def test_without_java_one_sentence_says_so(
    desk: "Desk", monkeypatch: pytest.MonkeyPatch, tmp_path: "Path"
) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    ran = desk.run("twin")
    assert (ran.code, ran.out) == (2, "")
    lines = ran.err.splitlines()
    assert lines[0] == (
        "lockstep: Java 17 or later is needed: JAVA_HOME is not set and PATH has no java."
    )
    assert [line.split()[0] for line in lines[1:]] == ["cure:"]


def test_models_without_a_twin_are_named(desk: "Desk") -> None:
    desk.edit("specs/letters.toml", 'twin = "Letters"\n', "")
    ran = desk.run("twin", "--scope", "small")
    assert ran.code == 0
    assert [row[0] for row in rows(ran)] == ["turnstile"]
    assert ran.out.splitlines()[-1] == "no twin: letters"


def test_a_model_without_a_twin_cannot_be_asked_for(desk: "Desk") -> None:
    desk.edit("specs/letters.toml", 'twin = "Letters"\n', "")
    ran = desk.run("twin", "letters", "turnstile")
    assert (ran.code, ran.out) == (2, "")
    assert "letters has no twin" in ran.err


def test_a_workspace_without_twins(desk: "Desk") -> None:
    desk.edit("specs/letters.toml", 'twin = "Letters"\n', "")
    desk.edit("specs/turnstile.toml", 'twin = "Turnstile"\n', "")
    ran = desk.run("twin")
    assert ran.code == 2
    assert "no model of the workspace turnstile has a twin" in ran.err


@pytest.mark.parametrize(
    ("arguments", "reported"),
    [
        (["turnstil"], "did you mean turnstile?"),
        (["turnstile", "--scope", "smal"], "did you mean small?"),
        (["--workers", "0"], "--workers"),
    ],
)
def test_what_is_not_there_is_refused(desk: "Desk", arguments: list[str], reported: str) -> None:
    ran = desk.run("twin", *arguments)
    assert ran.code == 2
    assert reported in ran.err


def test_files_are_kept(desk: "Desk") -> None:
    ran = desk.run("twin", "turnstile", "--keep", "kept folder")
    assert ran.code == 0
    assert sorted(path.name for path in (desk.root / "kept folder").iterdir()) == [
        *("MCTurnstile_default.tla", "MCTurnstile_small.tla"),
        *("turnstile-default.cfg", "turnstile-small.cfg", "turnstile-small.dot"),
    ]


@pytest.mark.parametrize("as_json", [False, True])
def test_ctrl_c_keeps_what_was_compared(
    desk: "Desk", as_json: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[object] = []

    def interrupt_the_second(*arguments: Any) -> TlcRun:
        started.append(arguments)
        if len(started) == 2:
            raise KeyboardInterrupt
        return run_tlc(*arguments)

    monkeypatch.setattr("lockstep.twin.twin.run_tlc", interrupt_the_second)
    ran = desk.run("twin", "turnstile", *["--json"] * as_json)
    assert ran.code == 130
    if as_json:
        assert [row["verdict"] for row in ran.json["results"]] == ["holds"]
        left = [{"model": "turnstile", "scope": "default"}]
        assert ran.json["summary"]["not_compared"] == left
        assert ran.json["summary"]["exit_code"] == 130
    else:
        assert [row[1] for row in rows(ran)] == ["small"]
        assert "interrupted; not compared: turnstile default" in ran.out


def test_ctrl_c_while_the_model_is_explored(desk: "Desk", monkeypatch: pytest.MonkeyPatch) -> None:
    from lockstep.plain import run as plain

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(plain.PlainEngine, "successors", interrupt)
    ran = desk.run("twin", "turnstile", "--scope", "small")
    assert ran.code == 130
    assert "interrupted; not compared: turnstile small" in ran.out
