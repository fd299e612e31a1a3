"""Candidates for invariants that nobody wrote: how two numbers of a state compare.

For each two integers of a state with the same domain: that the one is at most the other, wherever
both are there. Induction keeps those that are true and hold each other up (Flanagan and Leino,
2001); those that helped are always shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import permutations

from lockstep.language.domains import (
    Domain,
    MapDomain,
    OptionDomain,
    RangeDomain,
    RecordDomain,
)
from lockstep.prove.proofs import Candidate
from lockstep.prove.relation import Relation, Values
from lockstep.prove.terms import Number, Truth, all_of, compare, implies
from lockstep.prove.values import Option, Table, Value, listed

_MOST = 600
"""The most candidates that are tried."""


def comparisons(relation: Relation) -> list[Candidate]:
    """All candidates `a <= b` of a model, the first `_MOST` of them."""
    candidates: list[Candidate] = []
    numbers = dict(_numbers(relation))
    for one, other in permutations(numbers, 2):
        if numbers[one] == numbers[other] and len(candidates) < _MOST:
            candidates.append(Candidate(f"{one} <= {other}", _at_most(relation, one, other), True))
    return candidates


def _numbers(relation: Relation) -> Iterator[tuple[str, Domain]]:
    state = relation.state("any")
    for name, domain in relation.domains.items():
        for path, inner, _, _ in _inside(name, domain, state[name], True):
            yield path, inner


def _inside(
    path: str, domain: Domain, value: Value, there: Truth
) -> Iterator[tuple[str, Domain, Number, Truth]]:
    """The integers inside a value: by what name, of what domain, and where they are there."""
    match domain, value:
        case RangeDomain(), _:
            yield path, domain, value, there
        case OptionDomain(some), Option(present, inside):
            if inside is not None:
                yield from _inside(path, some, inside, all_of((there, present)))
        case RecordDomain(record), tuple():
            for (field, part), inner in zip(record.fields.items(), value, strict=True):
                yield from _inside(f"{path}.{field}", part, inner, there)
        case MapDomain(key, part), Table(values):
            for name in listed(key, path):
                yield from _inside(f"{path}[{name}]", part, values[name], there)


def _at_most(relation: Relation, one: str, other: str) -> Callable[[Values], Truth]:
    def holds(state: Values) -> Truth:
        numbers = {
            path: (number, there)
            for name, domain in relation.domains.items()
            for path, _, number, there in _inside(name, domain, state[name], True)
        }
        (left, left_there), (right, right_there) = numbers[one], numbers[other]
        return implies(all_of((left_there, right_there)), compare("<=", left, right))

    return holds
