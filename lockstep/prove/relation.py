"""A model's initial state, steps and properties as terms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import TypeAlias

import z3

from lockstep.language import ir
from lockstep.language.domains import Domain, MapDomain, OptionDomain, RecordDomain
from lockstep.language.frontend import lower
from lockstep.language.model import Model
from lockstep.language.notation import Kind, State
from lockstep.prove.evaluation import Evaluation, value_in
from lockstep.prove.expressions import Expressions
from lockstep.prove.terms import Truth, all_of, any_of, implies, negated, term
from lockstep.prove.values import (
    Option,
    Table,
    Value,
    choose,
    constant,
    leaves,
    same,
    unknown,
    within,
)

Values: TypeAlias = "Mapping[str, Value]"
"""A state: a value for each variable."""

_MOST_INSTANCES = 1024
"""The most bindings of an invariant's parameters that are written out, where it is assumed."""


@dataclass(frozen=True)
class Claim:
    """A property with one binding of its parameters.

    It `applies` where its premises hold; `holds` says nothing elsewhere. It `fails` where its text
    has no value.
    """

    applies: Truth
    holds: Truth
    fails: Truth


@dataclass(frozen=True)
class Taken:
    """An action with one binding of its parameters in one state.

    It is `enabled` where its guards hold, and `fails` where its text has no meaning; `after` says
    nothing elsewhere.
    """

    enabled: Truth
    fails: Truth
    after: Values

    @property
    def steps(self) -> Truth:
        """Whether it is enabled and has a meaning."""
        return all_of((self.enabled, negated(self.fails)))


