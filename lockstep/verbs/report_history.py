"""What a report has of each question: the answer that is kept, and the verdicts before it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from lockstep.answers.answer import Answer
from lockstep.errors import LockstepError, not_written
from lockstep.results.verdict import Verdict, exit_code_of
from lockstep.system.strict_json import NotJson, decode_document
from lockstep.system.text_files import is_file
from lockstep.words import shown_path

CHECK, FAULTS, PROVE, TWIN, MUTANTS = "check", "faults", "prove", "twin", "mutants"
"""What an entry is of."""


@dataclass(frozen=True)
class Entry:
    """The answer about a model in one scope or proof; without a verdict it was not checked.

    `again` is the command that fills it or repeats it, and `outdated` when something was decided
    last of other texts. The workspace is whole without what is not `wanted`. `is_expected` is a
    violation that the scope pins.
    """

    answer: Answer
    again: str
    outdated: datetime | None = None
    wanted: bool = True
    is_expected: bool = False

    @classmethod
    def of(cls, kind: str, model: str, scope: str, again: str, *, wanted: bool = True) -> Entry:
        """An entry of what was not checked."""
        return cls(Answer(kind=kind, model=model, scope=scope), again, wanted=wanted)

    def saying(self, verdict: Verdict, because: str = "", **others: Any) -> Entry:
        """The same entry with a verdict; `others` are fields of its answer."""
        values = {"verdict": str(verdict), "because": because, **others}
        return replace(self, answer=msgspec.structs.replace(self.answer, **values))

    @property
    def kind(self) -> str:
        """What it is of."""
        return self.answer.kind

    @property
    def model(self) -> str:
        """The model's name."""
        return self.answer.model

    @property
    def scope(self) -> str:
        """The name of the scope or the proof."""
        return self.answer.scope

    @property
    def verdict(self) -> Verdict | None:
        """The verdict; None where it was not checked."""
        return Verdict(self.answer.verdict) if self.answer.verdict else None

    @property
    def because(self) -> str:
        """Why the verdict is what it is, or why there is none."""
        return self.answer.because

    @property
    def judged(self) -> str:
        """Of how many properties, faults or mutants it is."""
        return self.answer.judged

    @property
    def since(self) -> datetime | None:
        """When it was decided."""
        return self.answer.moment if self.answer.since else None

    @property
    def is_broken(self) -> bool:
        """Whether something is not as it must be."""
        bad = (Verdict.VIOLATED, Verdict.ERROR, Verdict.DIFFERS)
        return self.verdict in bad and not self.is_expected

    @property
    def is_open(self) -> bool:
        """Whether it is wanted, and nobody knows."""
        if self.verdict is None:
            return self.wanted
        return self.verdict is Verdict.INCONCLUSIVE

    @property
    def exit_code(self) -> int:
        """What this entry alone would end the process with."""
        without = Verdict.INCONCLUSIVE if self.wanted else Verdict.HOLDS
        return exit_code_of(self.verdict or without, expected=self.is_expected)


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
