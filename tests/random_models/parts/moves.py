"""Values that differ from the one before, so that a model goes somewhere."""

from __future__ import annotations

from lockstep.language.domains import (
    Domain,
    EnumDomain,
    NameDomain,
    OptionDomain,
    RangeDomain,
    SequenceDomain,
    SetDomain,
)
from lockstep.language.types import is_within, join
from tests.random_models.parts import paths
from tests.random_models.parts.grammar import Writer
from tests.random_models.parts.pieces import (
    BOOL,
    CONDITIONAL,
    DIFFERENCE,
    NOT,
    PRODUCT,
    SUM,
    UNION,
    Env,
    Expr,
)
from tests.random_models.parts.vocabulary import is_interchangeable


def moved(writer: Writer, env: Env, old: Expr) -> Expr | None:
    """Another value than the old one, which is a path; None for records and maps."""
    text, inner = old.text, env.deeper()
    if writer.choices.below(2) == 0 and (given := _parameter(writer, env, old.domain)) is not None:
        return given
    match old.domain:
        case RangeDomain(low, high):
            return _next_number(writer, text, low, high)
        case EnumDomain() | NameDomain():
            return _other_name(writer, old)
        case OptionDomain(some):
            value = _something(writer, inner, some)
            if (domain := join(value.domain, old.domain)) is None:
                return None
            whole = f"{value.at(CONDITIONAL + 1)} if {text} is None else None"
            return Expr(whole, domain, CONDITIONAL, value.fails)
        case SetDomain(item):
            value = _something(writer, inner, item)
            if join(value.domain, item) is None:
                return None
            operator, level = writer.choices.pick((("|", UNION), ("^", DIFFERENCE), ("-", SUM)))
            whole = f"{text} {operator} {{{value.text}}}"
            return Expr(whole, old.domain, level, value.fails)
        case SequenceDomain(item, capacity):
            return _longer(writer, inner, old, capacity) if capacity else None
    return Expr(f"not {text}", BOOL, NOT) if old.domain == BOOL else None


def _next_number(writer: Writer, text: str, low: int, high: int) -> Expr:
    size, by = high - low + 1, writer.choices.pick((1, 2))
    domain = RangeDomain(low, high)
    if writer.choices.below(2):
        whole = f"{text} + {by} if {text} + {by} <= {high} else {low}"
        return Expr(whole, RangeDomain(low, high + by), CONDITIONAL)
    if low == 0:
        return Expr(f"({text} + {by}) % {size}", domain, PRODUCT)
    return Expr(f"({text} + {by - low}) % {size} + {low}", domain, SUM)


def _something(writer: Writer, env: Env, domain: Domain) -> Expr:
    """A value of a type, often a parameter: it has many values in one state."""
    given = _parameter(writer, env, domain) if writer.choices.below(3) else None
    return writer.value(env, domain) if given is None else given


def _parameter(writer: Writer, env: Env, domain: Domain) -> Expr | None:
    """A parameter or local of some type."""
    bare = tuple(root for root in env.roots if "." not in root.text)
    inner = Env(bare, (), 0, env.risky, env.total)
    return paths.readable(writer, inner, lambda candidate: is_within(candidate, domain))


def _other_name(writer: Writer, old: Expr) -> Expr | None:
    if is_interchangeable(old.domain):
        return None
    first, second = writer.literal(old.domain), writer.literal(old.domain)
    if first == second:
        return None
    domain = join(first.domain, second.domain)
    if domain is None or join(domain, old.domain) is None:
        return None
    text = f"{second.text} if {old.text} == {first.text} else {first.text}"
    return Expr(text, domain, CONDITIONAL)


def _longer(writer: Writer, env: Env, old: Expr, capacity: int) -> Expr | None:
    assert isinstance(old.domain, SequenceDomain)
    item = _something(writer, env, old.domain.item)
    both = join(item.domain, old.domain.item)
    if both is None:
        return None
    end = writer.choices.pick((f"[:{capacity}]", f"[-{capacity}:]"))
    pair = (f"{old.text} + ({item.text},)", f"({item.text},) + {old.text}")
    text = f"({writer.choices.pick(pair)}){end}"
    return Expr(text, SequenceDomain(both, capacity + 1), fails=item.fails)
