"""`specs/kip_N.toml`: what a KIP asks, the constants it fixes, and where Kafka departs from it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from lockstep.specs.tables import NO_ROWS, Content, Keys, Rows, Table, Texts, read_toml

_FORMS = {
    "invariant": (r"\w+\.\w+", "invariant MODEL.NAME"),
    "action": (r"\w+\.\w+", "action MODEL.NAME"),
    "fault": (r"\w+\.\w+", "fault MODEL.NAME"),
    "deviation": (r"\S+", "deviation ID"),
    "test": (r"\S+\.py::\w+", "test FILE.py::FUNCTION"),
    "proposal": (r"\w+\.\w+", "proposal MODEL.NAME"),
    "review": (r"\w+", "review NAME"),
    "scope": (r"\w+\.\w+", "scope MODEL.NAME"),
}
"""What begins a reference, the form of its name, and an example of the whole.

`invariant` stands for every kind of property, and a review is a page `docs/reviews/NAME.md`.
"""

_METHOD = r"(?:[a-z]\w*\.)+(?:[A-Z]\w*\.)*[A-Z]\w*#\w+"

_READ_ON = ("proposal", "review")
"""What a requirement may cite that nothing answers: where to read on."""


class Reference(str):
    """What a requirement cites: `invariant fetch_session.no_request_twice`."""

    @property
    def kind(self) -> str:
        """What it refers to."""
        return self.partition(" ")[0]

    @property
    def name(self) -> str:
        """What follows the kind: `MODEL.NAME`, a deviation's id, FILE::TEST, a page's name."""
        return self.partition(" ")[2]


class Requirement(Keys, frozen=True):
    """One thing that a KIP asks, in our own words."""

    id: str
    section: str
    """Where the KIP asks it."""
    text: str
    answered_by: tuple[Reference, ...] = ()
    """What supports an answer, as in `invariant MODEL.NAME`: actions, faults, deviations, tests,
    proposals, reviews; in a matrix the properties that state it by its id, too."""
    shown_by: tuple[Reference, ...] = ()
    """Tests of what Apache Kafka itself wrote."""
    refuted_by: tuple[Reference, ...] = ()
    """Witnesses that it is false."""
    unanswerable: str | None = None
    """Why none of these is possible; then `answered_by` has proposals and reviews at most."""
    rests_on: tuple[str, ...] = ()
    """The methods of Kafka's code that it speaks of, as `package.Class#method`."""

    @property
    def references(self) -> tuple[Reference, ...]:
        """Everything that it cites."""
        return self.answered_by + self.shown_by + self.refuted_by


class FixedConstant(Keys, frozen=True):
    """A value that a KIP or Kafka fixes, by its name here and in Kafka's source."""

    name: str
    kafka_name: str
    value: Any
    section: str
    used_by: Texts = ()


class Deviation(Keys, frozen=True):
    """Where Kafka departs from the text or settles what it leaves open, and what the model does."""

    id: str
    title: str
    kip: str
    kafka: str
    model: str
    source: str
    rests_on: tuple[str, ...] = ()
    """The methods of Kafka's code that it speaks of, as `package.Class#method`."""


@dataclass(frozen=True)
class Kip:
    """One file of requirements.

    `label` is what each id begins with: the number of the KIP, unless the file is about another
    version of it.
    """

    file: Path
    number: int
    label: str
    title: str
    revision: str
    requirements: tuple[Requirement, ...]
    constants: tuple[FixedConstant, ...]
    deviations: tuple[Deviation, ...]


class _Head(Keys, frozen=True):
    number: int
    title: str
    revision: str
    label: str | None = None


class _Document(Keys, frozen=True):
    kip: Content
    requirement: Rows = NO_ROWS
    constant: Rows = NO_ROWS
    deviation: Rows = NO_ROWS


Row = TypeVar("Row", Requirement, Deviation)


def load_kip(file: Path) -> Kip:
    """Read one file of requirements; `LockstepError` naming file and key for anything wrong."""
    document = read_toml(file)
    document.read(_Document)
    head = document.table("kip").read(_Head)
    label = head.label or str(head.number)
    requirements = _rows(document.tables("requirement"), Requirement, f"{label}-")
    for row, table in requirements:
        _check_references(row, table)
    return Kip(
        file,
        head.number,
        label,
        head.title,
        head.revision,
        tuple(row for row, _ in requirements),
        tuple(map(_constant, document.tables("constant"))),
        tuple(row for row, _ in _rows(document.tables("deviation"), Deviation, f"{label}-D")),
    )


def load_kips(root: Path) -> list[Kip]:
    """Every `specs/kip_*.toml` of the workspace at `root`, by number."""
    kips = [load_kip(file) for file in (root / "specs").glob("kip_*.toml")]
    return sorted(kips, key=lambda kip: (kip.number, kip.label))


def _rows(tables: Sequence[Table], kind: type[Row], prefix: str) -> list[tuple[Row, Table]]:
    rows: dict[str, tuple[Row, Table]] = {}
    for table in tables:
        row = table.read(kind)
        if row.id in rows:
            raise table.error("id", f"{row.id} is there twice")
        if not re.fullmatch(re.escape(prefix) + r"[1-9]\d*", row.id):
            raise table.error("id", f"is {row.id!r}", f"write {prefix}1, {prefix}2, ...")
        for name in row.rests_on:
            if not re.fullmatch(_METHOD, name):
                raise table.error("rests_on", f"is {name!r}", "write `package.Class#method`")
        rows[row.id] = row, table
    return list(rows.values())


def _constant(table: Table) -> FixedConstant:
    return msgspec.structs.replace(table.read(FixedConstant), value=table.plain("value"))


def _check_references(row: Requirement, table: Table) -> None:
    for key, references, kinds in (
        ("answered_by", row.answered_by, tuple(kind for kind in _FORMS if kind != "scope")),
        ("shown_by", row.shown_by, ("test",)),
        ("refuted_by", row.refuted_by, ("invariant", "fault", "scope")),
    ):
        for one in references:
            if one.kind not in kinds or not re.fullmatch(_FORMS[one.kind][0], one.name):
                raise table.error(
                    key,
                    f"{str(one)!r} refers to nothing",
                    f"write {' or '.join(f'`{_FORMS[kind][1]}`' for kind in kinds)}",
                )
    answers = [one for one in row.references if one.kind not in _READ_ON]
    if answers and row.unanswerable is not None:
        raise table.error(
            None,
            f"{row.id} has both of what answers it and unanswerable",
            "say why nothing can answer it only where nothing does",
        )
