"""Words and lines of the messages."""

from __future__ import annotations


def indented(text: str, by: int) -> str:
    """Each line of `text` moved to the right."""
    return "\n".join(" " * by + line if line else line for line in text.splitlines())


def plural(number: int, noun: str) -> str:
    """`1 state`, `1,000 states`."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
