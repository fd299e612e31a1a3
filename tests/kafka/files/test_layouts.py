"""What people's logs have around the lines of Kafka's request log, on those of a real broker."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

import pytest
from msgspec import structs

from lockstep.system.physical_lines import PhysicalLine
from lockstep_kafka.files.layouts import joined_lines
from lockstep_kafka.files.lines import FetchLine, LogLine, Reason, Skipped
from lockstep_kafka.files.log_files import log_files
from lockstep_kafka.files.request_log import read_request_log

SAMPLE = Path(__file__).parents[2] / "data" / "request-log" / "java-consumer.log"
Layout = Callable[[str, str], Iterator[str]]
"""The lines that stand in a log for a line, given its milliseconds since 1970 and its message."""


def _iso(milliseconds: str) -> str:
    moment = datetime.fromtimestamp(int(milliseconds) // 1000, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{milliseconds[-3:]}Z"


def log4j2(milliseconds: str, message: str) -> Iterator[str]:
    instant = {
        "epochSecond": int(milliseconds) // 1000,
        "nanoOfSecond": int(milliseconds[-3:]) * 10**6 + 1,
    }
    logger = "kafka.request.logger"
    yield json.dumps({"instant": instant, "level": "DEBUG", "loggerName": logger} | _of(message))


def log4j2_milliseconds(milliseconds: str, message: str) -> Iterator[str]:
    yield json.dumps(_of(message) | {"timeMillis": int(milliseconds), "level": "DEBUG"})


def elastic(milliseconds: str, message: str) -> Iterator[str]:
    fields = {"@timestamp": _iso(milliseconds), "ecs.version": "1.2.0", "log.level": "DEBUG"}
    yield json.dumps(fields | _of(message))


def docker(milliseconds: str, message: str) -> Iterator[str]:
    yield _docker(f"[1999-01-01 00:00:00,000] DEBUG {message}\n", "stdout", milliseconds)


def docker_in_pieces(milliseconds: str, message: str) -> Iterator[str]:
    """With lines of the other stream between the pieces, themselves in pieces."""
    whole = f"DEBUG {message} (kafka.request.logger)\n"
    for at in range(0, len(whole), 700):
        yield _docker(whole[at : at + 700], "stdout", milliseconds)
        yield _docker("a warning" + "\n" * (at % 1400 > 0), "stderr", milliseconds)


def kubernetes(milliseconds: str, message: str) -> Iterator[str]:
    yield f"{_iso(milliseconds)} stdout F DEBUG {message}"


def kubernetes_in_pieces(milliseconds: str, message: str) -> Iterator[str]:
    for at in range(0, len(message), 500):
        mark = "P" if at + 500 < len(message) else "F"
        yield f"{_iso(milliseconds)} stdout {mark} {message[at : at + 500]}"


def elastic_on_kubernetes(milliseconds: str, message: str) -> Iterator[str]:
    for line in elastic("1000000000000", message):
        yield from kubernetes_in_pieces(milliseconds, line)


def log4j2_by_docker(milliseconds: str, message: str) -> Iterator[str]:
    for line in log4j2("1000000000000", message):
        yield _docker(f"{line}\n", "stdout", milliseconds)


def _of(message: str) -> dict[str, str]:
    return {"message": message}


def _docker(text: str, stream: str, milliseconds: str) -> str:
    return json.dumps({"log": text, "stream": stream, "time": _iso(milliseconds)})


LAYOUTS: list[Layout] = [
    log4j2,
    log4j2_milliseconds,
    elastic,
    docker,
    docker_in_pieces,
    kubernetes,
    kubernetes_in_pieces,
    elastic_on_kubernetes,
    log4j2_by_docker,
]


def _bare(line: LogLine) -> FetchLine:
    """A line without its place."""
    assert isinstance(line, FetchLine), line
    return structs.replace(line, line=0, file="")


def _in_layout(layout: Layout) -> list[list[str]]:
    lines = SAMPLE.read_text(encoding="utf-8").splitlines()[:40]
    return [list(layout(line[:13], line[14:])) for line in lines]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_requests_are_the_same_in_each_layout(layout: Layout, tmp_path: Path) -> None:
    written = _in_layout(layout)
    log = tmp_path / "kafka.log"
    log.write_text("".join(f"{line}\n" for lines in written for line in lines), encoding="utf-8")
    found = [line for line in read_request_log(log) if isinstance(line, FetchLine)]
    expected = list(read_request_log(SAMPLE))[: len(written)]
    assert list(map(_bare, found)) == list(map(_bare, expected))
    numbers = count(1)
    firsts = [min([next(numbers) for _ in lines]) for lines in written]
    assert [line.line for line in found] == firsts
    assert log_files([log])[0].first_time_ms == found[0].time_ms


def test_a_line_whose_last_piece_is_missing_is_cut_short(tmp_path: Path) -> None:
    *pieces, _ = _in_layout(kubernetes_in_pieces)[0]
    log = tmp_path / "kafka.log"
    log.write_text("".join(f"{line}\n" for line in pieces), encoding="utf-8")
    (line,) = read_request_log(log)
    assert isinstance(line, Skipped)
    assert (line.line, line.reason) == (1, Reason.TRUNCATED)


@pytest.mark.parametrize("text", ['{"message": 7}', '{"a": 1}', '{"log": "x"', "{" * 5_000, "{}"])
def test_other_json_is_no_line_of_the_log(text: str, tmp_path: Path) -> None:
    log = tmp_path / "kafka.log"
    log.write_text(f"{text}\n", encoding="utf-8")
    (line,) = read_request_log(log)
    assert isinstance(line, Skipped)
    assert (line.reason, line.detail[:25]) == (Reason.FOREIGN, "not a completed request: ")


def test_pieces_that_never_end_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lockstep_kafka.files.layouts.LONGEST_LINE", 3_000)
    piece = b"2026-01-01T00:00:00Z stdout P " + b"x" * 1_000
    pieces = [PhysicalLine(number, piece, True, None) for number in range(1, 9)]
    joined = list(joined_lines(pieces))
    assert [line.number for line in joined] == [1, 4, 7]
    assert [line.flaw is None for line in joined] == [False, False, True]
