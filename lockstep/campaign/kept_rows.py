"""The table of results: a file of JSON, one row a line, to which each row is added at once.

pandas reads it by `read_json(file, lines=True)`, Spark by `read.json(file)`. A process that is
killed leaves no more than its last line unfinished. Of each task the last row counts.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from lockstep.answers.answer import Answer, NotRead, decode, encode
from lockstep.errors import LockstepError, not_written
from lockstep.system.text_files import write_text


@dataclass
class KeptRows:
    """The rows of a file by the digest of what was asked; without a file none is kept.

    `damaged` are the numbers of the lines that were no rows.
    """

    file: Path | None
    rows: dict[str, Answer] = field(default_factory=dict)
    damaged: list[int] = field(default_factory=list)

    @classmethod
    def open(cls, file: Path) -> KeptRows:
        """Read a file, which need not be there yet, and leave one line a task in it.

        `LockstepError` for a file that cannot be read or written, and for one without any row.
        """
        kept = cls(file)
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            with _locked(file) as descriptor:
                lines = _content(descriptor).splitlines()
                kept._read(lines)
                if lines and not kept.rows:
                    raise LockstepError(
                        f"{file} is no table of results: no line of it is a row",
                        cure="name another file; one that is not there is made",
                    )
                if len(kept.rows) < len(lines):
                    rows = (encode(row).decode("ascii") for row in kept.rows.values())
                    write_text(file, "".join(f"{row}\n" for row in rows))
        except OSError as error:
            raise LockstepError(not_written(file, error)) from None
        return kept

    def add(self, row: Answer) -> None:
        """Add a row; `LockstepError` when it cannot be written."""
        self.rows[row.task] = row
        if self.file is None:
            return
        try:
            with _locked(self.file) as descriptor:
                content = encode(row) + b"\n"
                if not _is_whole(descriptor):
                    content = b"\n" + content
                while content:
                    content = content[os.write(descriptor, content) :]
        except OSError as error:
            raise LockstepError(not_written(self.file, error)) from None

    def _read(self, lines: list[bytes]) -> None:
        for number, line in enumerate(lines, start=1):
            try:
                row = decode(line, Answer)
            except NotRead:
                self.damaged.append(number)
                continue
            self.rows.pop(row.task, None)  # for the rows to stand in the order of their time
            self.rows[row.task] = row


@contextmanager
def _locked(file: Path) -> Iterator[int]:
    """The file, open to read and to add to, while no other process changes it."""
    while True:
        descriptor = os.open(file, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            # Another process may have put a new file in its place meanwhile.
            if _is_same(descriptor, file):
                yield descriptor
                return
        finally:
            os.close(descriptor)


def _is_same(descriptor: int, file: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), file.stat())
    except FileNotFoundError:
        return False


def _is_whole(descriptor: int) -> bool:
    """Whether the last line of a file is finished."""
    size = os.fstat(descriptor).st_size
    return size == 0 or os.pread(descriptor, 1, size - 1) == b"\n"


def _content(descriptor: int) -> bytes:
    with os.fdopen(os.dup(descriptor), "rb") as stream:
        stream.seek(0)
        return stream.read()
