"""What GitHub reads of a run: annotations of lines, and the summary of a step."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from lockstep.errors import LockstepError, not_written
from lockstep.language.source import Place
from lockstep.report.ci.places import SourceRoot, region
from lockstep.report.ci.problems import Level, Problems, Unknown
from lockstep.words import visible

_COMMANDS = {Level.ERROR: "error", Level.WARNING: "warning", Level.NOTE: "notice"}


def workflow_commands(problems: Problems, root: SourceRoot) -> Iterator[str]:
    """A line each, what is wrong before what is not known: GitHub shows the first ten of a kind."""
    for problem in problems.problems:
        yield _command(Level.ERROR, problem.subject, problem.message, problem.place, root)
    for level in (Level.ERROR, Level.WARNING):
        for gap in problems.gaps:
            if gap.level is level:
                yield _command(level, f"{gap.subject}: {gap.unknown}", gap.message, gap.place, root)
    # Of what is no news, only what was skipped is worth an annotation, and one is enough.
    skipped = [gap.message for gap in problems.gaps if gap.unknown is Unknown.SKIPPED]
    if skipped:
        yield _command(Level.NOTE, "not everything was checked", "\n".join(skipped), None, root)


def _command(level: Level, title: str, message: str, place: Place | None, root: SourceRoot) -> str:
    properties: dict[str, object] = {}
    if place is not None:
        stretch = region(place)
        properties = {"file": root.path(place.file), "line": stretch.line}
        properties["endLine"] = stretch.end_line
        if stretch.line == stretch.end_line and stretch.column < stretch.end_column:
            properties |= {"col": stretch.column, "endColumn": stretch.end_column}
    properties["title"] = title
    shown = ",".join(f"{name}={_property(str(value))}" for name, value in properties.items())
    return f"::{_COMMANDS[level]} {shown}::{_data(message)}"


def _data(text: str) -> str:
    """A message with what would end it, or begin another command, written as GitHub reads it."""
    return visible(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def append_summary(file: Path, text: str) -> None:
    """Write a text after all that a file has; `LockstepError` where it cannot be written."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a", encoding="utf-8") as stream:
            stream.write(f"{text}\n")
    except OSError as error:
        raise LockstepError(not_written(file, error)) from None
