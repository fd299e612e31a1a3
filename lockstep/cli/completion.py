"""What a shell completes: verbs, options, and the names of the workspace."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path

from typer import Context
from typer.core import TyperGroup

from lockstep.errors import LockstepError
from lockstep.language.inventory import PROPOSALS, Inventory
from lockstep.language.syntax import FUNCTIONS, syntax_of
from lockstep.requests.option import Option
from lockstep.specs.tables import parse_toml

PROGRAM = "lockstep"

_ASKED_BY = "_LOCKSTEP_COMPLETE"
"""The variable by which the script of a shell asks for words."""

_KINDS = {
    "MODEL": "model",
    "MODEL|NAME=VALUES": "model",
    "BASE HEAD": "version",
    "--scope": "scope",
    "--proof": "proof",
    "--fault": "fault",
    "--proposal": "proposal",
}
"""The kind of names that a flag takes, or what a metavar stands for."""

Completion = Callable[[Context, str], list[str]]


def is_asked_for() -> bool:
    """Whether the process was started by a shell that wants to complete a line."""
    return _ASKED_BY in os.environ


def complete(command: TyperGroup) -> int:
    """Answer the shell; the exit code. A mistake of ours is silent: the line is being typed."""
    try:
        command.main([], prog_name=PROGRAM)
    except SystemExit as end:
        return int(end.code or 0)
    except Exception:
        return 1
    return 0


def completion_of(shown: Option) -> Completion | None:
    """What gives the values of an option or argument; None where the shell knows best."""
    metavar = shown.shown_value or ""
    if "|" in metavar and "NAME" not in metavar:
        return _among([word for word in metavar.split("|") if word != word.upper()])
    kind = _KINDS.get(shown.flags[0] if shown.flags else "") or _KINDS.get(metavar)
    return None if kind is None else _in_workspace(kind)


def _among(words: list[str]) -> Completion:
    def complete(ctx: Context, incomplete: str) -> list[str]:
        return words

    return complete


def _in_workspace(kind: str) -> Completion:
    def complete(ctx: Context, incomplete: str) -> list[str]:
        from lockstep.workspace import find_workspace

        given = ctx.params
        # A flag without its value, as here, keeps Typer from sorting what stands before it.
        models = given.get("models") or given.get("model") or ctx.args
        chosen = (models,) if isinstance(models, str) else tuple(models)
        try:
            workspace = given.get("workspace") or find_workspace()
            return names(kind, workspace.root, chosen, incomplete)
        except (LockstepError, OSError):
            return []

    return complete


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
