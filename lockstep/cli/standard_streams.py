"""Standard output and standard error, which may be closed, full, or read by nobody."""

from __future__ import annotations

import os
import sys
from typing import TextIO

from lockstep.errors import LockstepError


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
        print(text, file=sys.stderr, flush=True)
    except OSError:
        to_nowhere(sys.stderr)


def flush_output() -> bool:
    """Write what is held back; whether it has a reader. `LockstepError` if that cannot be done.

    A reader that goes away (`| head`) is no error: what is printed from then on goes nowhere.
    """
    try:
        sys.stdout.flush()
        return True
    except BrokenPipeError:
        to_nowhere(sys.stdout)
        return False
    except OSError as error:
        to_nowhere(sys.stdout)
        raise LockstepError(f"the output cannot be written: {error.strerror}") from None


def to_nowhere(stream: TextIO) -> None:
    """Let nothing more fail on a stream, Python's own flush at the end included."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
