"""Values as text: on one line, or on several that break where a field or an item begins."""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import TypeAlias

from lockstep.language.records import Record
from lockstep.language.values import TotalMap

WIDTH = 74
"""Columns of a line: indented by up to six it fits into 80, whatever the terminal is like."""

INDENT = 4
"""Columns by which a field or an item stands to the right of what it is part of."""


@dataclass(frozen=True)
class Group:
    """A text with parts: `head`, the items with a separator between them, `tail`."""

    head: str
    items: tuple[Text, ...]
    tail: str
    separator: str = ","


Text: TypeAlias = "str | Group"
"""What is shown; a string is never broken."""


def show(value: object) -> str:
    """A value in the notation of models, enum members and plain words by their bare names."""
    return flat(text_of(value))


def flat(text: Text) -> str:
    """A text on one line."""
    if isinstance(text, str):
        return text
    return text.head + f"{text.separator} ".join(map(flat, text.items)) + text.tail


def text_of(value: object) -> Text:
    """A value as a text whose parts are its fields and items."""
    match value:
        case enum.Enum():
            return value.name
        case str():
            return value if value.isidentifier() else repr(value)
    return grouped(value, text_of)


def grouped(
    value: object,
    of: Callable[[object], Text],
    name: Callable[[type], str] = attrgetter("__name__"),
) -> Text:
    """What has parts as a text of what `of` makes of each, in Python's notation, with `name`s.

    Anything else is written as Python writes it.
    """
    match value:
        case Record():
            fields = zip(value.fields, value, strict=True)
            items = tuple(prefixed(f"{field}=", of(part)) for field, part in fields)
            return Group(f"{name(type(value))}(", items, ")")
        case TotalMap():
            pairs = ((flat(of(key)), of(part)) for key, part in value.items())
            return Group("{", tuple(prefixed(f"{key}: ", part) for key, part in pairs), "}")
        case frozenset():
            return Group("{", tuple(sorted(map(of, value), key=natural)), "}")
        case tuple():
            return Group("(", tuple(map(of, value)), ",)" if len(value) == 1 else ")")
    return repr(value)


def folded(value: object) -> Text:
    """A value of which the most frequent part of a map is printed once: `{b3: 1, others: 0}`."""
    match value:
        case TotalMap() if len(value) > 1:
            counts = Counter(value.values())
            usual, count = counts.most_common(1)[0]
            if count == len(value):
                return Group("{", (prefixed("all: ", folded(usual)),), "}")
            if count > 1:
                rest = ((key, part) for key, part in value.items() if part != usual)
                items = [prefixed(f"{show(key)}: ", folded(part)) for key, part in rest]
                return Group("{", (*items, prefixed("others: ", folded(usual))), "}")
        case Record():
            return grouped(value, folded)
    return text_of(value)


def natural(text: Text) -> tuple[int, str]:
    """Orders shown integers by size; longer texts come later, which sorts 9 before 10."""
    line = flat(text)
    return (len(line), line)


def prefixed(prefix: str, text: Text) -> Text:
    """A text with something before it."""
    if isinstance(text, str):
        return prefix + text
    return replace(text, head=prefix + text.head)


@dataclass(frozen=True)
class Room:
    """Where lines may stand: the first begins at column `begin`, parts of it at column `parts`.

    The last `taken` columns of the first line are left free.
    """

    begin: int
    parts: int
    taken: int = 0


def lay_out(texts: Iterable[Text], room: Room) -> list[str]:
    """The lines of texts that follow one another, each at most `WIDTH` columns where that can be.

    A text breaks where its parts begin. A part that takes several lines has them for itself.
    """
    lines = [" " * room.begin]
    for text in texts:
        _lay_out(text, "", lines, room)
    return lines


def _lay_out(text: Text, after: str, lines: list[str], room: Room) -> None:
    """Add a text, and what comes directly after it, to the last of some lines."""
    limit = WIDTH - (room.taken if len(lines) == 1 else 0)
    line = flat(text) + after
    if isinstance(text, str) or not text.items or len(lines[-1]) + len(line) <= limit:
        lines[-1] += line
        return
    lines[-1] += text.head
    if len(text.items) == 1 and isinstance(text.items[0], Group) and text.items[0].items:
        _lay_out(text.items[0], text.tail + after, lines, room)
        return
    margin = " " * room.parts
    inner = replace(room, parts=room.parts + INDENT)
    is_next_to = False  # whether the next part may stand beside the last one
    for number, item in enumerate(text.items, start=1):
        ending = text.tail + after if number == len(text.items) else text.separator
        line = flat(item) + ending
        if is_next_to and len(lines[-1]) + 1 + len(line) <= WIDTH:
            lines[-1] += f" {line}"
            continue
        lines.append(margin)
        _lay_out(item, ending, lines, inner)
        is_next_to = lines[-1] == margin + line
