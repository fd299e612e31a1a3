"""Two states side by side: what changed down to the part that did, and the rest in few rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from lockstep.language.notation import State
from lockstep.language.records import Record
from lockstep.language.values import TotalMap
from lockstep.trace.layout import flat, folded, show


@dataclass(frozen=True)
class Compared:
    """A part of two states: `metadata[c1].epoch`, with its values in both.

    Where they are equal the part is as large as can be, and a value that many keys of a map have
    is told once.
    """

    variable: str
    place: str
    before: str
    after: str

    @property
    def is_changed(self) -> bool:
        """Whether it has another value after than before."""
        return self.before != self.after


def compare(before: State, after: State) -> list[Compared]:
    """All of two states, in the order of declaration; of one state, where it is given twice."""
    return [
        Compared(name, place, old, new)
        for name in before.fields
        for place, old, new in _compare(name, getattr(before, name), getattr(after, name))
    ]


def _compare(place: str, before: Any, after: Any) -> Iterator[tuple[str, str, str]]:
    if before == after:
        text = flat(folded(before))
        yield place, text, text
        return
    match before, after:
        case TotalMap(), TotalMap():
            for key in before:
                yield from _compare(f"{place}[{show(key)}]", before[key], after[key])
        case Record(), Record():
            for name, old, new in zip(before.fields, before, after, strict=True):
                yield from _compare(f"{place}.{name}", old, new)
        case _:
            yield place, show(before), show(after)
