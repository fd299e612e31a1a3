"""A page that is written once and shown as text, as Markdown or as HTML.

It says what there is to show, in order, and nothing of how: that is for `page_text`,
`page_markdown` and `page_html`. Styles are keys of `lockstep.report.output.STYLES`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from lockstep.trace.render import Line

BECAUSE = "because"
"""What is above the notes of rows, or before each."""


@dataclass(frozen=True)
class Paragraph:
    """A sentence or two, or several lines; `label` is the word or two that it is about."""

    text: str
    style: str | None = None
    label: str = ""


@dataclass(frozen=True)
class Row:
    """A row of a table; `note` says why it is so."""

    cells: tuple[str, ...]
    style: str | None = None
    note: str = ""


@dataclass(frozen=True)
class Table:
    """Rows of as many cells as there are headers, where the first cell is a word."""

    headers: tuple[str, ...]
    rows: tuple[Row, ...]

    @property
    def lines(self) -> Iterator[tuple[Row, tuple[str, ...]]]:
        """The rows with their cells, and with the note of each where there is one of any."""
        has_notes = any(row.note for row in self.rows)
        return ((row, row.cells + (row.note,) * has_notes) for row in self.rows)

    @property
    def heads(self) -> tuple[str, ...]:
        """The headers of all cells of `lines`."""
        return self.headers + (BECAUSE,) * any(row.note for row in self.rows)


@dataclass(frozen=True)
class Lines:
    """Lines that are laid out already, shown with every blank.

    A `caption` names them where they can be folded away; text has no use for it. Lines that were
    laid out for text alone are moved to the right already, by `margin` columns: other pages take
    these away, and text adds none.
    """

    lines: tuple[Line, ...]
    caption: str = ""
    margin: int | None = None

    @property
    def texts(self) -> Iterator[str]:
        """The lines without their margin, with what cannot be printed made visible."""
        blank = " " * (self.margin or 0)
        return (visible(line.text.removeprefix(blank)) for line in self.lines)


@dataclass(frozen=True)
class Section:
    """Blocks under a label and a line of text; without both, blocks that belong together."""

    label: str = ""
    text: str = ""
    style: str | None = None
    blocks: tuple[Block, ...] = ()


Block: TypeAlias = "Paragraph | Table | Lines | Section"


@dataclass(frozen=True)
class Page:
    """A page with its verdict, which is a style as well, and what it says in one line."""

    title: str
    verdict: str
    summary: str
    blocks: tuple[Block, ...]


def visible(text: str) -> str:
    r"""A text in which what cannot be printed is written as Python writes it: `\x07`.

    Line feeds stay. No text turns the reading order around so, or ends a line unseen.
    """
    return "".join(_visible(text))


def _visible(text: str) -> Iterator[str]:
    for character in text:
        is_shown = character.isprintable() or character == "\n"
        yield character if is_shown else character.encode("unicode_escape").decode("ascii")
