"""Where the texts of two actions part: what is the same in both is passed over."""

from __future__ import annotations

from itertools import zip_longest

from lockstep.language import ir
from lockstep.language.likeness import Likeness
from lockstep.language.source import Place
from lockstep.language.totality import parts_of


def parting_places(
    one: ir.ActionCode, other: ir.ActionCode
) -> tuple[Place | None, Place | None] | None:
    """Where two actions differ first, in the text of each; None where they say the same.

    Helpers are a part of the action that calls them. A side that has nothing there, or only other
    parameters, has no place.
    """
    same = Likeness()
    if not same(one.parameters, other.parameters):
        return None, None
    for statements in zip_longest(one.statements, other.statements):
        if not same(*statements):
            before, after = _deepest(*statements, same)
            return getattr(before, "place", None), getattr(after, "place", None)
    return None


def _deepest(one: object, other: object, same: Likeness) -> tuple[object, object]:
    """The innermost parts that hold all that differs, each with a place."""
    inside, others = list(parts_of(one)), list(parts_of(other))
    if type(one) is type(other) and len(inside) == len(others):
        unlike = [pair for pair in zip(inside, others, strict=True) if not same(*pair)]
        if len(unlike) == 1 and all(hasattr(part, "place") for part in unlike[0]):
            return _deepest(*unlike[0], same)
    return one, other
