"""What `conform --json` printed, read again and shown in a report of a workspace."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from lockstep.errors import LockstepError
from lockstep.pages.blocks import Row, Section, Span, Table
from lockstep.system.strict_json import NotJson, decode_document
from lockstep.system.text_files import read_text


class ConformLines(msgspec.Struct):
    """How many lines of a log there are, and how many were followed."""

    read: int
    followed: int
    not_followed: int


class ConformSummary(msgspec.Struct):
    """The sums of one run: how many sessions, clients and brokers have each verdict."""

    model: str
    sessions: dict[str, int]
    client: dict[str, int]
    broker: dict[str, int]
    lines: ConformLines
    exit_code: int


class _Document(msgspec.Struct):
    version: int
    summary: ConformSummary


class Conformance(msgspec.Struct):
    """The sums of one run, and the file that they are from."""

    file: str
    summary: ConformSummary

    @property
    def exit_code(self) -> int:
        """That of the run."""
        return self.summary.exit_code


def read_conformance(file: Path) -> Conformance:
    """What a file says; `LockstepError` where it is none that `conform --json` printed."""
    try:
        document = msgspec.convert(decode_document(read_text(file)), _Document)
    except (NotJson, msgspec.ValidationError) as error:
        raise LockstepError(
            f"{file} is not what `lockstep conform --json` prints: {error}",
            cure="write it by `lockstep conform --json LOG > FILE`",
        ) from None
    return Conformance(file.name, document.summary)


def conformance_section(logs: Sequence[Conformance]) -> Section:
    """A row a log that was followed."""
    headers = ("file", "model", "sessions", "clients", "brokers", "lines followed")
    rows = tuple(
        Row(
            (
                one.file,
                one.summary.model,
                _verdicts(one.summary.sessions),
                _verdicts(one.summary.client),
                _verdicts(one.summary.broker),
                f"{one.summary.lines.followed:,} of {one.summary.lines.read:,}",
            ),
            "violated" if one.exit_code == 1 else None,
        )
        for one in logs
    )
    table = Table(headers, rows, caption="conformance")
    return Section("", "Conformance of logs", None, (table,), anchor="conformance")


_STYLES = {"conforms": "holds", "departs": "violated", "unknown": "inconclusive"}


def _verdicts(counts: dict[str, int]) -> tuple[str | Span, ...]:
    parts: list[str | Span] = []
    for verdict, count in counts.items():
        if count:
            parts += [", "] * bool(parts)
            parts.append(Span(f"{count:,} {verdict}", style=_STYLES.get(verdict)))
    return tuple(parts) or ("none",)
