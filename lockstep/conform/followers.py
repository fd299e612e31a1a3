"""How logs are followed through a model: the function `observe` of `models/observed/MODEL.py`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import cast

from lockstep.conform.broker_paths import BrokerPaths
from lockstep.conform.findings import Finding, LoadModel, Observe
from lockstep.conform.pieces import Pieces
from lockstep.conform.system_files import SystemFile
from lockstep.errors import LockstepError
from lockstep.language.inventory import FOLLOWERS


def load_follower(root: Path, model: str) -> Observe:
    """The follower of a model of the workspace at `root`.

    `LockstepError` when the file cannot be loaded, or has no function `observe`. What the function
    raises, and what it gives that is no finding, is a `LockstepError`, too.
    """
    source = SystemFile(root, FOLLOWERS, model)
    observe: Observe | None = source.value("observe")
    if not callable(observe):
        raise LockstepError(
            f"{source.file} has no function observe",
            cure="write `def observe(logs, load, paths)`: it follows every session of some logs",
        )

    def follow(logs: Sequence[str], load: LoadModel, paths: BrokerPaths) -> Iterator[Finding]:
        with source.guarded():
            findings = observe(logs, load, paths)
            if not isinstance(findings, Iterable):
                raise TypeError(f"observe gives {type(findings).__name__}, not findings")
            for finding in findings:
                if not isinstance(finding, Finding):
                    raise TypeError(f"observe gives {type(finding).__name__}, which is no finding")
                yield finding

    return follow


def load_pieces(root: Path, model: str) -> Pieces:
    """The pieces of a model's follower, for a pipeline; `LockstepError` where one is missing."""
    source = SystemFile(root, FOLLOWERS, model)
    pieces = [name for name in (*vars(Pieces), *Pieces.__annotations__) if name[0] != "_"]
    missing = [name for name in pieces if not callable(source.value(name))]
    if missing:
        raise LockstepError(
            f"{source.file} cannot be followed in pieces: it has no {', '.join(missing)}",
            cure="write what lockstep.conform.pieces.Pieces describes, or follow it by observe",
        )
    return cast(Pieces, source.module)
