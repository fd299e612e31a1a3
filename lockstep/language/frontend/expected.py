"""Integers written in the text that stand for names, as in `leader in {1, 5}`."""

from __future__ import annotations

import ast
from dataclasses import replace

from lockstep.errors import nearest
from lockstep.language import ir
from lockstep.language.domains import (
    BoolDomain,
    Domain,
    NameDomain,
    OptionDomain,
    RangeDomain,
    SequenceDomain,
    SetDomain,
)
from lockstep.language.frontend.cures import as_member
from lockstep.language.frontend.scope import Scope
from lockstep.language.types import NOTHING, described, is_disjoint, is_item, item_of, join, some_of


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
        case ir.Literal(_, SetDomain() | SequenceDomain() as domain, value) if value and all(
            type(one) is int for one in value
        ):
            names = NameDomain(tuple(dict.fromkeys(value)))
            return replace(written, domain=replace(domain, item=names))
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
        case ir.Slice():
            sequence = _named(written.sequence)
            return replace(written, domain=sequence.domain, sequence=sequence)
        case ir.Concatenate(_, SequenceDomain() as domain):
            left, right = _named(written.left), _named(written.right)
            match join(left.domain, right.domain):
                case SequenceDomain(joined):
                    whole = replace(domain, item=joined)
                    return replace(written, domain=whole, left=left, right=right)
    return written


BOOL = BoolDomain()


def condition(scope: Scope, node: ast.expr) -> ir.Expression:
    """An expression that must be a boolean."""
    lowered = scope.lower(node)
    if lowered.domain == BOOL:
        return lowered
    match lowered.domain:
        case SetDomain() | SequenceDomain():
            cure = "ask for its size: `len(...) > 0`"
        case OptionDomain(some) if some == BOOL:
            cure = "exclude None first: `x is not None and x`"
        case OptionDomain():
            cure = f"write `{ast.unparse(node)} is not None`"
        case RangeDomain():
            cure = "compare it: `... != 0`"
        case _:
            cure = "compare it with something"
    scope.refuse(
        node,
        "not-a-condition",
        f"this is {described(lowered.domain)}, not a condition",
        "only True and False are truth values in TLA+ and SMT-LIB, so only they are here",
        cure,
    )


def integer(
    scope: Scope, node: ast.expr, user: ast.AST | None = None
) -> tuple[ir.Expression, RangeDomain]:
    """An expression that must be an integer, with its interval.

    `user` is the operation that would fail for None; without it, None is refused.
    """
    lowered = scope.lower(node)
    lowered = definite(scope, node, lowered) if user is None else unwrapped(scope, user, lowered)
    return as_integer(scope, node, lowered)


def as_integer(
    scope: Scope, node: ast.expr, lowered: ir.Expression
) -> tuple[ir.Expression, RangeDomain]:
    """The same, of an expression that is lowered already and is no option."""
    if isinstance(lowered.domain, RangeDomain):
        return lowered, lowered.domain
    if isinstance(lowered.domain, NameDomain):
        why, cure = "names know only equality", "use a Range(...) domain for what is counted"
    elif lowered.domain == BOOL:
        why = "a boolean is no number in TLA+ and SMT-LIB"
        cure = "write `1 if ... else 0`, or count with `sum(1 for ... if ...)`"
    else:
        why = "arithmetic and order are defined on integers only"
        cure = "use a Range(...) domain for what is counted or compared"
    scope.refuse(
        node, "not-an-integer", f"this is {described(lowered.domain)}, not an integer", why, cure
    )


def unwrapped(scope: Scope, user: ast.AST, lowered: ir.Expression) -> ir.Expression:
    """The value inside, where an option is used as what it may hold.

    `user` is the operation that fails in Python when it is None.
    """
    if not isinstance(lowered.domain, OptionDomain):
        return lowered
    if lowered.domain.some == NOTHING:
        scope.refuse(
            user,
            "always-none",
            "None is used as a value here",
            "None has no parts, no items and no arithmetic",
            "remove this, or use an optional value that is not always None",
        )
    return ir.Unwrap(scope.place(user), lowered.domain.some, lowered)


def definite(scope: Scope, node: ast.AST, lowered: ir.Expression) -> ir.Expression:
    """A value that is not None, where Python itself would go on with None."""
    if isinstance(lowered.domain, OptionDomain):
        scope.refuse(
            node,
            "may-be-none",
            f"this is {described(lowered.domain)}",
            "only a value can stand here, and Python would go on with None",
            "exclude None first: `x = present(...)`, or `... if x is not None else ...`",
        )
    return lowered


def item(scope: Scope, node: ast.AST, lowered: ir.Expression) -> ir.Expression:
    """A value that becomes an item of a set or a sequence: an atom or a record."""
    definite(scope, node, lowered)
    if not is_item(lowered.domain):
        scope.refuse(
            node,
            "nested-collection",
            f"this is {described(lowered.domain)}, as an item of a collection",
            "items are atoms or records, so that every engine can store them",
            "wrap it in a record",
        )
    return lowered


def either(
    scope: Scope,
    node: ast.AST,
    test: ir.Expression,
    branches: tuple[ir.Expression, ir.Expression],
) -> ir.Expression:
    """The first branch where the test is true, else the second; both are of one kind."""
    then, otherwise = both_as_names(*branches)
    domain = join(then.domain, otherwise.domain)
    if domain is None:
        scope.refuse(
            node,
            "two-kinds",
            f"this is {described(then.domain)} or {described(otherwise.domain)}",
            "an expression has one kind of value",
            "give both branches values of one kind",
        )
    return ir.Conditional(scope.place(node), domain, test, then, otherwise)


def common(scope: Scope, node: ast.AST, items: tuple[ir.Expression, ...]) -> Domain:
    """The type of all the items of one collection."""
    kind: Domain = NOTHING
    for part in items:
        both = join(kind, part.domain)
        if both is None:
            scope.refuse(
                node,
                "mixed-items",
                f"{described(kind)} and {described(part.domain)} stand in one collection",
                "the items of a collection are of one kind",
                "make a record with a field for each",
            )
        kind = both
    return kind


def stored(scope: Scope, node: ast.expr, domain: Domain, place: str) -> ir.Expression:
    """An expression whose value will be stored in `domain`; refused when it never fits."""
    lowered = as_names(scope.lower(node), domain)
    what = f"this is {described(lowered.domain)}, but {place} is {described(domain)}"
    if join(lowered.domain, domain) is None:
        scope.refuse(
            node,
            "wrong-type",
            what,
            "a value is stored only where its kind belongs",
            _instead_of_value(lowered, domain) or f"give {described(domain)}",
        )
    if is_disjoint(lowered.domain, domain) and not scope.unit.unreachable:
        scope.refuse(
            node,
            "outside-domain",
            what,
            "no value of the one is in the other, so this step could never be taken",
            _instead_of_value(lowered, domain) or "mend the value, or widen the domain",
        )
    return lowered


def _instead_of_value(lowered: ir.Expression, domain: Domain) -> str | None:
    """The member or the name that was meant, where a text was written in its place."""
    value, inside = getattr(lowered, "value", None), some_of(domain)
    member = as_member(inside, value)
    if member is not None:
        return f"write `{member}`"
    if isinstance(inside, NameDomain) and isinstance(value, str):
        names = [str(name) for name in inside.names]
        return nearest(value, names, f"the names here are {', '.join(names)}")
    return None
