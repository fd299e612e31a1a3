"""Writes the log of a broker: files of a folder, one after the other, each of a bounded size."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import IO, Protocol

_BLOCK = 2**16
_GZIP_LEVEL = 3
"""A third of the time of the highest level, and files that are a tenth larger."""


class Compression(StrEnum):
    """How files are compressed."""

    NONE = "none"
    GZIP = "gzip"
    ZSTD = "zstd"


_ENDINGS = {Compression.NONE: "", Compression.GZIP: ".gz", Compression.ZSTD: ".zst"}


@dataclass(frozen=True)
class LogFormat:
    """What the files are like.

    `stem` is what their names begin with; a number and the ending .log follow. `rotate_bytes` is
    how many bytes of lines a file has at least before the next one begins.
    """

    stem: str
    compression: Compression
    rotate_bytes: int


@dataclass(frozen=True)
class WrittenAt:
    """Where a line was written; lines count from 1."""

    file: Path
    line: int


class _Sink(Protocol):
    def write(self, data: bytes, /) -> object: ...


class LogWriter:
    """Writes lines into files of a folder, which is made; `OSError` where that cannot be."""

    def __init__(self, folder: Path, form: LogFormat, open_files: ExitStack) -> None:
        self._folder = folder
        self._form = form
        self._open_files = open_files
        self._sink: _Sink | None = None
        self._block = bytearray()
        self._bytes = self._line = 0
        self.files: list[Path] = []
        """The files so far, in order."""
        folder.mkdir(parents=True)

    def write(self, text: str) -> WrittenAt:
        """Write a line."""
        if not self.files or self._bytes >= self._form.rotate_bytes:
            self._next_file()
        encoded = text.encode()
        self._block += encoded
        self._block += b"\n"
        self._bytes += len(encoded) + 1
        self._line += 1
        if len(self._block) >= _BLOCK:
            self.flush()
        return WrittenAt(self.files[-1], self._line)

    def flush(self) -> None:
        """Hand on what is held back."""
        if self._sink is not None:
            self._sink.write(bytes(self._block))
        self._block.clear()

    def _next_file(self) -> None:
        self.flush()
        self._open_files.close()
        number, ending = len(self.files) + 1, _ENDINGS[self._form.compression]
        self.files.append(self._folder / f"{self._form.stem}.{number:05}.log{ending}")
        self._bytes = self._line = 0
        file = self._open_files.enter_context(self.files[-1].open("xb"))
        self._sink = self._compressed(file)

    def _compressed(self, file: IO[bytes]) -> _Sink:
        # Neither format may have the time or the name in it: equal logs are equal files.
        if self._form.compression is Compression.GZIP:
            return self._open_files.enter_context(
                gzip.GzipFile("", "wb", _GZIP_LEVEL, fileobj=file, mtime=0)
            )
        if self._form.compression is Compression.ZSTD:
            from zstandard import ZstdCompressor

            return self._open_files.enter_context(ZstdCompressor().stream_writer(file))
        return file


@contextmanager
def log_writer(folder: Path, form: LogFormat) -> Iterator[LogWriter]:
    """A writer whose files are closed at the end, and on the disk if no `OSError` is raised."""
    with ExitStack() as open_files:
        writer = LogWriter(folder, form, open_files)
        yield writer
        writer.flush()
