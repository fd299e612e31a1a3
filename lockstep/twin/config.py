"""TLC's configuration of a scope: the scope's bounds, then what the twin's own .cfg file says."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from lockstep.errors import LockstepError
from lockstep.twin.names import definition_name
from lockstep.twin.tla_parser import format_value

_CHECKS = ("INVARIANT", "INVARIANTS", "PROPERTY", "PROPERTIES")
_COMMENT = re.compile(r"\\\*.*|\(\*.*?\*\)")
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
    """The configuration without its invariants and properties: TLC then explores everything."""
    return _without(config, _CHECKS)


def without_specification(config: str) -> str:
    """The configuration without what names the behaviours."""
    return _without(config, ("SPECIFICATION",))


def claims(config: str) -> list[str]:
    """The invariants and properties that a configuration names."""
    words: list[str] = []
    for keyword, line in _sections(config):
        if keyword in _CHECKS:
            words += _COMMENT.sub(" ", line).split()
    return [word for word in words if word not in _CHECKS]


def _without(config: str, keywords: Collection[str]) -> str:
    kept = [line for keyword, line in _sections(config) if keyword not in keywords]
    return "\n".join([*kept, ""])


def _sections(config: str) -> Iterator[tuple[str, str]]:
    """Each line with the keyword of its section, which stands at the start of a line."""
    keyword = ""
    for line in config.splitlines():
        first = line.split(maxsplit=1)[0] if line.strip() else ""
        if line[:1].strip() and first in _KEYWORDS:
            keyword = first
        yield keyword, line


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


NO_MORE_STATES = "NoMoreStatesThanTheModel"
"""What the module defines for the configuration: `CONSTRAINT NoMoreStatesThanTheModel`.

It is always true, so it keeps no state out of the graph."""


def limited_name(module: Path, scope: str) -> str:
    """The name of the module around `module` in a scope, and of its file."""
    return f"{module.stem}_{re.sub(r'[^0-9A-Za-z_]', '_', scope)}"


def limited_module(module: Path, scope: str, states: int) -> str:
    """Its text: TLC ends as soon as more than `states` distinct ones are found."""
    name = limited_name(module, scope)
    return f"""\
---- MODULE {name} ----
EXTENDS {module.stem}

LOCAL Tool == INSTANCE TLC

{NO_MORE_STATES} ==
    Tool!TLCGet("distinct") <= {states} \\/ Tool!TLCSet("exit", TRUE)
====
"""
