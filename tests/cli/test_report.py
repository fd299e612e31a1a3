"""The command `lockstep report`: what is kept, what is not, and what became of it since."""

import json
import re
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.cli.repository import CLAIMS, MODEL, git

if TYPE_CHECKING:
    from tests.cli.conftest import Desk

FREELY = "s.entries[g] <= s.coins[g]"


@pytest.fixture
def alone(desk: "Desk") -> "Desk":
    """A workspace with one model, and without a twin."""
    for file in ("models/letters.py", "invariants/letters.py", "specs/letters.toml"):
        (desk.root / file).unlink()
    desk.edit("specs/turnstile.toml", 'twin = "Turnstile"\n', "")
    return desk


def shown(desk: "Desk", *arguments: str) -> str:
    """The text of the page."""
    desk.run("report", "--out", "shown.html", *arguments)
    page = (desk.root / "shown.html").read_text(encoding="utf-8").partition("<main>")[2]
    (desk.root / "shown.html").unlink()
    return " ".join(unescape(re.sub(r"<style>.*?</style>|<[^>]*>", " ", page)).split())


def rows(desk: "Desk", *arguments: str) -> dict[tuple[str, str], dict[str, Any]]:
    document = desk.run("report", "--json", *arguments).json
    return {(row["kind"], row["scope"]): row for row in document["results"]}


def test_nothing_is_checked_and_that_is_said(desk: "Desk") -> None:
    ran = desk.run("report")
    assert ran.code == 3 or "letters" in ran.out
    document = desk.run("report", "--json").json
    wanted = [row for row in document["results"] if row["wanted"] and row["judged"] != "0/0"]
    assert {row["verdict"] for row in wanted} == {""}
    assert {row["kind"] for row in wanted} == {"check", "faults", "twin"}
    page = (desk.root / ".lockstep" / "report.html").read_text(encoding="utf-8")
    assert ">holds<" not in page


def test_what_was_checked_holds_and_what_was_not_does_not(alone: "Desk") -> None:
    assert alone.run("check").code == 0
    ran = alone.run("report")
    assert ran.code == 3
    assert "faults turnstile no result is kept lockstep faults turnstile" in ran.out
    assert "inconclusive  1 of 1 model as claimed" in ran.out
    assert (
        alone.run(
            "faults",
        ).code
        == 0
    )
    ran = alone.run("report")
    assert (ran.code, ran.out.splitlines()[0][:6]) == (0, "holds ")
    assert ran.out.endswith("written to .lockstep/report.html\n")
    kept = rows(alone)
    assert kept["check", "default"]["states"] == 64
    assert kept["faults", ""]["judged"] == "2/2"
    assert kept["check", "small"]["verdict"] == ""


def test_every_command_that_is_named_fills_its_gap(alone: "Desk") -> None:
    open_rows = [row for row in rows(alone).values() if not row["verdict"] and row["wanted"]]
    assert open_rows
    for row in open_rows:
        assert alone.run(*row["again"].split()[1:]).code == 0
    assert alone.run("report").code == 0


@pytest.mark.parametrize("file", [MODEL, CLAIMS, "models/faults/turnstile.py"])
def test_what_is_of_another_text_is_out_of_date(alone: "Desk", file: str) -> None:
    alone.run("check")
    alone.run(
        "faults",
    )
    with (alone.root / file).open("a", encoding="utf-8") as text:
        text.write("\n# another text\n")
    ran = alone.run("report")
    assert ran.code == 3
    assert "out of date: what was decided on 20" in ran.out
    kept = rows(alone)
    assert kept["faults", ""]["verdict"] == ""
    assert kept["faults", ""]["outdated"] is not None
    is_of_faults = "faults" in file
    assert (kept["check", "default"]["verdict"] == "") != is_of_faults


