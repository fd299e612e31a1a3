"""One action of two models, in all their states at once: what the solver is asked.

The variables that both models have with the same form have the same values in both, and so have
the parameters that both actions have; all else has any value of its domain, in each model for
itself. Values of two loads are made of the same scalars: these are named after what is the same.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

from lockstep.language import ir
from lockstep.language.domains import (
    Domain,
    MapDomain,
    OptionDomain,
    RangeDomain,
    RecordDomain,
    SequenceDomain,
    SetDomain,
)
from lockstep.language.likeness import Likeness
from lockstep.language.model import Model
from lockstep.language.notation import Kind, State
from lockstep.prove.evaluation import value_in
from lockstep.prove.names import rekeyed
from lockstep.prove.relation import Relation, Taken, Values
from lockstep.prove.terms import Truth, all_of, any_of, equals, negated
from lockstep.prove.values import NotProvable, Value, constant, same, unknown, within
from lockstep.review.pair import Pair

MOST_BINDINGS = 256
"""The most values of parameters which only one action has that are enumerated."""


class Joint:
    """Two models; number 0 is that of `pair.one`, number 1 that of `pair.other`.

    The pair shares what has the same form. `unlike` are the variables that both have by name with
    different forms.
    """

    def __init__(self, one: Model, other: Model) -> None:
        both = [name for name in one.variables if name in other.variables]
        shared = [n for n in both if same_form(one.variables[n], other.variables[n])]
        self.pair = Pair(one, other, tuple(shared))
        self.unlike = frozenset(both) - frozenset(shared)
        self.relations = (Relation(one), Relation(other))
        self.before: tuple[Values, Values] = (self._state(0), self._state(1))

    @cached_property
    def typed(self) -> Truth:
        """Whether every variable is in its domain, in both models where both have it."""
        relations = zip(self.relations, self.before, strict=True)
        typed = [relation.typed(state) for relation, state in relations]
        views = [self.view(number, state) for number, state in enumerate(self.before)]
        return all_of((*typed, same_views(*views)))

    @cached_property
    def in_order(self) -> Truth:
        """Whether the invariants of the first model hold, but for those with many parameters."""
        relation = self.relations[0]
        return all_of(
            relation.holds(prop, self.before[0], None)
            for prop in relation.properties.values()
            if prop.kind is Kind.INVARIANT and relation.is_written_out(prop)
        )

    def code(self, number: int, action: str) -> ir.ActionCode:
        """An action of one of the models, which has it."""
        return next(code for code in self.relations[number].actions if code.name == action)

    def view(self, number: int, state: Values) -> list[Value]:
        """The shared variables in a state of one model, as values of the first one's load."""
        domains = [one.domains for one in self.relations]
        return [
            rekeyed(state[name], domains[number][name], domains[0][name])
            for name in self.pair.shared
        ]

    def _state(self, number: int) -> Values:
        return {
            name: unknown(domain, f"s.{name}" if name in self.pair.shared else f"{number}.{name}")
            for name, domain in self.relations[number].domains.items()
        }


@dataclass(frozen=True)
class Instance:
    """A state of each model and parameters of each action, as one answer of the solver has them."""

    states: tuple[State, State]
    arguments: tuple[tuple[Any, ...], tuple[Any, ...]]


