"""The options of the plugin, which every run of pytest reads."""

from __future__ import annotations

import os
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from lockstep.campaign.processes import cores
from lockstep.errors import LockstepError, unknown
from lockstep.specs.scopes import DEFAULT_SCOPE, load_model_spec
from lockstep.workspace import KAFKA, NoWorkspace, Workspace, find_workspace, open_workspace

if TYPE_CHECKING:
    import pytest


SWITCH = "--lockstep"
SCOPE = "--lockstep-scope"
KINDS = "lockstep"
SAMPLES = "lockstep_samples"
MARKER = "lockstep"


def declare(parser: pytest.Parser) -> None:
    """Declare the options."""
    group = parser.getgroup("lockstep", "the claims of a workspace as tests")
    group.addoption(
        SWITCH,
        action="store_true",
        help="Collect all that the workspace claims: its models in their scopes, faults, proofs, "
        "twins and requirements.",
    )
    group.addoption(
        SCOPE,
        action="append",
        default=[],
        metavar="NAME",
        help="A scope to check in place of `small` and `default`, such as `large`; `all` for each.",
    )
    parser.addini(
        KINDS,
        "What is collected without --lockstep, too: check, faults, prove, twin, matrix, samples.",
        type="args",
        default=[],
    )
    parser.addini(
        SAMPLES,
        "Recorded logs that conform: patterns of files below the root folder.",
        type="linelist",
        default=[],
    )


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
    patterns of files below `root`, the root folder of the run; they need no workspace.
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
        return cls(
            _workspace(_start(config), is_needed=kinds != {Kind.SAMPLES}),
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

    def logs(self) -> list[Path]:
        """The files that are said to conform; `LockstepError` for a pattern that fits none."""
        if Kind.SAMPLES not in self.kinds:
            return []
        logs: list[Path] = []
        for pattern in self.samples:
            fitting = sorted(self.root.glob(pattern))
            if not fitting:
                raise LockstepError(
                    f"the ini option `{SAMPLES}` has the pattern {pattern!r}, which fits no file",
                    cure=f"patterns are relative to {self.root}",
                )
            logs += fitting
        return logs

    def refuse_unknown_scopes(self) -> None:
        """`LockstepError` for a scope that no model has: nothing would be checked in it."""
        if not self.scopes:
            return
        root = self.workspace.root
        specs = [load_model_spec(root, model) for model in self.workspace.models()]
        known = {scope for spec in specs for scope in spec.scopes} | {ALL_SCOPES, DEFAULT_SCOPE}
        for name in self.scopes:
            if name not in known:
                problem = f"{SCOPE} {name}: no model has such a scope"
                raise unknown(problem, name, sorted(known), "there are")


def _workspace(start: Path, *, is_needed: bool) -> Workspace:
    """The workspace whose claims are collected; that of lockstep itself where none is needed."""
    try:
        workspace = find_workspace(start)
    except NoWorkspace:
        if is_needed:
            raise
        workspace = open_workspace(KAFKA)
    if is_needed and workspace.shipped:
        raise LockstepError(
            f"there is no workspace in {start} or above it",
            cure="run pytest in the folder that has models/ and lockstep.toml",
        )
    return workspace


def _kind(word: str) -> Kind:
    if word not in list(Kind):
        problem = f"the ini option `{KINDS}` names {word!r}, which is no kind of claims"
        raise unknown(problem, word, Kind, "the kinds are")
    return Kind(word)


def _start(config: pytest.Config) -> Path:
    """Where a workspace is looked for: in the current folder, if that lies below the root."""
    here = config.invocation_params.dir
    return here if here.is_relative_to(config.rootpath) else config.rootpath


def _threads() -> int | None:
    """An equal share of the cores for each process of pytest-xdist."""
    workers = os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")
    return None if workers == "1" else max(1, cores() // int(workers))
