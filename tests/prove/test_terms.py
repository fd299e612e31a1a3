"""Scalars: what the solver says of an operation is what Python says."""

import operator
from collections.abc import Callable

import pytest
import z3
from hypothesis import given, settings
from hypothesis import strategies as st

from lockstep.prove.terms import (
    Scalar,
    all_of,
    any_of,
    arithmetic,
    compare,
    either,
    equals,
    implies,
    negated,
    term,
)

WORDS = st.integers(-(2**65), 2**65) | st.integers(-9, 9)
OPERATORS: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
}
COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def solved(scalar: Scalar, x: int, y: int) -> int | bool:
    """What the solver says that a scalar over `x` and `y` is."""
    if isinstance(scalar, bool | int):
        return scalar
    solver = z3.Solver()
    solver.add(z3.Int("x") == x, z3.Int("y") == y)
    assert solver.check() == z3.sat
    value = solver.model().eval(scalar, model_completion=True)
    if z3.is_int_value(value):
        return int(value.as_long())
    return bool(z3.is_true(value))


def forms(x: int, y: int) -> list[tuple[int | z3.ArithRef, int | z3.ArithRef]]:
    """Two numbers, each known or not."""
    return [(x, y), (z3.Int("x"), y), (x, z3.Int("y")), (z3.Int("x"), z3.Int("y"))]


@pytest.mark.parametrize("sign", ["+", "-", "*", "//", "%"])
@settings(max_examples=max(25, settings().max_examples // 4))
@given(x=WORDS, y=WORDS)
def test_arithmetic_is_pythons(sign: str, x: int, y: int) -> None:
    if y == 0 and sign in ("//", "%"):
        y = 1
    expected = OPERATORS[sign](x, y)
    for left, right in forms(x, y):
        assert solved(arithmetic(sign, left, right), x, y) == expected


@pytest.mark.parametrize("sign", list(COMPARISONS))
@settings(max_examples=max(25, settings().max_examples // 4))
@given(x=WORDS, y=WORDS)
def test_comparisons_are_pythons(sign: str, x: int, y: int) -> None:
    expected = COMPARISONS[sign](x, y)
    for left, right in forms(x, y):
        compared = compare(sign, left, right)
        assert solved(compared, x, y) is expected
        assert solved(either(compared, left, right), x, y) == (x if expected else y)


@settings(max_examples=max(25, settings().max_examples // 4))
@given(x=WORDS, y=WORDS)
def test_equality_is_pythons(x: int, y: int) -> None:
    for other in (x, y):
        for left, right in forms(x, other):
            assert solved(equals(left, right), x, other) is (x == other)


@pytest.mark.parametrize("p", [False, True])
@pytest.mark.parametrize("q", [False, True])
def test_truths_are_pythons(p: bool, q: bool) -> None:
    unknown_p, unknown_q = z3.Int("x") == 1, z3.Int("y") == 1
    for left in (p, unknown_p):
        for right in (q, unknown_q):
            said = {
                "and": (all_of((left, right)), p and q),
                "or": (any_of((left, right)), p or q),
                "not": (negated(left), not p),
                "not not": (negated(negated(left)), p),
                "implies": (implies(left, right), not p or q),
                "equals": (equals(left, right), p == q),
                "either": (either(left, right, True), q if p else True),
                "else": (either(left, False, right), False if p else q),
                "term": (term(left), p),
            }
            for name, (scalar, expected) in said.items():
                assert solved(scalar, int(p), int(q)) is expected, name


def test_what_is_known_needs_no_solver() -> None:
    assert all_of(()) is True
    assert any_of(()) is False
    assert all_of((True, z3.Bool("p"), False)) is False
    assert any_of((False, z3.Bool("p"), True)) is True
    assert either(z3.Bool("p"), 3, 3) == 3
    assert equals(z3.Int("x"), 3) is not True
