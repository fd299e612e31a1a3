"""What is printed: blocks as text, with colour on a terminal alone, and the JSON of all verbs."""

from __future__ import annotations

import json
import re
import sys
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec

from lockstep.answers.answer import Answer
from lockstep.pages.blocks import (
    BECAUSE,
    Block,
    Figure,
    Lines,
    Paragraph,
    Row,
    Section,
    Table,
    plain,
)
from lockstep.results.verdict import Verdict
from lockstep.words import indented, legible

if TYPE_CHECKING:
    from rich.console import Console


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

    def line(self, text: str = "", style: str | None = None) -> None:
        """One line (or several), never wrapped; `style` is a key of `STYLES`."""
        self._write(legible(text), style)

    def command(self, text: str) -> None:
        """A line that GitHub reads as a command; no other line is one."""
        self._write(text, None)

    def json(self, document: Mapping[str, object]) -> None:
        """A JSON document, which is all that is printed."""
        self._write(json_text(document, indent=2), None)

    def _write(self, text: str, style: str | None) -> None:
        if self.terminal and style is not None:
            from rich.text import Text

            self._console.print(Text(text, style=STYLES[style]), soft_wrap=True)
        else:
            print(text, flush=True)

    @cached_property
    def _console(self) -> Console:
        from rich.console import Console

        return Console()


class Kept(Output):
    """Lines that are kept, each with its style, and not written."""

    def __init__(self) -> None:
        super().__init__()
        self.terminal = False
        self.lines: list[tuple[str, str | None]] = []

    def _write(self, text: str, style: str | None) -> None:
        self.lines += [(line, style) for line in text.split("\n")]


VERSION = 2
"""Raised when a field goes or changes its meaning; a new field leaves it as it is."""


def document(
    rows: Sequence[Any], summary: Mapping[str, object], **lists: object
) -> dict[str, object]:
    """What every verb prints: a row a result, lists of its own, and the sum of it.

    Structs and dataclasses in it are objects.
    """
    whole = {"version": VERSION, "results": list(rows), **lists, "summary": dict(summary)}
    builtins: dict[str, object] = msgspec.to_builtins(whole)
    return builtins


def verdicts(rows: Sequence[Mapping[str, Any] | Answer]) -> dict[str, int]:
    """How many rows have each verdict."""
    words = [row.verdict if isinstance(row, Answer) else row["verdict"] for row in rows]
    return {str(verdict): words.count(verdict) for verdict in Verdict}


_WIDTH = 80
"""Columns of a note."""

_LABEL = 10
"""Columns of a label within a section."""

_WORD = 9
"""Columns of the first cell of a row."""


class PageText:
    """Prints blocks."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._is_blank = True
        """Whether the last line was empty."""
        self._columns: tuple[str, ...] = ()
        """The headers of the table whose rows are being printed."""

    def show(self, blocks: Iterable[Block], margin: int = 0) -> None:
        """Print some blocks, moved to the right by `margin` columns."""
        for block in blocks:
            if not isinstance(block, Table):
                self._columns = ()
            match block:
                case Paragraph():
                    self._labelled(block.label, plain(block.text), block.style, margin)
                case Table() if block.stacked:
                    self._stacked(block, margin)
                case Table() if block.widths:
                    self._aligned(block, margin)
                case Table():
                    self._table(block, margin)
                case Lines():
                    self._lines(block, margin + 2 if block.margin is None else 0)
                case Figure():
                    self._line(indented(block.caption, margin), "dim")
                case Section():
                    self._section(block, margin)

    def _section(self, section: Section, margin: int) -> None:
        has_title = bool(section.label or section.text)
        if section.apart:
            self._gap()
        if has_title:
            self._labelled(section.label, section.text, section.style, margin)
        self.show(section.blocks, margin + 2 if has_title else margin)
        is_open = not has_title and any(
            isinstance(one, Lines) and one.caption for one in section.blocks
        )
        if section.apart or is_open:
            self._gap()

    def _labelled(self, label: str, text: str, style: str | None, margin: int) -> None:
        if label:
            text = f"{label.ljust(_LABEL if margin else 0)}  {text}".rstrip()
        self._line(indented(text, margin), style)

    def _table(self, table: Table, margin: int) -> None:
        for row in table.rows:
            word, *cells = map(plain, row.cells)
            text = " ".join(filter(None, cells))
            self._line(f"{' ' * margin}{word:<{_WORD}} {text}".rstrip(), row.style)
            if row.note:
                self._note(row, " " * (margin + _WORD + 1))

    def _aligned(self, table: Table, margin: int) -> None:
        """Rows below the headers, which are printed once for all that follow each other.

        A cell that is wider than its column moves the rest of its row.
        """
        if self._columns != table.headers:
            self._columns = table.headers
            self._line(" " * margin + in_columns(table, table.headers), "bold")
        for row in table.rows:
            self._line(" " * margin + in_columns(table, map(plain, row.cells)), row.style)
            note = (Paragraph(row.note, label=BECAUSE),) * bool(row.note)
            for remark in (*note, *row.remarks):
                label = f"{remark.label:<{len(BECAUSE)}}  " * bool(remark.label)
                self._line(indented(label + plain(remark.text), margin + 2), remark.style)

    def _stacked(self, table: Table, margin: int) -> None:
        """Rows whose long cells stand below the short ones, no wider than a note."""
        below = margin + 2 + max(len(plain(row.cells[0])) for row in table.rows)
        for row in table.rows:
            word, answer, *cells = map(plain, row.cells)
            self._line(f"{' ' * margin}{word:<{below - margin}}{answer}", row.style)
            for line in (line for cell in cells for line in cell.split("\n")):
                for text in textwrap.wrap(line, _WIDTH - below, break_on_hyphens=False):
                    self._line(" " * below + text, None)

    def _note(self, row: Row, margin: str) -> None:
        first = f"{margin}{BECAUSE}  "
        for text in textwrap.wrap(row.note, _WIDTH, initial_indent=first, subsequent_indent=margin):
            self._line(text, row.style)

    def _lines(self, block: Lines, margin: int) -> None:
        if block.caption:
            self._gap()
        for line in block.lines:
            self._line(f"{' ' * margin}{line.text}".rstrip(), line.style)
        if block.caption:
            self._gap()

    def _gap(self) -> None:
        if not self._is_blank:
            self._line("", None)

    def _line(self, text: str, style: str | None) -> None:
        self._output.line(text, style)
        self._is_blank = not text


def in_columns(table: Table, cells: Iterable[str]) -> str:
    """One line of a table; blank are the numbers that a row leaves out at its end."""
    columns = zip(cells, table.headers, table.widths, strict=False)
    return " ".join(
        cell.rjust(max(width, len(header)))
        if header in table.numbers
        else cell.ljust(max(width, len(header)))
        for cell, header, width in columns
    ).rstrip()
