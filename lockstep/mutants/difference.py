"""In which functions two models differ, by their IR: the places in the text count for nothing."""

from __future__ import annotations

from dataclasses import dataclass

from lockstep.language import ir
from lockstep.language.frontend import lower
from lockstep.language.likeness import Likeness
from lockstep.language.model import Model


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
    code, other, same = lower(model), lower(mutant), Likeness()
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