class Relation:
    """The terms of one model in one scope.

    `code` stands for the model's own, if it is given. LockstepError where something in it has no
    term.
    """

    def __init__(self, model: Model, code: ir.ModelCode | None = None) -> None:
        self.model = model
        self.code = lower(model) if code is None else code
        self.domains = dict(self.code.variables)
        self.actions = self.code.actions
        self.properties = {prop.name: prop for prop in self.code.properties}

    def state(self, name: str) -> Values:
        """A state of which nothing is known; its scalars are named after `name`."""
        return {
            variable: unknown(domain, f"{name}.{variable}")
            for variable, domain in self.domains.items()
        }

    def typed(self, state: Values) -> Truth:
        """Whether every variable is in its domain."""
        return all_of(within(value, self.domains[name]) for name, value in state.items())

    def initial(self, state: Values) -> Truth:
        """Whether a state is the initial one."""
        first = self.constant(self.model.initial)
        return all_of(same(value, first[name]) for name, value in state.items())

    def constant(self, state: State) -> Values:
        """A known state."""
        return {
            name: constant(value) for name, value in zip(self.domains, tuple(state), strict=True)
        }

    def state_in(self, model: z3.ModelRef, state: Values) -> State:
        """What a state is in a solver's model."""
        values = (value_in(model, state[name], domain) for name, domain in self.domains.items())
        return type(self.model.initial).of(values)

    def parameters(
        self, parameters: tuple[ir.ParameterCode, ...], name: str
    ) -> tuple[list[Value], Truth]:
        """Values for parameters of which nothing is known, and that they are in their domains."""
        values = [unknown(one.domain, f"{name}.{one.name}") for one in parameters]
        pairs = zip(values, parameters, strict=True)
        return values, all_of(within(value, one.domain) for value, one in pairs)

    def take(self, action: ir.ActionCode, before: Values, arguments: list[Value]) -> Taken:
        """What an action does to a state."""
        evaluation = _bound(Expressions(before), action.parameters, arguments)
        after = dict(before)
        enabled = self._run(evaluation, action.statements, after)
        return Taken(enabled, any_of(evaluation.failures), after)

    def claim(
        self, prop: ir.PropertyCode, before: Values, after: Values | None, arguments: list[Value]
    ) -> Claim:
        """What a property says of a state, or of a step."""
        evaluation = _bound(Expressions(before, after), prop.parameters, arguments)
        applies = self._run(evaluation, prop.statements, {})
        holds: Truth = True
        if applies is not False:  # or what the claim names may not be bound
            with evaluation.under(applies):
                if prop.premise is not None:
                    evaluation.truth(prop.premise)
                holds = evaluation.truth(prop.claim)
        return Claim(applies, holds, any_of(evaluation.failures))

    def broken(
        self, prop: ir.PropertyCode, before: Values, after: Values | None, name: str
    ) -> tuple[Truth, list[Value]]:
        """Whether a property does not hold (of a `sometimes`: that it does), for what parameters.

        The parameters are new scalars, named after `name`.
        """
        arguments, typed = self.parameters(prop.parameters, name)
        claim = self.claim(prop, before, after, arguments)
        wanted = claim.holds if prop.kind is Kind.SOMETIMES else negated(claim.holds)
        return all_of((typed, claim.applies, wanted, negated(claim.fails))), arguments

    def meaningless(
        self,
        code: ir.ActionCode | ir.PropertyCode,
        before: Values,
        after: Values | None,
        name: str,
    ) -> tuple[Truth, list[Value]]:
        """Whether the text of an action or a property has no meaning, for what parameters.

        The parameters are new scalars, named after `name`.
        """
        arguments, typed = self.parameters(code.parameters, name)
        if isinstance(code, ir.ActionCode):
            fails = self.take(code, before, arguments).fails
        else:
            fails = self.claim(code, before, after, arguments).fails
        return all_of((typed, fails)), arguments

    def holds(self, prop: ir.PropertyCode, before: Values, after: Values | None) -> Truth:
        """Whether a property holds for every binding of its parameters."""
        if self.is_written_out(prop):
            bindings = product(*(parameter.domain for parameter in prop.parameters))
            return all_of(
                self._holds(prop, before, after, [constant(value) for value in binding])
                for binding in bindings
            )
        arguments, typed = self.parameters(prop.parameters, f"any {prop.name}")
        body = implies(typed, self._holds(prop, before, after, arguments))
        bound = [leaf for argument in arguments for leaf in leaves(argument)]
        return z3.ForAll(bound, term(body))

    def in_order(self, state: Values) -> Truth:
        """Whether all invariants of states hold."""
        invariants = [prop for prop in self.properties.values() if prop.kind is Kind.INVARIANT]
        return all_of(self.holds(prop, state, None) for prop in invariants)

    def is_written_out(self, prop: ir.PropertyCode) -> bool:
        """Whether `holds` lists the bindings of a property's parameters, and quantifies nothing."""
        return prod(one.domain.size() for one in prop.parameters) <= _MOST_INSTANCES

    def _holds(
        self, prop: ir.PropertyCode, before: Values, after: Values | None, arguments: list[Value]
    ) -> Truth:
        claim = self.claim(prop, before, after, arguments)
        return implies(all_of((claim.applies, negated(claim.fails))), claim.holds)

    def _run(
        self, evaluation: Evaluation, statements: tuple[ir.Statement, ...], after: dict[str, Value]
    ) -> Truth:
        """Do statements in order; whether all guards hold."""
        guards: list[Truth] = []
        for statement in statements:
            with evaluation.under(all_of(guards)):
                match statement:
                    case ir.Bind():
                        evaluation.slots[statement.slot] = evaluation.value(statement.value)
                    case ir.Guard():
                        guards.append(evaluation.truth(statement.test))
                    case ir.Write():
                        self._write(evaluation, statement, after)
            if guards and guards[-1] is False:
                return False
        return all_of(guards)

    def _write(self, evaluation: Evaluation, write: ir.Write, after: dict[str, Value]) -> None:
        new = evaluation.value(write.value)
        keys = [
            evaluation.value(step.key) if isinstance(step, ir.KeyStep) else None
            for step in write.path
        ]

        def update(domain: Domain, old: Value, depth: int) -> Value:
            if depth == len(write.path):
                source = write.value.domain
                return evaluation.stored(new, source, domain)
            if isinstance(domain, OptionDomain):
                if not isinstance(old, Option):
                    return update(domain.some, old, depth)
                evaluation.fails(negated(old.present))
                some = constant(next(iter(domain.some))) if old.value is None else old.value
                return Option(old.present, update(domain.some, some, depth))
            step = write.path[depth]
            if isinstance(step, ir.KeyStep):
                assert isinstance(domain, MapDomain)
                assert isinstance(old, Table)
                key = keys[depth]
                assert key is not None
                evaluation.fails(negated(within(key, domain.key)))
                changed = dict(old.values)
                for name, part in old.values.items():
                    is_it = same(key, constant(name))
                    if is_it is not False:
                        with evaluation.under(is_it):
                            changed[name] = choose(
                                is_it, update(domain.value, part, depth + 1), part
                            )
                return Table(changed)
            assert isinstance(domain, RecordDomain)
            assert isinstance(old, tuple)
            parts = list(old)
            field = domain.record.fields[step.name]
            parts[step.position] = update(field, parts[step.position], depth + 1)
            return tuple(parts)

        after[write.variable] = update(self.domains[write.variable], after[write.variable], 0)


def _bound(
    evaluation: Expressions, parameters: tuple[ir.ParameterCode, ...], arguments: list[Value]
) -> Expressions:
    """An evaluation in which parameters have values."""
    slots = (parameter.slot for parameter in parameters)
    evaluation.slots.update(zip(slots, arguments, strict=True))
    return evaluation
