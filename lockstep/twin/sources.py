"""The names that a twin's modules use, read off their text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from lockstep.errors import LockstepError
from lockstep.system.text_files import is_file, read_text
from lockstep.twin.names import definition_name

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
