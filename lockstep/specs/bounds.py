"""What scopes and proofs have in common: constants, and what is known to stay silent, and why.

One that is `like` another has all of these from it, but for its own, which come in their place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lockstep.errors import nearest
from lockstep.specs.tables import Plain, Table


@dataclass(frozen=True)
class ScopeBounds:
    """The constants of a scope; `idle` and `vacuous` give the reason by action or property.

    They include those of the scope that this one is `like`.
    """

    constants: Mapping[str, Plain] = field(default_factory=dict)
    idle: Mapping[str, str] = field(default_factory=dict)
    vacuous: Mapping[str, str] = field(default_factory=dict)
    like: str | None = None


def read_bounds(tables: Mapping[str, Table]) -> dict[str, ScopeBounds]:
    """The bounds in tables of one kind, each by its name.

    `LockstepError` where one is like one that there is not, or like itself by way of others.
    """
    likes = {name: table.optional_text("like") for name, table in tables.items()}
    bounds: dict[str, ScopeBounds] = {}

    def resolve(name: str, users: tuple[str, ...] = ()) -> ScopeBounds:
        if name in bounds:
            return bounds[name]
        table, like, users = tables[name], likes[name], (*users, name)
        if like is not None and like not in tables:
            cure = nearest(like, tables, f"name one of: {', '.join(tables)}")
            raise table.error("like", f"there is no {like!r} beside it", cure)
        if like in users:
            circle = " is like ".join([*users[users.index(like) :], like])
            raise table.error(
                "like", f"goes round in a circle: {circle}", "give one its own bounds"
            )
        bounds[name] = _bounds(table, like, ScopeBounds() if like is None else resolve(like, users))
        return bounds[name]

    return {name: resolve(name) for name in tables}


def read_reasons(table: Table) -> dict[str, str]:
    """The reason by name, from a table that gives names by their reason: `"Why." = ["a", "b"]`."""
    reasons: dict[str, str] = {}
    for key in table.names():
        reason = key.strip()
        names = table.texts(key, 'write the reason first: "Why it is so." = ["name", "other"]')
        if not reason or not names:
            raise table.error(key, "is a reason without " + ("names" if reason else "words"))
        for name in names:
            if name in reasons:
                raise table.error(key, f"{name} has a reason already: {reasons[name]!r}")
            reasons[name] = reason
    return reasons


def _bounds(table: Table, like: str | None, base: ScopeBounds) -> ScopeBounds:
    constants = table.optional_table("constants")
    return ScopeBounds(
        {**base.constants, **{key: constants.plain(key) for key in constants.names()}},
        {**base.idle, **read_reasons(table.optional_table("idle"))},
        {**base.vacuous, **read_reasons(table.optional_table("vacuous"))},
        like,
    )
