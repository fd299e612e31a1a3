"""Mistakes of lockstep itself: a line on a stream that may be gone, and a report for the maker."""

from __future__ import annotations

import os
import platform
import shlex
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol, TextIO, cast

from lockstep.errors import ExitCode, LockstepError
from lockstep.system.interruption import INTERRUPTION
from lockstep.words import legible


class ReportPlace(Protocol):
    """Where reports are written: a workspace."""

    @property
    def output(self) -> Path:
        """The folder."""
        ...

    def make_output(self) -> None:
        """Make the folder; `OSError` when that cannot be done."""
        ...


class InternalError(LockstepError):
    """Something was raised that nobody expected: a mistake in lockstep, which is no verdict."""

    exit_code = ExitCode.INTERNAL

    def __init__(self, error: BaseException, place: ReportPlace | None) -> None:
        """Write the report in a place or, where that cannot be written, in the temporary folder.

        Without either the traceback goes to standard error.
        """
        report = _report(error)
        file = _write(report, place)
        if file is None:
            where = "the report cannot be written and is above"
            tell(report)
        else:
            where = f"the report is in {file}"
        summary = " ".join("".join(traceback.format_exception_only(error)).split())
        if len(summary) > _MOST_LETTERS:
            summary = f"{summary[:_MOST_LETTERS]}..."
        super().__init__(
            f"internal error: {summary}; this is a mistake in lockstep, not a verdict; {where}"
        )


_MOST_LETTERS = 500
"""Letters of an exception's text that fit into a line; the report has all of them."""


def failure_of(error: Exception, place: ReportPlace) -> LockstepError:
    """An error as the result of one model among several, so that the others are checked.

    That is itself if it is written for the reader, else an `InternalError` with a report in a
    place, which is printed on standard error at once. `KeyboardInterrupt` where a signal caused it.
    """
    if isinstance(error, LockstepError):
        return error
    if INTERRUPTION.has_come:
        raise KeyboardInterrupt from error
    crash = InternalError(error, place)
    tell(f"lockstep: {crash}")
    return crash


@contextmanager
def thread_crashes() -> Iterator[list[BaseException]]:
    """What ends threads that nobody waits for: the process must not end as if all was well.

    A Ctrl-C that a destructor or a callback swallows is not reported: it is heeded later.
    """
    crashes: list[BaseException] = []

    def note(ended: threading.ExceptHookArgs) -> None:
        if ended.exc_value is not None:
            crashes.append(ended.exc_value)

    def report(ignored: sys.UnraisableHookArgs) -> None:
        if not isinstance(ignored.exc_value, KeyboardInterrupt):
            unraisable_before(ignored)

    before, threading.excepthook = threading.excepthook, note
    unraisable_before, sys.unraisablehook = sys.unraisablehook, report
    try:
        yield crashes
    finally:
        threading.excepthook = before
        sys.unraisablehook = unraisable_before


def _report(error: BaseException) -> str:
    """What a maker of lockstep needs; no environment variables, which may hold secrets."""
    head = (
        f"lockstep {version('lockstep')}",
        f"Python {sys.version}",
        platform.platform(),
        shlex.join(sys.argv),
    )
    return "\n".join((*head, "", *traceback.format_exception(error)))


def _write(report: str, place: ReportPlace | None) -> Path | None:
    """The report's file: in its place, else in the temporary folder; None where neither can be."""
    name = f"internal-error-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}-"
    for folder in (_folder(place), None):
        try:
            handle, file = tempfile.mkstemp(prefix=name, suffix=".txt", dir=folder)
            with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as out:
                out.write(report)
        except OSError:
            continue
        return Path(file)
    return None


def _folder(place: ReportPlace | None) -> Path | None:
    """The folder for reports; None where there is none."""
    if place is None:
        return None
    try:
        place.make_output()
    except OSError:
        return None
    return place.output


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
    """Guard standard output, whatever writes to it; at the end of the block all is written."""
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
