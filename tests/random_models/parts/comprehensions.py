"""Comprehensions: what is iterated over, under which conditions, and what is gathered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lockstep.language.domains import (
    Domain,
    MapDomain,
    OptionDomain,
    RangeDomain,
    SequenceDomain,
    SetDomain,
)
from lockstep.language.ir import Gather
from lockstep.language.types import NOTHING, capacity_of, is_within, item_of, join
from tests.random_models.parts import paths
from tests.random_models.parts.grammar import Writer
from tests.random_models.parts.pieces import BOOL, OR, Env, Expr, interval

_VARIABLES = ("i", "j")
_MOST_ROUNDS = 16
_MOST_OF_ONE = 100
"""Rounds over one wide set, or over what it is drawn from."""


@dataclass(frozen=True)
class Rounds:
    """The `for ... in ... if ...` of a comprehension.

    `inner` is what its element may read, `most` how many rounds there are at the most.
    """

    text: str
    inner: Env
    most: int
    fails: bool
    never_empty: bool


@dataclass(frozen=True)
class _Source:
    text: str
    item: Domain
    most: int
    fails: bool
    domain: bool = False


def rounds(writer: Writer, env: Env, *, ordered: bool) -> Rounds:
    """One or two sources with their conditions; `ordered` sources only, if so wished."""
    text, most, fails, never_empty = "", 1, False, True
    # The first source is evaluated outside of the comprehension, all else inside it.
    outside, inner = env.deeper(), env.deeper()
    for round_ in range(2):
        source = _source(writer, outside, ordered=ordered)
        if most * source.most > (_MOST_ROUNDS if round_ else _MOST_OF_ONE):
            break
        most *= source.most
        fails = fails or source.fails
        never_empty = never_empty and source.domain
        # What the first source reads is read outside: its variable may hide a parameter.
        name = _VARIABLES[round_] if round_ or writer.choices.below(3) else "x"
        inner = inner.naming(name, source.item)
        text += f" for {name} in {source.text}"
        if writer.choices.now_and_then(3):
            test, inner = writer.guard(inner)
            text += f" if {test.at(OR)}"
            fails = fails or test.fails
            never_empty = False
        outside = inner
        if not writer.choices.now_and_then(4):
            break
    return Rounds(text.strip(), inner, most, fails, never_empty)


def _source(writer: Writer, env: Env, *, ordered: bool) -> _Source:
    pick = writer.choices.below(5)
    if pick >= 3:

        def can_be_iterated(domain: Domain) -> bool:
            kinds = SequenceDomain if ordered else SetDomain | SequenceDomain
            return isinstance(domain, kinds) and item_of(domain) != NOTHING

        collection = _collection(writer, env, can_be_iterated)
        if collection is not None and capacity_of(collection.domain) <= _MOST_OF_ONE:
            item = item_of(collection.domain)
            assert item is not None
            most = capacity_of(collection.domain)
            # A conditional as a source would take the comprehension's own `if` for its own.
            return _Source(collection.at(OR), item, max(1, most), collection.fails)
    if pick == 2:
        return _range(writer, env)
    domain = writer.vocabulary.iterated()
    return _Source(writer.vocabulary.name(domain), domain, domain.size(), False, True)


def _collection(writer: Writer, env: Env, accepts: Callable[[Domain], bool]) -> Expr | None:
    if env.risky and not env.total and writer.choices.now_and_then(5):
        path = paths.readable(
            writer,
            env,
            lambda domain: isinstance(domain, OptionDomain) and accepts(domain.some),
        )
        if path is not None and isinstance(path.domain, OptionDomain):
            return Expr(path.text, path.domain.some, fails=True)
    path = paths.readable(writer, env, accepts)
    if path is not None and writer.choices.now_and_then(3):
        expression = writer.value(env.deeper(), path.domain)
        return expression if accepts(expression.domain) else path
    return path


def _range(writer: Writer, env: Env) -> _Source:
    stop = writer.within(env, RangeDomain(0, 3))
    assert isinstance(stop.domain, RangeDomain)
    if writer.choices.below(2) == 0:
        item = RangeDomain(0, max(0, stop.domain.high - 1))
        return _Source(f"range({stop.text})", item, max(1, stop.domain.high), stop.fails)
    start = writer.within(env, RangeDomain(-1, 1))
    assert isinstance(start.domain, RangeDomain)
    low = start.domain.low
    item = RangeDomain(low, max(low, stop.domain.high - 1))
    text = f"range({start.text}, {stop.text})"
    return _Source(text, item, max(1, stop.domain.high - low), start.fails or stop.fails)


def quantified(writer: Writer, env: Env, kind: Gather) -> Expr:
    """`all(...)` or `any(...)`, which may stop early: nothing in it may fail out of order."""
    word = "all" if kind is Gather.ALL else "any"
    ordered = writer.choices.below(2) == 0
    inside = rounds(writer, env if ordered else env.strict(), ordered=ordered)
    body = writer.condition(inside.inner)
    text = f"{word}({body.at(OR)} {inside.text})"
    return Expr(text, BOOL, fails=body.fails or inside.fails)


def gathered_number(writer: Writer, env: Env, kind: Gather) -> Expr | None:
    """`sum`, `min` or `max` over a comprehension, or over a collection of integers."""
    plain = _gathered_collection(writer, env, kind) if writer.choices.now_and_then(4) else None
    if plain is not None:
        return plain
    inside = rounds(writer, env, ordered=False)
    body = writer.number(inside.inner)
    low, high = interval(body)
    word = kind.name.lower()
    fails = body.fails or inside.fails
    if kind is Gather.SUM:
        domain = RangeDomain(min(0, low * inside.most), max(0, high * inside.most))
        return Expr(f"sum({body.at(OR)} {inside.text})", domain, fails=fails)
    without = inside.never_empty and writer.choices.below(2) == 0
    if without or (env.risky and not env.total and writer.choices.now_and_then(3)):
        text = f"{word}({body.at(OR)} {inside.text})"
        return Expr(text, RangeDomain(low, high), fails=fails or not inside.never_empty)
    default = writer.number(env.deeper())
    return _with_default(f"({body.at(OR)} {inside.text})", word, (low, high), default, fails)


def _gathered_collection(writer: Writer, env: Env, kind: Gather) -> Expr | None:
    path = paths.readable(writer, env, lambda domain: isinstance(item_of(domain), RangeDomain))
    if path is None or isinstance(path.domain, MapDomain):
        return None
    item, most = item_of(path.domain), capacity_of(path.domain)
    assert isinstance(item, RangeDomain)
    if kind is Gather.SUM:
        domain = RangeDomain(min(0, item.low * most), max(0, item.high * most))
        return Expr(f"sum({path.text})", domain, fails=path.fails)
    default = writer.number(env.deeper())
    ends = (item.low, item.high)
    return _with_default(path.text, kind.name.lower(), ends, default, path.fails)


def _with_default(text: str, word: str, ends: tuple[int, int], default: Expr, fails: bool) -> Expr:
    least, most = interval(default)
    domain = RangeDomain(min(ends[0], least), max(ends[1], most))
    return Expr(f"{word}({text}, default={default.text})", domain, fails=fails or default.fails)


def set_comprehension(writer: Writer, env: Env, item: Domain) -> Expr:
    """The set of some values of a comprehension."""
    inside = rounds(writer, env, ordered=False)
    body = writer.value(inside.inner, item)
    text = f"{body.at(OR)} {inside.text}"
    brackets = writer.choices.pick(("{{{}}}", "set({})", "frozenset({})"))
    return Expr(brackets.format(text), SetDomain(body.domain), fails=body.fails or inside.fails)


def sequence_comprehension(writer: Writer, env: Env, target: SequenceDomain) -> Expr:
    """The sequence of some values of a comprehension, cut where it may be too long."""
    inside = rounds(writer, env, ordered=True)
    body = writer.value(inside.inner, target.item)
    domain = SequenceDomain(body.domain, inside.most)
    text = f"tuple({body.at(OR)} {inside.text})"
    too_long = inside.most > target.capacity and not env.risky
    end = f"[:{target.capacity}]" if too_long else ""
    return Expr(text + end, domain, fails=body.fails or inside.fails)


def sought(writer: Writer, env: Env, item: Domain) -> Expr:
    """Something to look for in a collection of such items: of their type or of one like it."""
    if writer.choices.now_and_then(4):
        other = paths.readable(
            writer,
            env,
            lambda candidate: (
                candidate not in (item, OptionDomain(NOTHING))
                and join(candidate, item) is not None
                and not is_within(candidate, item)
            ),
        )
        if other is not None:
            return other
    return writer.value(env, item)
