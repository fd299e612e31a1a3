"""Notes of those who read the source of Kafka's releases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from lockstep.errors import nearest
from lockstep.specs.tables import NO_ROWS, NOTHING, Content, Keys, Rows, Table, Texts, read_toml
from lockstep.system.text_files import is_file

READINGS_FILE = "specs/kafka/drift.toml"

GONE = "gone"
"""Stands for the digest of a method that a release does not have."""


class Reading(Keys, frozen=True):
    """One method as one release has it, and the rows that were compared with it."""

    of: str
    release: str
    """Where it was read; another one may have the same text."""
    digest: str
    words: str
    """What changed, in our own words."""
    stands: Texts = ()
    """The rows that are true of it as they were written."""
    mended: Texts = ()
    """The rows that were not, and are now."""


class _Document(Keys, frozen=True):
    former: Content = NOTHING
    reading: Rows = NO_ROWS


@dataclass(frozen=True)
class Readings:
    """All that was read, by method and digest.

    `former` are the names that classes had before, by those that they have now.
    """

    former: Mapping[str, str]
    readings: Mapping[tuple[str, str], Reading]


def read_readings(root: Path, rests_on: Mapping[str, tuple[str, ...]]) -> Readings:
    """The readings of a workspace; none where there is no such file.

    `rests_on` are the rows that rest on each method. `LockstepError` for a reading of another
    method or row, and for a second one of the same text.
    """
    file = root / READINGS_FILE
    if not is_file(file):
        return Readings({}, {})
    document = read_toml(file)
    former = document.read(_Document).former
    for name, before in former.items():
        if not isinstance(before, str):
            raise document.table("former").error(f'"{name}"', "is not the name of a class")
    readings: dict[tuple[str, str], Reading] = {}
    for reading, table in _readings(document):
        if reading.of not in rests_on:
            raise table.error(
                "of", f"no row rests on {reading.of}", nearest(reading.of, rests_on, "remove it")
            )
        for key, rows in (("stands", reading.stands), ("mended", reading.mended)):
            for row in rows:
                if row not in rests_on[reading.of]:
                    raise table.error(key, f"{row} does not rest on {reading.of}", "remove it")
        if (reading.of, reading.digest) in readings:
            raise table.error("digest", f"{reading.of} was read as it is here twice")
        readings[reading.of, reading.digest] = reading
    return Readings(former, readings)


def _readings(document: Table) -> Iterator[tuple[Reading, Table]]:
    for table in document.tables("reading"):
        yield table.read(Reading), table
