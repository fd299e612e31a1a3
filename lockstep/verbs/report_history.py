"""The history of a workspace: a file of JSON, one result a line, to which each report adds.

A result is added when it was decided anew, or of another revision, since the report before. pandas
reads the file by `read_json(file, lines=True)`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from lockstep.errors import LockstepError, not_written
from lockstep.system.strict_json import NotJson, decode_document
from lockstep.system.text_files import is_file
from lockstep.verbs.report_entry import Entry
from lockstep.words import shown_path


class HistoryRow(msgspec.Struct, frozen=True, kw_only=True):
    """A result as a report has seen it.

    `date` is when it was decided, in UTC, and `revision` the git commit that the report was of,
    None outside of git; with `changed`, files differed from it. The rest is as in `Entry`.
    """

    date: str
    revision: str | None = None
    changed: bool = False
    kind: str
    model: str
    scope: str
    verdict: str
    judged: str = ""
    states: int = 0
    transitions: int = 0
    depth: int = 0
    seconds: float = 0.0

    @property
    def subject(self) -> tuple[str, str, str]:
        """What it is a result of."""
        return self.kind, self.model, self.scope


@dataclass
class History:
    """The rows of a file in the order in which they were added; `damaged` numbers other lines."""

    file: Path
    rows: list[HistoryRow] = field(default_factory=list)
    damaged: list[int] = field(default_factory=list)

    @classmethod
    def read(cls, file: Path) -> History:
        """The history in a file, which need not be there yet; `LockstepError` if it is unreadable.

        Lines that are no rows are passed over, and stay where they are.
        """
        history = cls(file)
        try:
            content = file.read_bytes() if is_file(file) else b""
        except OSError as error:
            raise LockstepError(f"{shown_path(file)} cannot be read: {error.strerror}") from None
        for number, line in enumerate(content.splitlines(), start=1):
            if not line.strip():
                continue
            try:
                document = decode_document(line.decode("utf-8"))
                history.rows.append(msgspec.convert(document, HistoryRow))
            except (UnicodeDecodeError, NotJson, msgspec.ValidationError):
                history.damaged.append(number)
        return history

    def add(self, rows: Iterable[HistoryRow]) -> None:
        """Add the rows that say something new; `LockstepError` where they cannot be written."""
        latest = {row.subject: row for row in self.rows}
        news = [row for row in rows if latest.get(row.subject) != row]
        if not news:
            return
        lines = "".join(f"{json.dumps(msgspec.to_builtins(row))}\n" for row in news)
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(self.file, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
            with os.fdopen(descriptor, "r+b", buffering=0) as stream:
                size = os.fstat(descriptor).st_size
                is_whole = size == 0 or os.pread(descriptor, 1, size - 1) == b"\n"
                stream.write(f"{'' if is_whole else chr(10)}{lines}".encode())
        except OSError as error:
            raise LockstepError(
                not_written(self.file, error), cure="name another file by --history"
            ) from None
        self.rows += news

    def of(self, kind: str, model: str, scope: str) -> list[HistoryRow]:
        """The results of one subject, the oldest first."""
        return [row for row in self.rows if row.subject == (kind, model, scope)]


def history_rows(
    entries: Sequence[Entry], revision: str | None, *, changed: bool
) -> list[HistoryRow]:
    """The rows of what was checked; what was not has none."""
    return [
        HistoryRow(
            date=entry.since.isoformat(timespec="seconds"),
            revision=revision,
            changed=changed,
            kind=entry.kind,
            model=entry.model,
            scope=entry.scope,
            verdict=str(entry.verdict),
            judged=entry.judged,
            states=entry.answer.states,
            transitions=entry.answer.transitions,
            depth=entry.answer.depth,
            seconds=round(entry.answer.seconds, 3),
        )
        for entry in entries
        if entry.verdict is not None and entry.since is not None
    ]
