"""What changed between two states, down to the part that did, and values as they are shown."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lockstep.language.notation import State
from lockstep.language.records import Record
from lockstep.language.values import TotalMap


@dataclass(frozen=True)
class Change:
    """One part of a state that changed: `cached[p1].epoch: 1 -> 2`.

    A set shows what came (`+`) and what went (`-`) instead of its two values, and so does
    a sequence that only grew at its end or shrank at its front.
    """

    place: str
    text: str

    def __str__(self) -> str:
        return f"{self.place}: {self.text}"


def changes(before: State, after: State) -> list[Change]:
    """Every part that differs, in the order of declaration; empty when nothing does."""
    return [
        change
        for name in before.fields
        for change in _changes(name, getattr(before, name), getattr(after, name))
    ]


def show(value: object) -> str:
    """A value in the notation of models, enum members and plain words by their bare names."""
    match value:
        case enum.Enum():
            return value.name
        case str():
            return value if value.isidentifier() else repr(value)
        case Record():
            inside = (
                f"{name}={show(part)}" for name, part in zip(value.fields, value, strict=True)
            )
            return f"{type(value).__name__}({', '.join(inside)})"
        case TotalMap():
            inside = (f"{show(key)}: {show(part)}" for key, part in value.items())
            return "{" + ", ".join(inside) + "}"
        case frozenset():
            return "{" + ", ".join(sorted(map(show, value), key=_natural)) + "}"
        case tuple():
            return "(" + ", ".join(map(show, value)) + ("," if len(value) == 1 else "") + ")"
        case _:
            return repr(value)


def _changes(place: str, before: Any, after: Any) -> Iterator[Change]:
    if before == after:
        return
    match before, after:
        case TotalMap(), TotalMap():
            for key in before:
                yield from _changes(f"{place}[{show(key)}]", before[key], after[key])
        case Record(), Record():
            for name, old, new in zip(before.fields, before, after, strict=True):
                yield from _changes(f"{place}.{name}", old, new)
        case frozenset(), frozenset():
            yield Change(
                place, _came_and_went(map(show, after - before), map(show, before - after))
            )
        case tuple(), tuple() if after[: len(before)] == before:
            yield Change(place, f"+{_items(after[len(before) :])} at the end")
        case tuple(), tuple() if before[-len(after) :] == after and after:
            yield Change(place, f"-{_items(before[: -len(after)])} at the front")
        case _:
            yield Change(place, f"{show(before)} -> {show(after)}")


def _items(items: tuple[Any, ...]) -> str:
    return ", ".join(map(show, items))


def _came_and_went(came: Iterator[str], went: Iterator[str]) -> str:
    return " ".join(
        [f"+{item}" for item in sorted(came, key=_natural)]
        + [f"-{item}" for item in sorted(went, key=_natural)]
    )


def _natural(text: str) -> tuple[int, str]:
    """Orders shown integers by size; longer texts come later, which sorts 9 before 10."""
    return (len(text), text)
