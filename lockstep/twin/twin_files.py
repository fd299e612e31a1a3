"""Which files a twin is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lockstep.errors import LockstepError
from lockstep.specs.scopes import ModelSpec


@dataclass(frozen=True)
class TwinFiles:
    """The twin's root module and what its configurations have in common."""

    module: Path
    template: Path


def twin_files(root: Path, spec: ModelSpec) -> TwinFiles:
    """The files of a model's twin; LockstepError when it has none, or they are not there."""
    if spec.twin is None:
        raise LockstepError(
            f"{spec.name} has no twin",
            cure=f"write tla/MC...tla and .cfg, and name the twin in specs/{spec.name}.toml",
        )
    folder = root / "tla"
    files = TwinFiles(folder / f"MC{spec.twin}.tla", folder / f"MC{spec.twin}.cfg")
    for file in (files.module, files.template):
        if not file.is_file():
            raise LockstepError(
                f"the twin {spec.twin} of {spec.name} lacks {file}",
                cure="a twin has a module of bounds MC<twin>.tla, and MC<twin>.cfg",
            )
    return files
