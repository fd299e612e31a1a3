"""The verbs of the command `lockstep` and how its arguments are read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Annotated

from typer import Exit, Option, Typer, TyperException
from typer.core import TyperArgument, TyperGroup
from typer.main import get_command

from lockstep.cli import checking, showing, starter
from lockstep.cli.command import command, respelled
from lockstep.cli.completion import PROGRAM, complete, is_asked_for
from lockstep.errors import ExitCode, LockstepError, not_written
from lockstep.system import extensions

_OWN: tuple[Callable[..., int], ...] = (
    *(checking.check, checking.faults, checking.mutants, checking.sweep, checking.costs),
    *(showing.matrix, checking.twin, checking.prove),
    *(showing.drive, showing.explore, showing.replay, showing.report, showing.review),
    *(starter.doctor, starter.init, starter.new, starter.propose),
)

_OF_OTHERS = {point.name: point.load() for point in entry_points(group=extensions.VERBS)}

VERBS: dict[str, Callable[..., int]] = _OF_OTHERS | {verb.__name__: verb for verb in _OWN}
"""The table of verbs. Each is a function of what is asked: it shows what comes of that, and returns
the exit code. Its parameters are the requests whose fields are arguments and options, and last
whether to print JSON; its docstring is its help. Its module imports at its top only what its
signature needs, so that `lockstep --help` stays quick."""

app = Typer(
    name=PROGRAM,
    rich_markup_mode=None,
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for _name, _verb in sorted(VERBS.items()):
    app.command(_name)(command(_verb))


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
    """Write a protocol once, check every reachable state, and compare running software with it."""


def run_verb(arguments: Sequence[str]) -> int:
    """Run the verb that the arguments name and return its exit code; 2 for a mistake in them.

    What the verb raises is raised here: Typer's own `main` would turn Ctrl-C and a broken pipe into
    exit codes that mean something else.
    """
    group = _group()
    if is_asked_for():
        return complete(group)
    given = respelled(arguments)
    try:
        return _invoke(group, given)
    except Exit as end:
        return end.exit_code
    except TyperException as error:
        if not given:
            print(error.format_message())  # the help
            return int(ExitCode.USAGE)
        raise _usage_error(error, given) from None


@cache
def _group() -> TyperGroup:
    """All verbs as Typer's command; a process that runs many makes it once."""
    group = get_command(app)
    assert isinstance(group, TyperGroup)
    for verb in group.commands.values():
        for parameter in verb.params:
            # An argument's type says nothing that its name does not.
            if isinstance(parameter, TyperArgument):
                parameter.display_type_rich = lambda ctx: None  # type: ignore[method-assign]
    return group


def _invoke(group: TyperGroup, arguments: Sequence[str]) -> int:
    try:
        context = group.make_context(PROGRAM, list(arguments))
    except SystemExit as end:  # so end the options that install completion
        return int(end.code or 0)
    except OSError as error:
        raise LockstepError(not_written(Path.home(), error)) from None
    with context:
        return int(group.invoke(context) or 0)


def _usage_error(error: TyperException, given: Sequence[str]) -> LockstepError:
    """A mistake in the arguments, as every other one is printed."""
    context = getattr(error, "ctx", None)
    verb = PROGRAM if context is None else context.command_path
    message = " ".join(error.format_message().split()).removesuffix(".")
    cure = f"see `{verb} --help`"
    if context is not None and message.startswith("Missing argument") and given[-2:-1]:
        options = {flag: one for one in context.command.params for flag in one.opts}
        swallows = options.get(given[-2])
        if swallows is not None and not getattr(swallows, "is_flag", False):
            cure = f"put it before the options: {given[-2]} took {given[-1]} as its own value"
    return LockstepError(message, cure=cure)
