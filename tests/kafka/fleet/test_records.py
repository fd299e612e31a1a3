"""Records of a topic, followed by the tasks that read them, against one process and files."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.kafka.conform.following import LOGS, read_log
from tests.kafka.fleet.one_machine import comparable, rows_of
from tests.kafka.fleet.pipeline import OBSERVED, Fleet, Record, Rows, fleet
from tests.kafka.quorum.test_spoiled_logs import SPOILS, Spoil

PARTITIONS = 3
_NAMED = re.compile(r"(logs/\d/[\w.-]+):(\d+)")
KEYED = replace(OBSERVED, broker_from="(?P<broker>[^/]+)$")
"""A broker is the key of its records."""


class Shipped:
    """Logs, a file a broker, and the same lines in a topic, those of brokers among each other."""

    def __init__(self, folder: Path, logs: dict[str, list[str]], chance: random.Random) -> None:
        self.files = [folder / broker / "request.log" for broker in logs]
        self.partitions: list[list[Record]] = [[] for _ in range(PARTITIONS)]
        self._lines: dict[tuple[str, int], tuple[str, int]] = {}
        places = []
        for number, (file, lines) in enumerate(zip(self.files, logs.values(), strict=True)):
            file.parent.mkdir()
            file.write_text("".join(f"{line}\n" for line in lines), "utf-8")
            # Brokers write at a time, and now and then much at once.
            at = 0.0
            for line, text in enumerate(lines, 1):
                at += chance.choice((0.0, 0.0, 0.0, 1.0))
                places.append((at, number, line, text))
        for _, number, line, text in sorted(places):
            partition = number % PARTITIONS
            records, file = self.partitions[partition], self.files[number]
            name = f"logs/{partition}/{file.parent.name}"
            self._lines[name, len(records)] = str(file), line
            records.append((name, partition, len(records), text.encode()))

    def in_files(self, value: Any) -> Any:
        """Rows with the lines of files in place of records."""
        if isinstance(value, list | tuple):
            return type(value)(self.in_files(part) for part in value)
        if isinstance(value, str):
            return _NAMED.sub(lambda named: self._named(named[1], int(named[2])), value)
        if not isinstance(value, dict):
            return value
        row = {name: self.in_files(part) for name, part in value.items()}
        for place in ("", "first_", "last_"):
            record = value.get(f"{place}file"), value.get(f"{place}line")
            if record in self._lines:
                row[f"{place}file"], row[f"{place}line"] = self._lines[record]
        return row

    def _named(self, record: str, offset: int) -> str:
        file, line = self._lines[record, offset]
        return f"{file}:{line}"

    def parts(self, count: int) -> Sequence[list[list[Record]]]:
        """What each of so many batches has of each partition."""
        return [
            [of[part * len(of) // count : (part + 1) * len(of) // count] for of in self.partitions]
            for part in range(count)
        ]

    def assert_same(self, run: Fleet) -> None:
        """The batches of a run have found what one process finds in the files."""
        for kind, rows in rows_of(*self.files).items():
            found: Rows = self.in_files(run.rows[kind])
            assert comparable(found) == comparable(rows), kind


@pytest.mark.parametrize("in_columns", [False, True], ids=["by lines", "in columns"])
def test_captures_in_two_batches(tmp_path: Path, in_columns: bool) -> None:
    folders = sorted(fleet(tmp_path / "captures").iterdir())[::2]
    logs = {folder.name: read_log(folder).text().splitlines() for folder in folders}
    shipped = Shipped(tmp_path, logs, random.Random(1))
    run = Fleet(in_columns, KEYED)
    for partitions in shipped.parts(2):
        run.run_records(*partitions)
    shipped.assert_same(run)
    assert run.rows["departure"]


@pytest.mark.parametrize("in_columns", [False, True], ids=["by lines", "in columns"])
def test_records_of_one_broker_may_have_several_keys(in_columns: bool) -> None:
    """They are followed in the order of their partition."""
    texts = read_log(LOGS / "java-consumer.log").text().splitlines()
    found = []
    for keys in (("a",), ("a", "b")):
        run = Fleet(in_columns, OBSERVED)
        run.run_records(
            [
                (f"logs/0/{keys[offset % len(keys)]}", 0, offset, text.encode())
                for offset, text in enumerate(texts)
            ]
        )
        found.append([_without_files(row) for row in run.rows["session"]])
    assert found[0] == found[1] != []


def _without_files(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if not name.endswith("file")}


@pytest.mark.parametrize("spoil", SPOILS)
def test_spoiled_captures(spoil: Spoil, tmp_path: Path) -> None:
    """Damage stays with its broker."""
    chance = random.Random(spoil.__name__)
    names = ("fresh/static-members", "fresh/leader-changes-broker3", "quorum/node2")
    logs = {
        name.partition("/")[2]: spoil(
            read_log(LOGS / f"{name}.log.gz").text().splitlines()[:600], chance
        )
        for name in names
    }
    shipped = Shipped(tmp_path, {**logs, "again": logs["static-members"]}, chance)
    run = Fleet(True, KEYED)
    for partitions in shipped.parts(3):
        run.run_records(*partitions)
    shipped.assert_same(run)
