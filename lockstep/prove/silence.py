"""What an action does in a state of which not all is known: it steps, it fails, or neither."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

from lockstep.language import ir
from lockstep.language.notation import Kind
from lockstep.prove.relation import Relation, Values
from lockstep.prove.solver import ask, new_solver
from lockstep.prove.terms import Truth, all_of, any_of, implies, negated, term
from lockstep.prove.unrolling import Unrolling
from lockstep.prove.values import NotProvable, Value, constant, same


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


@dataclass(frozen=True)
class Silence:
    """Actions that are never enabled, and invariants whose premise is never true."""

    idle: tuple[str, ...] = ()
    vacuous: tuple[str, ...] = ()


def silence(
    relation: Relation, unrolling: Unrolling, kept: Sequence[Truth], max_seconds: float | None
) -> Silence:
    """What never happens in the first state of some steps in which `kept` is true, or after it.

    What the solver has no answer to within `max_seconds` is taken for something that happens.
    """
    before = unrolling.states[0]
    solver = new_solver()
    solver.add(*map(term, kept))

    def never(condition: Truth) -> bool:
        solver.push()
        solver.add(term(condition))
        answer = ask(solver, max_seconds)
        solver.pop()
        return answer is None

    def enabled(action: ir.ActionCode) -> Truth:
        arguments, typed = relation.parameters(action.parameters, f"some {action.name}")
        return all_of((typed, relation.take(action, before, arguments).enabled))

    idle = tuple(action.name for action in relation.actions if never(enabled(action)))
    vacuous = []
    for kind in (Kind.INVARIANT, Kind.STEP_INVARIANT):
        after = unrolling.states[1] if kind is Kind.STEP_INVARIANT else None
        if after is not None:
            solver.add(term(unrolling.moves[0].happens))
        for prop in _with_premise(relation, kind):
            arguments, typed = relation.parameters(prop.parameters, f"some {prop.name}")
            applies = relation.claim(prop, before, after, arguments).applies
            if never(all_of((typed, applies))):
                vacuous.append(prop.name)
    return Silence(idle, tuple(vacuous))


def _with_premise(relation: Relation, kind: Kind) -> Iterator[ir.PropertyCode]:
    for prop in relation.properties.values():
        if prop.kind is kind and any(isinstance(part, ir.Guard) for part in prop.statements):
            yield prop
