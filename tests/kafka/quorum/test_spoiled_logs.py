"""Logs of quorums that lost lines on their way, or have them twice or in another order.

Their nodes did nothing wrong: whatever departs there is a false alarm.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.kafka.conform.following import LOGS, follow, read_log
from tests.kafka.quorum.quorum_logs import departures

LINES = {
    name: read_log(LOGS / "quorum" / f"{name}.log.gz").text().splitlines()
    for name in ("node2", "node3", "kafka-3.9")
}

Spoil = Callable[[list[str], random.Random], list[str]]


def lose(lines: list[str], chance: random.Random) -> list[str]:
    share = chance.choice((0.02, 0.1, 0.4))
    return [line for line in lines if chance.random() > share]


def repeat(lines: list[str], chance: random.Random) -> list[str]:
    return [line for line in lines for _ in range(1 + (chance.random() < 0.1))]


def shuffle(lines: list[str], chance: random.Random) -> list[str]:
    """Each line among those near it."""
    size = chance.randrange(2, 12)
    blocks = [lines[begin : begin + size] for begin in range(0, len(lines), size)]
    return [line for block in blocks for line in chance.sample(block, len(block))]


def cut(lines: list[str], chance: random.Random) -> list[str]:
    return [
        line[: chance.randrange(len(line))] if chance.random() < 0.05 else line for line in lines
    ]


def begin_later(lines: list[str], chance: random.Random) -> list[str]:
    return lines[chance.randrange(len(lines)) :]


SPOILS: tuple[Spoil, ...] = (lose, repeat, shuffle, cut, begin_later)
"""What may become of a log on its way, of which nobody may be accused."""


@pytest.mark.daily(3)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", LINES)
@pytest.mark.parametrize("spoil", SPOILS)
def test_nobody_is_accused(spoil: Spoil, name: str, seed: int, tmp_path: Path) -> None:
    lines = spoil(LINES[name], random.Random(f"{name} {seed}"))
    log = tmp_path / "kafka-request.log"
    log.write_text("\n".join(lines) + "\n")
    assert departures(follow(log)) == set()
