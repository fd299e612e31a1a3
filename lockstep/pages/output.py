"""What is printed: text, with colour on a terminal alone, and the JSON that all verbs share."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from lockstep.answers.answer import Answer
from lockstep.results.verdict import Verdict
from lockstep.trace.render import Line
from lockstep.words import legible

if TYPE_CHECKING:
    from rich.console import Console, JustifyMethod


STYLES = {
    "holds": "green",
    "violated": "bold red",
    "differs": "magenta",
    "inconclusive": "yellow",
    "error": "bold red",
    "changed": "cyan",
    "dim": "dim",
    "bold": "bold",
}


_UNPRINTABLE = re.compile(r"[^\n\x20-\x7e]")


def json_text(document: object, indent: int) -> str:
    """A document as JSON, in which what cannot be printed is escaped."""

    def escaped(found: re.Match[str]) -> str:
        return found[0] if found[0].isprintable() else json.dumps(found[0])[1:-1]

    return _UNPRINTABLE.sub(escaped, json.dumps(document, indent=indent, ensure_ascii=False))


class Output:
    """Writes to standard output, line by line."""

    def __init__(self) -> None:
        self.terminal = sys.stdout.isatty()
        self._console: Console | None = None

    def line(self, text: str = "", style: str | None = None) -> None:
        """One line (or several), never wrapped; `style` is a key of `STYLES`."""
        self._write(legible(text), style)

    def command(self, text: str) -> None:
        """A line that GitHub reads as a command; no other line is one."""
        self._write(text, None)

    def json(self, document: Mapping[str, object]) -> None:
        """A JSON document, which is all that is printed."""
        self._write(json_text(document, indent=2), None)

    def table(
        self, headers: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[str] = ()
    ) -> None:
        """A table; the columns named in `right` are aligned so. On a terminal long cells fold."""
        if self.terminal:
            from rich import box
            from rich.table import Table

            table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
            for header in headers:
                justify: JustifyMethod = "right" if header in right else "left"
                table.add_column(header, justify=justify, overflow="fold")
            for row in rows:
                table.add_row(*map(legible, row))
            self._rich().print(table, markup=False, highlight=False)
            return
        widths = [max(map(len, column)) for column in zip(headers, *rows, strict=True)]
        for row in (headers, *rows):
            cells = (
                cell.rjust(width) if header in right else cell.ljust(width)
                for header, cell, width in zip(headers, row, widths, strict=True)
            )
            self.line("  ".join(cells).rstrip())

    def _write(self, text: str, style: str | None) -> None:
        if self.terminal and style is not None:
            from rich.text import Text

            self._rich().print(Text(text, style=STYLES[style]), soft_wrap=True)
        else:
            print(text, flush=True)

    def _rich(self) -> Console:
        if self._console is None:
            from rich.console import Console

            self._console = Console()
        return self._console


class Kept(Output):
    """Lines that are kept, each with its style, and not written."""

    def __init__(self) -> None:
        super().__init__()
        self.terminal = False
        self.lines: list[tuple[str, str | None]] = []

    def _write(self, text: str, style: str | None) -> None:
        self.lines += [(line, style) for line in text.split("\n")]


def print_trace(output: Output, lines: Iterable[Line], margin: int = 0) -> None:
    """Print the lines of a behaviour, indented by `margin` columns: six at most fit into 80."""
    for line in lines:
        output.line(" " * margin + line.text, line.style)


VERSION = 2
"""Raised when a field goes or changes its meaning; a new field leaves it as it is."""


def document(
    rows: Sequence[Mapping[str, Any] | Answer], summary: Mapping[str, object], **lists: object
) -> dict[str, object]:
    """What every verb prints: a row a result, lists of its own, and the sum of it."""
    whole = {"version": VERSION, "results": list(rows), **lists, "summary": dict(summary)}
    builtins: dict[str, object] = msgspec.to_builtins(whole)
    return builtins


def verdicts(rows: Sequence[Mapping[str, Any] | Answer]) -> dict[str, int]:
    """How many rows have each verdict."""
    words = [row.verdict if isinstance(row, Answer) else row["verdict"] for row in rows]
    return {str(verdict): words.count(verdict) for verdict in Verdict}