def test_a_violation_is_shown_first_with_its_behaviour(alone: "Desk") -> None:
    alone.edit(CLAIMS, FREELY, "s.coins[g] < 1")
    assert alone.run("check").code == 1
    ran = alone.run("report")
    assert ran.code == 1
    assert ran.out.startswith("Broken (1)\n  check turnstile default violated ")
    assert "1  coin(" in ran.out
    page = (alone.root / ".lockstep" / "report.html").read_text(encoding="utf-8")
    assert 0 < page.index("turnstile.entries_are_paid</summary>") < page.rindex("Not checked (")
    alone.edit(CLAIMS, "s.coins[g] < 1", FREELY)
    assert alone.run("report").code == 3


def test_what_came_to_no_end_is_not_known(alone: "Desk") -> None:
    alone.run("check", "--max-states", "10")
    row = rows(alone)["check", "default"]
    assert (row["verdict"], row["states"] > 0) == ("inconclusive", True)
    alone.run("check")
    assert rows(alone)["check", "default"]["verdict"] == "holds"
    alone.run("check", "--max-states", "10", "--no-cache")
    assert rows(alone)["check", "default"]["verdict"] == "holds"


def test_a_violation_that_is_pinned_is_as_it_must_be(desk: "Desk") -> None:
    desk.run("check", "letters")
    document = desk.run("report", "--json").json
    (row,) = (
        row
        for row in document["results"]
        if (row["kind"], row["model"], row["scope"]) == ("check", "letters", "default")
    )
    assert (row["verdict"], row["expected"]) == ("violated", True)
    desk.edit("specs/letters.toml", '["boxes_hold_one_letter"]', '["deadlock"]')
    ran = desk.run("report")
    assert "check letters default violated" in ran.out


def test_other_counts_than_pinned_differ(alone: "Desk") -> None:
    alone.run("check")
    alone.run(
        "faults",
    )
    alone.edit("specs/turnstile.toml", "states = 64", "states = 65")
    assert rows(alone)["check", "default"]["verdict"] == "differs"


def test_a_model_that_cannot_be_loaded_is_an_error_and_the_others_are_shown(desk: "Desk") -> None:
    desk.run("check")
    with (desk.root / "models/letters.py").open("a", encoding="utf-8") as text:
        text.write("\n\n@action\ndef bad(s, new):\n    import os\n")
    ran = desk.run("report")
    assert ran.code == 2
    assert "check letters default error" in ran.out
    document = desk.run("report", "--json").json
    verdicts = {row["model"]: row["verdict"] for row in document["results"] if row["wanted"]}
    assert verdicts["letters"] == "error"
    assert any(row["states"] == 64 for row in document["results"])


def test_proofs_are_shown_with_their_widths(proved: "Desk") -> None:
    assert "MAX_COINS = 2^31 - 1" in shown(proved)
    assert proved.run("prove").code == 0
    row = rows_of(proved, "prove")
    assert (row["verdict"], row["judged"]) == ("holds", "4/4")
    proved.edit("specs/turnstile.toml", "depth = 4", "depth = 5")
    row = rows_of(proved, "prove")
    assert (row["verdict"], row["outdated"] is None) == ("", False)


def test_an_unproved_proof_is_not_conclusive(proving: "Desk") -> None:
    proving.edit(
        "specs/turnstile.toml", '"It says nothing of the arms." = ["entries_are_paid"]', ""
    )
    assert proving.run("prove").code == 3
    row = rows_of(proving, "prove")
    assert row["verdict"] == "inconclusive"
    assert row["because"].startswith("not proved: entries_are_paid")


def rows_of(desk: "Desk", kind: str) -> dict[str, Any]:
    document = desk.run("report", "--json").json
    (row,) = (row for row in document["results"] if row["kind"] == kind)
    return dict(row)


def test_twins_are_shown(desk: "Desk") -> None:
    assert desk.run("twin", "turnstile", "--scope", "small").code == 0
    document = desk.run("report", "--json").json
    twins = {
        row["scope"]: row["verdict"]
        for row in document["results"]
        if (row["kind"], row["model"]) == ("twin", "turnstile")
    }
    assert twins == {"small": "holds", "default": ""}


