"""Words, lines and paths as messages have them."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

TOGETHER = "+"
"""Between the names of faults that are in place at once; in no name itself."""


def printable(text: str) -> str:
    r"""A text in which what cannot be printed is written as Python writes it: `\x07`, `\n`."""
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode("ascii")
        for character in text
    )


def visible(text: str) -> str:
    r"""The same, but line feeds stay: no text turns the reading order around, or hides a part."""
    return "\n".join(map(printable, text.split("\n")))


_COMMAND = re.compile(r"^(\s*):(?=:)", re.MULTILINE)
"""How a line begins that GitHub takes for a command, wherever it is printed."""


def legible(text: str) -> str:
    """The same for what is printed: tabs stay as well, and no line is a command."""
    return _COMMAND.sub(r"\1\\x3a", "\t".join(map(visible, text.split("\t"))))


def indented(text: str, by: int) -> str:
    """Each line of `text` moved to the right."""
    return "\n".join(" " * by + line if line else line for line in text.splitlines())


def wrapped(text: str) -> str:
    """A text in lines of up to 76 letters, moved to the right by two; no word is broken."""
    lines = textwrap.wrap(text, 76, break_long_words=False, break_on_hyphens=False)
    return indented("\n".join(lines), 2)


def plural(number: int, noun: str) -> str:
    """`1 state`, `1,000 states`."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def path_below(file: Path, folder: Path) -> str:
    """A file relative to a folder where it lies below that, and its bare name elsewhere.

    On one line, as all paths here: a name may hold whatever a file system takes.
    """
    below = file.relative_to(folder).as_posix() if file.is_relative_to(folder) else file.name
    return printable(below)


def place_text(file: Path, line: int, folder: Path) -> str:
    """A place in a text: the file as `path_below` has it, and the line."""
    return f"{path_below(file, folder)}:{line}"


def shown_path(path: Path) -> str:
    """A path as it can be typed: relative to the current folder where it lies below that."""
    try:
        return printable(str(path.absolute().relative_to(Path.cwd())))
    except (ValueError, OSError):  # OSError: the current folder was removed
        return printable(str(path))