class JointAction:
    """An action that both models have by name.

    `shared` are the parameters that both actions have, by name and form. Others are enumerated:
    an action with them takes a step where it takes it with some of their values.
    """

    def __init__(self, joint: Joint, name: str) -> None:
        self._joint = joint
        self.codes = joint.code(0, name), joint.code(1, name)
        self.shared = _shared_parameters(*self.codes)
        self._arguments = tuple(
            [
                unknown(one.domain, f"{'of' if one.name in self.shared else number} {one.name}")
                for one in code.parameters
            ]
            for number, code in enumerate(self.codes)
        )

    @property
    def has_other_parameters(self) -> bool:
        """Whether one of the actions has a parameter that the other has not."""
        return any(len(code.parameters) != len(self.shared) for code in self.codes)

    def exceeds(self, number: int) -> Truth:
        """Whether one model takes a step that the other does not take; NotProvable as below."""
        own = self._effect(number, self._arguments[number])
        view = self._joint.view(number, own.after)
        followed = any_of(
            all_of((effect.steps, same_views(view, self._joint.view(1 - number, effect.after))))
            for effect in self.effects(1 - number)
        )
        taken = all_of((self._same_arguments(), followed))
        return all_of((own.steps, self._given(number), negated(taken)))

    def steps(self) -> Truth:
        """Whether one of the models takes a step."""
        return any_of(
            all_of((self._given(number), any_of(one.steps for one in self.effects(number))))
            for number in (0, 1)
        )

    def fails_alone(self) -> Truth:
        """Whether the text of one model has a meaning and that of the other has none."""
        one, other = (any_of(effect.fails for effect in self.effects(n)) for n in (0, 1))
        given = (self._given(0), self._same_arguments())
        return all_of((*given, negated(equals(one, other))))

    def effects(self, number: int) -> Iterator[Taken]:
        """What one model does with each value of the parameters that only it has.

        NotProvable where these are too many to go through.
        """
        for binding in self.bindings(number):
            values = [
                constant(binding[one.name]) if one.name in binding else value
                for one, value in zip(
                    self.codes[number].parameters, self._arguments[number], strict=True
                )
            ]
            yield self._effect(number, values)

    def bindings(self, number: int) -> Iterator[dict[str, Any]]:
        """All values of the parameters that only one model has, by name; NotProvable as above."""
        own = [one for one in self.codes[number].parameters if one.name not in self.shared]
        count = math.prod(one.domain.size() for one in own)
        if count > MOST_BINDINGS:
            names = ", ".join(one.name for one in own)
            raise NotProvable(
                f"only one version has the parameters {names}, and they have {count:,} values"
            )
        return (
            dict(zip((one.name for one in own), values, strict=True))
            for values in product(*(one.domain for one in own))
        )

    def instance(self, model: Any) -> Instance:
        """What the solver's answer says of states and parameters."""
        joint, pair = self._joint, self._joint.pair
        states = tuple(
            type(one.initial).of(
                value_in(model, joint.before[number][name], domain)
                for name, domain in joint.relations[number].domains.items()
            )
            for number, one in enumerate((pair.one, pair.other))
        )
        arguments = tuple(
            tuple(
                value_in(model, value, one.domain)
                for value, one in zip(values, code.parameters, strict=True)
            )
            for code, values in zip(self.codes, self._arguments, strict=True)
        )
        return Instance((states[0], states[1]), (arguments[0], arguments[1]))

    def _given(self, number: int) -> Truth:
        """Whether every parameter of one action is in its domain."""
        pairs = zip(self._arguments[number], self.codes[number].parameters, strict=True)
        return all_of(within(value, one.domain) for value, one in pairs)

    def _same_arguments(self) -> Truth:
        """Whether the parameters that both have are the same, and in the domains of both."""
        one, other = (self._by_name(number) for number in (0, 1))
        parts: list[Truth] = []
        for name in self.shared:
            (value, domain), (its, there) = one[name], other[name]
            parts += [within(value, domain), within(its, there)]
            parts.append(same(value, rekeyed(its, there, domain)))
        return all_of(parts)

    def _by_name(self, number: int) -> dict[str, tuple[Value, Domain]]:
        pairs = zip(self.codes[number].parameters, self._arguments[number], strict=True)
        return {parameter.name: (value, parameter.domain) for parameter, value in pairs}

    def _effect(self, number: int, arguments: list[Value]) -> Taken:
        joint = self._joint
        return joint.relations[number].take(self.codes[number], joint.before[number], arguments)


def same_views(one: list[Value], other: list[Value]) -> Truth:
    """Whether two views are the same."""
    return all_of(same(*values) for values in zip(one, other, strict=True))


def _shared_parameters(one: ir.ActionCode, other: ir.ActionCode) -> tuple[str, ...]:
    domains = {parameter.name: parameter.domain for parameter in other.parameters}
    return tuple(
        parameter.name
        for parameter in one.parameters
        if parameter.name in domains and same_form(parameter.domain, domains[parameter.name])
    )


def same_form(one: Domain, other: Domain) -> bool:
    """Whether values of both domains can be compared: only the bounds of integers may differ."""
    match one, other:
        case RangeDomain(), RangeDomain():
            return True
        case OptionDomain(), OptionDomain():
            return same_form(one.some, other.some)
        case RecordDomain(), RecordDomain():
            fields, others = one.record.fields, other.record.fields
            return list(fields) == list(others) and all(
                same_form(fields[name], others[name]) for name in fields
            )
        case MapDomain(), MapDomain():
            return Likeness()(one.key, other.key) and same_form(one.value, other.value)
        case SetDomain(), SetDomain():
            return Likeness()(one.item, other.item)
        case SequenceDomain(), SequenceDomain():
            return one.capacity == other.capacity and same_form(one.item, other.item)
    return Likeness()(one, other)
