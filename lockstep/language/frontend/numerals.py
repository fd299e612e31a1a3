"""Integers written in the text that stand for names, as in `leader in {1, 5}`."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from lockstep.language import ir
from lockstep.language.domains import Domain, NameDomain, SequenceDomain, SetDomain
from lockstep.language.types import NOTHING, item_of, join, some_of


def as_names(written: ir.Expression, other: Domain) -> ir.Expression:
    """An expression as one of names, if it is written in integers and meets names that are such.

    `other` is the type of the names, of an option or a collection of them, or of anything else.
    """
    inside = some_of(other)
    if isinstance(inside, SetDomain | SequenceDomain):
        inside = item_of(inside) or inside
    are_integers = isinstance(inside, NameDomain) and any(type(n) is int for n in inside.names)
    return _named(written) if are_integers else written


def both_as_names(left: ir.Expression, right: ir.Expression) -> tuple[ir.Expression, ir.Expression]:
    """Two expressions that meet: where one has integers for names, the other may write them."""
    return as_names(left, right.domain), as_names(right, left.domain)


def _named(written: ir.Expression) -> ir.Expression:
    match written:
        case ir.Literal(value=value) if type(value) is int:
            return replace(written, domain=NameDomain((value,)))
        case ir.Literal(_, SetDomain() | SequenceDomain() as domain, value) if _are_integers(value):
            return replace(
                written, domain=replace(domain, item=NameDomain(tuple(dict.fromkeys(value))))
            )
        case ir.Conditional():
            then, otherwise = _named(written.then), _named(written.otherwise)
            both = join(then.domain, otherwise.domain)
            if both is not None:
                return replace(written, domain=both, then=then, otherwise=otherwise)
        case ir.MakeSet(_, SetDomain() as domain) | ir.MakeSequence(_, SequenceDomain() as domain):
            items = tuple(_named(part) for part in written.items)
            item: Domain | None = NOTHING
            for part in items:
                item = None if item is None else join(item, part.domain)
            if item is not None:
                return replace(written, domain=replace(domain, item=item), items=items)
        case ir.SetOperation():
            left, right = _named(written.left), _named(written.right)
            union = join(left.domain, right.domain)
            if union is not None:
                some = left.domain if written.operator in ("-", "&") else union
                return replace(written, domain=some, left=left, right=right)
        case ir.Concatenate(_, SequenceDomain() as domain):
            left, right = _named(written.left), _named(written.right)
            match join(left.domain, right.domain):
                case SequenceDomain(joined):
                    whole = replace(domain, item=joined)
                    return replace(written, domain=whole, left=left, right=right)
    return written


def _are_integers(values: Collection[object]) -> bool:
    return len(values) > 0 and all(type(value) is int for value in values)
