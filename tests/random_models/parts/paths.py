"""Expressions that read: variables, parameters and locals, their fields, values and items."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from lockstep.language.domains import (
    Domain,
    MapDomain,
    OptionDomain,
    RangeDomain,
    RecordDomain,
    SequenceDomain,
)
from lockstep.language.types import NOTHING, is_within, join
from tests.random_models.parts.grammar import Writer
from tests.random_models.parts.pieces import COMPARISON, CONDITIONAL, MINUS, Env, Expr, fits
from tests.random_models.parts.vocabulary import is_interchangeable

_STEPS = 3
_POSITIONS = RangeDomain(0, 2)


@dataclass(frozen=True)
class _Field:
    name: str


@dataclass(frozen=True)
class _Key:
    domain: Domain


@dataclass(frozen=True)
class _Position:
    pass


@dataclass(frozen=True)
class _Route:
    """A way to read something: from a root through fields, keys and positions."""

    root: Expr
    steps: tuple[_Field | _Key | _Position, ...]
    domain: Domain
    fails: bool


def readable(writer: Writer, env: Env, accepts: Callable[[Domain], bool]) -> Expr | None:
    """Something that can be read and has an accepted type; None when there is nothing."""
    routes = [
        route
        for root in env.roots
        for route in _routes(env, _Route(root, (), root.domain, root.fails))
        if accepts(route.domain) and not (env.total and route.fails)
    ]
    return _read(writer, env, writer.choices.pick(routes)) if routes else None


def _routes(env: Env, route: _Route) -> Iterator[_Route]:
    yield route
    if len(route.steps) == _STEPS:
        return
    domain, fails = route.domain, route.fails
    if isinstance(domain, OptionDomain):
        # Only where an evaluation may fail is an option read as what it may hold.
        if not env.risky or domain.some == NOTHING:
            return
        domain, fails = domain.some, True
    match domain:
        case RecordDomain(record):
            for name, field in record.fields.items():
                yield from _routes(
                    env, _Route(route.root, (*route.steps, _Field(name)), field, fails)
                )
        case MapDomain(key, value) if env.depth >= 0 and _has_key(env, key):
            yield from _routes(env, _Route(route.root, (*route.steps, _Key(key)), value, fails))
        case SequenceDomain(item, capacity) if env.risky and capacity and env.depth >= 0:
            yield from _routes(env, _Route(route.root, (*route.steps, _Position()), item, True))


def _has_key(env: Env, key: Domain) -> bool:
    """Whether a key can be written: of names that are alike, none is written out."""
    return not is_interchangeable(key) or any(root.domain == key for root in env.roots)


def _read(writer: Writer, env: Env, route: _Route) -> Expr:
    text, fails, stable = route.root.text, route.fails, route.root.stable
    for step in route.steps:
        match step:
            case _Field(name):
                text += f".{name}"
            case _Key(domain):
                key = _key(writer, env, domain)
                text += f"[{key.text}]"
                fails = fails or key.fails or not is_within(key.domain, domain)
                stable = stable and key.stable
            case _Position():
                index = position(writer, env)
                text += f"[{index.text}]"
                stable = stable and index.stable
    # An option that is known not to be None is what it holds.
    certain = env.known(text)
    return certain if certain is not None else Expr(text, route.domain, fails=fails, stable=stable)


def _key(writer: Writer, env: Env, domain: Domain) -> Expr:
    """A key for a map; in a risky place also one that may be outside."""
    inner = Env(env.roots, env.states, min(1, env.depth - 1), env.risky, env.total)
    if env.risky and not env.total and writer.choices.now_and_then(3):
        other = readable(
            writer, inner, lambda candidate: candidate != domain and fits(candidate, domain)
        )
        if other is not None:
            return other
    return writer.within(inner, domain)


def position(writer: Writer, env: Env) -> Expr:
    """An index: a literal, negative ones included, or a number that is not negative."""
    match writer.choices.below(4):
        case 0:
            return Expr("0", RangeDomain(0, 0), stable=True)
        case 1:
            return Expr("-1", RangeDomain(-1, -1), MINUS, stable=True)
        case 2:
            return Expr("1", RangeDomain(1, 1), stable=True)
    inner = Env(env.roots, env.states, min(1, env.depth - 1), env.risky, env.total)
    return writer.within(inner, _POSITIONS)


def guarded(writer: Writer, env: Env, target: Domain) -> Expr | None:
    """Something that could fail, read where a condition excludes that; else another value."""
    if env.total:
        return None
    return writer.choices.pick((_guarded_item, _guarded_key))(writer, env, target)


def _guarded_item(writer: Writer, env: Env, target: Domain) -> Expr | None:
    def has_such_items(domain: Domain) -> bool:
        return isinstance(domain, SequenceDomain) and is_within(domain.item, target)

    sequence = readable(writer, env, has_such_items)
    if sequence is None or not isinstance(sequence.domain, SequenceDomain):
        return None
    if sequence.domain.capacity == 0:
        return None
    index, test = _counted_from_one(writer, env, sequence) or _counted(writer, env, sequence)
    otherwise = writer.value(env.deeper(), target)
    return _either(f"{sequence.text}[{index}]", sequence.domain.item, test, otherwise)


def _counted(writer: Writer, env: Env, sequence: Expr) -> tuple[str, str]:
    """An index that is not negative, and the condition that there is such an item."""
    index = position(writer, env)
    least = "0" if index.text.startswith("-") else index.at(COMPARISON + 1)
    return index.text, f"len({sequence.text}) > {least}"


def _counted_from_one(writer: Writer, env: Env, sequence: Expr) -> tuple[str, str] | None:
    """An index that only its condition keeps from being negative."""
    if writer.choices.below(2):
        return None
    number = readable(writer, env, lambda domain: is_within(domain, RangeDomain(-1, 3)))
    if number is None or not isinstance(number.domain, RangeDomain):
        return None
    text, length = number.text, f"len({sequence.text})"
    tests = (
        f"1 <= {text} <= {length}",
        f"{text} > 0 and {length} >= {text}",
        f"not ({text} - 1 < 0 or {text} - 1 >= {length})",
        f"{text} != 0 and {text} > -1 and {text} <= {length}",
    )
    return f"{text} - 1", writer.choices.pick(tests)


def _guarded_key(writer: Writer, env: Env, target: Domain) -> Expr | None:
    def has_such_values(domain: Domain) -> bool:
        return (
            isinstance(domain, MapDomain)
            and isinstance(domain.key, RangeDomain)
            and is_within(domain.value, target)
        )

    mapping = readable(writer, env, has_such_values)
    if mapping is None or not isinstance(mapping.domain, MapDomain):
        return None
    domain = mapping.domain.key
    assert isinstance(domain, RangeDomain)
    key = readable(
        writer,
        env,
        lambda candidate: isinstance(candidate, RangeDomain) and fits(candidate, domain),
    )
    if key is None:
        return None
    otherwise = writer.value(env.deeper(), target)
    return _either(
        f"{mapping.text}[{key.text}]",
        mapping.domain.value,
        f"{domain.low} <= {key.text} <= {domain.high}",
        otherwise,
    )


def _either(text: str, domain: Domain, test: str, otherwise: Expr) -> Expr | None:
    both = join(domain, otherwise.domain)
    if both is None:
        return None
    whole = f"{text} if {test} else {otherwise.at(CONDITIONAL)}"
    return Expr(whole, both, CONDITIONAL, fails=True)


def optional(writer: Writer, env: Env) -> Expr | None:
    """Something to read that may be None."""
    return readable(
        writer,
        env,
        lambda domain: isinstance(domain, OptionDomain) and domain.some != NOTHING,
    )
