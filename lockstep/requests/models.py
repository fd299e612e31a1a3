"""Which models of a workspace a verb is about, and what else is given to all verbs alike."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lockstep.errors import LockstepError, nearest
from lockstep.specs.tables import Plain, parse_plain
from lockstep.words import shown_path
from lockstep.workspace import Workspace


def choose(names: Sequence[str], workspace: Workspace) -> list[str]:
    """The models meant: those named, or all; `LockstepError` suggesting the nearest for a typo."""
    models = workspace.models()
    if not models:
        raise LockstepError(
            f"the workspace {workspace.name} ({workspace.root}) has no models",
            cure="write one in models/: a class derived from State, and actions",
        )
    for name in names:
        if name not in models:
            raise LockstepError(
                f"there is no model {name!r}",
                cure=nearest(name, models, f"the models are: {', '.join(models)}"),
            )
    return list(dict.fromkeys(names)) or models


def refuse_unread(workspace: Workspace) -> None:
    """`LockstepError` where claims, faults or scopes are in files that nothing reads."""
    files = [file for file in workspace.unused() if file.is_mistake]
    if files:
        lines = "; ".join(f"{shown_path(file.file)}: {file.why}" for file in files)
        raise LockstepError(
            f"not read: {lines}", cure="rename it, remove it, or name the models that are meant"
        )


def refuse_shipped(workspace: Workspace, cure: str) -> None:
    """`LockstepError` where files would be written into the workspace that came with lockstep."""
    if workspace.shipped:
        raise LockstepError(
            f"the workspace {workspace.name} came with lockstep, and is not changed", cure=cure
        )


_SIZE = re.compile(r"([0-9]{1,18}(?:\.[0-9]+)?)\s*([KMGT]i?)?B?", re.IGNORECASE)


def parse_size(text: str) -> int:
    """Bytes of a size such as `8GiB`, `500M` or `1.5 GB`; KB and MB count by thousands."""
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        raise LockstepError(f"--memory {text!r} is no size", cure="write it as 8GiB or 500MB")
    number, unit = float(match[1]), (match[2] or "").upper()
    power = " KMGT".index(unit[0]) if unit else 0
    return int(number * (1024 if unit.endswith("I") else 1000) ** power)


def read_constants(texts: Sequence[str]) -> dict[str, Plain]:
    """What `--set NAME=VALUE` sets; `LockstepError` for what is not so written."""
    constants: dict[str, Plain] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip().isidentifier():
            raise LockstepError(f"--set {text!r} sets nothing", cure="write --set NAME=VALUE")
        if name.strip() in constants:
            raise LockstepError(f"--set gives {name.strip()} two values", cure="leave one out")
        constants[name.strip()] = parse_plain(value.strip())
    return constants
