"""Options: fields of a request that say how they are given on a command line.

A request is a dataclass. Each field that `option` makes is named, typed and explained once, for
Python and for the command line alike; those that several verbs have are here.
"""

from __future__ import annotations

import json
import math
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields
from typing import Any, ClassVar

from lockstep.errors import LockstepError, unknown
from lockstep.specs.tables import Plain, parse_plain
from lockstep.words import TOGETHER, shown_path
from lockstep.workspace import KAFKA, Workspace, open_workspace

_KEY = "option"

REQUIRED = object()
"""Stands for the default of what has none."""


@dataclass(frozen=True)
class Option:
    """How one field is given: by one of `flags`, or by its place where there are none.

    `parse` makes the value of one text, and `ValueError` says what is wrong with it; `gather` makes
    it of all texts where an option can be given again and again. Numbers are within `least` and
    `most`, and a text is one of the `choices`, if there are any. What `is_asked_again` is part of a
    command that reproduces a result.
    """

    help: str
    flags: tuple[str, ...] = ()
    metavar: str | None = None
    least: int | None = None
    most: int | None = None
    choices: tuple[str, ...] = ()
    parse: Callable[[str], Any] | None = None
    gather: Callable[[tuple[str, ...]], Any] | None = None
    is_asked_again: bool = True

    @property
    def shown_value(self) -> str | None:
        """What stands for its value in a help text."""
        return self.metavar or "|".join(self.choices) or None


def option(*flags: str, default: Any = None, **described: Any) -> Any:
    """A field that is given by a flag; `described` are fields of `Option`.

    It has to be given where its `default` is `REQUIRED`.
    """
    metadata = {_KEY: Option(flags=flags, **described)}
    if default is REQUIRED:
        return field(metadata=metadata)
    if isinstance(default, dict):
        return field(default_factory=dict, metadata=metadata)
    return field(default=default, metadata=metadata)


def option_of(described: Field[Any]) -> Option | None:
    """How a field of a request is given; None where the command line does not give it."""
    shown: Option | None = described.metadata.get(_KEY)
    return shown


def command_line(verb: str, request: Any, *models: str) -> str:
    """The command that asks the same again of some models, only what differs from the defaults."""
    parts = ["lockstep", verb, *models]
    for described in fields(request):
        shown = option_of(described)
        if shown is not None and shown.is_asked_again and _is_given(request, described, shown):
            parts += _given(shown.flags[0], getattr(request, described.name), shown)
    return " ".join(parts)


def given_flags(*requests: Any) -> tuple[str, ...]:
    """The flag of each option of some requests that has another value than its default."""
    return tuple(
        shown.flags[0]
        for request in requests
        for described in fields(request)
        if (shown := option_of(described)) is not None and _is_given(request, described, shown)
    )


def _is_given(request: Any, described: Field[Any], shown: Option) -> bool:
    """Whether an option with a flag has another value than its default."""
    factory = described.default_factory
    default = described.default if factory is MISSING else factory()
    return bool(shown.flags) and getattr(request, described.name) != default


def _given(flag: str, value: Any, shown: Option) -> list[str]:
    if value is True:
        return [flag]
    if isinstance(value, Mapping):
        pairs = (f"{name}={shlex.quote(json.dumps(part))}" for name, part in value.items())
        return [part for pair in pairs for part in (flag, pair)]
    if isinstance(value, tuple):
        return [part for text in value for part in (flag, shlex.quote(str(text)))]
    if isinstance(value, float):
        return [flag, f"{value:g}"]
    if shown.metavar == "SIZE":
        return [flag, f"{value}B"]
    return [flag, shlex.quote(str(value))]


@dataclass(frozen=True)
class Request:
    """What is asked of a verb; `LockstepError` where one part of it contradicts another.

    `apart` are flags with those that they do not go with.
    """

    apart: ClassVar[Mapping[str, tuple[str, ...]]] = {}

    def __post_init__(self) -> None:
        for described in fields(self):
            shown, value = option_of(described), getattr(self, described.name)
            if shown is not None and shown.choices and value not in shown.choices:
                raise LockstepError(
                    f"there is no {described.name} {value!r}",
                    cure=f"the {described.name}s are: {', '.join(shown.choices)}",
                )
        refuse_contradictions([self])


MOST_THREADS = 1_024
"""More than this is a slip of the pen: each thread takes memory of its own."""

MOST_SECONDS = 1e9
"""Thirty years; the clocks of operating systems cannot wait for much longer."""


