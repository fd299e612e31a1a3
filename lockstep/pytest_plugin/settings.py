"""What is collected in a run of pytest: of which workspace, and which kinds of claims."""

from __future__ import annotations

import os
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING

from lockstep.campaign.processes import cores
from lockstep.errors import LockstepError, nearest
from lockstep.pytest_plugin.options import KINDS, SAMPLES, SCOPE, SWITCH
from lockstep.workspace import Workspace, find_workspace

if TYPE_CHECKING:
    import pytest


class Kind(StrEnum):
    """A kind of claims; the words of the ini option `lockstep`."""

    CHECK = "check"
    FAULTS = "faults"
    PROVE = "prove"
    TWIN = "twin"
    MATRIX = "matrix"
    SAMPLES = "samples"


ALL_SCOPES = "all"
"""Stands for each scope of a model."""

USUAL_SCOPES = ("small", "default")
"""The scopes that are checked unless others are named."""


@dataclass(frozen=True)
class Settings:
    """What is collected; `scopes` are those to check, or none for the usual ones.

    `threads` is how many threads one item may take; None stands for one a core. `samples` are
    patterns of files below `root`, the root folder of the run.
    """

    workspace: Workspace
    kinds: frozenset[Kind]
    scopes: tuple[str, ...]
    threads: int | None
    root: Path
    samples: tuple[str, ...]

    @classmethod
    def of(cls, config: pytest.Config) -> Settings:
        """The settings of a run; `LockstepError` for words that mean nothing, or no workspace."""
        kinds = set(Kind) if config.getoption(SWITCH) else set(map(_kind, config.getini(KINDS)))
        workspace = find_workspace(_start(config))
        if workspace.shipped:
            raise LockstepError(
                f"there is no workspace in {_start(config)} or above it",
                cure="run pytest in the folder that has models/ and lockstep.toml",
            )
        return cls(
            workspace,
            frozenset(kinds),
            tuple(config.getoption(SCOPE)),
            _threads(),
            config.rootpath,
            tuple(config.getini(SAMPLES)),
        )

    def scopes_of(self, names: tuple[str, ...]) -> list[str]:
        """Those of a model's scopes that are to be checked."""
        if ALL_SCOPES in self.scopes:
            return list(names)
        return [name for name in names if name in (self.scopes or USUAL_SCOPES)]

    def is_sample(self, file: Path) -> bool:
        """Whether a file is a log that is said to conform."""
        if Kind.SAMPLES not in self.kinds or not file.is_relative_to(self.root):
            return False
        name = file.relative_to(self.root).as_posix()
        return any(fnmatch(name, pattern) for pattern in self.samples)


def _kind(word: str) -> Kind:
    if word not in list(Kind):
        raise LockstepError(
            f"the ini option `{KINDS}` names {word!r}, which is no kind of claims",
            cure=nearest(word, Kind, f"the kinds are: {', '.join(Kind)}"),
        )
    return Kind(word)


def _start(config: pytest.Config) -> Path:
    """Where a workspace is looked for: in the current folder, if that lies below the root."""
    here = config.invocation_params.dir
    return here if here.is_relative_to(config.rootpath) else config.rootpath


def _threads() -> int | None:
    """An equal share of the cores for each process of pytest-xdist."""
    workers = os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")
    return None if workers == "1" else max(1, cores() // int(workers))
