"""How logs are followed through a model: the function `observe` of `models/observed/MODEL.py`."""

from __future__ import annotations

from pathlib import Path

from lockstep.conform.findings import Observe
from lockstep.errors import LockstepError
from lockstep.language.inventory import FOLLOWERS
from lockstep.language.loader import Universe
from lockstep.language.source import ModelError


def load_follower(root: Path, model: str) -> Observe:
    """The follower of a model of the workspace at `root`.

    `LockstepError` when the file cannot be loaded, or has no function `observe`.
    """
    file = f"{FOLLOWERS}/{model}.py"
    try:
        module = Universe(root, is_ordinary=True).load(file.removesuffix(".py").replace("/", "."))
    except ModelError as error:
        cause = error.__cause__
        why = f"\n{error}" if cause is None else f" {type(cause).__name__}: {cause}"
        raise LockstepError(f"{file} cannot be loaded:{why}") from cause
    observe: Observe | None = vars(module).get("observe")
    if not callable(observe):
        raise LockstepError(
            f"{file} has no function observe",
            cure="write `def observe(log, load)`: it follows every session of a log",
        )
    return observe
