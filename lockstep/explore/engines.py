"""The engines by the names they have on the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lockstep.errors import LockstepError

if TYPE_CHECKING:
    from lockstep.explore.engine import Engine
    from lockstep.language.model import Model

ENGINES = ("python", "interpreter")
"""Every name that `make_engine` takes."""
DEFAULT_ENGINE = "python"


def make_engine(name: str, model: Model) -> Engine:
    """The engine of that name for one model; `LockstepError` for a name that is none."""
    match name:
        case "python":
            from lockstep.explore.plain import PlainEngine

            return PlainEngine(model)
        case "interpreter":
            from lockstep.explore.interpreter import InterpreterEngine

            return InterpreterEngine(model)
    raise LockstepError(
        f"there is no engine {name!r}", cure=f"the engines are: {', '.join(ENGINES)}"
    )
