"""Structures of scalars: what is put in comes out, for values of any domain."""

from typing import Any

import pytest
import z3
from hypothesis import given, settings
from hypothesis import strategies as st

from lockstep.language.domains import (
    Bool,
    Domain,
    Map,
    OneOf,
    OptionDomain,
    Range,
    RangeDomain,
    Sequence,
    SequenceDomain,
    Set,
)
from lockstep.prove.evaluation import as_python, value_in
from lockstep.prove.terms import Truth, term
from lockstep.prove.values import (
    Items,
    NotProvable,
    Option,
    choose,
    constant,
    fitted,
    leaves,
    same,
    unknown,
    within,
)
from lockstep.testing.values import values

NAMES = OneOf(("a", "b", "c"))
DOMAINS: list[Domain] = [
    Bool,
    Range(-2, 3),
    Range(-(2**63), 2**63 - 1),
    NAMES,
    Range(0, 2) | None,
    Set[NAMES],
    Map[NAMES, Range(0, 1) | None],
    Sequence[Range(0, 2), 3],
]
EACH = pytest.mark.parametrize("domain", DOMAINS, ids=str)


def is_true(claim: Truth) -> bool:
    solver = z3.Solver()
    solver.add(z3.Not(term(claim)))
    return bool(solver.check() == z3.unsat)


@EACH
@settings(max_examples=max(25, settings().max_examples // 4))
@given(data=st.data())
def test_a_known_value_comes_out_again(domain: Domain, data: st.DataObject) -> None:
    value, other = data.draw(values(domain)), data.draw(values(domain))
    assert as_python(constant(value), domain) == value
    assert within(constant(value), domain) is True
    assert same(constant(value), constant(other)) is (value == other)
    assert as_python(choose(True, constant(value), constant(other)), domain) == value
    assert as_python(fitted(constant(value), domain), domain) == value


@EACH
@settings(max_examples=max(25, settings().max_examples // 4))
@given(data=st.data())
def test_a_solver_finds_every_value(domain: Domain, data: st.DataObject) -> None:
    """What nothing is known of can be any value of its domain, and is the one that it equals."""
    value, other = data.draw(values(domain)), data.draw(values(domain))
    free = unknown(domain, "x")
    solver = z3.Solver()
    solver.add(term(within(free, domain)), term(same(free, constant(value))))
    assert solver.check() == z3.sat
    assert value_in(solver.model(), free, domain) == value
    test = z3.Bool("which")
    chosen = choose(test, free, constant(other))
    solver.add(z3.Not(test) if data.draw(st.booleans()) else test)
    assert solver.check() == z3.sat
    took = z3.is_true(solver.model()[test])
    assert value_in(solver.model(), chosen, domain) == (value if took else other)


@EACH
def test_nothing_but_the_domain_is_found(domain: Domain) -> None:
    """All that a solver finds within a domain is of it; a small one is found as a whole."""
    free = unknown(domain, "x")
    solver = z3.Solver()
    solver.add(term(within(free, domain)))
    values: set[Any] = set()
    while len(values) < 80 and solver.check() == z3.sat:
        value = value_in(solver.model(), free, domain)
        assert domain.contains(value)
        assert value not in values
        values.add(value)
        solver.add(z3.Not(term(same(free, constant(value)))))
    assert len(values) == min(80, domain.size())


@settings(max_examples=max(25, settings().max_examples // 4))
@given(data=st.data())
def test_what_says_nothing_is_not_looked_at(data: st.DataObject) -> None:
    """An absent option and the end of a sequence hold anything, and are equal all the same."""
    junk = data.draw(st.integers(-5, 50))
    absent = Option(False, junk)
    some = OptionDomain(RangeDomain(0, 2))
    assert within(absent, some) is True
    assert same(absent, constant(None)) is True
    assert as_python(absent, some) is None
    ends = Items(1, (1, junk, junk))
    domain = SequenceDomain(RangeDomain(0, 2), 3)
    assert within(ends, domain) is True
    assert same(ends, constant((1,))) is True
    assert same(ends, constant((1, junk))) is False
    assert as_python(ends, domain) == (1,)


@pytest.mark.parametrize(
    ("value", "wide", "narrow"),
    [
        (3, Range(0, 3), Range(0, 2)),
        (None, Range(0, 2) | None, Range(0, 2)),
        ("c", NAMES, OneOf(("a", "b"))),
        (frozenset({"a", "c"}), Set[NAMES], Set[OneOf(("a", "b"))]),
        ((1, 1, 1), Sequence[Range(0, 2), 3], Sequence[Range(0, 2), 2]),
        ((2,), Sequence[Range(0, 2), 3], Sequence[Range(0, 1), 3]),
    ],
)
def test_what_does_not_fit_is_not_within(value: object, wide: Domain, narrow: Domain) -> None:
    assert within(constant(value), wide) is True
    assert within(constant(value), narrow) is False
    free = unknown(wide, "x")
    assert not is_true(within(free, narrow))


@EACH
def test_fitting_keeps_what_fits(domain: Domain) -> None:
    free = unknown(domain, "x")
    assert is_true(same(fitted(free, domain), free))


def test_leaves_are_all_that_is_unknown() -> None:
    free = unknown(Map[NAMES, Range(0, 1) | None], "x")
    assert len(list(leaves(free))) == 6
    assert list(leaves(constant((1, 2)))) == []


def test_too_many_items_to_list() -> None:
    with pytest.raises(NotProvable, match="more than 4,096 values"):
        unknown(Set[Range(0, 5000)], "x")
