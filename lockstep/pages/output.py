"""What is printed: text, with colour on a terminal alone, and the JSON that all verbs share."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec

from lockstep.answers.answer import Answer
from lockstep.results.verdict import Verdict
from lockstep.words import legible

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
