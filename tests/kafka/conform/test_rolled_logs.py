"""A log that was rolled, whose clock stepped back: its files seem to stand in another order."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from tests.kafka.conform.following import LOGS, follow

ROTATED = sorted((LOGS / "fresh" / "rotated").iterdir())
TIME = 13
"""Digits of a time in milliseconds, with which a line begins."""


def stepped(line: str, step_ms: int) -> str:
    time = line[:TIME]
    return f"{int(time) + step_ms}{line[TIME:]}" if time.isdigit() else line


def rolled(directory: Path, first: int, step_ms: int) -> None:
    """The log's files; from the one at place `first` on, their times are that much later."""
    for place, file in enumerate(ROTATED):
        lines = gzip.decompress(file.read_bytes()).decode().splitlines()
        if place >= first:
            lines = [stepped(line, step_ms) for line in lines]
        text = "".join(f"{line}\n" for line in lines)
        (directory / file.name.removesuffix(".gz")).write_text(text)


@pytest.mark.parametrize("step_ms", [-20_000, -6_000, -3_000, 0])
@pytest.mark.parametrize("back", [1, 2, 3])
def test_nobody_departs(tmp_path: Path, back: int, step_ms: int) -> None:
    rolled(tmp_path, len(ROTATED) - back, step_ms)
    findings = follow(tmp_path)
    assert findings.sessions
    assert [str(departure) for departure in findings.departures] == []
