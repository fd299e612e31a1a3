"""Standard output and standard error, which may be closed, full, or read by nobody."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO, cast

from lockstep.errors import LockstepError
from lockstep.words import legible


def open_streams() -> None:
    """Give the process all three standard streams; `LockstepError` if standard output is closed.

    A file that is opened later would otherwise take the number of a closed stream, and what a
    library prints would go into that file.
    """
    has_output = sys.stdout is not None
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.dup2(os.open(os.devnull, os.O_RDWR), number)
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    # Names and texts of a workspace may hold what the terminal's encoding cannot show.
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
    if not has_output:
        raise LockstepError("the output cannot be written: standard output is closed")


def tell(text: str) -> None:
    """Print lines on standard error, if anybody can read them there."""
    try:
        print(legible(text), file=sys.stderr, flush=True)
    except OSError:
        to_nowhere(sys.stderr)


class _GuardedOutput:
    """A stream whose failures are not taken for those of anything else that is written.

    A reader that goes away (`| head`) ends the writing, not the work; an output that cannot be
    written for any other reason is a `LockstepError`, then and at every later attempt: what prints
    may have swallowed the first.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._failure: LockstepError | None = None

    def write(self, text: str) -> int:
        with self._guarded():
            return self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        with self._guarded():
            self._stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        if self._failure is not None:
            raise self._failure
        try:
            yield
        except BrokenPipeError:
            to_nowhere(self._stream)
        except OSError as error:
            to_nowhere(self._stream)
            self._failure = LockstepError(f"the output cannot be written: {error.strerror}")
            raise self._failure from None


@contextmanager
def guarded_output() -> Iterator[None]:
    """Guard standard output, whoever writes to it; at the end of the block all is written."""
    stream = sys.stdout
    guarded = cast(TextIO, _GuardedOutput(stream))
    sys.stdout = guarded
    try:
        yield
    finally:
        sys.stdout = stream
        guarded.flush()


def to_nowhere(stream: TextIO) -> None:
    """Let nothing more fail on a stream, Python's own flush at the end included."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
