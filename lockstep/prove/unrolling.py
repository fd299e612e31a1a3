"""Behaviours as terms: states one after the other, each step some action's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

import z3

from lockstep.language import ir
from lockstep.language.notation import Kind
from lockstep.prove.evaluation import read, values_in
from lockstep.prove.relation import Relation, Values
from lockstep.prove.solver import ask, new_solver
from lockstep.prove.terms import Scalar, Truth, all_of, any_of, equals, implies, negated, term
from lockstep.prove.values import NotProvable, Value, constant, same
from lockstep.results.trace import Step, Trace


@dataclass(frozen=True)
class Move:
    """A step between two states: which action it is, by its position, and with which parameters.

    The step `happens` where one of the model's actions leads from the one state to the other.
    """

    action: Scalar
    arguments: tuple[list[Value], ...]
    cases: tuple[Truth, ...]
    """For each action, that the step is one of its."""
    happens: Truth
    fails: Truth
    """Whether an action of the state before has no meaning."""


def move(relation: Relation, before: Values, after: Values, name: str) -> Move:
    """A step from one state to another, whose own scalars are named after `name`."""
    number = z3.Int(f"{name} action") if len(relation.actions) > 1 else 0
    cases: list[Truth] = []
    arguments: list[list[Value]] = []
    failing: list[Truth] = []
    for action in relation.actions:
        given, typed = relation.parameters(action.parameters, f"{name} {action.name}")
        taken = relation.take(action, before, given)
        frame = all_of(same(after[variable], value) for variable, value in taken.after.items())
        cases.append(all_of((typed, taken.enabled, negated(taken.fails), frame)))
        failing.append(all_of((typed, taken.fails)))
        arguments.append(given)
    chosen = [equals(number, position) for position in range(len(relation.actions))]
    happens = (implies(is_it, case) for is_it, case in zip(chosen, cases, strict=True))
    return Move(
        number,
        tuple(arguments),
        tuple(all_of(pair) for pair in zip(chosen, cases, strict=True)),
        all_of((any_of(chosen), *happens)),
        any_of(failing),
    )


class Unrolling:
    """The first steps of a model's behaviours, or some steps from any state."""

    def __init__(self, relation: Relation) -> None:
        self.relation = relation
        self.states: list[Values] = [relation.state("s0")]
        self.moves: list[Move] = []

    def extend(self) -> Truth:
        """One step more; the condition that it is one."""
        depth = len(self.moves)
        self.states.append(self.relation.state(f"s{depth + 1}"))
        before, after = self.states[depth : depth + 2]
        self.moves.append(move(self.relation, before, after, f"step {depth + 1}"))
        return self.moves[-1].happens

    def trace(self, model: z3.ModelRef, steps: int, start: int = 0) -> Trace:
        """The behaviour that a solver's model describes, from its state `start` on."""
        relation = self.relation
        states = [relation.state_in(model, one) for one in self.states[start : start + steps + 1]]
        taken = []
        for position in range(start, start + steps):
            chosen = self.moves[position]
            action = relation.actions[int(read(model, chosen.action))]
            values = chosen.arguments[int(read(model, chosen.action))]
            arguments = values_in(model, values, action.parameters)
            taken.append(Step(action.name, arguments, states[position - start + 1]))
        return Trace(states[0], tuple(taken))


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
        unchanged = all_of(same(value, taken.after[name]) for name, value in state.items())
        nowhere.append(all_of((implies(taken.enabled, unchanged), negated(taken.fails))))
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
