"""A model's text: places in it, changes of it, how deep it may be, and problems shown there."""

from __future__ import annotations

import ast
import sys
import types
from collections.abc import Container, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import TypeAlias

from lockstep.errors import LockstepError
from lockstep.words import shown_path

WRITTEN_AT = "__lockstep_written_at__"
"""The place of a syntax node that an edit puts into the text of another file."""


@dataclass(frozen=True)
class Place:
    """A stretch of one file.

    Lines count from 1; columns are bytes of UTF-8 from 0, as in `ast`, the end column excluded.
    """

    file: Path
    line: int
    column: int
    end_line: int
    end_column: int

    @staticmethod
    def of(node: ast.AST, file: Path) -> Place:
        """Where a syntax node stands; an attribute or method on a line of its own, at its name."""
        if isinstance(elsewhere := getattr(node, WRITTEN_AT, None), Place):
            return elsewhere
        named = node.func if isinstance(node, ast.Call) else node
        if isinstance(named, ast.Attribute) and named.lineno != named.end_lineno:
            # Python reports what goes wrong in `a.b` at the line of `b`.
            line, end = named.end_lineno or named.lineno, named.end_col_offset or 1
            return Place(file, line, end - len(named.attr), line, end)
        line = getattr(node, "lineno", 1)
        column = getattr(node, "col_offset", 0)
        end_line = getattr(node, "end_lineno", None) or line
        end_column = getattr(node, "end_col_offset", None) or column + 1
        return Place(file, line, column, end_line, end_column)

    @staticmethod
    def of_name(node: ast.FunctionDef | ast.ClassDef, file: Path) -> Place:
        """The name of a function or class where it is defined."""
        keyword = "class " if isinstance(node, ast.ClassDef) else "def "
        column = node.col_offset + len(keyword)
        return Place(file, node.lineno, column, node.lineno, column + len(node.name.encode()))

    @staticmethod
    def beginning(file: Path, line: int = 1) -> Place:
        """The first character of a file, or of a line in it."""
        return Place(file, line, 0, line, 1)

    def lines(self) -> list[str]:
        """The lines of the file that it is a part of."""
        return self.file.read_text(encoding="utf-8").splitlines()[self.line - 1 : self.end_line]

    def content(self) -> str:
        """What stands there, without what stands beside it on its lines."""
        lines = [line.encode() for line in self.lines()]
        lines[-1] = lines[-1][: self.end_column]
        lines[0] = lines[0][self.column :]
        return b"\n".join(lines).decode()

    def __contains__(self, other: Place) -> bool:
        return (
            self.file == other.file
            and (self.line, self.column) <= (other.line, other.column)
            and (other.end_line, other.end_column) <= (self.end_line, self.end_column)
        )

    def __str__(self) -> str:
        return f"{shown_path(self.file)}:{self.line}:{self.column + 1}"


Span: TypeAlias = tuple[int | None, int | None, int | None, int | None]
"""The first and the last line of a piece of code, and the columns of its ends."""


def place_in(
    trace: TracebackType | None,
    files: Container[str],
    edited: Mapping[tuple[types.CodeType, Span], Place] = MappingProxyType({}),
) -> Place | None:
    """Where in some files an error arose, as deep as it went there; None where it did not.

    `edited` are the places of what edits put into functions.
    """
    place: Place | None = None
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_filename in files:
            position = list(code.co_positions())[trace.tb_lasti // 2]
            line, end_line, column, end_column = position
            place = edited.get((code, position)) or Place(
                Path(code.co_filename),
                line or trace.tb_lineno,
                column or 0,
                end_line or line or trace.tb_lineno,
                end_column or 1,
            )
        trace = trace.tb_next
    return place


_LONGEST_LINE = 160
"""Letters of a source line that are shown whole."""


@dataclass(frozen=True)
class Diagnostic:
    """One thing wrong with a model: a stable code, where, what, why, and what to write instead."""

    code: str
    place: Place
    what: str
    why: str
    cure: str

    def render(self) -> str:
        """The diagnostic as it is printed, with the source line and a caret below it."""
        source = "".join(self.place.lines()[:1])
        before = source.encode()[: self.place.column].decode(errors="ignore")
        rest = source[len(before) :]
        if self.place.end_line == self.place.line:
            length = self.place.end_column - self.place.column
            rest = rest.encode()[:length].decode(errors="ignore")
        marked = len(rest.rstrip())
        if len(source) > _LONGEST_LINE:
            source, before, marked = _excerpt(source, len(before), marked)
        indent = "".join("\t" if letter == "\t" else " " for letter in before)
        carets = "^" * max(1, marked)
        gutter = " " * len(str(self.place.line))
        return "\n".join(
            (
                f"error[{self.code}]: {self.what}",
                f"{gutter}--> {self.place}",
                f"{gutter} |",
                f"{self.place.line} | {source}",
                f"{gutter} | {indent}{carets}",
                f"{gutter} = why: {self.why}",
                f"{gutter} = cure: {self.cure}",
            )
        )


def _excerpt(line: str, start: int, length: int) -> tuple[str, str, int]:
    """The part of a long line around a mark, what of it stands before the mark, and its length."""
    begin = max(0, start - _LONGEST_LINE // 4)
    end = begin + _LONGEST_LINE
    ahead = "... " if begin else ""
    before = ahead + line[begin:start]
    text = ahead + line[begin:end] + (" ..." if end < len(line) else "")
    return text, before, min(length, end - start)


class ModelError(LockstepError):
    """A model is not well formed; the text shows every problem."""

    def __init__(self, diagnostics: list[Diagnostic]) -> None:
        super().__init__("\n\n".join(problem.render() for problem in diagnostics))
        self.diagnostics = diagnostics


@dataclass(frozen=True)
class Change(Place):
    """Another text for one stretch of a file in the workspace, whose lines keep their numbers."""

    text: str

    def applied(self, whole: str) -> str:
        """The text of the file with the change."""
        lines = whole.encode().split(b"\n")
        before = [*lines[: self.line - 1], lines[self.line - 1][: self.column]]
        after = [lines[self.end_line - 1][self.end_column :], *lines[self.end_line :]]
        return b"\n".join(before).decode() + self.text + b"\n".join(after).decode()


_FRAMES = 20_000
"""Python frames for a walk over a model: some thousand operands of one operator."""

_FRAMES_TO_READ = 5_000
"""Frames for the front end. What it accepts, other walks accept: none takes four times as many."""


def allow_nesting() -> None:
    """Let this process walk over what the front end accepts, whatever Python's usual limit is."""
    sys.setrecursionlimit(max(sys.getrecursionlimit(), _FRAMES))


@contextmanager
def reading() -> Iterator[None]:
    """Hold the front end to fewer frames than are left to the walks that come after it."""
    before = sys.getrecursionlimit()
    depth = 0
    frame = sys._getframe()
    while frame.f_back is not None:
        frame, depth = frame.f_back, depth + 1
    sys.setrecursionlimit(depth + _FRAMES_TO_READ)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
