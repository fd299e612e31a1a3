"""The verbs of the command `lockstep` and how its arguments are read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated

from typer import Exit, Option, Typer, TyperException
from typer.main import get_command

from lockstep.cli.check import check
from lockstep.cli.command import command
from lockstep.cli.conform import conform
from lockstep.cli.propose import propose
from lockstep.cli.prove import prove
from lockstep.cli.replay import replay
from lockstep.cli.report import report
from lockstep.cli.review import review
from lockstep.cli.simulate import simulate
from lockstep.cli.twin import twin
from lockstep.errors import ExitCode
from lockstep.system.standard_streams import tell

VERBS: dict[str, Callable[..., int]] = {
    "check": command(check),
    "conform": command(conform),
    "propose": command(propose),
    "prove": command(prove),
    "replay": command(replay),
    "report": command(report),
    "review": command(review),
    "simulate": command(simulate),
    "twin": command(twin),
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


def _print_version(is_wanted: bool) -> None:
    if is_wanted:
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


def run_verb(arguments: Sequence[str]) -> int:
    """Run the verb that the arguments name and return its exit code; 2 for a mistake in them.

    What the verb raises is raised here: Typer's own `main` would turn Ctrl-C and a broken pipe into
    exit codes that mean something else.
    """
    command = get_command(app)
    try:
        with command.make_context("lockstep", list(arguments)) as context:
            return int(command.invoke(context) or 0)
    except Exit as end:
        return end.exit_code
    except TyperException as error:
        _print_usage_error(error)
        return int(ExitCode.USAGE)


def _print_usage_error(error: TyperException) -> None:
    show = getattr(error, "show", None)
    if show is None:
        tell(f"lockstep: {error}")
    else:
        show()
