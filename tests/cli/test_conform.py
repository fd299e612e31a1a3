"""The command `lockstep conform`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lockstep.cli.main import run

SAMPLES = Path(__file__).parents[1] / "data" / "request-log"


def test_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["conform", str(SAMPLES / "java-consumer.log")]) == 0
    out = capsys.readouterr().out
    assert "685957690" in out
    assert "1 conform, 0 depart, 0 unknown; 50 lines followed" in out


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["conform", "--json", str(SAMPLES / "follower-fetch.log")]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["summary"]["conforms"] == 2
    assert set(document["results"][0]) >= {
        "file",
        "session",
        "client",
        "verdict",
        "line",
        "because",
    }


def test_nothing_to_judge_is_inconclusive(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["conform", str(SAMPLES / "fetch-snapshot-chunks.log")]) == 3
    assert "6 lines other API" in capsys.readouterr().out


def test_missing_log(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["conform", "no-such.log"]) == 2
    assert "no-such.log cannot be read" in capsys.readouterr().err
