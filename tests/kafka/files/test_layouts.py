"""What people's logs have around the lines of Kafka's request log, on those of a real broker."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

import pytest
from msgspec import structs

from lockstep.errors import ExitCode
from lockstep.pages.blocks import plain
from lockstep_kafka.files.layouts import (
    DOCKER,
    ELASTIC,
    LAYOUTS,
    LOG4J2,
    MESSAGE,
    PLAIN,
    RUNTIME,
    joined_lines,
)
from lockstep_kafka.files.lines import FetchLine, LogLine, Reason, Skipped
from lockstep_kafka.files.log_files import log_files
from lockstep_kafka.files.physical_lines import PhysicalLine
from lockstep_kafka.files.request_log import SeenLayout, read_request_log
from lockstep_kafka.findings import LayoutFinding
from lockstep_kafka.fleet.log_files import look_at
from lockstep_kafka.fleet.reading import time_of_line
from lockstep_kafka.report.conform import conform_blocks
from lockstep_kafka.totals import ConformTotals
from lockstep_kafka.verbs.conform import ConformResult
from tests.kafka.conform.following import follow

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


def vector(milliseconds: str, message: str) -> Iterator[str]:
    whole = f"[{_iso(milliseconds)}] DEBUG {message}"
    yield json.dumps(_of(whole) | {"source_type": "file", "timestamp": "1999-01-01T00:00:00Z"})


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


NAMES: dict[Layout, str] = {
    log4j2: LOG4J2,
    log4j2_milliseconds: LOG4J2,
    elastic: ELASTIC,
    vector: MESSAGE,
    docker: DOCKER,
    docker_in_pieces: DOCKER,
    kubernetes: RUNTIME,
    kubernetes_in_pieces: RUNTIME,
    elastic_on_kubernetes: f"{ELASTIC} in {RUNTIME}",
    log4j2_by_docker: f"{LOG4J2} in {DOCKER}",
}


def _bare(line: LogLine) -> FetchLine:
    """A line without its place."""
    assert isinstance(line, FetchLine), line
    return structs.replace(line, line=0, file="")


def _in_layout(layout: Layout) -> list[list[str]]:
    lines = SAMPLE.read_text(encoding="utf-8").splitlines()[:40]
    return [list(layout(line[:13], line[14:])) for line in lines]


@pytest.mark.parametrize("layout", NAMES)
def test_the_layout_is_named(layout: Layout, tmp_path: Path) -> None:
    log = tmp_path / "kafka.log"
    lines = [line for lines in _in_layout(layout) for line in lines]
    log.write_text("\n".join(["", "a line of something else", *lines, ""]), encoding="utf-8")
    seen = SeenLayout()
    assert len(list(read_request_log(log, seen))) > 2
    assert (seen.name, seen.first) == (NAMES[layout], (2, '"a line of something else"'))
    assert {part for name in NAMES.values() for part in name.split(" in ")} < set(LAYOUTS)


@pytest.mark.parametrize("layout", [docker_in_pieces, kubernetes_in_pieces])
def test_the_layout_of_pieces_is_named_where_there_are_tables(
    layout: Layout, tmp_path: Path
) -> None:
    log = tmp_path / "kafka.log"
    lines = [line for lines in _in_layout(layout) for line in lines]
    log.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    (file,) = look_at([str(log)], time_of_line)
    times = [line.time_ms for line in read_request_log(log) if isinstance(line, FetchLine)]
    assert (file.layout, file.first_ms) == (NAMES[layout], times[0])


def test_lines_as_they_stand_are_plain() -> None:
    seen = SeenLayout()
    assert len(list(read_request_log(SAMPLE, seen))) > 2
    assert (seen.name, seen.first) == (PLAIN, None)


@pytest.mark.parametrize("text", ["", "\n\n", " \n"])
def test_an_empty_file_has_no_layout(text: str, tmp_path: Path) -> None:
    log = tmp_path / "kafka.log"
    log.write_text(text, encoding="utf-8")
    assert [one for one in follow(log).all if isinstance(one, LayoutFinding)] == []


def test_a_file_in_which_no_layout_is_known_is_not_known(tmp_path: Path) -> None:
    """The other files are followed, and the run is not conclusive."""
    log = tmp_path / "broker.log"
    log.write_text("\nmessage=Completed request level=DEBUG\nmore\n", encoding="utf-8")
    found = follow(SAMPLE, log)
    assert [one for one in found.all if isinstance(one, LayoutFinding)] == [
        LayoutFinding(str(SAMPLE), PLAIN),
        LayoutFinding(str(log), None, 2, '"message=Completed request level=DEBUG"'),
    ]
    totals = ConformTotals()
    for finding in found.all:
        totals.add(finding)
    assert (totals.layouts, len(totals.unknown_layouts)) == ({PLAIN: 1}, 1)
    assert totals.exit_code is ExitCode.INCONCLUSIVE
    result = ConformResult("fetch_session", totals)
    shown = [plain(block.text) for block in conform_blocks(result, verbose=False)]  # type: ignore[union-attr]
    assert shown[1:4] == [
        f"{log}: no line is of a known layout; the first one, line 2: "
        '"message=Completed request level=DEBUG"',
        f"  known are {PLAIN} with `Completed request:` and JSON, alone or within {LOG4J2}, "
        f"{ELASTIC}, {MESSAGE}, {DOCKER}, {RUNTIME}",
        "1 file of plain lines",
    ]


@pytest.mark.parametrize("layout", NAMES)
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
    assert (line.line, line.reason) == (1, Reason.UNFINISHED)


@pytest.mark.parametrize("inner", [None, log4j2])
def test_docker_lines_without_newlines_end_where_requests_do(
    inner: Layout | None, tmp_path: Path
) -> None:
    """Other lines of the stream stand before, after and between the requests."""
    written, numbers = [_docker("INFO first", "stdout", "1795252024432")], []
    for line in SAMPLE.read_text(encoding="utf-8").splitlines()[:6]:
        numbers.append(len(written) + 1)
        text = f"DEBUG {line[14:]}" if inner is None else next(inner(line[:13], line[14:]))
        half = len(text) // 2
        parts = [text[:half], text[half:]] if len(numbers) % 3 == 0 else [text]
        others = ["INFO other", "INFO another"] if len(numbers) % 2 == 0 else []
        written += [_docker(part, "stdout", line[:13]) for part in (*parts, *others)]
    log = tmp_path / "kafka.log"
    log.write_text("".join(f"{line}\n" for line in written), encoding="utf-8")
    *found, last = read_request_log(log)
    fetches = [line for line in found if isinstance(line, FetchLine)]
    assert [line.line for line in fetches] == numbers
    expected = list(read_request_log(SAMPLE))[:6]
    assert list(map(_bare, fetches)) == list(map(_bare, expected))
    assert isinstance(last, Skipped)
    assert (last.reason, last.detail[:23]) == (Reason.TRUNCATED, "its pieces have no end:")


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
