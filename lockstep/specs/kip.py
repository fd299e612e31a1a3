"""`specs/kip_N.toml`: what a KIP asks, the constants it fixes, and where Kafka departs from it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from lockstep.specs.tables import Plain, Table, read_toml

REFERENCE_KINDS = ("invariant", "action", "fault", "deviation", "test")
"""The first word of a reference in `answered_by`; `invariant` stands for goals too."""


@dataclass(frozen=True)
class Reference:
    """What answers a requirement: `invariant fetch_session.no_request_twice`.

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

    `section` names where. It is answered by something, or `unanswerable` says why it cannot be.
    """

    id: str
    section: str
    text: str
    answered_by: tuple[Reference, ...]
    unanswerable: str | None


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
    """One file of requirements."""

    file: Path
    number: int
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
    head.finish()
    kip = Kip(
        file,
        number,
        title,
        revision,
        _rows(document, "requirement", _requirement, f"{number}-"),
        tuple(_constant(table) for table in document.tables("constant")),
        _rows(document, "deviation", _deviation, f"{number}-D"),
    )
    document.finish()
    return kip


def load_kips(root: Path) -> list[Kip]:
    """Every `specs/kip_*.toml` of the workspace at `root`, by number."""
    kips = [load_kip(file) for file in (root / "specs").glob("kip_*.toml")]
    return sorted(kips, key=lambda kip: kip.number)


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
    references = tuple(_reference(table, text) for text in table.texts("answered_by"))
    unanswerable = table.optional_text("unanswerable")
    identity = table.text("id")
    if bool(references) == (unanswerable is not None):
        raise table.error(
            None,
            f"{identity} has {'both' if references else 'neither'} of answered_by and unanswerable",
            "name what answers it, or say why nothing can",
        )
    return Requirement(
        identity, table.text("section"), table.text("text"), references, unanswerable
    )


def _reference(table: Table, text: str) -> Reference:
    kind, _, name = text.partition(" ")
    forms = {"deviation": r"\S+", "test": r"\S+\.py::\w+"}
    if kind not in REFERENCE_KINDS or not re.fullmatch(forms.get(kind, r"\w+\.\w+"), name):
        raise table.error(
            "answered_by",
            f"{text!r} refers to nothing",
            "write `invariant MODEL.NAME`, `action MODEL.NAME`, `fault MODEL.NAME`, "
            "`deviation ID` or `test FILE.py::FUNCTION`",
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
