"""A page that is written once and shown as text, as Markdown or as HTML.

It says what there is to show, in order, and nothing of how: that is for `page_text`,
`page_markdown` and `page_html`. Styles are keys of `lockstep.report.output.STYLES`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from lockstep.trace.render import Line

_LONG = 15
"""Lines from which on a behaviour is folded away, where that is possible."""


@dataclass(frozen=True)
class Paragraph:
    """A sentence or two, or several lines; `label` is the word or two that it is about."""

    text: str
    style: str | None = None
    label: str = ""


@dataclass(frozen=True)
class Row:
    """A row of a table; `note` is a sentence about it."""

    cells: tuple[str, ...]
    style: str | None = None
    note: str = ""


@dataclass(frozen=True)
class Table:
    """Rows of as many cells as there are headers, where the first cell is a word."""

    headers: tuple[str, ...]
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Lines:
    """Lines that are laid out already, shown with every blank.

    A `caption` names them where they can be folded away; text has no use for it.
    """

    lines: tuple[Line, ...]
    caption: str = ""

    @property
    def is_long(self) -> bool:
        """Whether they are folded away."""
        return len(self.lines) >= _LONG


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
    """A text in which what cannot be printed is written as Python writes it: `\\x07`.

    Line feeds stay. No text turns the reading order around so, or ends a line unseen.
    """
    return "".join(_visible(text))


def _visible(text: str) -> Iterator[str]:
    for character in text:
        is_shown = character.isprintable() or character == "\n"
        yield character if is_shown else character.encode("unicode_escape").decode("ascii")
