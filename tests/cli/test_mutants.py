import json
import signal
from typing import TYPE_CHECKING, Any

import pytest

from lockstep.language.model import Model, load_model
from lockstep.mutants.judge import Judge
from lockstep.pages import progress
from tests.processes import started

if TYPE_CHECKING:
    from tests.cli.conftest import Desk

OPTIONS = ("--engine", "python", "--threads", "1")
"""In this process: there are few states."""


def open_mutants(desk: "Desk", *options: str) -> dict[str, str]:
    """The fate of each mutant that is not killed, equal or the environment's."""
    ran = desk.run("mutants", "turnstile", *OPTIONS, "--json", *options)
    results = ran.json["results"]
    fates = {"survives", "inconclusive"}
    return {one["details"]["name"]: one["verdict"] for one in results if one["verdict"] in fates}


def explain(desk: "Desk", names: list[str]) -> None:
    spec = desk.root / "specs" / "turnstile.toml"
    table = f'\n[mutants]\n"Nobody looks at it." = {json.dumps(names)}\n'
    spec.write_text(spec.read_text() + table)


def test_each_mutant_is_reported_with_what_kills_it(desk: "Desk") -> None:
    ran = desk.run("mutants", "turnstile", *OPTIONS, "--json")
    results = ran.json["results"]
    killed = {one["details"]["name"]: one for one in results if one["verdict"] == "killed"}
    row = killed["turnstile.coin: assignment dropped: new.coins[g] = s.coins[g] + 1"]
    assert (row["violated"], row["length"]) == ("opens_only_for_a_coin", 1)
    assert (row["kind"], row["exit_code"]) == ("mutant", 0)
    paid = row["details"]
    assert (paid["file"], paid["kind"]) == ("models/turnstile.py", "assignment dropped")
    assert (paid["before"], paid["after"]) == ("new.coins[g] = s.coins[g] + 1", "")
    line = (desk.root / paid["file"]).read_text().splitlines()[paid["line"] - 1]
    assert line.strip() == paid["before"]
    summary, (model,) = ran.json["summary"], ran.json["models"]
    fates = ("killed", "equal", "environment", "stutters", "survives", "inconclusive", "void")
    assert sum(summary[fate] for fate in fates) == len(ran.json["results"])
    assert ran.code == summary["exit_code"] == 1
    assert len(model["unexplained"]) == summary["survives"] > 0


def test_one_mutant_by_its_name(desk: "Desk") -> None:
    name = "turnstile.coin: assignment dropped: new.coins[g] = s.coins[g] + 1"
    ran = desk.run("check", "turnstile", "--mutant", name)
    assert ran.code == 1
    assert "opens_only_for_a_coin" in ran.out
    assert "not saved: a replay would take the model as it is" in ran.out
    assert desk.run("check", "turnstile").code == 0
    ran = desk.run("check", "turnstile", "--mutant", name.replace("coin", "coins", 1))
    assert (ran.code, "did you mean" in ran.err or "did you mean" in ran.out) == (2, True)
    ran = desk.run("check", "--mutant", name)
    assert (ran.code, "--mutant is about one model" in ran.err) == (2, True)


def test_what_is_explained_may_survive(desk: "Desk") -> None:
    explain(desk, list(open_mutants(desk)))
    ran = desk.run("mutants", "turnstile", *OPTIONS)
    assert ran.code == 0, ran.out
    assert "    explained: Nobody looks at it.\n" in ran.out
    assert "0 not explained" in ran.out
    assert "rows, kept since" in ran.out, "a reason judges nothing again"
    rows = desk.run("mutants", "turnstile", *OPTIONS, "--json").json["results"]
    survivors = [row for row in rows if row["verdict"] == "survives"]
    assert {row["details"]["explained"] for row in survivors} == {"Nobody looks at it."}
    assert {row["exit_code"] for row in rows} == {0}


def test_a_stale_reason(desk: "Desk") -> None:
    gone = "turnstile.push: guard dropped: nothing of the kind"
    explain(desk, [*open_mutants(desk), gone])
    ran = desk.run("mutants", "turnstile", *OPTIONS)
    assert ran.code == 1
    assert f"  stale in specs/turnstile.toml: it does not survive\n    {gone}\n" in ran.out
    assert desk.run("mutants", "turnstile", *OPTIONS, "--scope", "small").out.count("stale") == 0


