"""What TLC finds wrong with a module or a configuration, shown with the line it means."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from lockstep.errors import LockstepError
from lockstep.language.source import Diagnostic, Place

# `line 5, col 13 to line 5, col 20 of module M`, and in the parser's words `at line 7, column 1`
# after or before a line that names the module.
_SPAN = re.compile(r"line (\d+), col (\d+) to line (\d+), col (\d+) of module (\w+)")
_POINT = re.compile(r"\bat line (\d+), column (\d+)")
_NESTED = re.compile(r"^0\. Line (\d+), column (\d+) to line (\d+), column (\d+) in (\w+)", re.M)
_MODULE = re.compile(r"(?:in file|In module|Could not parse module) (\w+)")
_CONFIG_LINE = re.compile(r"configuration file at line (\d+)")

_CHATTER = re.compile(
    r"TLC threw an unexpected exception\."
    r"|This was probably caused by an error in the spec or model\."
    r"|See the User Output or TLC Console for clues to what happened\."
    r"|The exception was an? [\w.$]+"
    r"|Parsing or semantic analysis failed\."
    r"|Semantic errors:|\*\*\*.*"
    r"|Fatal errors while parsing TLA\+ spec in file \w+"
    r"|tla2sany\.semantic\.AbortException|Unknown location"
    r"|In module \w+|Could not parse module \w+ from file .*"
)
# What comes after these lists the expressions or the rules of grammar that were open.
_STACKS = ("Residual stack trace follows", "The error occurred when TLC was evaluating")


class TwinUnusable(LockstepError):
    """TLC cannot check the twin: a module or the configuration is not well formed."""


def unusable(
    message: str, module: Path, config: Path, behaviour: Sequence[str] = ()
) -> TwinUnusable:
    """The error to raise for what TLC says of `module`, the root module, or of `config`.

    The line meant is shown where TLC names one in a file beside `module` or in `config`, and the
    lines of the behaviour that gets there, if it takes one.
    """
    what = _essence(message) or "TLC cannot check the twin and does not say why"
    place = _place(message, module, config)
    if place is None:
        return TwinUnusable(
            "\n  ".join([f"TLC cannot check {module}:", what, *_told(behaviour)]),
            cure="mend the twin",
        )
    shown = Diagnostic(
        "twin",
        place,
        what,
        "TLC cannot check the twin as it stands",
        "mend the line shown, or what leads to it",
    )
    return TwinUnusable("\n  ".join([shown.render(), *_told(behaviour)]))


def _told(behaviour: Sequence[str]) -> list[str]:
    return ["the steps that lead there:", *(f"  {line}" for line in behaviour)] if behaviour else []


def _essence(message: str) -> str:
    kept: list[str] = []
    for line in message.splitlines():
        text = line.strip().removeprefix(":").strip()
        if text.startswith(_STACKS):
            break
        if text and not _CHATTER.fullmatch(text) and not _SPAN.fullmatch(text):
            kept.append(text)
    # The parser repeats itself for every module that extends the one it means.
    return " ".join(dict.fromkeys(kept))


def _place(message: str, module: Path, config: Path) -> Place | None:
    match = _CONFIG_LINE.search(message)
    if match is not None:
        return _existing(config, int(match[1]), 1)
    match = _SPAN.search(message) or _NESTED.search(message)
    if match is not None:
        line, column, end_line, end_column = (int(number) for number in match.groups()[:4])
        file = module.with_name(f"{match[5]}.tla")
        return _existing(file, line, column, end_line, end_column)
    match, named = _POINT.search(message), _MODULE.findall(message)
    if match is None or not named:
        return None
    # The root module comes first, the one that it could not extend last.
    return _existing(module.with_name(f"{named[-1]}.tla"), int(match[1]), int(match[2]))


def _existing(
    file: Path, line: int, column: int, end_line: int | None = None, end_column: int | None = None
) -> Place | None:
    """The place, TLC's columns counting from 1 and ending in the last character meant."""
    if not file.is_file():
        return None
    return Place(file, line, column - 1, end_line or line, end_column or column)
