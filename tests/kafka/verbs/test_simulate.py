"""`simulate` from Python, with a simulator whose lines are numbers."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from zstandard import ZstdDecompressor

from lockstep.errors import LockstepError
from lockstep.workspace import find_workspace
from lockstep_kafka.simulated.log_writer import Compression
from lockstep_kafka.verbs.simulate import SimulateRequest, departure_kinds, simulate
from tests.kafka.conform.plain import ROOT, simulate_plainly

TURNSTILE = Path(__file__).parents[2] / "workspaces" / "turnstile"


@pytest.fixture
def request_(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SimulateRequest:
    """Fifty lines of two brokers."""
    root = tmp_path / "turnstile"
    shutil.copytree(TURNSTILE, root)
    simulate_plainly(monkeypatch.setattr)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    return SimulateRequest(
        log=tmp_path / "out", lines=51, brokers=2, seed=4, workspace=find_workspace(root)
    )


def files_of(folder: Path) -> Mapping[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def truth(folder: Path, broker: int) -> list[Any]:
    text = folder.joinpath(f"broker-{broker}.departures.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


def test_each_broker_has_a_folder_and_its_share_of_the_lines(request_: SimulateRequest) -> None:
    result = simulate(request_)
    assert result.lines == 51
    assert [broker.lines for broker in result.brokers] == [26, 25]
    text = result.log.joinpath("broker-2/numbers.00001.log").read_text()
    assert text == "".join(f"4 2 {number}\n" for number in range(25))
    assert truth(result.log, 1) == truth(result.log, 2) == []


def test_one_process_or_two_write_the_same(tmp_path: Path, request_: SimulateRequest) -> None:
    request = replace(request_, departures=0.1)
    one = simulate(replace(request, log=tmp_path / "one", jobs=1))
    two = simulate(replace(request, log=tmp_path / "two", jobs=2))
    assert one.brokers == two.brokers
    assert files_of(one.log) == files_of(two.log)


@pytest.mark.daily(3)
@pytest.mark.parametrize("compression", Compression)
def test_files_are_rotated_and_compressed(
    tmp_path: Path, request_: SimulateRequest, compression: Compression
) -> None:
    request = replace(
        request_, lines=300_000, brokers=1, rotate_mb=1, compress=compression, departures=0.1
    )
    result = simulate(request)
    assert files_of(simulate(replace(request, log=tmp_path / "again")).log) == files_of(result.log)
    pieces = sorted(result.log.joinpath("broker-1").iterdir())
    assert result.brokers[0].files == len(pieces) == 4
    opened = {".gz": gzip.decompress, ".zst": decompressed}
    texts = [opened.get(piece.suffix, bytes)(piece.read_bytes()) for piece in pieces]
    assert b"".join(texts) == b"".join(b"4 1 %d\n" % number for number in range(300_000))
    assert all(10**6 <= len(text) < 10**6 + 20 for text in texts[:-1])
    lines = {
        piece.relative_to(result.log).as_posix(): text.splitlines()
        for piece, text in zip(pieces, texts, strict=True)
    }
    departures = truth(result.log, 1)
    assert len(departures) == 30_000
    for departure in departures:
        line = lines[departure["file"]][departure["line"] - 1]
        assert line == b"4 1 %d" % departure["sessions"][0]


def decompressed(data: bytes) -> bytes:
    return ZstdDecompressor().decompressobj().decompress(data)


def test_departures_of_the_kinds_that_are_asked_for(request_: SimulateRequest) -> None:
    result = simulate(replace(request_, departures=0.1, kinds=("low",)))
    assert result.departures == {"low": 4}
    assert truth(result.log, 1)[0] == {
        "file": "broker-1/numbers.00001.log",
        "line": 8,
        "kind": "low",
        "sides": ["client"],
        "requirements": [],
        "blameless": [],
        "sessions": [7],
        "connection": "a connection",
    }


def test_kinds(request_: SimulateRequest) -> None:
    assert [kind.name for kind in departure_kinds(workspace=request_.workspace)] == ["loud", "low"]


@pytest.mark.parametrize(
    ("changed", "because"),
    [
        ({"log": None}, "there is no folder to write to"),
        ({"lines": 1}, "1 lines are too few for 2 brokers"),
        ({"departures": 0.2}, r"0.2 is more than stand far enough apart\n  cure: 0.1 is the most"),
        ({"kinds": ("low",)}, "--kinds seeds nothing"),
        ({"kinds": ("lou",), "departures": 0.1}, "no kind of departure 'lou'\n.*did you mean loud"),
        ({"model": "gate"}, "gate cannot be simulated\n  cure: name one of: turnstile"),
    ],
)
def test_what_is_refused(request_: SimulateRequest, changed: dict[str, Any], because: str) -> None:
    with pytest.raises(LockstepError, match=because):
        simulate(replace(request_, **changed))
    assert not request_.log or not request_.log.exists()


def test_a_folder_with_files_is_left_alone(request_: SimulateRequest) -> None:
    simulate(request_)
    assert request_.log is not None
    before = files_of(request_.log)
    with pytest.raises(LockstepError, match="is not empty"):
        simulate(request_)
    assert files_of(request_.log) == before


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_refusal_of_the_simulator(request_: SimulateRequest, jobs: int) -> None:
    assert request_.workspace is not None
    request_.workspace.root.joinpath("models/turnstile.py").write_text("# nothing\n")
    with pytest.raises(LockstepError, match="cannot import name 'Arm'"):
        simulate(replace(request_, jobs=jobs))
