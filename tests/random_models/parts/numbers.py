"""Integer expressions, with the intervals that the front end gives them."""

from __future__ import annotations

from collections.abc import Callable

from lockstep.language.domains import Domain, MapDomain, OptionDomain, RangeDomain
from lockstep.language.ir import Gather
from lockstep.language.types import capacity_of, is_within, item_of
from tests.random_models.parts import comprehensions, paths
from tests.random_models.parts.grammar import Writer
from tests.random_models.parts.pieces import (
    ATOM,
    CONDITIONAL,
    MINUS,
    PRODUCT,
    SUM,
    Env,
    Expr,
    fits,
    interval,
)

_LARGEST = 2**40
"""Intervals that grow past this are cut: engines compute with 64 bits."""


def literal(writer: Writer, low: int, high: int) -> Expr:
    """An integer from `low` to `high` written out."""
    if high - low < 6:
        options = list(range(low, high + 1))
        options.sort(key=abs)
    else:
        options = [low, low + 1, high, high - 1, (low + high) // 2]
    value = writer.choices.pick(options)
    if writer.vocabulary.integers and value == writer.vocabulary.limit:
        return Expr("LIMIT", RangeDomain(value, value), stable=True)
    level = ATOM if value >= 0 else MINUS
    return Expr(str(value), RangeDomain(value, value), level, stable=True)


def number(writer: Writer, env: Env) -> Expr:
    """Any integer expression, with whatever interval it has."""
    makers: list[Callable[[Writer, Env], Expr | None]] = [_small, _read]
    if env.depth > 0:
        makers += [_read, _sum, _product, _quotient, _opposite, _extremum, _size, _gather]
        makers += [_conditional, _helper]
    expression = writer.choices.pick(makers)(writer, env)
    if expression is None or (env.total and expression.fails):
        return _small(writer, env)
    return _cut(expression)


def fitted(writer: Writer, env: Env, expression: Expr, target: RangeDomain) -> Expr:
    """A number brought into a domain, or tested before it is used; in a risky place, neither."""
    low, high = target.low, target.high
    if is_within(expression.domain, target):
        return expression
    if env.risky and fits(expression.domain, target) and writer.choices.now_and_then(3):
        return expression
    way = writer.choices.below(3)
    if way == 0:
        inner = f"min({high}, {expression.text})"
        return Expr(f"max({low}, {inner})", target, fails=expression.fails)
    if way == 1:
        size = high - low + 1
        rest = f"{expression.at(PRODUCT)} % {size}"
        if low == 0:
            return Expr(rest, target, PRODUCT, expression.fails)
        return Expr(f"{rest} + {low}", target, SUM, expression.fails)
    if not fits(expression.domain, target) or env.total:
        return literal(writer, low, high)
    otherwise = literal(writer, low, high)
    (least, most), (other, _) = interval(expression), interval(otherwise)
    both = RangeDomain(min(least, other), max(most, other))
    text = f"{expression.at(SUM)} if {low} <= {expression.at(SUM)} <= {high} else {otherwise.text}"
    return Expr(text, both, CONDITIONAL, expression.fails)


def is_number(domain: Domain) -> bool:
    """Whether values of a type are integers."""
    return isinstance(domain, RangeDomain)


def operand(writer: Writer, env: Env) -> Expr:
    """An operand that must be an integer; in a risky place perhaps None."""
    if env.risky and not env.total and writer.choices.now_and_then(6):

        def may_be_number(domain: Domain) -> bool:
            return isinstance(domain, OptionDomain) and is_number(domain.some)

        path = paths.readable(writer, env, may_be_number)
        if path is not None and isinstance(path.domain, OptionDomain):
            return Expr(path.text, path.domain.some, fails=True)
    return number(writer, env)


def _small(writer: Writer, env: Env) -> Expr:
    return literal(writer, -1, 3)


def _read(writer: Writer, env: Env) -> Expr | None:
    return paths.readable(writer, env, is_number)


def _sum(writer: Writer, env: Env) -> Expr:
    left, right = operand(writer, env.deeper()), operand(writer, env.deeper())
    (low, high), (least, most) = interval(left), interval(right)
    fails = left.fails or right.fails
    if writer.choices.below(2) == 0:
        text = f"{left.at(SUM)} + {right.at(PRODUCT)}"
        return Expr(text, RangeDomain(low + least, high + most), SUM, fails)
    text = f"{left.at(SUM)} - {right.at(PRODUCT)}"
    return Expr(text, RangeDomain(low - most, high - least), SUM, fails)


def _product(writer: Writer, env: Env) -> Expr:
    left, right = operand(writer, env.deeper()), operand(writer, env.deeper())
    corners = [a * b for a in interval(left) for b in interval(right)]
    text = f"{left.at(PRODUCT)} * {right.at(MINUS)}"
    domain = RangeDomain(min(corners), max(corners))
    return Expr(text, domain, PRODUCT, left.fails or right.fails)


def _quotient(writer: Writer, env: Env) -> Expr | None:
    """`//` or `%` by something that is not zero, is tested, or (in a risky place) may be zero."""
    left = operand(writer, env.deeper())
    operator = writer.choices.pick(("%", "//"))
    right = _divisor(writer, env)
    low, high = interval(right)
    if low == high == 0:
        return None
    tested = low <= 0 <= high and not (env.risky and writer.choices.below(2))
    fails = left.fails or right.fails or low <= 0 <= high
    text = f"{left.at(PRODUCT)} {operator} {right.at(MINUS)}"
    if operator == "%":
        domain = RangeDomain(min(0, low + 1), max(0, high - 1))
    else:
        divisors = [d for d in {low, high, -1, 1} if d and low <= d <= high]
        results = [n // d for n in interval(left) for d in divisors]
        domain = RangeDomain(min(results), max(results))
    if not tested:
        return Expr(text, domain, PRODUCT, fails)
    both = RangeDomain(min(0, domain.low), max(0, domain.high))
    return Expr(f"{text} if {right.at(SUM)} != 0 else 0", both, CONDITIONAL, fails)


def _divisor(writer: Writer, env: Env) -> Expr:
    path = _read(writer, env) if writer.choices.below(2) else None
    if path is None or (env.total and interval(path)[0] <= 0 <= interval(path)[1]):
        value = writer.choices.pick((2, 3, -2))
        return Expr(str(value), RangeDomain(value, value), ATOM if value > 0 else MINUS)
    return path


def _opposite(writer: Writer, env: Env) -> Expr:
    expression = operand(writer, env.deeper())
    low, high = interval(expression)
    return Expr(f"-{expression.at(MINUS)}", RangeDomain(-high, -low), MINUS, expression.fails)


def _extremum(writer: Writer, env: Env) -> Expr:
    count = 2 + writer.choices.below(2)
    parts = [operand(writer, env.deeper()) for _ in range(count)]
    pick, name = writer.choices.pick(((min, "min"), (max, "max")))
    ends = [interval(part) for part in parts]
    domain = RangeDomain(pick(low for low, _ in ends), pick(high for _, high in ends))
    text = f"{name}({', '.join(part.text for part in parts)})"
    return Expr(text, domain, fails=any(part.fails for part in parts))


def _size(writer: Writer, env: Env) -> Expr | None:
    path = paths.readable(writer, env, lambda domain: item_of(domain) is not None)
    if path is None:
        return None
    if isinstance(path.domain, MapDomain):
        keys = path.domain.key.size()
        return Expr(f"len({path.text})", RangeDomain(keys, keys), fails=path.fails)
    expression = writer.value(env.deeper(), path.domain) if writer.choices.now_and_then(3) else path
    domain = RangeDomain(0, capacity_of(expression.domain))
    return Expr(f"len({expression.text})", domain, fails=expression.fails)


def _gather(writer: Writer, env: Env) -> Expr | None:
    kind = writer.choices.pick((Gather.SUM, Gather.MIN, Gather.MAX))
    return comprehensions.gathered_number(writer, env, kind)


def _conditional(writer: Writer, env: Env) -> Expr:
    return writer.conditional(env, writer.vocabulary.range())


def _helper(writer: Writer, env: Env) -> Expr | None:
    return writer.helper_call(env, RangeDomain(-_LARGEST, _LARGEST))


def _cut(expression: Expr) -> Expr:
    """The expression itself, or a remainder of it where its interval is very large."""
    low, high = interval(expression)
    if low >= -_LARGEST and high <= _LARGEST:
        return expression
    return Expr(f"{expression.at(PRODUCT)} % 7", RangeDomain(0, 6), PRODUCT, expression.fails)