def test_the_environment_is_declared_in_specs(desk: "Desk") -> None:
    guard = "turnstile.jam: guard dropped: require(CAN_JAM and s.arm[g] == Arm.LOCKED)"
    survivors = open_mutants(desk)
    assert any(name.startswith("turnstile.jam: ") for name in survivors)
    spec = desk.root / "specs" / "turnstile.toml"
    own = spec.read_text()
    spec.write_text(f'{own}\n[environment]\n"Things break." = ["jam"]\n')
    ran = desk.run("mutants", "turnstile", *OPTIONS, "--json")
    results = ran.json["results"]
    free = [one["details"]["name"] for one in results if one["verdict"] == "environment"]
    assert any(name.startswith(guard) for name in free)
    assert ran.json["summary"]["kept"] == 0, "the fate depends on it"
    spec.write_text(f'{own}\n[environment]\n"Things break." = ["jams"]\n')
    ran = desk.run("mutants", "turnstile", *OPTIONS)
    assert ran.code == 2
    assert "environment.jams: turnstile has no such action" in ran.out


def test_a_bound_leaves_mutants_open(desk: "Desk") -> None:
    assert "inconclusive" in open_mutants(desk, "--max-states", "5").values()


def test_what_was_judged_is_not_judged_again(desk: "Desk") -> None:
    options = ("mutants", "turnstile", *OPTIONS, "--json")
    first = desk.run(*options).json
    assert first["summary"]["kept"] == 0
    again = desk.run(*options).json
    assert again["summary"]["kept"] == len(again["results"])
    assert again["results"] == first["results"]
    desk.edit("models/faults/turnstile.py", "a gate in Graz", "another gate")
    assert desk.run(*options).json["summary"]["kept"] == len(again["results"])
    desk.edit("invariants/turnstile.py", "Nobody gets", "No one gets")
    assert desk.run(*options).json["summary"]["kept"] == 0


def test_a_killed_run_goes_on_where_it_was(desk: "Desk") -> None:
    table = desk.root / ".lockstep" / "results.jsonl"
    with started("mutants", "turnstile", *OPTIONS) as command:
        command.await_that(lambda: table.is_file() and table.stat().st_size >= 2000)
        command.send(signal.SIGKILL)
        command.ended()
    done = len(table.read_text().splitlines())
    ran = desk.run("mutants", "turnstile", *OPTIONS, "--json")
    assert 0 < ran.json["summary"]["kept"] <= done


@pytest.mark.parametrize(
    "option",
    [["--pin"], ["--faults"], ["--fault", "stays_open"], ["--set", "MAX_COINS=1"], ["--verbose"]],
    ids=lambda option: option[0],
)
def test_an_option_that_says_nothing_of_mutants_is_refused(desk: "Desk", option: list[str]) -> None:
    ran = desk.run("mutants", "turnstile", *OPTIONS, *option)
    assert (ran.code, ran.out) == (2, "")
    assert f"No such option: {option[0]}" in ran.err


def test_where_the_scope_is_pinned_as_violated_the_other_properties_judge(desk: "Desk") -> None:
    ran = desk.run("mutants", "letters", *OPTIONS, "--json")
    assert ran.code == 1
    killers = {row["violated"] for row in ran.json["results"] if row["verdict"] == "killed"}
    assert "boxes_hold_one_letter" not in killers
    by = ran.json["summary"]["killed_by"]
    assert list(by) == ["claim", "no meaning", "deadlock", "silence"]
    assert sum(by.values()) == ran.json["summary"]["killed"]
    assert by["claim"] > 0


