"""A file that cannot be read to its end leaves the run inconclusive, though all else conforms."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from lockstep.errors import ExitCode
from lockstep_kafka.findings import FileFinding, Verdict
from lockstep_kafka.totals import ConformTotals
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
