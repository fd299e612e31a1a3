"""Writes what a scope is known to give into `specs/MODEL.toml`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.items import Table

from lockstep.specs.scopes import Pins
from lockstep.system.text_files import is_file, read_text, write_text


def pin(root: Path, model: str, scope: str, pins: Pins) -> tuple[str, ...]:
    """Pin the verdict and the counts of a scope; what changed, one text a value.

    Comments and the order of a file stay as they are; a model without a file gets one.
    `LockstepError` when the file cannot be written.
    """
    file = root / "specs" / f"{model}.toml"
    document: Any = tomlkit.parse(read_text(file)) if is_file(file) else tomlkit.document()
    _table(document, "model").setdefault("name", model)
    table = _table(_table(document, "scopes", is_super=True), scope)
    changes = []
    for name, value in vars(pins).items():
        if value is None or table.get(name) == value:
            continue
        before = f" instead of {table[name]}" if name in table else ""
        changes.append(f"{name} {value}{before}")
        table[name] = value
    if changes:
        write_text(file, tomlkit.dumps(document))
    return tuple(changes)


def _table(parent: Any, name: str, *, is_super: bool = False) -> Any:
    """A table of another, made where there is none."""
    if name not in parent:
        table: Table = tomlkit.table(is_super_table=is_super)
        parent.add(name, table)
    return parent[name]
