"""What a shell completes: verbs, options, and the names of the workspace."""

from __future__ import annotations

import os
from collections.abc import Callable

from typer import Context
from typer.core import TyperGroup

from lockstep.errors import LockstepError
from lockstep.requests.option import Option

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
        from lockstep.cli.names import names
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
