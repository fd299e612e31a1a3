"""Tables that are printed row by row, as results come, and fit into 80 columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Columns:
    """The headers and widths of a table: texts are aligned to the left, numbers to the right.

    A cell that is wider than its column moves the rest of its row.
    """

    texts: tuple[tuple[str, int], ...]
    numbers: tuple[tuple[str, int], ...]

    @property
    def head(self) -> str:
        """The first line."""
        return self.row(
            [header for header, _ in self.texts], [header for header, _ in self.numbers]
        )

    def row(self, texts: Sequence[str], numbers: Sequence[str] = ()) -> str:
        """One line; numbers that are left out at the end are blank."""
        left = [
            text.ljust(max(width, len(header)))
            for text, (header, width) in zip(texts, self.texts, strict=True)
        ]
        right = [
            number.rjust(max(width, len(header)))
            for number, (header, width) in zip(numbers, self.numbers, strict=False)
        ]
        return " ".join([*left, *right]).rstrip()
