"""How logs are followed through a model: the function `observe` of `models/observed/MODEL.py`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from lockstep.conform.findings import Finding, LoadModel, Observe
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
            cure="write `def observe(logs, load)`: it follows every session of some logs",
        )

    def follow(logs: Sequence[str], load: LoadModel) -> Iterator[Finding]:
        with source.guarded():
            findings = observe(logs, load)
            if not isinstance(findings, Iterable):
                raise TypeError(f"observe gives {type(findings).__name__}, not findings")
            for finding in findings:
                if not isinstance(finding, Finding):
                    raise TypeError(f"observe gives {type(finding).__name__}, which is no finding")
                yield finding

    return follow
