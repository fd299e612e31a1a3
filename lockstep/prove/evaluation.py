"""What is the same in the evaluation of every expression: what is bound, and what fails.

Where Python would find no value, the condition under which that happens is noted;
what the term says there means nothing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import z3

from lockstep.language import ir
from lockstep.language.domains import (
    BoolDomain,
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
from lockstep.language.totality import may_fail
from lockstep.language.types import is_within
from lockstep.prove.terms import Number, Scalar, Truth, all_of, any_of, is_known, negated
from lockstep.prove.values import Items, Members, Option, Table, Value, code, fitted, within


class Evaluation(ABC):
    """The evaluation of one function on one state, or on the two of a step.

    `slots` are the values that are bound, and `failures` grows with what is evaluated.
    """

    def __init__(
        self, before: Mapping[str, Value], after: Mapping[str, Value] | None = None
    ) -> None:
        self.before = before
        self.after = before if after is None else after
        self.slots: dict[int, Value] = {}
        self.failures: list[Truth] = []
        self._path: list[Truth] = []

    @abstractmethod
    def value(self, node: ir.Expression) -> Value:
        """The value of an expression."""

    def truth(self, node: ir.Expression) -> Truth:
        """The value of an expression that is true or false."""
        return self.value(node)

    def number(self, node: ir.Expression) -> Number:
        """The value of an expression that is an integer."""
        return self.value(node)

    def until(self, items: tuple[ir.Expression, ...], *, stop: bool) -> Truth:
        """Conjunction (`stop` is False) or disjunction, up to the first item that is `stop`."""
        values: list[Truth] = []
        for item in items:
            reached = all_of(negated(value) if stop else value for value in values)
            if reached is False:
                break
            with self.under(reached if may_fail(item) else True):
                values.append(self.truth(item))
        return any_of(values) if stop else all_of(values)

    @contextmanager
    def under(self, condition: Truth) -> Iterator[None]:
        """What is evaluated within is evaluated only if the condition holds."""
        self._path.append(condition)
        try:
            yield
        finally:
            self._path.pop()

    def fails(self, when: Truth) -> None:
        """Note that what is evaluated here has no value under a condition."""
        condition = all_of((*self._path, when))
        if condition is not False:
            self.failures.append(condition)

    def stored(self, value: Value, domain: Domain, target: Domain) -> Value:
        """A value of a domain as one of another, which it has to lie in."""
        if not is_within(domain, target):
            self.fails(negated(within(value, target)))
        return fitted(value, target)


def read(model: z3.ModelRef, scalar: Scalar) -> bool | int:
    """What a scalar is in a solver's model; where that leaves it open, some value."""
    if is_known(scalar):
        return scalar
    value = model.eval(scalar, model_completion=True)
    if z3.is_int_value(value):
        return int(value.as_long())
    return bool(z3.is_true(value))


def value_in(model: z3.ModelRef, value: Value, domain: Domain) -> Any:
    """The Python value that a value of a domain has in a solver's model."""
    return _python_value(value, domain, lambda scalar: read(model, scalar))


def values_in(
    model: z3.ModelRef, values: Iterable[Value], parameters: Iterable[ir.ParameterCode]
) -> tuple[Any, ...]:
    """The Python values that parameters have in a solver's model."""
    pairs = zip(values, parameters, strict=True)
    return tuple(value_in(model, value, parameter.domain) for value, parameter in pairs)


def as_python(value: Value, domain: Domain) -> Any:
    """The Python value if all of it is known; LookupError if not."""

    def read_known(scalar: Scalar) -> bool | int:
        if not is_known(scalar):
            raise LookupError
        return scalar

    return _python_value(value, domain, read_known)


def _python_value(value: Value, domain: Domain, scalar: Callable[[Scalar], bool | int]) -> Any:
    """The Python value of a value, `scalar` telling what each of its scalars is."""

    def of(value: Value, domain: Domain) -> Any:
        match domain, value:
            case OptionDomain(some), Option(present, inside):
                return of(inside, some) if scalar(present) and inside is not None else None
            case OptionDomain(some), _:
                return of(value, some)
            case _, Option(_, inside):
                assert inside is not None
                return of(inside, domain)
            case BoolDomain() | RangeDomain(), _:
                return scalar(value)
            case EnumDomain(members), _:
                number = scalar(value)  # of no member, where nothing was asked about it
                return list(members)[number if 0 <= number < len(members) else 0]
            case NameDomain(names), _:
                number = scalar(value)
                return next((name for name in names if code(name) == number), names[0])
            case RecordDomain(record), tuple():
                fields = record.fields.values()
                return record.of(of(part, field) for part, field in zip(value, fields, strict=True))
            case MapDomain(), Table(values):
                return domain.of(of(values[key], domain.value) for key in domain.key)
            case SetDomain(), Members(items):
                return frozenset(item for item, held in items.items() if scalar(held))
            case SequenceDomain(item, _), Items(length, parts):
                return tuple(of(part, item) for part in parts[: scalar(length)])
        raise TypeError(f"{value!r} has not the form of {domain}")

    return of(value, domain)
