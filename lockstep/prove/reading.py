"""Python's own values of what was terms: where all is known, or where a solver's model tells."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import z3

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
from lockstep.prove.terms import Scalar, is_known
from lockstep.prove.values import Items, Members, Option, Table, Value, code


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
