"""The names of a workspace that a shell completes: read from its files, no model is loaded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

from lockstep.language.inventory import PROPOSALS, Inventory
from lockstep.language.syntax import FUNCTIONS, syntax_of
from lockstep.specs.tables import parse_toml

_FAULTS = "models.faults."


def names(kind: str, root: Path, models: Iterable[str], begun: str) -> list[str]:
    """The names of a kind, in alphabetical order, of some models or of all where there are none.

    `begun` is what has been written of the name: of a `version`, a model or a change of one.
    """
    chosen = tuple(models) or tuple(Inventory(root).models)
    match kind:
        case "scope" | "proof":
            return _united(_tables(root / "specs" / f"{model}.toml", kind) for model in chosen)
        case "fault":
            return _united(_faults(root, model) for model in chosen)
        case "proposal":
            return _united(_proposals(root, model) for model in chosen)
        case "version" if "." in begun:
            model = begun.partition(".")[0]
            changes = chain(_faults(root, model), _proposals(root, model))
            return sorted(f"{model}.{change}" for change in changes)
    return Inventory(root).models


def _united(several: Iterable[Iterable[str]]) -> list[str]:
    return sorted(set(chain.from_iterable(several)))


def _tables(file: Path, kind: str) -> list[str]:
    """The scopes or the proofs of a specification; none where it is not there, or damaged."""
    try:
        table = parse_toml(file.read_text(encoding="utf-8")).get(f"{kind}s")
    except (OSError, ValueError):
        return []
    return list(table) if isinstance(table, dict) else []


def _proposals(root: Path, model: str) -> Iterator[str]:
    return (file.stem for file in root.joinpath(PROPOSALS, model).glob("*.py"))


def _faults(root: Path, model: str, importers: frozenset[str] = frozenset()) -> Iterator[str]:
    """The faults of a model, those included that its file imports from those of others."""
    syntax, importers = syntax_of(root / "models" / "faults" / f"{model}.py"), importers | {model}
    for node in syntax.statements:
        if isinstance(node, FUNCTIONS):
            marks = (getattr(mark, "func", mark) for mark in node.decorator_list)
            if "lockstep.fault" in map(syntax.dotted, marks):
                yield node.name
    for name, whole in syntax.imported.items():
        module, _, last = whole.removeprefix(_FAULTS).rpartition(".")
        if whole.startswith(_FAULTS) and module and module not in importers:
            others = _faults(root, module, importers)
            yield from (other if last == "*" else name for other in others if last in ("*", other))
