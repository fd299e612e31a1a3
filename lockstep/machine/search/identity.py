"""What the answer of a search depends on, so that one search is never taken for another."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from importlib.metadata import version
from pathlib import Path

from lockstep.machine.code.program import Program

_PACKAGES = ("llvmlite", "lockstep", "numba")
"""What makes the machine code."""


def search_identity(program: Program, *, deadlock_allowed: bool) -> dict[str, str]:
    """Each part that the answer depends on, by its name for readers, as a digest or a word.

    Bounds, threads and folders are no parts: they change how far a search comes, not what it says.
    The byte order is none, for words are written in one order on every machine.
    """
    model = program.model
    return {
        "the model": model.name,
        "the program": _digest(program.text),
        "the variables": _digest([[name, str(domain)] for name, domain in model.variables.items()]),
        "the initial state": _digest(program.layout.encode(model.initial)),
        "the actions": _digest([action.name for action in model.actions]),
        "the properties": _digest([[prop.name, str(prop.kind)] for prop in model.properties]),
        "the deadlock rule": "allowed" if deadlock_allowed else "forbidden",
        "the symmetry": "none" if program.symmetry is None else _digest(program.symmetry.groups),
        "the search's own code": _own_code(),
    }


def _digest(part: object) -> str:
    return hashlib.sha256(json.dumps(part).encode()).hexdigest()


@cache
def _own_code() -> str:
    """A digest of the search's sources and of what translates them."""
    return code_in(Path(__file__).parent)


def code_in(folder: Path) -> str:
    """A digest of a folder's sources and of what translates them."""
    sources = sorted(folder.glob("*.py"))
    digest = hashlib.sha256()
    for source in sources:
        digest.update(f"{source.name} {source.stat().st_size}\n".encode())
        digest.update(source.read_bytes())
    for package in _PACKAGES:
        digest.update(f"{package} {version(package)}\n".encode())
    return digest.hexdigest()
