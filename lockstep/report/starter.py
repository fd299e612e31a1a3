"""What `init` and `new` print, for a reader and as JSON (docs/reference/json.md)."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from lockstep.errors import ExitCode
from lockstep.report.json import document
from lockstep.report.output import Output
from lockstep.verbs.init import Initialized
from lockstep.verbs.new import Begun
from lockstep.words import shown_path


def print_initialized(output: Output, made: Initialized) -> None:
    """Print which files were written, and three things to do with them."""
    root = made.workspace.root
    _print_files(output, root, made.files)
    there = "" if root == Path.cwd() else f"cd {shlex.quote(shown_path(root))} && "
    output.line()
    output.line(f"1. {there}lockstep check")
    output.line("2. change models/delivery.py, and see what breaks; lockstep faults shows what can")
    output.line("3. lockstep new model NAME  begins a protocol of your own")


def print_begun(output: Output, begun: Begun) -> None:
    """Print which files were written, and what to do with them."""
    _print_files(output, begun.workspace.root, begun.files)
    output.line()
    output.line(f"1. lockstep check {begun.model}")
    output.line(f"2. write your own in place of what models/{begun.model}.py says")
    output.line(f"3. lockstep check {begun.model} --pin  once you believe what it counts")


def _print_files(output: Output, root: Path, files: Sequence[Path]) -> None:
    for file in files:
        output.line(f"wrote {shown_path(root / file)}")


def initialized_json(made: Initialized) -> dict[str, object]:
    """The workspace that was made, as a document."""
    row = {"workspace": made.workspace.name, "folder": str(made.workspace.root)}
    return _document(row, made.files)


def begun_json(begun: Begun) -> dict[str, object]:
    """The protocol that was begun, as a document."""
    row = {"model": begun.model, "folder": str(begun.workspace.root)}
    return _document(row, begun.files)


def _document(row: dict[str, str], files: Sequence[Path]) -> dict[str, object]:
    result = {**row, "files": [file.as_posix() for file in files]}
    return document([result], {"exit_code": int(ExitCode.HOLDS)})
