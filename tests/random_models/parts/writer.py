"""Writes expressions of a wanted type: whatever the type, and the forms that all types have."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from lockstep.language.domains import (
    Domain,
    EnumDomain,
    MapDomain,
    NameDomain,
    OptionDomain,
    RangeDomain,
    RecordDomain,
    SequenceDomain,
    SetDomain,
)
from lockstep.language.types import NOTHING, is_within, join
from tests.random_models.parts import collections, conditions, numbers, paths
from tests.random_models.parts.grammar import Function, Writer
from tests.random_models.parts.pieces import BOOL, CONDITIONAL, OR, Env, Expr, fits
from tests.random_models.parts.vocabulary import is_interchangeable

Maker = Callable[[Env], Expr | None]


class TextWriter(Writer):
    """Writes expressions of any type."""

    def value(self, env: Env, target: Domain) -> Expr:
        pick = self.choices.below(8) if env.depth > 0 else self.choices.below(3)
        expression: Expr | None = None
        if pick in (1, 2):
            expression = paths.readable(self, env, lambda domain: is_within(domain, target))
        elif pick == 3:
            expression = self.conditional(env, target)
        elif pick == 4:
            expression = self.helper_call(env, target)
        elif pick >= 5:
            expression = self._particular(env, target)
        if expression is None and (pick > 0 or is_interchangeable(target)):
            expression = paths.readable(self, env, lambda domain: is_within(domain, target))
        if (
            expression is None
            or not fits(expression.domain, target)
            or (env.total and expression.fails)
        ):
            return self.literal(target)
        return expression

    def within(self, env: Env, target: Domain) -> Expr:
        expression = self.value(env, target)
        return expression if is_within(expression.domain, target) else self.literal(target)

    def _particular(self, env: Env, target: Domain) -> Expr | None:
        """An operator that only this kind of type has."""
        match target:
            case RangeDomain():
                return numbers.fitted(self, env, numbers.number(self, env.deeper()), target)
            case OptionDomain(some):
                return self.value(env, some)
            case RecordDomain():
                return collections.record(self, env, target)
            case SetDomain():
                return collections.a_set(self, env, target)
            case SequenceDomain():
                return collections.sequence(self, env, target)
            case MapDomain():
                return collections.total_map(self, env, target)
        if target == BOOL:
            return conditions.condition(self, env)
        return paths.guarded(self, env, target)

    def number(self, env: Env) -> Expr:
        return numbers.number(self, env)

    def condition(self, env: Env) -> Expr:
        return conditions.condition(self, env)

    def guard(self, env: Env) -> tuple[Expr, Env]:
        return conditions.guard(self, env)

    def conditional(self, env: Env, target: Domain) -> Expr:
        test, if_true, if_false = conditions.branching(self, env.deeper())
        then, otherwise = self.value(if_true, target), self.value(if_false, target)
        return choice(then, test, otherwise)

    def helper_call(self, env: Env, target: Domain) -> Expr | None:
        suitable = [
            function
            for function in self.functions
            if function.result is not None
            and is_within(function.result.domain, target)
            and not (env.total and function.result.fails)
            and (env.risky or not function.risky)
            and (env.states or not function.states)
        ]
        if not suitable:
            return None
        function = self.choices.pick(suitable)
        given = self.arguments(env.deeper(), function)
        if given is None or function.result is None:
            return None
        text, fails = given
        return Expr(text, function.result.domain, fails=fails or function.result.fails)

    def arguments(self, env: Env, function: Function) -> tuple[str, bool] | None:
        parts, fails = [], False
        for state in function.states:
            parts.append("new" if state == "new" else self.choices.pick(env.states))
        for name, domain in function.parameters:
            argument = self._argument(env, domain, exact=function.risky)
            if argument is None:
                return None
            named = self.choices.now_and_then(4) or any(
                part.startswith(f"{earlier}=")
                for part in parts
                for earlier, _ in function.parameters
            )
            parts.append(f"{name}={argument.text}" if named else argument.text)
            fails = fails or argument.fails
        return f"{function.name}({', '.join(parts)})", fails

    def _argument(self, env: Env, domain: Domain, *, exact: bool) -> Expr | None:
        argument = self.value(env, domain)
        if argument.domain == domain or (not exact and alike(argument.domain, domain)):
            return argument
        return paths.readable(self, env, lambda candidate: candidate == domain)

    def literal(self, domain: Domain) -> Expr:
        expression = self._literal(domain)
        large = isinstance(domain, RecordDomain | SetDomain | SequenceDomain)
        if large and self.choices.now_and_then(6):
            return dataclasses.replace(
                expression, text=self.vocabulary.hoisted(expression.text), broken=None
            )
        return expression

    def _literal(self, domain: Domain) -> Expr:
        pick = self.choices.pick
        match domain:
            case RangeDomain(low, high):
                return numbers.literal(self, low, high)
            case EnumDomain(members):
                member = pick(list(members))
                return Expr(f"{self.vocabulary.name(domain)}.{member.name}", domain, stable=True)
            case NameDomain(names):
                name = pick(names)
                kind = RangeDomain(name, name) if isinstance(name, int) else NameDomain((name,))
                return Expr(repr(name), kind, stable=True)
            case OptionDomain(some):
                if is_interchangeable(some) or self.choices.below(2) == 0:
                    return Expr("None", OptionDomain(NOTHING), stable=True)
                return self.literal(some)
            case RecordDomain(record):
                fields = {name: self._literal(field) for name, field in record.fields.items()}
                inside = ", ".join(f"{name}={part.text}" for name, part in fields.items())
                return Expr(f"{record.__name__}({inside})", domain)
            case SetDomain(item):
                return collections.set_of(self.few_literals(item, 2))
            case SequenceDomain(item, capacity):
                return collections.tuple_of(self.few_literals(item, min(2, capacity)))
            case MapDomain(key, value):
                name = self.vocabulary.name(key)
                if is_interchangeable(key) and value == key:
                    return Expr(f"{{i: i for i in {name}}}", domain)
                part = self._literal(value)
                return Expr(f"{{i: {part.text} for i in {name}}}", MapDomain(key, part.domain))
        return Expr(pick(("False", "True")), BOOL, stable=True)

    def few_literals(self, item: Domain, most: int) -> list[Expr]:
        """Some items written out, all of one kind in the front end's eyes."""
        if is_interchangeable(item):
            return []
        expression = [self._literal(item) for _ in range(self.choices.below(most + 1))]
        if len(expression) > 1 and is_integer_name(item):
            # Several integers are names where they meet names, and one by itself is either.
            expression = [dataclasses.replace(literal, domain=item) for literal in expression]
        return expression


