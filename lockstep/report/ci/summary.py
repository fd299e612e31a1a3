"""Markdown at the end of a file, as GitHub takes the summary of a step."""

from __future__ import annotations

from pathlib import Path

from lockstep.errors import LockstepError, not_written


def append_summary(file: Path, text: str) -> None:
    """Write a text after all that a file has; `LockstepError` where it cannot be written."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a", encoding="utf-8") as stream:
            stream.write(f"{text}\n")
    except OSError as error:
        raise LockstepError(not_written(file, error)) from None
