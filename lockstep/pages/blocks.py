"""A page that is written once and shown as text, as Markdown or as HTML.

It says what there is to show, in order, and nothing of how: that is for `page_text`,
`page_markdown` and `page_html`. Styles are keys of `lockstep.pages.output.STYLES`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TypeAlias
from xml.etree.ElementTree import Element

from lockstep.trace.render import Line
from lockstep.words import visible

BECAUSE = "because"
"""What is above the notes of rows, or before each."""


@dataclass(frozen=True)
class Span:
    """A part of a text with a style, or one that leads to `target`.

    That is an address of the web, or `#` with the anchor of a section of the page.
    """

    text: str
    target: str = ""
    style: str | None = None


Text: TypeAlias = "str | Span | tuple[str | Span, ...]"


def spans(text: Text) -> tuple[Span, ...]:
    """The parts of a text."""
    parts = text if isinstance(text, tuple) else (text,)
    return tuple(Span(part) if isinstance(part, str) else part for part in parts)


def plain(text: Text) -> str:
    """A text without styles and targets."""
    return "".join(span.text for span in spans(text))


@dataclass(frozen=True)
class Paragraph:
    """A sentence or two, or several lines; `label` is the word or two that it is about."""

    text: Text
    style: str | None = None
    label: str = ""


@dataclass(frozen=True)
class Row:
    """A row of a table; `note` says why it is so, and `remarks` what else there is to say of it."""

    cells: tuple[Text, ...]
    style: str | None = None
    note: str = ""
    remarks: tuple[Paragraph, ...] = ()

    @property
    def notes(self) -> str:
        """The note and the remarks, a line each."""
        labelled = (f"{one.label} {plain(one.text)}".strip() for one in self.remarks)
        return "\n".join(filter(None, (self.note, *labelled)))


@dataclass(frozen=True)
class Table:
    """Rows of at most as many cells as there are headers, where the first cell is a word.

    Columns whose header is in `numbers` hold numbers. `caption` says what the table is of.

    As text it has columns where it says their `widths`, so that rows can be printed as they come.
    Where it is `stacked`, the third cell of a row and all that follow stand below the others. Else
    a row is its cells, one after the other.
    """

    headers: tuple[str, ...]
    rows: tuple[Row, ...] = ()
    numbers: tuple[str, ...] = ()
    caption: str = ""
    widths: tuple[int, ...] = ()
    stacked: bool = False

    @property
    def lines(self) -> Iterator[tuple[Row, tuple[Text, ...]]]:
        """The rows with a cell for each of `heads`; blank are those that a row leaves out."""
        has_notes = any(row.notes for row in self.rows)
        for row in self.rows:
            left_out = len(self.headers) - len(row.cells)
            yield row, row.cells + ("",) * left_out + (row.notes,) * has_notes

    @property
    def heads(self) -> tuple[str, ...]:
        """The headers of all cells of `lines`."""
        return self.headers + (BECAUSE,) * any(row.notes for row in self.rows)

    def of(self, *rows: Row) -> Table:
        """The same columns with other rows."""
        return replace(self, rows=rows)

    def fitted(self) -> Table:
        """The same with columns a blank wider than their cells, which are there all at once."""
        cells = (map(plain, row.cells) for row in self.rows)
        columns = zip(self.headers, *cells, strict=True)
        return replace(self, widths=tuple(1 + max(map(len, column)) for column in columns))


@dataclass(frozen=True)
class Lines:
    """Lines that are laid out already, shown with every blank.

    A `caption` names them where they can be folded away, which those are that are long unless
    `folded` says whether they are; text has no use for it. Lines that were
    laid out for text alone are moved to the right already, by `margin` columns: other pages take
    these away, and text adds none.
    """

    lines: tuple[Line, ...]
    caption: str = ""
    margin: int | None = None
    folded: bool | None = None

    @property
    def texts(self) -> Iterator[str]:
        """The lines without their margin, with what cannot be printed made visible."""
        blank = " " * (self.margin or 0)
        return (visible(line.text.removeprefix(blank)) for line in self.lines)


@dataclass(frozen=True)
class Figure:
    """A drawing, an element `svg` that nothing is pasted into, and what it shows in words.

    Where no drawing can be shown, its caption stands for it, and `mermaid` where that can be.
    """

    svg: Element
    caption: str
    mermaid: str = ""


@dataclass(frozen=True)
class Section:
    """Blocks under a label and a line of text; without both, blocks that belong together.

    A titled one can be `folded` away. Other parts of the page lead to its `anchor`. As text it
    stands between blank lines where it is `apart`.
    """

    label: str = ""
    text: str = ""
    style: str | None = None
    blocks: tuple[Block, ...] = ()
    folded: bool = False
    anchor: str = ""
    apart: bool = False


Block: TypeAlias = "Paragraph | Table | Lines | Figure | Section"


@dataclass(frozen=True)
class Page:
    """A page with its verdict, which is a style as well, and what it says in one line."""

    title: str
    verdict: str
    summary: str
    blocks: tuple[Block, ...]


def joined(blocks: Iterable[Block]) -> tuple[Block, ...]:
    """Blocks in which tables with the same columns that follow each other are one."""
    together: list[Block] = []
    for block in blocks:
        last = together[-1] if together else None
        if isinstance(block, Table) and isinstance(last, Table) and block.of() == last.of():
            together[-1] = last.of(*last.rows, *block.rows)
        else:
            together.append(block)
    return tuple(one for one in together if not isinstance(one, Table) or one.rows)
