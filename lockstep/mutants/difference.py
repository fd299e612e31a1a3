"""In which functions two models differ, by their IR: the places in the text count for nothing."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from enum import Enum
from typing import Any

from lockstep.language import ir
from lockstep.language.domain import Domain
from lockstep.language.frontend import lower
from lockstep.language.model import Model
from lockstep.language.records import Fielded
from lockstep.language.source import Place


@dataclass(frozen=True)
class Difference:
    """The functions of a mutant that are not those of the model, by their numbers.

    `guards` are those actions of which only guards differ. `is_whole` says that the variables or
    the parameters differ, too, so that no state of the one need be a state of the other.
    """

    actions: frozenset[int]
    properties: frozenset[int]
    guards: frozenset[int]
    is_whole: bool

    def __bool__(self) -> bool:
        return self.is_whole or bool(self.actions or self.properties)


def difference(model: Model, mutant: Model) -> Difference:
    """In which functions a mutant differs from its model."""
    code, other, same = lower(model), lower(mutant), _Comparison()
    actions = list(zip(code.actions, other.actions, strict=True))
    properties = list(zip(code.properties, other.properties, strict=True))
    is_whole = (
        not same(code.variables, other.variables)
        or repr(model.initial) != repr(mutant.initial)
        or any(not same(one.parameters, two.parameters) for one, two in actions)
        or any(not same(one.parameters, two.parameters) for one, two in properties)
    )
    changed = frozenset(number for number, pair in enumerate(actions) if not same(*pair))
    return Difference(
        changed,
        frozenset(number for number, pair in enumerate(properties) if not same(*pair)),
        frozenset(n for n in changed if same(*map(_effects, actions[n])) and not is_whole),
        is_whole,
    )


def _effects(action: ir.ActionCode) -> tuple[ir.Statement, ...]:
    """What an action does where it is enabled."""
    return tuple(part for part in action.statements if not isinstance(part, ir.Guard))


class _Comparison:
    """Compares IR of two loads of a workspace, whose enums and records are classes of each."""

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
