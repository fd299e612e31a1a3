"""Options of every verb that searches: of what, what it may take, and where it leaves traces."""

from __future__ import annotations

from typing import Any

from lockstep.verbs.models import parse_size, read_constants
from lockstep.verbs.option import MOST_THREADS, option, seconds


def constants_option(what: str = "Change a constant.") -> Any:
    """The constants that take the place of a scope's, by name; `what` says what that means."""
    return option("--set", default={}, gather=read_constants, metavar="NAME=VALUE", help=what)


def states_option() -> Any:
    """The most states of a search, or None."""
    return option(
        "--max-states",
        least=1,
        metavar="N",
        help="Stop before the level that goes beyond N states.",
    )


def seconds_option(what: str = "Stop after S seconds.") -> Any:
    """The most seconds, or None; `what` says of which work."""
    return option("--max-seconds", parse=seconds, metavar="S", help=what)


def memory_option() -> Any:
    """The most bytes in memory, or None."""
    return option(
        "--memory",
        parse=parse_size,
        metavar="SIZE",
        help="Stop before more is in memory than SIZE, such as 8GiB.",
    )


def threads_option() -> Any:
    """The number of threads, or None; it changes no answer."""
    return option(
        "--threads",
        least=1,
        most=MOST_THREADS,
        metavar="N",
        is_asked_again=False,
        help="Number of threads. Default: one a core.",
    )


def save_option() -> Any:
    """Where traces are written, or None for the usual folder."""
    return option(
        "--save",
        metavar="DIR",
        is_asked_again=False,
        help="Folder for traces. Default: .lockstep/counterexamples.",
    )
