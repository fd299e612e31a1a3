"""What `conform --json` printed, read again: who departs from the protocol, and how often."""

from __future__ import annotations

from pathlib import Path

import msgspec

from lockstep.errors import LockstepError
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
