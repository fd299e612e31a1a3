"""A change of one stretch of a model's text, made while the model is loaded."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Change:
    """Another text for one stretch of a file, whose lines keep their numbers.

    `file` is the path in the workspace. Lines count from 1 and columns are bytes of UTF-8 from 0,
    as in `ast`; the end column is excluded.
    """

    file: Path
    line: int
    column: int
    end_line: int
    end_column: int
    text: str

    def applied(self, whole: str) -> str:
        """The text of the file with the change."""
        lines = whole.encode().split(b"\n")
        before = [*lines[: self.line - 1], lines[self.line - 1][: self.column]]
        after = [lines[self.end_line - 1][self.end_column :], *lines[self.end_line :]]
        return b"\n".join(before).decode() + self.text + b"\n".join(after).decode()
