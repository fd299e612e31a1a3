"""TLC's configuration of a scope: the scope's bounds, then what the twin's own .cfg file says."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from lockstep.errors import LockstepError
from lockstep.twin.names import definition_name
from lockstep.twin.tla_values import format_value

_CHECKS = ("INVARIANT", "INVARIANTS", "PROPERTY", "PROPERTIES")
_KEYWORDS = frozenset(
    {
        *_CHECKS,
        *("ACTION_CONSTRAINT", "ACTION_CONSTRAINTS", "ALIAS", "CHECK_DEADLOCK", "CONSTANT"),
        *("CONSTANTS", "CONSTRAINT", "CONSTRAINTS", "INIT", "NEXT", "POSTCONDITION"),
        *("SPECIFICATION", "SYMMETRY", "TYPE", "TYPE_CONSTRAINT", "VIEW"),
    }
)


def scope_config(constants: Mapping[str, object], template: str) -> str:
    """The constants as assignments, then `template`, which assigns what no scope changes.

    Tuples become sets, since a twin has no use for the order of names. TLC's configuration language
    has no negative numbers: -1 is written `MaxEpoch <- Minus1`, and the twin defines `Minus1`.

    Raises LockstepError for a constant that such a file cannot hold.
    """
    lines = [f"    {_assignment(name, value)}" for name, value in constants.items()]
    head = ["CONSTANTS", *lines, ""] if lines else []
    return "\n".join([*head, template])


def without_checks(config: str) -> str:
    """The configuration without its invariants and properties: TLC then explores everything.

    A section begins with its keyword at the start of a line.
    """
    kept: list[str] = []
    dropping = False
    for line in config.splitlines():
        first = line.split(maxsplit=1)[0] if line.strip() else ""
        if line[:1].strip() and first in _KEYWORDS:
            dropping = first in _CHECKS
        if not dropping:
            kept.append(line)
    return "\n".join([*kept, ""])


def without_claims(config: str, names: Collection[str]) -> str:
    """The configuration without some of its claims, each of which stands on a line of its own."""
    return "\n".join([line for line in config.splitlines() if line.strip() not in names]) + "\n"


def _assignment(name: str, value: object) -> str:
    if type(value) is int and value < 0:
        return f"{definition_name(name)} <- Minus{-value}"
    return f"{definition_name(name)} = {_written(name, value)}"


def _written(name: str, value: object) -> str:
    if isinstance(value, tuple):
        return "{" + ", ".join(_written(name, item) for item in value) + "}"
    if isinstance(value, bool | str) or (isinstance(value, int) and value >= 0):
        return format_value(value)
    raise LockstepError(
        f"the constant {name} = {value!r} cannot be written into a configuration of TLC",
        cure="a twin's constants are booleans, strings, numbers, and tuples of them, with no "
        "negative number inside a tuple",
    )
