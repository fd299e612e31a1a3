"""`--sarif`, `--github` and `--summary` of `check`, `prove` and `twin`."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from markdown_it import MarkdownIt

from lockstep.errors import ExitCode
from lockstep.report.check import CheckView
from lockstep.verbs import check as check_verb
from lockstep.verbs.check import CheckRequest, plan_check
from lockstep.verbs.check_result import CheckRun
from lockstep.workspace import open_workspace
from tests.cli.repository import git
from tests.cli.test_check import break_push
from tests.cli.test_liveness import claim

if TYPE_CHECKING:
    from tests.cli.conftest import Desk

FILE = "found/lockstep.sarif"
LEVELS = ("error", "warning", "note")


def locations(node: Any) -> Iterator[dict[str, Any]]:
    """Every place that a document names."""
    if isinstance(node, dict):
        if "physicalLocation" in node:
            yield node["physicalLocation"]
        for part in node.values():
            yield from locations(part)
    elif isinstance(node, list):
        for part in node:
            yield from locations(part)


def text_at(top: Path, location: dict[str, Any]) -> str:
    """The text that a place stands for; all of its line where it has no columns."""
    region = location["region"]
    lines = top.joinpath(location["artifactLocation"]["uri"].replace("%20", " ")).read_text("utf-8")
    line = (lines.splitlines() or [""])[region["startLine"] - 1]
    begin, end = region.get("startColumn", 1), region.get("endColumn", len(line) + 1)
    return str(line[begin - 1 : end - 1])


def sarif(
    desk: "Desk", *arguments: str, top: Path | None = None, verb: str = "check"
) -> dict[str, Any]:
    """The run of a SARIF file, with the exit code of the process; what any must be is checked."""
    ran = desk.run(verb, "--sarif", FILE, *arguments)
    document = json.loads(desk.root.joinpath(FILE).read_text(encoding="utf-8"))
    assert (document["version"], len(document["runs"])) == ("2.1.0", 1)
    assert document["$schema"].startswith("https://")
    (run,) = document["runs"]
    rules = run["tool"]["driver"]["rules"]
    for rule in rules:
        assert rule["shortDescription"]["text"]
        assert "\n" not in rule["shortDescription"]["text"]
    (invocation,) = run["invocations"]
    assert invocation["exitCode"] == ran.code
    for notification in invocation["toolExecutionNotifications"]:
        assert notification["level"] in LEVELS
        described = run["tool"]["driver"]["notifications"][notification["descriptor"]["index"]]
        assert described["id"] == notification["descriptor"]["id"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] == "error"
        assert "kind" not in result  # so that it fails, and nothing passes
        assert len(result["locations"]) == 1
    for location in locations(run):
        artifact, region = location["artifactLocation"], location["region"]
        assert artifact["uriBaseId"] == "%SRCROOT%"
        assert not artifact["uri"].startswith(("/", "."))
        assert region["startLine"] >= 1
        text_at(top or desk.root, location)
    assert set(run["originalUriBaseIds"]) == {"%SRCROOT%"}
    assert run["automationDetails"]["id"].endswith("/")
    return {**run, "invocation": invocation}


def kinds(run: dict[str, Any]) -> list[tuple[str, str]]:
    """The kind and level of each notification."""
    return [
        (one["descriptor"]["id"], one["level"])
        for one in run["invocation"]["toolExecutionNotifications"]
    ]


def test_a_violation_is_in_the_invariant_with_its_steps_in_the_model(desk: "Desk") -> None:
    break_push(desk)
    run = sarif(desk, "turnstile")
    assert run["automationDetails"]["id"] == "lockstep/check/default/"
    assert (run["invocation"]["exitCode"], run["invocation"]["executionSuccessful"]) == (1, True)
    (rule,) = run["tool"]["driver"]["rules"]
    assert rule["id"] == "lockstep/turnstile/entries_are_paid"
    assert rule["shortDescription"]["text"] == (
        "turnstile.entries_are_paid: Nobody gets in without a coin."
    )
    assert "9-1  Every entry shall be paid for." in rule["fullDescription"]["text"]
    assert "9-1" in rule["properties"]["tags"]
    (result,) = run["results"]
    assert result["message"]["text"].splitlines() == [
        "turnstile.entries_are_paid is violated in scope default for g=east, after 2 steps",
        "1  coin(g=east)",
        "2  push(g=east)",
        "s.entries[g] <= s.coins[g] is false where s.entries[g] = 2; s.coins[g] = 1",
        "reproduce with: lockstep check turnstile --scope default",
    ]
    assert [text_at(desk.root, one) for one in locations(result["locations"])] == [
        "entries_are_paid"
    ]
    related = result["relatedLocations"]
    assert [one["message"]["text"] for one in related[1:]] == [
        "coin, taken in step 1",
        "push, taken in step 2",
    ]
    assert text_at(desk.root, next(locations(related[0]))).strip() == (
        "return s.entries[g] <= s.coins[g]"
    )
    (flow,) = result["codeFlows"]
    steps = [one["location"] for one in flow["threadFlows"][0]["locations"]]
    assert [text_at(desk.root, next(locations(one))).strip() for one in steps] == [
        "Turnstile",
        "coin",
        "push",
        "return s.entries[g] <= s.coins[g]",
    ]
    assert steps[2]["message"]["text"] == (
        "2  push(g=east): arm[east]: OPEN -> LOCKED; entries[east]: 0 -> 2"
    )


def fingerprints(desk: "Desk", *arguments: str) -> list[dict[str, str]]:
    return [result["partialFingerprints"] for result in sarif(desk, *arguments)["results"]]


def test_a_fingerprint_stays_when_lines_move(desk: "Desk") -> None:
    break_push(desk)
    (before,) = fingerprints(desk, "turnstile")
    for file in ("models/turnstile.py", "invariants/turnstile.py"):
        desk.edit(
            file, "from lockstep import", "# One line.\n# Another line.\n\nfrom lockstep import"
        )
    desk.edit("invariants/turnstile.py", "Nobody gets in", "Nobody ever gets in")
    assert fingerprints(desk, "turnstile") == [before]
    (small,) = fingerprints(desk, "turnstile", "--scope", "small")
    assert set(small.values()).isdisjoint(before.values())


def test_a_fingerprint_distinguishes_faults(desk: "Desk") -> None:
    ids = ["stays_open", "kicked_open"]
    one, other = (fingerprints(desk, "turnstile", "--fault", name) for name in ids)
    assert one[0]["lockstepIdentity/v1"] == (
        "lockstep/turnstile/entries_are_paid scope small stays_open"
    )
    assert set(one[0].values()).isdisjoint(other[0].values())


def test_a_step_that_a_fault_changed_is_in_the_fault(desk: "Desk") -> None:
    (result,) = sarif(desk, "turnstile", "--fault", "kicked_open")["results"]
    (flow,) = result["codeFlows"]
    step = flow["threadFlows"][0]["locations"][1]["location"]
    assert "by the fault kicked_open" in step["message"]["text"]
    (place,) = locations(step)
    assert place["artifactLocation"]["uri"] == "models/faults/turnstile.py"


def test_what_holds_and_what_is_pinned_are_no_results(desk: "Desk") -> None:
    run = sarif(desk)
    assert run["results"] == []
    assert kinds(run) == [("as-pinned", "note")]
    assert run["invocation"]["executionSuccessful"] is True


def test_a_bound_is_a_warning_and_no_success(desk: "Desk") -> None:
    run = sarif(desk, "turnstile", "--max-states", "3")
    assert run["results"] == []
    assert ("inconclusive", "warning") in kinds(run)
    assert run["invocation"]["executionSuccessful"] is False


def test_silence_is_a_warning_where_it_is_silent(desk: "Desk") -> None:
    desk.edit("specs/turnstile.toml", '[scopes.small.idle]\n"CAN_JAM is false" = ["jam"]\n', "")
    desk.edit("invariants/turnstile.py", "when(s.arm[g] != Arm.OPEN and", "when(s.coins[g] > 1 and")
    run = sarif(desk, "turnstile", "--scope", "small", "--set", "MAX_COINS=1")
    assert run["results"] == []
    assert kinds(run) == [("inconclusive", "warning"), ("idle", "warning"), ("vacuous", "warning")]
    places = locations(run["invocation"])
    names = [text_at(desk.root, place) for place in places]
    assert names[1:] == ["jam", "opens_only_for_a_coin"]


def test_a_text_that_is_not_well_formed_is_a_result_and_not_checked(desk: "Desk") -> None:
    desk.edit("models/turnstile.py", "+ 1\n\n\n@action\ndef push", "+ 9\n\n\n@action\ndef push")
    run = sarif(desk)
    (result,) = run["results"]
    assert result["ruleId"] == "lockstep/outside-domain"
    assert [text_at(desk.root, one) for one in locations(result["locations"])] == ["s.coins[g] + 9"]
    assert ("not-checked", "error") in kinds(run)
    assert run["invocation"]["executionSuccessful"] is False


def test_a_text_without_meaning_has_the_steps_that_lead_there(desk: "Desk") -> None:
    desk.edit(
        "models/turnstile.py", "require(s.arm[g] == Arm.OPEN)", "require(1 // s.coins[g] > 0)"
    )
    (result,) = sarif(desk, "turnstile")["results"]
    assert result["ruleId"] == "lockstep/no-meaning"
    assert "cure:" in result["message"]["text"]
    assert len(result["codeFlows"][0]["threadFlows"][0]["locations"]) >= 1


def test_a_goal_that_is_missed_has_no_behaviour(desk: "Desk") -> None:
    desk.edit("invariants/turnstile.py", "s.entries[g] > 0 for", "s.entries[g] > 9 for")
    (result,) = sarif(desk, "turnstile")["results"]
    assert result["ruleId"] == "lockstep/turnstile/somebody_gets_in"
    assert "never reached" in result["message"]["text"]
    assert "codeFlows" not in result


def test_a_deadlock_is_at_the_state(desk: "Desk") -> None:
    desk.edit(
        "specs/letters.toml", 'deadlock = "allowed"\ndeadlock_reason = "letters run out"\n', ""
    )
    results = sarif(desk, "letters", "--scope", "small")["results"]
    assert [result["ruleId"] for result in results] == ["lockstep/letters/deadlock"]
    (place,) = locations(results[0]["locations"])
    assert text_at(desk.root, place) == "Letters"


def test_another_count_is_at_the_scope(desk: "Desk") -> None:
    desk.edit("specs/turnstile.toml", "states = 64", "states = 65")
    (result,) = sarif(desk, "turnstile")["results"]
    assert result["ruleId"] == "lockstep/differs"
    assert "states expected 65, found 64" in result["message"]["text"]
    (place,) = locations(result["locations"])
    assert text_at(desk.root, place) == "[scopes.default]"


def test_a_file_that_nothing_reads_is_a_result(desk: "Desk") -> None:
    desk.root.joinpath("invariants/turnstyle.py").write_text(
        desk.root.joinpath("invariants/turnstile.py").read_text("utf-8"), encoding="utf-8"
    )
    run = sarif(desk)
    assert [result["ruleId"] for result in run["results"]] == ["lockstep/not-read"]
    assert run["invocation"]["executionSuccessful"] is False


def test_what_was_not_come_to_is_no_success(desk: "Desk") -> None:
    plan = plan_check(CheckRequest(workspace=open_workspace(str(desk.root))))
    problems = CheckView(plan).problems(CheckRun((), ("letters", "turnstile")))
    assert [(str(gap.unknown), str(gap.level)) for gap in problems.gaps] == [
        ("interrupted", "error"),
        ("interrupted", "error"),
    ]
    assert not problems.is_whole


def test_a_mistake_in_lockstep_is_no_result(desk: "Desk", monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("a mistake")

    monkeypatch.setattr(check_verb, "explore", fail)
    run = sarif(desk, "turnstile", "--no-cache")
    assert (run["results"], kinds(run)) == ([], [("internal-error", "error")])
    assert run["invocation"]["exitCode"] == ExitCode.INTERNAL


def test_with_all_there_is_a_result_for_each(desk: "Desk") -> None:
    break_push(desk)
    desk.edit("invariants/turnstile.py", "== s.coins[g] + 1", "== s.coins[g]")
    results = sarif(desk, "turnstile", "--all")["results"]
    assert {result["ruleId"] for result in results} == {
        "lockstep/turnstile/entries_are_paid",
        "lockstep/turnstile/opens_only_for_a_coin",
        "lockstep/turnstile/deadlock",
    }


def test_a_behaviour_without_end_says_where_it_goes_on(desk: "Desk") -> None:
    claim(desk, "is_passed", "s.arm[g] == Arm.OPEN, s.arm[g] != Arm.OPEN")
    results = sarif(desk, "turnstile", "--liveness")["results"]
    result = next(one for one in results if one["ruleId"] == "lockstep/turnstile/is_passed")
    assert "by a behaviour that goes on for ever" in result["message"]["text"]
    steps = result["codeFlows"][0]["threadFlows"][0]["locations"]
    assert any("then for ever: " in one["location"]["message"]["text"] for one in steps)


def test_paths_begin_at_the_top_of_the_repository(
    desk: "Desk", monkeypatch: pytest.MonkeyPatch
) -> None:
    break_push(desk)
    top = desk.root.parent / "top"
    top.mkdir()
    desk.root = desk.root.rename(top / "of gates")
    monkeypatch.chdir(top)
    git(desk, "init", str(top))
    desk.root = top
    run = sarif(desk, "turnstile", "--workspace", "of gates", top=top)
    (result,) = run["results"]
    (place,) = locations(result["locations"])
    assert place["artifactLocation"]["uri"] == "of%20gates/invariants/turnstile.py"
    ran = desk.run("check", "turnstile", "--github", "--workspace", "of gates")
    assert "::error file=of gates/invariants/turnstile.py,line=9," in ran.out


def test_a_fault_that_is_not_what_it_says_is_a_result_at_the_fault(desk: "Desk") -> None:
    desk.edit("models/faults/turnstile.py", 'breaks="entries', 'breaks="opens_only_for_a_coin", #')
    desk.edit("models/faults/turnstile.py", '#_are_paid", source="a gate in Graz", ', "")
    run = sarif(desk, "turnstile", verb="faults")
    assert run["automationDetails"]["id"] == "lockstep/check-faults/"
    (result,) = run["results"]
    assert result["ruleId"] == "lockstep/turnstile/faults/stays_open"
    assert "caught first by entries_are_paid" in result["message"]["text"]
    (place,) = locations(result["locations"])
    assert text_at(desk.root, place) == "stays_open"


def test_an_invariant_without_a_fault_is_a_result_at_the_invariant(desk: "Desk") -> None:
    path = desk.root / "models/faults/turnstile.py"
    text = path.read_text("utf-8")
    path.write_text(text[: text.index("@fault(breaks=")], encoding="utf-8")
    (result,) = sarif(desk, "turnstile", verb="faults")["results"]
    assert result["ruleId"] == "lockstep/turnstile/opens_only_for_a_coin/without-fault"
    (place,) = locations(result["locations"])
    assert text_at(desk.root, place) == "opens_only_for_a_coin"


def test_a_fault_of_which_nothing_is_known_is_no_result(desk: "Desk") -> None:
    run = sarif(desk, "turnstile", "--max-states", "1", verb="faults")
    assert ("inconclusive", "warning") in kinds(run)
    assert all("/faults/" not in result["ruleId"] for result in run["results"])
    assert run["invocation"]["executionSuccessful"] is False


def test_a_skipped_model_is_a_note(repository: "Desk") -> None:
    run = sarif(repository, "--changed", "main")
    assert (run["results"], kinds(run)) == ([], [("skipped", "note")] * 2)
    ran = repository.run("check", "--changed", "main", "--github")
    assert "::notice title=not everything was checked::letters: skipped, nothing that" in ran.out


def test_a_proof_that_is_refuted_is_a_result(proved: "Desk") -> None:
    run = sarif(proved, "turnstile", "--fault", "stays_open", verb="prove")
    assert run["automationDetails"]["id"] == "lockstep/prove/"
    (result,) = run["results"]
    assert result["ruleId"] == "lockstep/turnstile/entries_are_paid"
    assert result["partialFingerprints"]["lockstepIdentity/v1"].endswith(" proof wide stays_open")
    assert len(result["codeFlows"][0]["threadFlows"][0]["locations"]) == 5
    proved.run("prove", "turnstile", "--fault", "stays_open", "--summary", "summary.md")
    text = (proved.root / "summary.md").read_text("utf-8")
    assert text.startswith("## lockstep prove: violated. ")
    assert "**violated** turnstile.entries" in text
    assert "Nobody gets in without a coin." in text


def test_what_is_not_proved_is_a_warning_at_the_claim(proving: "Desk") -> None:
    proving.edit(
        "specs/turnstile.toml", '"It says nothing of the arms." = ["entries_are_paid"]', ""
    )
    run = sarif(proving, "turnstile", verb="prove")
    assert run["results"] == []
    assert set(kinds(run)) == {("inconclusive", "warning"), ("not-proved", "warning")}
    names = [text_at(proving.root, place) for place in locations(run["invocation"])]
    assert "entries_are_paid" in names
    assert run["invocation"]["executionSuccessful"] is False


def test_a_premise_that_is_never_true_in_a_proof_is_a_warning(proved: "Desk") -> None:
    proved.edit(
        "invariants/turnstile.py", "when(s.arm[g] != Arm.OPEN and", "when(s.coins[g] < 0 and"
    )
    run = sarif(proved, "turnstile", verb="prove")
    assert ("vacuous", "warning") in kinds(run)


def test_a_twin_that_is_another_one_is_a_result_in_the_twin(desk: "Desk") -> None:
    desk.edit("models/turnstile.py", "CAN_JAM and ", "")
    run = sarif(desk, "turnstile", "--scope", "small", verb="twin")
    assert run["automationDetails"]["id"] == "lockstep/twin/"
    (result,) = run["results"]
    assert result["ruleId"] == "lockstep/turnstile/twin"
    (place,) = locations(result["locations"])
    assert place["artifactLocation"]["uri"] == "tla/Turnstile.tla"
    assert result["codeFlows"]
    ran = desk.run("twin", "turnstile", "--scope", "small", "--github", "--summary", "summary.md")
    assert "::error file=tla/Turnstile.tla,line=1," in ran.out
    assert "| turnstile | small | graph | violated |" in (desk.root / "summary.md").read_text()


def test_annotations_come_after_what_is_printed(desk: "Desk") -> None:
    break_push(desk)
    ran = desk.run("check", "turnstile", "--github")
    assert ran.code == 1
    *_, before, line = ran.out.splitlines()
    assert before == "violated: turnstile.entries_are_paid"
    assert line.startswith(
        "::error file=invariants/turnstile.py,line=9,endLine=9,col=5,endColumn=21,"
        "title=turnstile.entries_are_paid is violated::turnstile.entries_are_paid is violated"
    )
    assert "%0A1  coin(g=east)%0A2  push(g=east)%0A" in line


def test_a_summary_is_added_to_what_is_there(desk: "Desk") -> None:
    break_push(desk)
    file = desk.root / "out" / "summary.md"
    file.parent.mkdir()
    file.write_text("# Before\n", encoding="utf-8")
    assert desk.run("check", "--summary", str(file)).code == 1
    assert desk.run("faults", "letters", "--summary", str(file)).code == 1
    text = file.read_text("utf-8")
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    headings = [
        tokens[number + 1].content
        for number, token in enumerate(tokens)
        if token.type == "heading_open"
    ]
    assert headings[:4] == [
        "Before",
        "lockstep check, scope default: violated. 2 models: 2 violated",
        "violated turnstile.entries_are_paid",
        "What this does not say",
    ]
    assert headings[4].startswith("lockstep faults: violated. 0 faults")
    assert re.search(r"^\| turnstile \| violated \| 3 \| 11 \|", text, re.MULTILINE)
    assert "1  coin(g=east)" in text
    assert "violated letters.boxes" not in text
    assert "<summary>as pinned letters.boxes" in text
    assert "letters violates boxes_hold_one_letter in scope default, as pinned" in text


def test_a_long_behaviour_is_folded(desk: "Desk") -> None:
    desk.edit(
        "specs/letters.toml", 'verdict = "violated"\nviolates = ["boxes_hold_one_letter"]', ""
    )
    desk.run("check", "letters", "--summary", "summary.md")
    text = (desk.root / "summary.md").read_text("utf-8")
    assert "<details><summary>The behaviour, 6 steps</summary>" in text


def test_where_nothing_is_checked_the_summary_says_so(repository: "Desk") -> None:
    assert repository.run("check", "--changed", "main", "--summary", "summary.md").code == 0
    text = (repository.root / "summary.md").read_text("utf-8")
    assert text.startswith("## lockstep check, scope default: nothing checked. 0 models")
    assert "| skipped | letters: skipped, nothing that it is made of changed since main |" in text
    assert "holds" not in text


def test_json_is_still_all_that_is_printed(desk: "Desk") -> None:
    ran = desk.run("check", "--json", "--sarif", "a.sarif", "--summary", "a.md")
    assert ran.json["summary"]["exit_code"] == ran.code == 0
    assert (desk.root / "a.sarif").exists()
    assert (desk.root / "a.md").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        *(
            ((verb, "--json", "--github"), "--json does not go with --github")
            for verb in ("check", "prove", "twin")
        ),
        (("prove", "letters", "--find", "1", "--sarif", "x"), "--find does not go with --sarif"),
        (("matrix", "--sarif", "x"), "No such option: --sarif"),
        (("mutants", "--summary", "x"), "No such option: --summary"),
        (
            ("sweep", "--seeds", "1..2", "--simulate", "1", "--github"),
            "No such option: --github",
        ),
    ],
)
def test_what_does_not_go_together_is_said(
    desk: "Desk", arguments: tuple[str, ...], words: str
) -> None:
    ran = desk.run(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert words in ran.err


@pytest.mark.parametrize("flag", ["--sarif", "--summary"])
def test_a_file_that_cannot_be_written_is_one_line(desk: "Desk", flag: str) -> None:
    ran = desk.run("check", "turnstile", flag, "lockstep.toml/file")
    assert ran.code == 2
    assert "cannot be written" in ran.err
    assert len(ran.err.splitlines()) == 1
    assert "turnstile holds" in ran.out


def test_a_file_that_cannot_be_written_keeps_no_other_from_it(desk: "Desk") -> None:
    bad = "lockstep.toml/file"
    assert desk.run("check", "--sarif", bad, "--summary", "a.md").code == 2
    assert desk.run("check", "--sarif", "a.sarif", "--summary", bad).code == 2
    assert (desk.root / "a.md").exists()
    assert (desk.root / "a.sarif").exists()
