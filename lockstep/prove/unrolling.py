"""Behaviours as terms: states one after the other, each step some action's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import z3

from lockstep.prove.reading import read, value_in
from lockstep.prove.relation import Relation, Values
from lockstep.prove.terms import Scalar, Truth, all_of, any_of, equals, implies, negated
from lockstep.prove.values import Value, same
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
        fails = any_of(failure.when for failure in taken.failures)
        frame = all_of(same(after[variable], value) for variable, value in taken.after.items())
        cases.append(all_of((typed, taken.enabled, negated(fails), frame)))
        failing.append(all_of((typed, fails)))
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
        states = [self._state(model, values) for values in self.states[start : start + steps + 1]]
        taken = []
        for position in range(start, start + steps):
            chosen = self.moves[position]
            action = self.relation.actions[int(read(model, chosen.action))]
            values = chosen.arguments[int(read(model, chosen.action))]
            arguments = tuple(
                value_in(model, value, parameter.domain)
                for value, parameter in zip(values, action.parameters, strict=True)
            )
            taken.append(Step(action.name, arguments, states[position - start + 1]))
        return Trace(states[0], tuple(taken))

    def _state(self, model: z3.ModelRef, values: Values) -> Any:
        domains = self.relation.domains
        parts = [value_in(model, values[name], domain) for name, domain in domains.items()]
        return type(self.relation.model.initial).of(parts)
