"""`specs/kip_N.toml`: what a KIP asks, the constants it fixes, and where Kafka departs from it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from lockstep.specs.tables import Plain, Table, read_toml

_FORMS = {
    "invariant": (r"\w+\.\w+", "invariant MODEL.NAME"),
    "action": (r"\w+\.\w+", "action MODEL.NAME"),
    "fault": (r"\w+\.\w+", "fault MODEL.NAME"),
    "deviation": (r"\S+", "deviation ID"),
    "test": (r"\S+\.py::\w+", "test FILE.py::FUNCTION"),
}
"""What begins a reference, the form of its name, and an example of the whole.

`invariant` stands for every kind of property.
"""


@dataclass(frozen=True)
class Reference:
    """What a requirement cites: `invariant fetch_session.no_request_twice`.

    `name` is `MODEL.NAME` for an invariant, an action or a fault, the id of a deviation, and
    `FILE::FUNCTION` for a test.
    """

    kind: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


@dataclass(frozen=True)
class Requirement:
    """One thing that a KIP asks, in our own words.

    `section` names where. `answered_by` is what supports an answer: actions, faults, deviations,
    tests. Properties state it by its id in their decorators; in the matrix they are in
    `answered_by`, too. `shown_by` are tests of what Apache Kafka itself wrote, `refuted_by`
    witnesses that it is false. Where none of these is possible, `unanswerable` says why.
    """

    id: str
    section: str
    text: str
    answered_by: tuple[Reference, ...]
    shown_by: tuple[Reference, ...]
    refuted_by: tuple[Reference, ...]
    unanswerable: str | None

    @property
    def references(self) -> tuple[Reference, ...]:
        """Everything that it cites."""
        return self.answered_by + self.shown_by + self.refuted_by


@dataclass(frozen=True)
class FixedConstant:
    """A value that a KIP or Kafka fixes, by its name here and in Kafka's source."""

    name: str
    kafka_name: str
    value: Plain
    section: str
    used_by: tuple[str, ...]


@dataclass(frozen=True)
class Deviation:
    """Where Kafka departs from the text or settles what it leaves open, and what the model does."""

    id: str
    title: str
    kip: str
    kafka: str
    model: str
    source: str


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


class _Identified(Protocol):
    @property
    def id(self) -> str: ...


Row = TypeVar("Row", bound=_Identified)


def load_kip(file: Path) -> Kip:
    """Read one file of requirements; `LockstepError` naming file and key for anything wrong."""
    document = read_toml(file)
    head = document.table("kip")
    number, title, revision = head.integer("number"), head.text("title"), head.text("revision")
    label = head.optional_text("label") or str(number)
    head.finish()
    kip = Kip(
        file,
        number,
        label,
        title,
        revision,
        _rows(document, "requirement", _requirement, f"{label}-"),
        tuple(_constant(table) for table in document.tables("constant")),
        _rows(document, "deviation", _deviation, f"{label}-D"),
    )
    document.finish()
    return kip


def load_kips(root: Path) -> list[Kip]:
    """Every `specs/kip_*.toml` of the workspace at `root`, by number."""
    kips = [load_kip(file) for file in (root / "specs").glob("kip_*.toml")]
    return sorted(kips, key=lambda kip: (kip.number, kip.label))


def _rows(document: Table, key: str, read: Callable[[Table], Row], prefix: str) -> tuple[Row, ...]:
    rows: dict[str, Row] = {}
    for table in document.tables(key):
        row = read(table)
        table.finish()
        if row.id in rows:
            raise table.error("id", f"{row.id} is there twice")
        if not re.fullmatch(re.escape(prefix) + r"[1-9]\d*", row.id):
            raise table.error("id", f"is {row.id!r}", f"write {prefix}1, {prefix}2, ...")
        rows[row.id] = row
    return tuple(rows.values())


def _requirement(table: Table) -> Requirement:
    row = Requirement(
        table.text("id"),
        table.text("section"),
        table.text("text"),
        _references(table, "answered_by", tuple(_FORMS)),
        _references(table, "shown_by", ("test",)),
        _references(table, "refuted_by", ("invariant", "fault")),
        table.optional_text("unanswerable"),
    )
    if row.references and row.unanswerable is not None:
        raise table.error(
            None,
            f"{row.id} has both of what answers it and unanswerable",
            "say why nothing can answer it only where nothing does",
        )
    return row


def _references(table: Table, key: str, kinds: Sequence[str]) -> tuple[Reference, ...]:
    return tuple(_reference(table, key, kinds, text) for text in table.texts(key))


def _reference(table: Table, key: str, kinds: Sequence[str], text: str) -> Reference:
    kind, _, name = text.partition(" ")
    if kind not in kinds or not re.fullmatch(_FORMS[kind][0], name):
        raise table.error(
            key,
            f"{text!r} refers to nothing",
            f"write {' or '.join(f'`{_FORMS[kind][1]}`' for kind in kinds)}",
        )
    return Reference(kind, name)


def _constant(table: Table) -> FixedConstant:
    constant = FixedConstant(
        table.text("name"),
        table.text("kafka_name"),
        table.plain("value"),
        table.text("section"),
        table.texts("used_by"),
    )
    table.finish()
    return constant


def _deviation(table: Table) -> Deviation:
    return Deviation(
        table.text("id"),
        table.text("title"),
        table.text("kip"),
        table.text("kafka"),
        table.text("model"),
        table.text("source"),
    )
