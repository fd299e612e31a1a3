"""Every mistake in `models/faults/` does what it says; every invariant catches one first.

Each day has one in twelve of the mistakes of every model; `make verify` has them all.
"""

import json

import pytest

from lockstep.answers.answer import decode, encode
from lockstep.campaign.processes import Share
from lockstep.campaign.task import Outcome
from lockstep.cli.main import run
from lockstep.language.notation import Kind
from lockstep.requests.campaign import FaultsRequest
from lockstep.verbs.fault_task import explore_fault
from lockstep.verbs.faults import plan_faults
from lockstep.workspace import find_workspace
from tests.day import day
from tests.kafka_models import MODELS, ROOT, kafka_faults, kafka_model

DAYS = 12
CAUGHT_BESIDE = {
    "fetch_session": {"only_what_is_wanted_is_answered"},
    "fetch_session_draft": {"error_comes_of_a_lost_session"},
    "leader_discovery": {"leader_changes_only_with_a_newer_epoch"},
    "snapshot_election": {
        "epochs_never_fall_along_a_log",
        "leaders_snapshots_agree_with_their_logs",
        "what_is_committed_ends_in_a_record_of_that_epoch",
    },
    "snapshot_fetch": {"leader_only_appends"},
    "snapshot_log": {"reset_comes_to_an_end"},
}
"""Claims that fail at the step at which the one that a fault names does, and are named by none."""


@pytest.mark.parametrize("name", MODELS)
def test_every_claim_is_named_by_a_fault(name: str) -> None:
    claims = {prop.name for prop in kafka_model(name).properties if prop.kind is not Kind.SOMETIMES}
    named = {mark.breaks for mark in kafka_faults(name).values()}
    assert claims - named == CAUGHT_BESIDE.get(name, set())


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_the_faults_of_the_day_are_caught(name: str) -> None:
    chosen = list(kafka_faults(name))[day() % DAYS :: DAYS]
    assert chosen  # no names would mean all of them
    request = FaultsRequest((name,), engine="auto", names=tuple(chosen))
    model, tasks = plan_faults(find_workspace(ROOT), request, name)
    for task, _ in tasks[: len(chosen)]:
        model.take(decode(explore_fault(ROOT, encode(task), Share(threads=1)), Outcome).row)
    assert [run.name for run in model.runs] == chosen
    assert (model.errors, model.problems) == ([], [])


@pytest.mark.slow
@pytest.mark.verify
@pytest.mark.parametrize("name", MODELS)
def test_every_fault_is_caught_and_every_invariant_catches_one(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    code = run(["faults", name, "--json", "--no-cache"])
    report = json.loads(capsys.readouterr().out)
    assert report["summary"]["errors"] == []
    assert report["summary"]["problems"] == []
    assert code == 0
    assert [
        row["fault"]
        for row in report["results"]
        if not row["details"]["harmless"]
        and row["details"]["expected"] not in row["details"]["caught_by"]
    ] == []
    harmless = [row for row in report["results"] if row["details"]["harmless"]]
    assert [row["fault"] for row in harmless if row["details"]["caught_by"]] == []
    assert [row["invariant"] for row in report["invariants"] if not row["faults"]] == []
