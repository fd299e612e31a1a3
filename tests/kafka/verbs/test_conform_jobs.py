"""`conform --jobs`: processes find what one finds, in its order, and say what was lost of them."""

from __future__ import annotations

import gzip
from concurrent.futures import wait
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lockstep.errors import ExitCode, LockstepError
from lockstep.results.verdict import INTERRUPTED
from lockstep.workspace import find_workspace
from lockstep_kafka.columns import observe
from lockstep_kafka.report.conform import conform_blocks
from lockstep_kafka.report.conform_json import conform_json
from lockstep_kafka.verbs import conform_jobs
from lockstep_kafka.verbs.conform import ConformRequest, ConformResult, conform
from lockstep_kafka.verbs.side_by_side import side_by_side
from tests.kafka.conform.following import LOGS, ROOT

ONE, TWO = "m1-one-id-two-live-sessions", "fb6-forgets-twice"
"""Logs of two brokers; the first one departs."""

AFTERWARDS = "m2-session-not-found-then-accepted"
"""Of the broker of the first."""


def text_of(*names: str) -> str:
    contents = ((LOGS / "cases" / f"{name}.log.gz").read_bytes() for name in names)
    return "".join(gzip.decompress(content).decode() for content in contents)


def request(*logs: Path, **options: Any) -> ConformRequest:
    return ConformRequest(logs, workspace=find_workspace(ROOT), **options)


def shown(result: ConformResult) -> object:
    return conform_json(result), list(conform_blocks(result, verbose=True))


@pytest.fixture(name="logs")
def some_logs(tmp_path: Path) -> Path:
    """A folder with logs of two brokers."""
    folder = tmp_path / "logs"
    folder.mkdir()
    for name in (ONE, TWO, AFTERWARDS):
        (folder / f"{name}.log").write_text(text_of(name))
    return folder


@pytest.mark.parametrize(("most", "in_columns"), [(None, False), (1, True)])
def test_processes_find_what_one_finds(
    logs: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    most: int | None,
    in_columns: bool,
) -> None:
    for module in (observe, conform_jobs):
        monkeypatch.setattr(module, "pays", lambda files: in_columns)
    (logs / "no.log").write_text("no request\n")
    files = [tmp_path / f"{jobs}.prom" for jobs in (1, 2)]
    one, two = (
        conform(request(logs, jobs=jobs, metrics=files[jobs - 1], most=most)) for jobs in (1, 2)
    )
    assert one.totals.departing.count > 1
    assert (one.totals.in_columns > 0) is in_columns
    assert len(one.totals.unknown_layouts) == 1
    assert shown(two) == shown(one)
    assert files[1].read_text() == files[0].read_text()


def test_a_broker_in_files_of_another_is_not_split(
    logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (logs / f"{AFTERWARDS}.log").write_text(text_of(TWO, AFTERWARDS))
    (logs / f"{TWO}.log").unlink()
    begun: list[int] = []

    def counted(*arguments: Any) -> Any:
        begun.append(len(arguments[1]))
        return side_by_side(*arguments)

    monkeypatch.setattr(conform_jobs, "side_by_side", counted)
    two = conform(request(logs, jobs=2))
    assert begun == [2]
    assert shown(two) == shown(conform(request(logs)))


def test_the_log_of_one_broker_is_followed_here(
    logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conform_jobs, "side_by_side", None)
    (logs / f"{TWO}.log").unlink()
    assert shown(conform(request(logs, jobs=2))) == shown(conform(request(logs)))


def test_a_process_that_is_killed(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conform_jobs, "PROGRAM", "tests.kafka.conform.ending_job")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    (logs / f"{TWO}.log").rename(logs / "swallowed.log")
    result = conform(request(logs, jobs=2))
    assert str(result.failure) == (
        "what is found of 127.0.0.1:36923 is not complete: its process was ended"
    )
    assert result.exit_code == ExitCode.USAGE
    summary: Any = conform_json(result)["summary"]
    assert summary["failure"] == str(result.failure)
    (logs / "swallowed.log").unlink()
    assert shown(replace(result, failure=None)) == shown(conform(request(logs)))


def test_files_without_a_request_beside_lines_without_a_broker(
    logs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conform_jobs, "LINES_LOOKED_AT", 10)
    for name, before in ((ONE, ""), (TWO, "no request\n" * 12), (AFTERWARDS, "")):
        lines = text_of(name).replace("127.0.0.1:55867-", "-")
        (logs / f"{name}.log").write_text(before + lines)
    assert shown(conform(request(logs, jobs=2))) == shown(conform(request(logs)))


def test_processes_that_cannot_begin(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conform_jobs, "PROGRAM", "tests.no_such_program")
    with pytest.raises(LockstepError, match=r"its process was ended: .*No module named"):
        conform(request(logs, jobs=2))


def test_ctrl_c_reports_what_was_read(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes that have begun end as one process does; no other is begun."""

    def interrupted(*arguments: Any) -> object:
        monkeypatch.setattr(conform_jobs, "wait", wait)
        raise KeyboardInterrupt

    monkeypatch.setattr(conform_jobs, "wait", interrupted)
    result = conform(request(logs, jobs=2))
    assert result.exit_code == INTERRUPTED
    assert result.totals.departing.count > 1


def test_what_it_does_not_go_with(logs: Path) -> None:
    with pytest.raises(LockstepError, match="--jobs does not go with --follow"):
        request(logs / f"{ONE}.log", jobs=2, follow=True)