def test_a_model_that_does_not_hold_is_explored_once(
    desk: "Desk", monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not for each of its mutants again; where no other property can judge, not at all."""
    explored: list[str] = []
    shown: list[str] = []
    init, line = Judge.__init__, progress.progress_line

    def counted(judge: Judge, model: Model, *arguments: Any) -> None:
        explored.append(model.name)
        init(judge, model, *arguments)

    def seen(title: str, expected: int | None) -> Any:
        shown.append(title)
        return line(title, expected)

    monkeypatch.setattr(Judge, "__init__", counted)
    monkeypatch.setattr(progress, "progress_line", seen)
    pinned = 'verdict = "violated"\nviolates = ["boxes_hold_one_letter"]\n'
    names = json.dumps([prop.name for prop in load_model(desk.root, "letters").properties])
    desk.edit("specs/letters.toml", pinned, f'verdict = "violated"\nviolates = {names}\n')
    ran = desk.run("mutants", "letters", *OPTIONS)
    assert (ran.code, explored) == (2, [])
    assert "it is pinned as violated, and no other property can judge" in ran.out
    pinned = f'verdict = "violated"\nviolates = {names}\n'
    desk.edit("specs/letters.toml", pinned, "")
    ran = desk.run("mutants", "letters", *OPTIONS)
    assert (ran.code, explored) == (2, ["letters"])
    assert ran.out.count("does not hold itself: boxes_hold_one_letter") == 1
    assert shown == ["letters default, without a change"]


ELSEWHERE = """

@action
def mend(s, new, g: Gate):
    require(MENDS and s.arm[g] == Arm.JAMMED)
    new.arm[g] = Arm.LOCKED
"""


def test_what_default_never_runs_is_judged_where_it_runs(desk: "Desk") -> None:
    model, spec = desk.root / "models" / "turnstile.py", desk.root / "specs" / "turnstile.toml"
    text = model.read_text()
    model.write_text(text.replace("CAN_JAM: ", "MENDS: Constant = False\nCAN_JAM: ") + ELSEWHERE)
    own = spec.read_text()
    scope = '\n[scopes.mended]\nlike = "default"\nconstants = { MENDS = true }\n'

    def judged() -> dict[str, Any]:
        results = desk.run("mutants", "turnstile", *OPTIONS, "--json").json["results"]
        name = "turnstile.mend: member changed: Arm.LOCKED -> Arm.OPEN"
        return next(one for one in results if one["details"]["name"] == name)

    assert (judged()["verdict"], judged()["scope"]) == ("not exercised", "default")
    spec.write_text(own + scope)
    assert judged()["verdict"] == "not exercised", "nobody knows how large that scope is"
    spec.write_text(f"{own}{scope}states = 100\n")
    assert (judged()["verdict"], judged()["scope"]) == ("killed", "mended")
    spec.write_text(f'{own}{scope}states = 100\n[scopes.mended.idle]\n"Nobody does." = ["mend"]\n')
    assert judged()["verdict"] == "not exercised"


def test_what_does_not_load_in_default_is_judged_where_it_does(desk: "Desk") -> None:
    """Four entries are more than there may be of two coins."""
    desk.edit("models/turnstile.py", "new.entries[g] = 0", "new.entries[g] = 2 - 2")
    spec = desk.root / "specs" / "turnstile.toml"
    wide = "\n[scopes.wide]\nconstants = { GATES = ['east'], MAX_COINS = 4 }\n"

    def judged() -> dict[str, Any]:
        results = desk.run("mutants", "turnstile", *OPTIONS, "--json").json["results"]
        name = "turnstile.collect: operator changed: 2 - 2 -> 2 + 2"
        return next(one for one in results if one["details"]["name"] == name)

    assert (judged()["verdict"], judged()["scope"]) == ("void", "default")
    spec.write_text(f"{spec.read_text()}{wide}states = 100\n")
    assert (judged()["verdict"], judged()["scope"]) == ("killed", "wide")


def test_a_survivor_shows_what_it_does_otherwise(desk: "Desk") -> None:
    results = desk.run("mutants", "turnstile", *OPTIONS, "--json").json["results"]
    shown = {one["details"]["shows"] for one in results if one["verdict"] == "survives"}
    assert shown
    assert {text[: len("only the mutant")] for text in shown} == {
        "only the mutant",
        "the mutant has ",
    }
    assert {one["details"]["shows"] for one in results if one["verdict"] == "killed"} == {""}
