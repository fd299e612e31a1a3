"""What an action does in a state of which not all is known: it steps, it fails, or neither."""

from __future__ import annotations

from dataclasses import dataclass

from lockstep.language import ir
from lockstep.prove.relation import Relation, Values
from lockstep.prove.terms import Truth, all_of, any_of, negated
from lockstep.prove.values import Value


@dataclass(frozen=True)
class Effect:
    """An action with its parameters in one state.

    It `steps` where it is enabled and its text has a meaning; `after` says nothing elsewhere. It
    `fails` where its text has none.
    """

    steps: Truth
    fails: Truth
    after: Values


def effect_of(
    relation: Relation, action: ir.ActionCode, before: Values, arguments: list[Value]
) -> Effect:
    """What an action does in a state."""
    taken = relation.take(action, before, arguments)
    fails = any_of(failure.when for failure in taken.failures)
    return Effect(all_of((taken.enabled, negated(fails))), fails, taken.after)
