"""The command `lockstep`: its verbs, and how the process ends."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Sequence
from typing import Annotated

from typer import Exit, Option, Typer, TyperException

from lockstep.cli.check import check
from lockstep.cli.conform import conform
from lockstep.cli.exits import INTERRUPTED
from lockstep.cli.prove import prove
from lockstep.cli.replay import replay
from lockstep.cli.twin import twin
from lockstep.errors import ExitCode, LockstepError

VERBS: dict[str, Callable[..., int]] = {
    "check": check,
    "conform": conform,
    "prove": prove,
    "replay": replay,
    "twin": twin,
}
"""Each verb and its function, which returns the exit code. A verb's module imports at its top only
what its signature needs, so that `lockstep --help` stays quick."""

app = Typer(
    name="lockstep",
    rich_markup_mode=None,
    add_completion=False,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for _name, _verb in VERBS.items():
    app.command(_name)(_verb)


def _print_version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        print(f"lockstep {version('lockstep')}")
        raise Exit


@app.callback()
def lockstep(
    version: Annotated[
        bool,
        Option("--version", callback=_print_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """Write a protocol once, check every reachable state, and hold running software against it."""


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command with `arguments` (by default the process's) and return its exit code.

    Failures meant for the reader go to standard error without a traceback. Anything else that is
    raised is a mistake in lockstep itself and keeps its traceback.
    """
    try:
        code = app(
            args=None if arguments is None else list(arguments),
            prog_name="lockstep",
            standalone_mode=False,
        )
    except LockstepError as error:
        print(f"lockstep: {error}", file=sys.stderr)
        return int(error.exit_code)
    except TyperException as error:
        _print_usage_error(error)
        return int(ExitCode.USAGE)
    except KeyboardInterrupt:
        code = INTERRUPTED
    if code == INTERRUPTED:
        print("lockstep: interrupted", file=sys.stderr)
    return int(code or 0)


def _print_usage_error(error: TyperException) -> None:
    show = getattr(error, "show", None)
    if show is None:
        print(f"lockstep: {error}", file=sys.stderr)
    else:
        show()


def main() -> None:
    """The entry point of the installed command."""
    # Most of what a model is made of lives until the end: looking for garbage takes a tenth of the
    # time until a search begins. And nothing here uses the threads of numpy's linear algebra.
    gc.set_threshold(100_000, 50, 50)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Names and texts of a workspace may hold what the terminal's encoding cannot show.
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
    sys.exit(run())
