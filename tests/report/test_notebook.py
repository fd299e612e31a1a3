"""What verbs give back shows itself in a notebook: well-formed, escaped, with all that matters."""

import json
import shutil
from dataclasses import replace
from pathlib import Path
from xml.etree.ElementTree import Element, fromstring

import pytest

from lockstep.errors import LockstepError
from lockstep.pages.markdown import markdown
from lockstep.report.notebook import html_of
from lockstep.report.twin import TwinView
from lockstep.verbs.check import Checked, CheckRequest, CheckRun, check
from lockstep.verbs.faults import FaultsRequest, faults
from lockstep.verbs.prove import ProveRequest, Unproved, prove
from lockstep.verbs.replay import ReplayRequest, replay, replay_on
from lockstep.verbs.twin import Compared, TwinRequest, TwinRun, twin
from lockstep.workspace import Workspace, find_workspace

TURNSTILE = Path(__file__).parents[1] / "workspaces" / "turnstile"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    root = tmp_path / "turnstile"
    shutil.copytree(TURNSTILE, root, ignore=shutil.ignore_patterns(".lockstep"))
    return find_workspace(root)


def faulty(workspace: Workspace) -> CheckRun:
    return check(
        CheckRequest(("turnstile",), workspace=workspace, scope="small", fault="stays_open")
    )


def shown(result: object) -> Element:
    html = result._repr_html_()  # type: ignore[attr-defined]
    assert html == html_of(result)
    return fromstring(html.replace("<br>", "<br />"))


def text_of(element: Element) -> str:
    return "".join(element.itertext())


def test_a_run(workspace: Workspace) -> None:
    run = check(CheckRequest(workspace=workspace))
    element = shown(run)
    table = element.find("div/table")
    assert table is not None
    assert "scope default" in text_of(element)
    rows = [[text_of(cell) for cell in row] for row in table.findall("tbody/tr")]
    assert ["turnstile", "holds", "3", "64", "208", "10"] in [row[:6] for row in rows]


def test_a_violation(workspace: Workspace) -> None:
    run = faulty(workspace)
    for result in (run, run.results[0]):
        element = shown(result)
        (violated,) = element.findall("section")
        assert text_of(violated).startswith("violated turnstile.entries_are_paid")
        (behaviour,) = violated.iter("pre")
        assert "     arm[east]: LOCKED -> OPEN\n" in text_of(behaviour)
        assert element.find(".//td[@class='violated']") is not None


def test_a_behaviour_a_replay_and_another_version(workspace: Workspace) -> None:
    (checked,) = faulty(workspace).results
    assert isinstance(checked, Checked)
    assert checked.saved is not None
    assert "3  push(east)" in text_of(shown(checked.trace))
    again = shown(replay(ReplayRequest(checked.saved, workspace=workspace)))
    assert "is violated again, as recorded" in text_of(again)
    request = ReplayRequest(checked.saved, on="turnstile", workspace=workspace)
    with replay_on(request) as on:
        assert "turnstile stops it" in text_of(shown(on))


def test_faults(workspace: Workspace, tmp_path: Path) -> None:
    results = tmp_path / "results.jsonl"
    run = faults(FaultsRequest(("turnstile",), workspace, threads=1, results=results))
    for result in (run, *run.results):
        text = text_of(shown(result))
        assert "caught by entries_are_paid" in text
        assert "invariant, and the faults that it catches first" in text
    assert "broken first by a fault." in text_of(shown(run))


def test_proofs_and_one_that_cannot_be_made(workspace: Workspace) -> None:
    run = prove(ProveRequest(("turnstile",), scope="small", workspace=workspace))
    (proved,) = run.results
    for result in (run, proved):
        assert "entries_are_paid" in text_of(shown(result))
        assert f"turnstile small: {proved.verdict}" in text_of(shown(result))
    assert "properties proved" in text_of(shown(run))
    assert "Z3 is away" in text_of(
        shown(Unproved("turnstile", "real", LockstepError("Z3 is away")))
    )


def test_a_twin_and_one_that_differs(workspace: Workspace) -> None:
    run = twin(TwinRequest(("turnstile",), scope="small", workspace=workspace))
    for result in (run, *run.results):
        element = shown(result)
        row = [text_of(cell) for cell in element.findall(".//tbody/tr/td")]
        assert row[:4] == ["turnstile", "small", "graph", "holds"]
    module = workspace.root / "tla/Turnstile.tla"
    module.write_text(module.read_text().replace("coins[g] < MaxCoins", "coins[g] <= MaxCoins"))
    run = twin(TwinRequest(("turnstile",), scope="small", workspace=workspace))
    assert "the two part first" in text_of(shown(run))
    assert "reproduce with lockstep twin turnstile " in text_of(shown(run))


def test_what_tlc_was_not_asked_is_said_everywhere(workspace: Workspace) -> None:
    (compared,) = twin(TwinRequest(("turnstile",), scope="small", workspace=workspace)).results
    assert isinstance(compared, Compared)
    result = replace(compared.result, unchecked=("it_ends",), unrefined="Door")
    run = TwinRun((replace(compared, result=result),))
    view = TwinView(workspace.root, [compared.task])
    problems = view.problems(run)
    texts = (
        text_of(shown(run)),
        markdown(view.page(run, problems)).replace("\\_", "_"),
        " ".join(gap.message for gap in problems.gaps),
        json.dumps(view.document(run)),
    )
    for said in texts:
        assert "it_ends" in said
        assert "Door" in said


def test_what_a_model_says_is_no_markup(workspace: Workspace) -> None:
    claims = workspace.root / "invariants/turnstile.py"
    markup = "<script>alert(1)</script> & \x07"
    claims.write_text(claims.read_text().replace("Nobody gets in without a coin.", markup))
    html = html_of(faulty(workspace))
    assert "<script" not in html
    assert r"<script>alert(1)</script> & \x07" in text_of(fromstring(html))


def test_a_model_that_cannot_be_explored(workspace: Workspace) -> None:
    model = workspace.root / "models/turnstile.py"
    model.write_text(model.read_text() + "\n\n@action\ndef bold(s, new):\n    return '<b>'\n")
    run = check(CheckRequest(("turnstile",), workspace=workspace))
    html = html_of(run)
    assert "&lt;b&gt;" in html
    assert "error" in text_of(shown(run))


def test_nothing_else_is_shown() -> None:
    with pytest.raises(TypeError, match="int is not shown"):
        html_of(1)
