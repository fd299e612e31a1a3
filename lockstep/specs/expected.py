"""`specs/review.toml`: what a proposed change may break, and why.

    [[review.expected]]
    model = "snapshot_log"
    property = "deletes_only_below_the_log_start"
    because = "KIP-9 replaces 630-7: a snapshot is deleted with the log below it."

A change is of a `model`, between two git revisions, or of two versions, `base` and `head`, as
`lockstep review` takes them; `scope` is the one scope where it is expected, all of them by
default. What is expected is one of: a `property` that breaks, or says nothing any more; a
`requirement`, with every property that states it; a `fault` that is no longer caught;
`behaviours = "added"`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Literal

from lockstep.errors import LockstepError
from lockstep.specs.tables import NO_ROWS, NOTHING, Content, Keys, Rows, Table, line_of, read_toml

EXPECTED_FILE = "specs/review.toml"
"""The file of a workspace that is read unless another is named."""


class Subject(StrEnum):
    """What an entry expects something of."""

    PROPERTY = "property"
    REQUIREMENT = "requirement"
    FAULT = "fault"
    BEHAVIOURS = "behaviours"
    """Some that BASE does not show are expected of HEAD: `"added"`."""


@dataclass(frozen=True)
class Expected:
    """One entry: what is expected of the `subject` of that `name`, where, and `because` of what.

    Either `model` is set, or `base` and `head` are. `place` is the entry's file and line.
    """

    place: str
    subject: Subject
    name: str
    because: str
    model: str | None = None
    base: str | None = None
    head: str | None = None
    scope: str | None = None

    def __str__(self) -> str:
        where = "" if self.scope is None else f" in scope {self.scope}"
        what = "behaviours" if self.subject is Subject.BEHAVIOURS else f"{self.subject} {self.name}"
        return f"{what} of {self.model or f'{self.base} -> {self.head}'}{where} ({self.place})"

    def error(self, problem: str, cure: str | None) -> LockstepError:
        """The error to raise for what is wrong with the entry."""
        return LockstepError(f"{self.place}: {problem}", cure=cure)

    def covers(self, name: str, requirements: Sequence[str]) -> bool:
        """Whether it is about a property that states some requirements."""
        match self.subject:
            case Subject.PROPERTY:
                return self.name == name
            case Subject.REQUIREMENT:
                return self.name in requirements
        return False


class _Document(Keys, frozen=True):
    review: Content = NOTHING


class _Review(Keys, frozen=True):
    expected: Rows = NO_ROWS


class _Entry(Keys, frozen=True, kw_only=True):
    because: str
    model: str | None = None
    base: str | None = None
    head: str | None = None
    scope: str | None = None
    property: str | None = None
    requirement: str | None = None
    fault: str | None = None
    behaviours: Literal["added"] | None = None


def read_expected(file: Path, shown: str) -> tuple[Expected, ...]:
    """The entries of a file, which messages call `shown`.

    `LockstepError` naming file, line and key for anything that is not as it must be.
    """
    document = read_toml(file, shown)
    document.read(_Document)
    review = document.table("review")
    review.read(_Review)
    return tuple(map(_entry, review.tables("expected")))


def _entry(table: Table) -> Expected:
    read = table.read(_Entry)
    if (read.base is None) is not (read.head is None) or (read.model is None) is (
        read.base is None
    ):
        raise table.error(
            None,
            "it is of a model or of two versions",
            'write `model = "..."` for two revisions, or `base = "..."` and `head = "..."`',
        )
    given = {subject: name for subject in Subject if (name := getattr(read, subject)) is not None}
    if len(given) != 1:
        raise table.error(
            None,
            f"it expects one thing, and this has {len(given) or 'none'}",
            f"write one of: {', '.join(Subject)}",
        )
    ((subject, name),) = given.items()
    place = f"{table.file}:{line_of(table.document, table.where)}"
    return Expected(
        place, subject, name, read.because, read.model, read.base, read.head, read.scope
    )
