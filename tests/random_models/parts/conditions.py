"""Conditions, and what they say of the values that may be None."""

from __future__ import annotations

from collections.abc import Callable

from lockstep.language.domains import (
    Domain,
    OptionDomain,
    SequenceDomain,
    SetDomain,
)
from lockstep.language.ir import Gather
from lockstep.language.types import NOTHING, item_of, join
from tests.random_models.parts import comprehensions, numbers, paths
from tests.random_models.parts.grammar import Writer
from tests.random_models.parts.pieces import (
    AND,
    BOOL,
    COMPARISON,
    NOT,
    OR,
    SUM,
    UNION,
    Env,
    Expr,
    indented,
)


def condition(writer: Writer, env: Env) -> Expr:
    """Any condition."""
    makers: list[Callable[[Writer, Env], Expr | None]] = [_equality, _equality, _is_none, _read]
    if env.depth > 0:
        makers += [_order, _order, _membership, _membership, _inclusion, _negation, _connected]
        makers += [_connected, _quantified, _chain, _helper, _conditional]
    expression = writer.choices.pick(makers)(writer, env)
    if expression is None or (env.total and expression.fails):
        expression = _equality(writer, env.strict() if env.total else env)
    if expression is None or (env.total and expression.fails):
        return writer.literal(BOOL)
    return expression


def branching(writer: Writer, env: Env) -> tuple[Expr, Env, Env]:
    """A condition, and what can be read where it is true and where it is false."""
    if writer.choices.below(2) == 0:
        return condition(writer, env), env, env
    pair = presence(writer, env)
    if pair is None:
        return condition(writer, env), env, env
    option, inside = pair
    after = env.knowing(inside)
    if writer.choices.below(2) == 0:
        return Expr(f"{option.text} is not None", BOOL, COMPARISON, option.fails), after, env
    return Expr(f"{option.text} is None", BOOL, COMPARISON, option.fails), env, after


def guard(writer: Writer, env: Env) -> tuple[Expr, Env]:
    """A condition that stands as a guard, and what can be read after it."""
    if writer.choices.now_and_then(4):
        pair = presence(writer, env)
        if pair is not None:
            option, inside = pair
            after = env.knowing(inside)
            test = Expr(f"{option.text} is not None", BOOL, COMPARISON, option.fails)
            if writer.choices.below(2):
                return _joined("and", [test, condition(writer, after.deeper())]), after
            return test, after
    return condition(writer, env), env


def likely(writer: Writer, env: Env, count: int) -> Expr:
    """A condition that is more often true than not: one of several, or not all of them."""
    items = [condition(writer, env.deeper()) for _ in range(count)]
    if writer.choices.below(2) == 0:
        return _joined("or", items)
    text = f"not ({' and '.join(item.at(AND + 1) for item in items)})"
    return Expr(text, BOOL, NOT, any(item.fails for item in items))


def presence(writer: Writer, env: Env) -> tuple[Expr, Expr] | None:
    """Something that may be None, and what it is where it is not: only what stays the same."""
    option = paths.optional(writer, env)
    if option is None or not option.stable or not isinstance(option.domain, OptionDomain):
        return None
    return option, Expr(option.text, option.domain.some, fails=option.fails, stable=True)


def _equality(writer: Writer, env: Env) -> Expr | None:
    left = paths.readable(writer, env, lambda domain: domain != OptionDomain(NOTHING))
    if left is None:
        return None
    right = _counterpart(writer, env, left.domain)
    if right.text == "None" or join(left.domain, right.domain) is None:
        return None
    operator = writer.choices.pick(("==", "!="))
    text = f"{left.at(UNION)} {operator} {right.at(UNION)}"
    return Expr(text, BOOL, COMPARISON, left.fails or right.fails)


def _counterpart(writer: Writer, env: Env, domain: Domain) -> Expr:
    """Something to compare with a value: of the same type, or of one that overlaps with it."""
    if writer.choices.now_and_then(3):
        other = paths.readable(
            writer,
            env,
            lambda candidate: (
                candidate not in (domain, OptionDomain(NOTHING))
                and join(candidate, domain) is not None
            ),
        )
        if other is not None:
            return other
    if isinstance(domain, OptionDomain):
        domain = domain.some
    return writer.value(env.deeper(), domain)


