"""`specs/review.toml`: what a proposed change may break, and why.

    [[review.expected]]
    model = "snapshot_log"
    property = "deletes_only_below_the_log_start"
    because = "KIP-9 replaces 630-7: a snapshot is deleted with the log below it."

A change is of a `model`, between two git revisions, or of two versions, `base` and `head`, as
`lockstep review` takes them; `scope` is the one scope where it is expected, all of them unless
told. What is expected is one of: a `property` that breaks, or says nothing any more; a
`requirement`, with every property that states it; a `fault` that is no longer caught;
`behaviours = "added"`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from lockstep.errors import LockstepError
from lockstep.specs.tables import Table, read_toml
from lockstep.system.text_files import read_text

EXPECTED_FILE = "specs/review.toml"
"""The file of a workspace that is read unless another is named."""

ADDED = "added"
"""What is expected of behaviours: that HEAD shows some that BASE does not."""

_ENTRY = re.compile(r"^[ \t]*\[\[\s*review\s*\.\s*expected\s*\]\]", re.MULTILINE)


class Subject(StrEnum):
    """What an entry expects something of."""

    PROPERTY = "property"
    REQUIREMENT = "requirement"
    FAULT = "fault"
    BEHAVIOURS = "behaviours"


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


def read_expected(file: Path, shown: str) -> tuple[Expected, ...]:
    """The entries of a file, which messages call `shown`.

    `LockstepError` naming file, line and key for anything that is not as it must be.
    """
    try:
        return _entries(file, shown)
    except LockstepError as error:
        message = error.message.replace(str(file), shown)
        raise LockstepError(message, cure=error.cure) from None


def _entries(file: Path, shown: str) -> tuple[Expected, ...]:
    document = read_toml(file)
    review = document.optional_table("review")
    tables = review.tables("expected")
    review.finish()
    document.finish()
    text = read_text(file)
    lines = [text.count("\n", 0, match.start()) + 1 for match in _ENTRY.finditer(text)]
    # Tables may also be written in one line, or a text may hold such a line: then none is named.
    has_lines = len(lines) == len(tables)
    places = [f"{shown}:{line}" for line in lines] if has_lines else [shown] * len(tables)
    for table, place in zip(tables, places, strict=True):
        table.file = Path(place)  # so that errors name the line
    return tuple(_entry(table) for table in tables)


def _entry(table: Table) -> Expected:
    model, base, head = (table.optional_text(key) for key in ("model", "base", "head"))
    names = {
        subject: table.optional_text(subject)
        for subject in (Subject.PROPERTY, Subject.REQUIREMENT, Subject.FAULT)
    }
    is_of_behaviours = Subject.BEHAVIOURS in table
    behaviours = table.choice(Subject.BEHAVIOURS, (ADDED,), ADDED)
    if is_of_behaviours:
        names[Subject.BEHAVIOURS] = behaviours
    given = {subject: name for subject, name in names.items() if name is not None}
    scope, because = table.optional_text("scope"), table.text("because")
    table.finish()
    if (base is None) is not (head is None) or (model is None) is (base is None):
        raise table.error(
            None,
            "it is of a model or of two versions",
            'write `model = "..."` for two revisions, or `base = "..."` and `head = "..."`',
        )
    if len(given) != 1:
        raise table.error(
            None,
            f"it expects one thing, and this has {len(given) or 'none'}",
            f"write one of: {', '.join(Subject)}",
        )
    ((subject, name),) = given.items()
    return Expected(str(table.file), subject, name, because, model, base, head, scope)
