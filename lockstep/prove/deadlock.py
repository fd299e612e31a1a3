"""States that no step leaves, as terms."""

from __future__ import annotations

from itertools import product
from math import prod

from lockstep.language import ir
from lockstep.prove.relation import Relation, Values
from lockstep.prove.terms import Truth, all_of, any_of, implies, negated
from lockstep.prove.values import NotProvable, constant, same

_MOST_INSTANCES = 4096
"""The most instances of an action of which it is written out that none is enabled."""


def stuck(relation: Relation, state: Values) -> Truth:
    """Whether no action leads from a state to another, and none lacks a meaning there."""
    return all_of(_leads_nowhere(relation, action, state) for action in relation.actions)


def _leads_nowhere(relation: Relation, action: ir.ActionCode, state: Values) -> Truth:
    if prod(parameter.domain.size() for parameter in action.parameters) > _MOST_INSTANCES:
        raise NotProvable(
            f"deadlock: {action.name} has more than {_MOST_INSTANCES:,} instances, and each would "
            "have to be written out",
            cure="look for deadlock in a smaller scope",
        )
    nowhere: list[Truth] = []
    for binding in product(*(parameter.domain for parameter in action.parameters)):
        taken = relation.take(action, state, [constant(value) for value in binding])
        fails = any_of(failure.when for failure in taken.failures)
        unchanged = all_of(same(value, taken.after[name]) for name, value in state.items())
        nowhere.append(all_of((implies(taken.enabled, unchanged), negated(fails))))
    return all_of(nowhere)
