"""Every mistake in `models/faults/` does what it says; every invariant catches one first."""

import json
from pathlib import Path

import pytest

from lockstep.cli.main import run
from lockstep.language.model import model_names

ROOT = Path(__file__).parents[2]


LONG = ("snapshot_election", "snapshot_fetch", "snapshot_log")
"""Models whose faults take minutes together: for `make verify`."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.verify if name in LONG else ())
        for name in model_names(ROOT)
    ],
)
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
