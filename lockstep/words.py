"""Words, lines and paths as messages have them."""

from __future__ import annotations

from pathlib import Path


def indented(text: str, by: int) -> str:
    """Each line of `text` moved to the right."""
    return "\n".join(" " * by + line if line else line for line in text.splitlines())


def plural(number: int, noun: str) -> str:
    """`1 state`, `1,000 states`."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def path_below(file: Path, folder: Path) -> str:
    """A file relative to a folder where it lies below that, and its bare name elsewhere."""
    return file.relative_to(folder).as_posix() if file.is_relative_to(folder) else file.name


def place_text(file: Path, line: int, folder: Path) -> str:
    """A place in a text: the file as `path_below` has it, and the line."""
    return f"{path_below(file, folder)}:{line}"


def shown_path(path: Path) -> str:
    """A path as it can be typed: relative to the current folder where it lies below that."""
    try:
        return str(path.absolute().relative_to(Path.cwd()))
    except (ValueError, OSError):  # OSError: the current folder was removed
        return str(path)
