"""What a report has of each question: the answer that is kept, and the verdicts before it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from lockstep.answers.answer import Answer, Moment, encode
from lockstep.errors import LockstepError, not_written
from lockstep.results.verdict import Verdict, exit_code_of
from lockstep.system.strict_json import decode_document
from lockstep.system.text_files import add_lines, is_file
from lockstep.words import shown_path

CHECK, FAULTS, PROVE, TWIN, MUTANTS = "check", "faults", "prove", "twin", "mutants"
"""What an entry is of."""


class Entry(Answer, kw_only=True):
    """The answer about a model in one scope or proof; without a verdict it was not checked."""

    again: str
    """The command that decides it, or decides it again."""
    outdated: Moment | None = None
    """When something was decided last of other texts."""
    wanted: bool = True
    """Whether the workspace is whole only with it."""
    expected: bool = False
    """Whether it is a violation that the scope pins."""

    def __post_init__(self) -> None:
        without = Verdict.INCONCLUSIVE if self.wanted else Verdict.HOLDS
        self.exit_code = exit_code_of(Verdict(self.verdict or without), expected=self.expected)

    def answered(self, answer: Answer, *, expected: bool = False) -> Entry:
        """The same entry with an answer, but for what only its kind has."""
        values = {**msgspec.structs.asdict(answer), "details": {}, "expected": expected}
        return msgspec.structs.replace(self, **values)

    def saying(self, verdict: Verdict, because: str = "") -> Entry:
        """The same entry with a verdict."""
        return msgspec.structs.replace(self, verdict=str(verdict), because=because)

    @property
    def is_broken(self) -> bool:
        """Whether something is not as it must be."""
        bad = (Verdict.VIOLATED, Verdict.ERROR, Verdict.DIFFERS)
        return self.verdict in bad and not self.expected

    @property
    def is_open(self) -> bool:
        """Whether it is wanted, and nobody knows."""
        return self.verdict == Verdict.INCONCLUSIVE if self.verdict else self.wanted


class HistoryRow(Answer, kw_only=True, omit_defaults=True):
    """An answer as a report has seen it; in its line, what says nothing is left out.

    `revision` is the git commit that the report was of, None outside of git; with `changed`, files
    differed from it.
    """

    revision: str | None = None
    changed: bool = False

    @property
    def subject(self) -> tuple[str, str, str]:
        """What it is a result of."""
        return self.kind, self.model, self.scope

    @property
    def news(self) -> tuple[object, ...]:
        """What no earlier row of the subject may say as well."""
        return self.since, self.revision, self.changed, self.verdict, self.judged


def _row(line: bytes) -> HistoryRow:
    """The row in a line; a line of version 1 says `date` for `since`."""
    document = decode_document(line.decode("utf-8"))
    if isinstance(document, dict) and "date" in document:
        document["since"] = document.pop("date")
    row = msgspec.convert(document, HistoryRow)
    if not row.verdict or row.since is None:
        raise ValueError("it is no result")
    return row


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
                history.rows.append(_row(line))
            except ValueError:  # msgspec's own, and that of what is no JSON, is one
                history.damaged.append(number)
        return history

    def add(self, rows: Iterable[HistoryRow]) -> None:
        """Add the rows that say something new; `LockstepError` where they cannot be written."""
        latest = {row.subject: row.news for row in self.rows}
        news = [row for row in rows if latest.get(row.subject) != row.news]
        if not news:
            return
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            add_lines(self.file, b"".join(encode(row) + b"\n" for row in news))
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
        HistoryRow(**msgspec.structs.asdict(Answer.of(entry)), revision=revision, changed=changed)
        for entry in entries
        if entry.verdict and entry.since
    ]
