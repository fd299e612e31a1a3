"""What is not judged leaves the run inconclusive, though all else conforms."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from lockstep.errors import ExitCode
from lockstep_kafka.files.log_files import BrokerPaths
from lockstep_kafka.findings import FileFinding, Verdict
from lockstep_kafka.rules import Rule
from lockstep_kafka.totals import ConformTotals
from tests.kafka.columns.both import found_in
from tests.kafka.conform.following import LOGS, Findings, follow

SAMPLE = (LOGS / "java-consumer.log").read_bytes()

Compress = Callable[[bytes], bytes]


def gzipped(content: bytes) -> bytes:
    """The content in two members: the first is whole, whatever is cut from the other."""
    return gzip.compress(content[:-9]) + gzip.compress(content[-9:])


def zstandard_frames(content: bytes) -> bytes:
    return zstandard.compress(content[:-9]) + zstandard.compress(content[-9:])


COMPRESSED = pytest.mark.parametrize(
    ("compress", "name"), [(gzipped, "gzip"), (zstandard_frames, "zstd")]
)


def followed(file: Path, content: bytes) -> tuple[Findings, ConformTotals]:
    file.write_bytes(content)
    findings, totals = follow(file), ConformTotals()
    for finding in findings.all:
        totals.add(finding)
    return findings, totals


@COMPRESSED
def test_a_whole_file(tmp_path: Path, compress: Compress, name: str) -> None:
    findings, totals = followed(tmp_path / "server.log", compress(SAMPLE))
    assert (findings.verdict, findings.files) == (Verdict.CONFORMS, [])
    assert totals.exit_code is ExitCode.HOLDS
    assert findings.total.lines == SAMPLE.count(b"\n")


@COMPRESSED
@pytest.mark.parametrize("damage", ["cut", "other bytes"])
def test_a_damaged_file(tmp_path: Path, compress: Compress, name: str, damage: str) -> None:
    file, packed = tmp_path / "server.log", compress(SAMPLE)
    findings, totals = followed(file, packed[:-3] if damage == "cut" else packed + b"damage")
    (line,), (problem,) = findings.lines, findings.files
    assert (line.reason, line.is_loss) == ("truncated", True)
    assert problem == FileFinding(str(file), line.detail)
    assert problem.because.startswith(f"the {name} stream is ")
    assert findings.verdict is Verdict.CONFORMS
    assert totals.exit_code is ExitCode.INCONCLUSIVE
    assert findings.total.lines == findings.total.followed + 1


@pytest.mark.parametrize("cut", [3, 300, 2_000])
def test_the_last_line_of_a_file_that_is_still_written(tmp_path: Path, cut: int) -> None:
    findings, totals = followed(tmp_path / "server.log", SAMPLE[:-cut])
    (line,) = findings.lines
    number = SAMPLE[:-cut].count(b"\n") + 1
    assert (line.reason, line.at.line, line.is_loss) == ("unfinished", number, True)
    assert (totals.lost, totals.exit_code) == (0, ExitCode.HOLDS)


def test_a_line_that_is_cut_before_others(tmp_path: Path) -> None:
    lines = SAMPLE.splitlines(keepends=True)
    lines.insert(20, lines[20][:300] + b"\n")
    _, totals = followed(tmp_path / "server.log", b"".join(lines))
    assert totals.sessions[Verdict.CONFORMS].count == 1
    assert (totals.lost, totals.exit_code) == (1, ExitCode.INCONCLUSIVE)


def test_sessions_of_which_requests_are_late_are_unknown(tmp_path: Path) -> None:
    """The clock goes back an hour between two files, so that the later one is read first."""
    lines = gzip.decompress((LOGS / "fresh" / "busy.log.gz").read_bytes()).splitlines(True)
    half = len(lines) // 2
    (tmp_path / "request.log.1").write_bytes(b"".join(lines[:half]))
    earlier = [b"%d%b" % (int(line[:13]) - 3_600_000, line[13:]) for line in lines[half:]]
    (tmp_path / "request.log").write_bytes(b"".join(earlier))
    found = found_in([str(tmp_path)], BrokerPaths(None), in_columns=True)
    assert found == found_in([str(tmp_path)], BrokerPaths(None), in_columns=False)
    totals = ConformTotals()
    for finding in found[0]:
        totals.add(finding)
    assert totals.late == totals.lost > 100
    assert (totals.sessions[Verdict.CONFORMS].count, totals.departing.count) == (0, 0)
    assert {unknown.rule for unknown in totals.unknown} == {Rule.REQUEST_LATE}
    assert totals.exit_code is ExitCode.INCONCLUSIVE