def seconds(text: str) -> float:
    """A bound on time, in seconds from 0 up; `ValueError` for a text that is none."""
    try:
        value = float(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a number of seconds") from None
    if not math.isfinite(value) or not 0 <= value <= MOST_SECONDS:
        raise ValueError(f"{text!r} is not between 0 and {MOST_SECONDS:,.0f} seconds")
    return value


def workspace_option() -> Any:
    """Where the models are; that of the current folder by default."""
    return option(
        "--workspace",
        parse=open_workspace,
        metavar=f"DIR|{KAFKA}",
        help="The workspace to look for models in.",
    )


def fault_option() -> Any:
    """The name of a fault, or None; of several that are in place at once, `A+B`."""
    return option(
        "--fault",
        gather=lambda names: TOGETHER.join(names) or None,
        metavar="NAME",
        help="Put a fault of the model in place; repeat it for several at once.",
    )


def constants_option(what: str = "Change a constant.") -> Any:
    """The constants that take the place of a scope's, by name; `what` says what that means."""
    return option("--set", default={}, gather=read_constants, metavar="NAME=VALUE", help=what)


def seconds_option(what: str = "Stop after S seconds.", default: float | None = None) -> Any:
    """The most seconds, or None; `what` says of which work."""
    return option("--max-seconds", default=default, parse=seconds, metavar="S", help=what)


def spill_option() -> Any:
    """The folder of the states beyond the bound on memory, or None."""
    return option(
        "--spill",
        metavar="DIR",
        help="Keep states beyond --memory in a folder, which is empty again at the end.",
    )


def liveness_option() -> Any:
    """Whether liveness is checked in scopes of any size."""
    return option(
        "--liveness", default=False, help="Check what must come to pass in larger scopes, too."
    )


def save_option(what: str = "Folder for traces. Default: .lockstep/counterexamples.") -> Any:
    """Where traces are written, or None; `what` says what that means."""
    return option("--save", metavar="DIR", is_asked_again=False, help=what)


def changed_option() -> Any:
    """The git revision since which a change can affect the models that are meant, or None."""
    return option(
        "--changed",
        metavar="REV",
        is_asked_again=False,
        help="Check only what a change since a git revision can affect.",
    )


def anew_option() -> Any:
    """Whether what an earlier run has decided is decided again."""
    return option(
        "--no-cache",
        default=False,
        is_asked_again=False,
        help="Ignore cached results of earlier runs.",
    )


def refuse_contradictions(requests: Sequence[Any], *more: str) -> None:
    """`LockstepError` where two flags are given of which one of some requests says `apart`.

    `more` are given beside those of the requests.
    """
    given = (*given_flags(*requests), *more)
    for kind in (kind for request in requests for kind in type(request).__mro__):
        for flag, others in vars(kind).get("apart", {}).items():
            for other in others:
                if flag in given and other in given:
                    raise LockstepError(f"{flag} does not go with {other}", cure="leave one out")


def choose(names: Sequence[str], workspace: Workspace) -> list[str]:
    """The models meant: those named, or all; `LockstepError` suggesting the nearest for a typo."""
    models = workspace.models()
    if not models:
        raise LockstepError(
            f"the workspace {workspace.name} ({workspace.root}) has no models",
            cure="write one in models/: a class derived from State, and actions",
        )
    for name in names:
        if name not in models:
            raise unknown(
                f"there is no model {name!r}", name, models, "the models are", "in models/"
            )
    return list(dict.fromkeys(names)) or models


def refuse_unread(workspace: Workspace) -> None:
    """`LockstepError` where claims, faults or scopes are in files that nothing reads."""
    files = [file for file in workspace.unused() if file.is_mistake]
    if files:
        lines = "; ".join(f"{shown_path(file.file)}: {file.why}" for file in files)
        raise LockstepError(
            f"not read: {lines}", cure="rename it, remove it, or name the models that are meant"
        )


def refuse_shipped(workspace: Workspace, cure: str) -> None:
    """`LockstepError` where files would be written into the workspace that came with lockstep."""
    if workspace.shipped:
        raise LockstepError(
            f"the workspace {workspace.name} came with lockstep, and is not changed", cure=cure
        )


_SIZE = re.compile(r"([0-9]{1,18}(?:\.[0-9]+)?)\s*([KMGT]i?)?B?", re.IGNORECASE)


def parse_size(text: str) -> int:
    """Bytes of a size such as `8GiB`, `500M` or `1.5 GB`; KB and MB count by thousands."""
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        raise LockstepError(f"--memory {text!r} is no size", cure="write it as 8GiB or 500MB")
    number, unit = float(match[1]), (match[2] or "").upper()
    power = " KMGT".index(unit[0]) if unit else 0
    return int(number * (1024 if unit.endswith("I") else 1000) ** power)


def read_constants(texts: Sequence[str]) -> dict[str, Plain]:
    """What `--set NAME=VALUE` sets; `LockstepError` for what is not so written."""
    constants: dict[str, Plain] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip().isidentifier():
            raise LockstepError(f"--set {text!r} sets nothing", cure="write --set NAME=VALUE")
        if name.strip() in constants:
            raise LockstepError(f"--set gives {name.strip()} two values", cure="leave one out")
        constants[name.strip()] = parse_plain(value.strip())
    return constants
