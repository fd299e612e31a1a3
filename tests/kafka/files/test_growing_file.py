"""A file that is written and rotated while it is read. Nothing here waits for a clock."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import pytest

from lockstep.errors import LockstepError
from lockstep.workspace import find_workspace
from lockstep_kafka.columns.observe import observe
from lockstep_kafka.files.log_files import BrokerPaths, growing_files
from lockstep_kafka.findings import (
    Finding,
    LayoutFinding,
    Place,
    Progress,
    RemarkFinding,
    SessionFinding,
)
from lockstep_kafka.verbs.conform import ConformRequest, conform
from tests.kafka.conform.following import LOGS, ROOT, follow
from tests.kafka_models import fetch_session

T = TypeVar("T")
Act = Callable[[Path], object]


class Over(Exception):
    """No more is written."""


def waiting(log: Path, acts: Sequence[Act], over: type[BaseException] = Over) -> Callable[[], None]:
    """Each time that the reading waits, the next of these is done to the file."""
    left = iter(acts)

    def wait() -> None:
        act = next(left, None)
        if act is None:
            raise over
        act(log)

    return wait


def append(text: str) -> Act:
    def act(log: Path) -> None:
        with log.open("a", encoding="utf-8") as file:
            file.write(text)

    return act


def rotate(log: Path) -> None:
    log.rename(log.with_suffix(".1"))


def append_to_old(text: str) -> Act:
    return lambda log: append(text)(log.with_suffix(".1"))


def read(log: Path, *acts: Act) -> list[list[tuple[int, str, bool]]]:
    """The lines of each file: number, text, and whether a newline follows."""
    source = growing_files(str(log), waiting(log, acts))
    numbered = ((number, line) for number, lines in enumerate(source) for line in lines)
    files: list[list[tuple[int, str, bool]]] = []
    for number, line in until(Over, numbered):
        files += [[] for _ in range(number + 1 - len(files))]
        files[number].append((line.number, line.content.decode(), line.has_end))
    return files


def until(over: type[BaseException], source: Iterator[T]) -> list[T]:
    """What comes until this is raised."""
    found: list[T] = []
    try:
        for one in source:
            found.append(one)
    except over:
        return found
    raise AssertionError("it ended by itself")


@pytest.fixture
def log(tmp_path: Path) -> Path:
    file = tmp_path / "a.log"
    file.write_text("one\n")
    return file


def test_lines_are_read_once_they_end(log: Path) -> None:
    assert read(log, append("tw"), append("o\nthree"), lambda _: None) == [
        [(1, "one", True), (2, "two", True)]
    ]


def test_a_file_that_is_rotated_is_read_to_its_end(log: Path) -> None:
    """What is written to it after its renaming, too, until the new one is there."""
    acts = (append("two\n"), rotate, append_to_old("three\nfour"), append("five\n"))
    assert read(log, *acts) == [
        [(1, "one", True), (2, "two", True), (3, "three", True), (4, "four", False)],
        [(1, "five", True)],
    ]


def test_what_was_written_just_before_the_rotation_is_not_lost(log: Path) -> None:
    def all_at_once(file: Path) -> None:
        append("two\n")(file)
        rotate(file)
        append("three\n")(file)

    assert read(log, all_at_once, append("four\n")) == [
        [(1, "one", True), (2, "two", True)],
        [(1, "three", True), (2, "four", True)],
    ]


def test_a_file_that_is_emptied_begins_again(log: Path) -> None:
    empty: Act = lambda file: file.write_bytes(b"")  # noqa: E731
    assert read(log, append("two\n"), empty, append("x\n")) == [
        [(1, "one", True), (2, "two", True)],
        [(1, "x", True)],
    ]


def thirds(name: str) -> tuple[str, str, str]:
    text = (LOGS / f"{name}.log").read_text(encoding="utf-8")
    third = len(text) // 3
    return text[:third], text[third : 2 * third], text[2 * third :]


def sessions(findings: Sequence[Finding]) -> list[tuple[object, ...]]:
    return [
        (one.session, one.client, one.lines, one.partial, one.client_side, one.broker_side)
        for one in findings
        if isinstance(one, SessionFinding)
    ]


def observed(log: Path, wait: Callable[[], None]) -> list[Finding]:
    source = observe([str(log)], fetch_session, BrokerPaths(), wait=wait)
    return until(KeyboardInterrupt, source)


def followed(findings: Sequence[Finding]) -> tuple[int, int, int]:
    last = next(one for one in reversed(findings) if isinstance(one, Progress))
    return last.lines, last.followed, last.others


@pytest.mark.parametrize("name", ["aiokafka", "raft-fetch", "librdkafka"])
def test_a_log_that_grows_gives_what_the_whole_one_does(tmp_path: Path, name: str) -> None:
    """Its pieces end within lines, and it is rotated between two lines."""
    first, second, third = thirds(name)
    log = tmp_path / "a.log"
    log.write_text(first, encoding="utf-8")
    end = third.index("\n") + 1
    acts = [append(second), append(third[:end]), rotate, append(third[end:])]
    found = observed(log, waiting(log, acts, KeyboardInterrupt))
    whole = follow(LOGS / f"{name}.log").all
    assert sessions(found) == sessions(whole)
    assert followed(found) == followed(whole)
    assert [one for one in found if isinstance(one, LayoutFinding)] == [
        LayoutFinding(str(log), "plain lines")
    ]


def test_each_remark_is_heard_as_soon_as_it_is_made(tmp_path: Path) -> None:
    """A line of the same broker that is written much later settles the order of those before it."""
    case = LOGS / "cases" / "m2-session-not-found-then-accepted.log.gz"
    log = tmp_path / "a.log"
    log.write_bytes(gzip.decompress(case.read_bytes()))
    later = LOGS.joinpath("java-consumer.log").read_text(encoding="utf-8")
    events: list[str] = []
    wait = waiting(log, [append(later)], KeyboardInterrupt)

    def noted_wait() -> None:
        events.append("wait")
        wait()

    def noted(findings: Iterator[Finding]) -> Iterator[Finding]:
        for finding in findings:
            if isinstance(finding, RemarkFinding):
                assert finding.remark.at == Place(str(log), 6)
                events.append(finding.remark.rule.id)
            yield finding

    source = observe([str(log)], fetch_session, BrokerPaths(), wait=noted_wait)
    until(KeyboardInterrupt, noted(source))
    remarks = ["full-request-expected", "accepted-without-session"]
    assert events == ["wait", *remarks, "wait"]


def test_what_is_compressed_does_not_grow(tmp_path: Path) -> None:
    log = tmp_path / "a.log.gz"
    log.write_bytes(gzip.compress(b"x\n"))
    request = ConformRequest((log,), follow=True, workspace=find_workspace(ROOT))
    with pytest.raises(LockstepError, match="is compressed by gzip"):
        conform(request)


def test_a_run_ends_by_ctrl_c_and_says_what_it_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = LOGS / "cases" / "m2-session-not-found-then-accepted.log.gz"
    log = tmp_path / "a.log"
    first, _, rest = gzip.decompress(case.read_bytes()).decode().partition("\n")
    log.write_text(f"{first}\n", encoding="utf-8")
    wait = waiting(log, [append(rest)], KeyboardInterrupt)
    monkeypatch.setattr("lockstep_kafka.verbs.conform.sleep", lambda _: wait())
    heard: list[RemarkFinding] = []
    request = ConformRequest((log,), follow=True, workspace=find_workspace(ROOT))
    result = conform(request, heard=heard.append)
    assert result.is_interrupted
    assert result.is_all_read
    assert [one.remark.at.line for one in heard] == [6, 6]
    assert [[line.at.line for line in cause.shown] for cause in result.totals.causes] == [
        [5, 6],
        [5, 6],
    ]
