"""TLA+ values as Python values.

| TLA+, as TLC prints it           | Python                             |
|----------------------------------|------------------------------------|
| `-3`                             | int                                |
| `TRUE`                           | bool                               |
| `"text"`                         | str                                |
| `m1` (a model value)             | ModelValue("m1")                   |
| `{1, 2}`, `1..2`                 | frozenset                          |
| `<<1, 2>>`                       | tuple                              |
| `[a |-> 1, b |-> 2]`             | TlaRecord                          |
| `(2 :> "x" @@ 4 :> "y")`         | TlaFunction                        |

In TLA+ a sequence is a function on 1..n and a record is a function on strings, so that one value
has several spellings. Here each value has one form, which `function_value` makes. Equality in
Python is then equality in TLA+, but for one thing: Python holds `True == 1`, TLA+ does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

TlaValue: TypeAlias = (
    "int | bool | str | ModelValue | frozenset[TlaValue] | tuple[TlaValue, ...]"
    " | TlaRecord | TlaFunction"
)
_Key = TypeVar("_Key")


@dataclass(frozen=True)
class ModelValue:
    """A constant that equals nothing but itself (`CONSTANT m1 = m1` in the configuration)."""

    name: str


class _Finite(Mapping[_Key, TlaValue]):
    """An immutable, hashable mapping from finitely many keys to values."""

    __slots__ = ("_hash", "_items")

    def __init__(self, items: Mapping[_Key, TlaValue]) -> None:
        self._items = dict(items)
        self._hash = hash(frozenset(self._items.items()))

    def __getitem__(self, key: _Key) -> TlaValue:
        return self._items[key]

    def __iter__(self) -> Iterator[_Key]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Finite):
            return NotImplemented
        return type(self) is type(other) and self._items == other._items

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._items!r})"


class TlaRecord(_Finite[str]):
    """A record, or any other function whose domain is a non-empty set of strings."""

    __slots__ = ()

    def __init__(self, items: Mapping[str, TlaValue]) -> None:
        if not items or not all(isinstance(key, str) for key in items):
            raise ValueError("a record has one or more fields, named by strings")
        super().__init__(items)


class TlaFunction(_Finite[TlaValue]):
    """A function that is neither a sequence nor a record; make it with `function_value`."""

    __slots__ = ()

    def __init__(self, items: Mapping[TlaValue, TlaValue]) -> None:
        if _is_sequence(items) or all(isinstance(key, str) for key in items):
            raise ValueError("a function on 1..n is a tuple, and one on strings is a TlaRecord")
        super().__init__(items)


def function_value(
    items: Mapping[TlaValue, TlaValue],
) -> tuple[TlaValue, ...] | TlaRecord | TlaFunction:
    """The function with these arguments and results, in the one form that such a value has.

    That is a tuple if its domain is 1..n (or empty), a TlaRecord if it is a set of strings, and a
    TlaFunction otherwise.
    """
    if _is_sequence(items):
        return tuple(items[index] for index in range(1, len(items) + 1))
    fields = {key: value for key, value in items.items() if isinstance(key, str)}
    return TlaRecord(fields) if len(fields) == len(items) else TlaFunction(items)


def _is_sequence(items: Mapping[TlaValue, TlaValue]) -> bool:
    # `True == 1` would let a function on {TRUE} pass for a sequence.
    return all(type(key) is int and 1 <= key <= len(items) for key in items)


STRING_ESCAPES = {'"': '"', "\\": "\\", "n": "\n", "t": "\t", "r": "\r", "f": "\f"}
"""What follows a backslash in a TLA+ string, and the character that the two stand for."""

_PRINTED = {plain: "\\" + escape for escape, plain in STRING_ESCAPES.items()}
_FIELD = re.compile(r"[A-Za-z_0-9]+")


def format_value(value: TlaValue) -> str:
    """The value in TLA+, as TLC would print it but for the order of set elements and fields.

    Those are sorted by their text, so that equal values give equal texts.
    """
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return '"' + "".join(_PRINTED.get(character, character) for character in value) + '"'
    if isinstance(value, ModelValue):
        return value.name
    if isinstance(value, frozenset):
        return "{" + ", ".join(sorted(map(format_value, value))) + "}"
    if isinstance(value, tuple):
        return "<<" + ", ".join(map(format_value, value)) + ">>"
    if isinstance(value, TlaRecord) and all(_FIELD.fullmatch(field) for field in value):
        fields = sorted(f"{field} |-> {format_value(of)}" for field, of in value.items())
        return "[" + ", ".join(fields) + "]"
    pairs = sorted(
        f"{format_value(argument)} :> {format_value(result)}" for argument, result in value.items()
    )
    return "(" + " @@ ".join(pairs) + ")"
