"""Logs whose lines were moved: their times show that, and nobody departs."""

from __future__ import annotations

import gzip
import random
from pathlib import Path

import pytest

from lockstep_kafka.files.log_files import BrokerPaths
from lockstep_kafka.findings import UNORDERED
from tests.kafka.columns.both import found_in
from tests.kafka.conform.following import LOGS, Findings, follow

FRESH = LOGS / "fresh"
SHUFFLED = ("busy", "retention-delete-records", "size-limits", "static-members")


def moved(lines: list[str], most: int, seed: int) -> list[str]:
    """The lines, each behind at most `most` of those that follow it; reversed where that is 0."""
    if most == 0:
        return lines[::-1]
    chance = random.Random(seed)
    places = [place + chance.uniform(0, most) for place in range(len(lines))]
    return [lines[place] for place in sorted(range(len(lines)), key=places.__getitem__)]


def shuffled(folder: Path, name: str, most: int, seed: int) -> Path:
    log = folder / "moved.log"
    lines = gzip.decompress((FRESH / f"{name}.log.gz").read_bytes()).decode().splitlines(True)
    log.write_text("".join(moved(lines, most, seed)))
    return log


@pytest.mark.parametrize("most", [0, 2, 8, 30])
@pytest.mark.parametrize("name", SHUFFLED)
def test_nobody_departs(tmp_path: Path, name: str, most: int) -> None:
    for seed in range(3 if most else 1):
        log = shuffled(tmp_path, name, most, seed)
        found = found_in([str(log)], BrokerPaths(None), in_columns=True)
        assert found == found_in([str(log)], BrokerPaths(None), in_columns=False)
        findings = Findings(tuple(found[0]))
        assert [str(departure) for departure in findings.departures] == []
        assert any(line.reason == UNORDERED for line in findings.lines)
        assert any(session.partial for session in findings.sessions)


@pytest.mark.parametrize("name", SHUFFLED)
def test_kafkas_own_files_are_in_order(name: str) -> None:
    findings = follow(FRESH / f"{name}.log.gz")
    assert not any(line.reason == UNORDERED for line in findings.lines)