def _order(writer: Writer, env: Env) -> Expr:
    left, right = (numbers.operand(writer, env.deeper()) for _ in range(2))
    operator = writer.choices.pick(("<", "<=", ">", ">=", "==", "!="))
    text = f"{left.at(UNION)} {operator} {right.at(UNION)}"
    return Expr(text, BOOL, COMPARISON, left.fails or right.fails)


def _chain(writer: Writer, env: Env) -> Expr:
    parts = [numbers.number(writer, env.deeper()) for _ in range(3)]
    text = parts[0].at(SUM)
    for part in parts[1:]:
        text += f" {writer.choices.pick(('<', '<=', '==', '!='))} {part.at(SUM)}"
    return Expr(text, BOOL, COMPARISON, any(part.fails for part in parts))


def _membership(writer: Writer, env: Env) -> Expr | None:
    def has_members(domain: Domain) -> bool:
        return isinstance(domain, SetDomain | SequenceDomain)

    if env.risky and not env.total and writer.choices.now_and_then(5):
        collection = paths.readable(
            writer,
            env,
            lambda candidate: isinstance(candidate, OptionDomain) and has_members(candidate.some),
        )
        if collection is not None and isinstance(collection.domain, OptionDomain):
            collection = Expr(collection.text, collection.domain.some, fails=True)
    else:
        collection = paths.readable(writer, env, has_members)
        if collection is not None and writer.choices.now_and_then(3):
            collection = writer.value(env.deeper(), collection.domain)
    item = None if collection is None else item_of(collection.domain)
    if collection is None or item is None or item == NOTHING:
        return None
    wanted = comprehensions.sought(writer, env.deeper(), item)
    if join(wanted.domain, item) is None:
        return None
    operator = writer.choices.pick(("in", "not in"))
    text = f"{wanted.at(UNION)} {operator} {collection.at(UNION)}"
    return Expr(text, BOOL, COMPARISON, wanted.fails or collection.fails)


def _inclusion(writer: Writer, env: Env) -> Expr | None:
    left = paths.readable(writer, env, lambda domain: isinstance(domain, SetDomain))
    if left is None:
        return None
    right = _counterpart(writer, env, left.domain)
    if join(left.domain, right.domain) is None or not isinstance(right.domain, SetDomain):
        return None
    operator = writer.choices.pick(("<=", "<", ">", ">="))
    text = f"{left.at(UNION)} {operator} {right.at(UNION)}"
    return Expr(text, BOOL, COMPARISON, left.fails or right.fails)


def _is_none(writer: Writer, env: Env) -> Expr | None:
    option = paths.optional(writer, env)
    if option is None or not isinstance(option.domain, OptionDomain):
        return None
    word = writer.choices.pick(("is", "is not"))
    return Expr(f"{option.text} {word} None", BOOL, COMPARISON, option.fails)


def _read(writer: Writer, env: Env) -> Expr | None:
    return paths.readable(writer, env, lambda domain: domain == BOOL)


def _negation(writer: Writer, env: Env) -> Expr:
    expression = condition(writer, env.deeper())
    return Expr(f"not {expression.at(NOT)}", BOOL, NOT, expression.fails)


def _connected(writer: Writer, env: Env) -> Expr:
    """`and` or `or`; what the earlier conditions say of None, the later ones may use."""
    word = writer.choices.pick(("and", "or"))
    items, inner = [], env.deeper()
    for _ in range(2 + writer.choices.below(2)):
        test, if_true, if_false = branching(writer, inner)
        items.append(test)
        inner = if_true if word == "and" else if_false
    return _joined(word, items)


def _joined(word: str, items: list[Expr]) -> Expr:
    level = AND if word == "and" else OR
    texts = [item.at(level + 1) for item in items]
    lines = indented(f"\n{word} ".join(texts))
    return Expr(
        f" {word} ".join(texts),
        BOOL,
        level,
        any(item.fails for item in items),
        broken=f"(\n{lines}\n)",
    )


def _quantified(writer: Writer, env: Env) -> Expr | None:
    return comprehensions.quantified(writer, env, writer.choices.pick((Gather.ALL, Gather.ANY)))


def _helper(writer: Writer, env: Env) -> Expr | None:
    return writer.helper_call(env, BOOL)


def _conditional(writer: Writer, env: Env) -> Expr:
    return writer.conditional(env, BOOL)
