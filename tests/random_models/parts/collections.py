"""Records, sets, sequences and maps: how each is made from others of its kind."""

from __future__ import annotations

from lockstep.language.domains import (
    Domain,
    MapDomain,
    NameDomain,
    RangeDomain,
    RecordDomain,
    SequenceDomain,
    SetDomain,
)
from lockstep.language.types import NOTHING, is_within, join
from tests.random_models.parts import comprehensions, paths
from tests.random_models.parts.grammar import Writer
from tests.random_models.parts.pieces import (
    COMMON,
    DIFFERENCE,
    PRODUCT,
    SUM,
    UNION,
    Env,
    Expr,
    indented,
)

_OPERATORS = {"|": UNION, "^": DIFFERENCE, "&": COMMON, "-": SUM}


def set_of(items: list[Expr]) -> Expr:
    """The set with these items written out."""
    inside = ", ".join(item.text for item in items)
    return Expr(f"{{{inside}}}" if items else "set()", SetDomain(_kind(items)), fails=_any(items))


def tuple_of(items: list[Expr]) -> Expr:
    """The sequence with these items written out."""
    inside = ", ".join(item.text for item in items) + ("," if len(items) == 1 else "")
    return Expr(f"({inside})", SequenceDomain(_kind(items), len(items)), fails=_any(items))


def record(writer: Writer, env: Env, target: RecordDomain) -> Expr | None:
    """A record from its fields, or one with some fields replaced."""
    fields = target.record.fields
    if writer.choices.below(2):
        old = paths.readable(writer, env, lambda domain: domain == target)
        if old is not None:
            changed = writer.choices.some(list(fields), 2)
            parts = {name: _field(writer, env, fields[name]) for name in changed}
            inside = "".join(f", {name}={part.text}" for name, part in parts.items())
            fails = old.fails or _fails(parts, fields)
            return Expr(f"replace({old.text}{inside})", target, fails=fails)
    parts = {name: _field(writer, env, domain) for name, domain in fields.items()}
    order = list(fields)
    if writer.choices.now_and_then(3):
        order.reverse()
    positional = order == list(fields) and writer.choices.now_and_then(3)
    texts = [parts[name].text if positional else f"{name}={parts[name].text}" for name in order]
    name = target.record.__name__
    lines = indented(",\n".join(texts))
    return Expr(
        f"{name}({', '.join(texts)})",
        target,
        fails=_fails(parts, fields),
        broken=f"{name}(\n{lines},\n)",
    )


def _field(writer: Writer, env: Env, domain: Domain) -> Expr:
    return writer.value(env.deeper(), domain)


def _fails(parts: dict[str, Expr], fields: dict[str, Domain]) -> bool:
    return any(
        part.fails or not is_within(part.domain, fields[name]) for name, part in parts.items()
    )


def a_set(writer: Writer, env: Env, target: SetDomain) -> Expr | None:
    """A set: displayed, of a comprehension, or made with an operator."""
    pick = writer.choices.below(4)
    if pick == 0:
        return set_of(_items(writer, env, target.item, 2))
    if pick == 1:
        return comprehensions.set_comprehension(writer, env, target.item)
    left, right = (writer.value(env.deeper(), target) for _ in range(2))
    union = join(left.domain, right.domain)
    if union is None:
        return None
    operator = writer.choices.pick(("|", "-", "&", "^"))
    level = _OPERATORS[operator]
    domain = left.domain if operator in "-&" else union
    text = f"{left.at(level)} {operator} {right.at(level + 1)}"
    return Expr(text, domain, level, left.fails or right.fails)


def sequence(writer: Writer, env: Env, target: SequenceDomain) -> Expr | None:
    """A sequence: displayed, of a comprehension, a stretch of one, or two joined."""
    pick = writer.choices.below(5)
    if pick == 0:
        return tuple_of(_items(writer, env, target.item, target.capacity))
    if pick <= 2:
        return comprehensions.sequence_comprehension(writer, env, target)
    if pick == 3:
        whole = writer.value(env.deeper(), target)
        text = f"{whole.at(PRODUCT + 2)}[{_stretch(writer, env)}]"
        return Expr(text, whole.domain, fails=whole.fails)
    return _joined(writer, env, target)


def _stretch(writer: Writer, env: Env) -> str:
    ends = [
        paths.position(writer, env.strict()).text if writer.choices.below(3) else ""
        for _ in range(2)
    ]
    return ":".join(ends)


def _joined(writer: Writer, env: Env, target: SequenceDomain) -> Expr | None:
    left, right = writer.value(env.deeper(), target), writer.value(env.deeper(), target)
    assert isinstance(left.domain, SequenceDomain)
    assert isinstance(right.domain, SequenceDomain)
    item = join(left.domain.item, right.domain.item)
    if item is None:
        return None
    length = left.domain.capacity + right.domain.capacity
    domain, fails = SequenceDomain(item, length), left.fails or right.fails
    text = f"{left.at(SUM)} + {right.at(PRODUCT)}"
    if length <= target.capacity or (env.risky and writer.choices.below(2)):
        return Expr(text, domain, SUM, fails)
    return Expr(f"({text})[:{target.capacity}]", domain, fails=fails)


def total_map(writer: Writer, env: Env, target: MapDomain) -> Expr:
    """The map that a comprehension over the keys gives."""
    inner = env.deeper().naming("k", target.key)
    body = writer.value(inner, target.value)
    text = f"{{k: {body.text} for k in {writer.vocabulary.name(target.key)}}}"
    return Expr(text, MapDomain(target.key, body.domain), fails=body.fails)


def _items(writer: Writer, env: Env, item: Domain, most: int) -> list[Expr]:
    """Up to so many items that the front end takes to be of one kind."""
    items: list[Expr] = []
    for _ in range(writer.choices.below(most + 1)):
        expression = writer.value(env.deeper(), item)
        kinds = _joined_kind([*items, expression])
        if kinds is not None and (not items or _is_like(kinds, item)):
            items.append(expression)
    return items


def _joined_kind(items: list[Expr]) -> Domain | None:
    """The type of all the items together; None when there is none."""
    kind: Domain | None = NOTHING
    for item in items:
        kind = None if kind is None else join(kind, item.domain)
    return kind


def _is_like(kinds: Domain, item: Domain) -> bool:
    """Whether items are of the wanted kind together: integers that are names may not be."""
    return not (isinstance(kinds, RangeDomain) and isinstance(item, NameDomain))


def _kind(items: list[Expr]) -> Domain:
    kind = _joined_kind(items)
    assert kind is not None
    return kind


def _any(items: list[Expr]) -> bool:
    return any(item.fails for item in items)
