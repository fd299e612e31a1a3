"""Whether two loads of a workspace say the same: each has enums and records of its own.

An enum's member, or a record, of one load is never that of another, though the text is the same.
"""

from __future__ import annotations

import dataclasses
import types
from enum import Enum
from typing import Any

from lockstep.language.domain import Domain
from lockstep.language.loader import Universe
from lockstep.language.notation import EDITS, FAULT, MARK, REPLACES, State
from lockstep.language.records import Fielded
from lockstep.language.source import Place
from lockstep.language.values import TotalMap


class Likeness:
    """Compares values, domains and IR of two loads, each of which has its own enums and records."""

    def __init__(self) -> None:
        self._domains: dict[tuple[int, int], bool] = {}

    def __call__(self, one: Any, other: Any) -> bool:
        """Whether two pieces are the same but for their places."""
        if type(one) is tuple and type(other) is tuple:
            return len(one) == len(other) and all(map(self, one, other))
        if isinstance(one, type) and isinstance(other, type):
            return self(_shape(one), _shape(other))
        if isinstance(one, frozenset) and isinstance(other, frozenset):
            return sorted(map(repr, one)) == sorted(map(repr, other))
        if not dataclasses.is_dataclass(one):
            # A member of an enum, or a record, is never that of another load: its text is.
            return repr(one) == repr(other)
        if type(one) is not type(other):
            return False
        if isinstance(one, Place):
            return True
        if isinstance(one, Domain):
            key = id(one), id(other)
            if key not in self._domains:
                self._domains[key] = self._fields(one, other)
            return self._domains[key]
        return self._fields(one, other)

    def _fields(self, one: Any, other: Any) -> bool:
        names = [field.name for field in dataclasses.fields(one)]
        return all(self(getattr(one, name), getattr(other, name)) for name in names)


def _shape(kind: type) -> tuple[Any, ...]:
    """What makes a class the same as one of another load."""
    if issubclass(kind, Enum):
        return kind.__name__, tuple(kind.__members__)
    if issubclass(kind, Fielded):
        return kind.__name__, tuple(kind.fields.items())
    return (kind.__name__,)


def plain_value(value: Any) -> object:
    """A value that is equal to that of another load of the model."""
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, bool):
        return str(value)  # to Python True and 1 are equal
    if isinstance(value, TotalMap):
        return tuple(map(plain_value, value.values()))
    if isinstance(value, tuple):
        return tuple(map(plain_value, value))
    if isinstance(value, frozenset):
        return frozenset(map(plain_value, value))
    return value


def made_by(universe: Universe) -> str:
    """All that loading a model's files made, as text: the same in every process, or another model.

    The files' text says what their functions do, with what these names stand for.
    """
    made = {
        f"{name}.{word}": value
        for name, module in universe.modules.items()
        for word, value in vars(module).items()
        if not word.startswith("__")
    }
    written = _Written()
    return "\n".join(f"{name} = {written(made[name])}" for name in sorted(made))


class _Written:
    """Values as text, with all that they are made of; a class or a domain is written once."""

    def __init__(self) -> None:
        self._known: dict[int, str] = {}

    def __call__(self, value: Any) -> str:
        if isinstance(value, types.FunctionType | type | Domain):
            if id(value) not in self._known:
                self._known[id(value)] = f"#{len(self._known)}"
                return f"{self._known[id(value)]}={self._whole(value)}"
            return self._known[id(value)]
        match value:
            case types.ModuleType():
                return value.__name__
            case TotalMap() | dict():
                return self([*value.items()])
            case tuple() | list():
                return f"({', '.join(map(self, value))})"
            case frozenset() | set():
                return f"{{{', '.join(sorted(map(self, value)))}}}"
            case Enum():
                return f"{type(value).__name__}.{value.name}"
        return self._fields(value) if dataclasses.is_dataclass(value) else repr(value)

    def _whole(self, value: Any) -> str:
        match value:
            case types.FunctionType():
                marks = [getattr(value, mark, None) for mark in (MARK, FAULT, REPLACES, EDITS)]
                place = f"{value.__module__}:{value.__code__.co_firstlineno}"
                return f"{place} {self(value.__annotations__)} {self(marks)}"
            case type() if issubclass(value, Fielded):
                firsts = value.first_values if issubclass(value, State) else None
                return f"{value.__name__} {self(value.fields)} {self(firsts)}"
            case type() if issubclass(value, Enum):
                return f"{value.__name__} {self({one.name: one.value for one in value})}"
            case type():
                return value.__name__
        return self._fields(value)

    def _fields(self, value: Any) -> str:
        parts = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        return f"{type(value).__name__} {self(parts)}"