def test_what_tlc_was_not_asked_is_said(desk: "Desk", monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lockstep.twin.twin._MOST_LIVE", 0)
    assert desk.run("init", "demo").code == 0
    monkeypatch.chdir(desk.root / "demo")
    assert desk.run("twin", "--scope", "small").code == 0
    document = desk.run("report", "--json").json
    (row,) = (
        one for one in document["results"] if (one["kind"], one["scope"]) == ("twin", "small")
    )
    assert row["verdict"] == "holds"
    assert row["because"].startswith("TLC was not asked for liveness (every_message_is_confirmed)")
    page = Path(".lockstep/report.html")
    assert desk.run("report").code == 3
    assert row["because"] in unescape(page.read_text(encoding="utf-8"))


def test_without_java_a_twin_is_not_checked(desk: "Desk", monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(desk.root))
    monkeypatch.setenv("PATH", str(desk.root))
    desk.run("check", "turnstile")
    document = desk.run("report", "--json").json
    twins = [row for row in document["results"] if row["kind"] == "twin"]
    assert {row["verdict"] for row in twins} == {""}


def test_mutants_are_shown_where_there_are_rows(alone: "Desk") -> None:
    assert rows_of(alone, "mutants")["wanted"] is False
    code = alone.run("mutants").code
    row = rows_of(alone, "mutants")
    assert row["verdict"] == {0: "holds", 1: "violated", 3: "inconclusive"}[code]


def test_the_history_has_a_line_a_result_and_none_twice(alone: "Desk", tmp_path: Path) -> None:
    alone.run("check")
    history = tmp_path / "kept" / "history.jsonl"
    for _ in range(2):
        alone.run("report", "--history", str(history))
    lines = [json.loads(line) for line in history.read_text().splitlines()]
    assert [(line["kind"], line["verdict"], line["states"]) for line in lines] == [
        ("check", "holds", 64)
    ]
    alone.edit(MODEL, "MAX_COINS: Constant = 2", "MAX_COINS: Constant = 1")
    alone.run("check")
    alone.run("report", "--history", str(history), "--out", "page.html")
    last = json.loads(history.read_text().splitlines()[-1])
    assert (last["verdict"], last["states"]) == ("differs", 25)
    page = (alone.root / "page.html").read_text(encoding="utf-8")
    assert "Changes (1)" in page
    assert "from report to report" in page
    assert not (alone.root / ".lockstep" / "history.jsonl").exists()


def test_lines_that_an_earlier_lockstep_wrote_are_read(alone: "Desk") -> None:
    """They have `date` for `since`, and the same result is not added a second time."""
    alone.run("check")
    alone.run("report", "--history", "history.jsonl")
    history = alone.root / "history.jsonl"
    (line,) = map(json.loads, history.read_text("utf-8").splitlines())
    line["date"] = line.pop("since")
    same = ("kind", "model", "scope", "verdict", "judged", "states", "transitions", "depth")
    earlier = {name: line[name] for name in ("date", *same, "seconds")}
    other = {**earlier, "date": "2026-01-01T00:00:00+00:00", "states": 63}
    text = f"{json.dumps(other)}\n{json.dumps(earlier)}\n"
    history.write_text(text, encoding="utf-8")
    ran = alone.run("report", "--history", "history.jsonl", "--out", "page.html")
    assert "is damaged" not in ran.out
    assert history.read_text("utf-8") == text
    page = (alone.root / "page.html").read_text(encoding="utf-8")
    assert "History (2 results)" in page
    assert "Changes (1)" in page


def test_damaged_lines_of_the_history_are_said_and_passed_over(alone: "Desk") -> None:
    alone.run("check")
    history = alone.root / "history.jsonl"
    text = '{"kind": "check"}\nnothing\n\n{"since": "2026-01-01'
    history.write_text(text, encoding="utf-8")
    ran = alone.run("report", "--history", "history.jsonl")
    assert [f"history.jsonl:{line} is damaged: it is passed over" in ran.out for line in (1, 2, 4)]
    assert history.read_text(encoding="utf-8").startswith(f"{text}\n{{")
    document = alone.run("report", "--history", "history.jsonl", "--json").json
    assert document["damaged"] == [1, 2, 4]


def test_a_history_that_is_no_file_is_refused(alone: "Desk") -> None:
    alone.run("check")
    ran = alone.run("report", "--history", "/dev/full")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("lockstep: /dev/full is no file that can be read")


def test_a_history_that_cannot_be_written_is_one_line(alone: "Desk") -> None:
    alone.run("check")
    ran = alone.run("report", "--history", "lockstep.toml/history.jsonl")
    assert ran.code == 2
    assert "lockstep.toml cannot be written: " in ran.err
    assert "cure: name another file by --history" in ran.err


def test_places_are_links_where_an_address_is_given(repository: "Desk") -> None:
    pattern = "https://example.org/blob/{rev}/{path}#L{line}"
    repository.run("report", "--source-url", pattern)
    page = (repository.root / ".lockstep" / "report.html").read_text(encoding="utf-8")
    commit = (repository.root / ".git/refs/heads/change").read_text().strip()
    assert f'href="https://example.org/blob/{commit}/invariants/turnstile.py#L9"' in page
    (repository.root / "notes").write_text("x")
    git(repository, "status")
    assert f"{commit[:12]} with changes" in repository.run("report", "--markdown").out


@pytest.mark.parametrize(
    "pattern", ["javascript:alert(1)//{path}", "https://example.org/", "https://e.org/{rev}/{path}"]
)
def test_an_address_that_is_none_is_refused(desk: "Desk", pattern: str) -> None:
    ran = desk.run("report", "--source-url", pattern)
    assert ran.code == 2
    assert "--source-url" in ran.err


def test_what_a_log_came_to_is_shown(alone: "Desk") -> None:
    counts = {"conforms": 2, "departs": 1, "unknown": 0}
    summary = {
        "model": "turnstile",
        **{side: counts for side in ("sessions", "client", "broker")},
        "lines": {"read": 9, "followed": 7, "not_followed": 2},
        "exit_code": 1,
    }
    file = alone.root / "conform.json"
    file.write_text(json.dumps({"version": 1, "results": [], "summary": summary}))
    ran = alone.run("report", "--conform", "conform.json", "--markdown")
    assert ran.code == 1
    assert "| conform.json | turnstile | 2 conforms, 1 departs |" in ran.out
    file.write_text("{}")
    ran = alone.run("report", "--conform", "conform.json")
    assert (ran.code, "is not what `lockstep conform --json` prints" in ran.err) == (2, True)


def test_requirements_say_whether_what_answers_them_was_checked(desk: "Desk") -> None:
    cell = "invariant turnstile.entries_are_paid invariants/turnstile.py:9"
    assert f"{cell} not checked" in shown(desk)
    desk.run("check", "turnstile")
    assert f"{cell} holds" in shown(desk)


def test_real_bugs_are_shown_with_what_catches_them(desk: "Desk") -> None:
    assert "stays_open a gate in Graz turnstile not checked" in shown(desk)
    desk.run("faults", "turnstile")
    text = shown(desk)
    assert "stays open a gate in Graz turnstile entries_are_paid 3 small 4" in text
    assert "The arm does not lock behind the one who goes in." in text
    assert "turnstile with stays_open: entries_are_paid is violated in 3 steps" in text
    assert "<- changed by the fault stays_open" in text


def test_markdown_has_what_a_reader_sees_first(desk: "Desk") -> None:
    desk.run("check", "turnstile")
    out = desk.run("report", "--markdown").out
    assert "<details>" not in out.partition("### Requirements")[0]
    assert "entries&#95;are&#95;paid" not in out
    assert "| turnstile | holds | 3 | 64 | 10 |" in out