def choice(then: Expr, test: Expr, otherwise: Expr) -> Expr:
    """`then if test else otherwise`, or just the first where the two are of different kinds."""
    domain = join(then.domain, otherwise.domain)
    if domain is None:
        return then
    text = f"{then.at(OR)} if {test.at(OR)} else {otherwise.at(CONDITIONAL)}"
    return Expr(text, domain, CONDITIONAL, then.fails or test.fails or otherwise.fails)


def alike(given: Domain, wanted: Domain) -> bool:
    """Whether a body written for the one type is well typed for a value of the other.

    It may ask whether a value is None where the wanted type has that, so the given one must, too.
    """
    if isinstance(wanted, OptionDomain):
        return (
            isinstance(given, OptionDomain)
            and given.some != NOTHING
            and alike(given.some, wanted.some)
        )
    if isinstance(wanted, MapDomain):
        return (
            isinstance(given, MapDomain)
            and given.key == wanted.key
            and alike(given.value, wanted.value)
        )
    integer = isinstance(given, RangeDomain)
    return is_within(given, wanted) and not (integer and isinstance(wanted, NameDomain))


def is_integer_name(domain: Domain) -> bool:
    """Whether a domain's names are integers: such a name by itself is an integer as well."""
    return isinstance(domain, NameDomain) and any(isinstance(name, int) for name in domain.names)
