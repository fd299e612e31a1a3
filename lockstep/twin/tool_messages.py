"""TLC's `-tool` output: messages between markers that carry a code, so that no English is parsed.

A message is everything between a line that ends in `@!@!@STARTMSG 2110:1 @!@!@` (its code and its
severity) and the line `@!@!@ENDMSG 2110 @!@!@`. One message may stand inside another. Lines outside
of any message are the parser's, or what the module prints. The codes are those of class
tlc2.output.EC in TLC's source.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from pathlib import Path

from lockstep.errors import LockstepError
from lockstep.language.source import Diagnostic, Place


class Code(IntEnum):
    """The messages that are acted upon."""

    INVARIANT_VIOLATED_INITIALLY = 2107
    PROPERTY_VIOLATED_INITIALLY = 2108
    INVARIANT_VIOLATED = 2110
    ACTION_PROPERTY_VIOLATED = 2112
    DEADLOCK = 2114
    TEMPORAL_PROPERTY_VIOLATED = 2116
    BEHAVIOUR_FOLLOWS = 2121
    BACK_TO_STATE = 2122
    INITIAL_STATES = 2190
    """The number of distinct initial states."""
    INITIAL_STATES_REPEATED = 2191
    """The number of initial states generated and the number of distinct ones."""
    FINISHED = 2186
    """TLC's last words, whatever it found."""
    SUCCESS = 2193
    SEARCH_DEPTH = 2194
    STATISTICS = 2199
    PROGRESS = 2200
    STATE = 2217
    STUTTERING = 2218
    PARSER_FINISHED = 2219
    PARSER_STARTED = 2220
    VERSION = 2262
    COUNTEREXAMPLE_FOLLOWS = 2264
    PARSING_FAILED = 3002


class Severity(IntEnum):
    """How much a message matters."""

    NONE = 0
    ERROR = 1
    BUG_IN_TLC = 2
    WARNING = 3
    STATE = 4


@dataclass
class ToolMessage:
    """A message, with the text of those inside it; `code` is None for a line outside of any."""

    code: int | None
    severity: int = Severity.NONE
    lines: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The message without the line breaks around it."""
        return "\n".join(self.lines).strip()


_START = re.compile(r"@!@!@STARTMSG (-?\d+):(\d+) @!@!@$")
_END = re.compile(r"@!@!@ENDMSG -?\d+ @!@!@$")


def read_messages(lines: Iterable[str]) -> Iterator[ToolMessage]:
    """The outermost messages, each once it is complete; one that is cut off is left out."""
    open_messages: list[ToolMessage] = []
    for raw in lines:
        line = raw.rstrip("\r\n")
        start = _START.search(line)
        if start is not None:
            before = line[: start.start()]
            if before and open_messages:
                open_messages[-1].lines.append(before)
            open_messages.append(ToolMessage(int(start.group(1)), int(start.group(2))))
        elif open_messages and _END.search(line):
            message = open_messages.pop()
            if open_messages:
                open_messages[-1].lines.extend(message.lines)
            else:
                yield message
        elif open_messages:
            open_messages[-1].lines.append(line)
        else:
            yield ToolMessage(None, Severity.NONE, [line])


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
            "\n  ".join([f"TLC cannot check {module}:", what, *_reported(behaviour)]),
            cure="mend the twin",
        )
    shown = Diagnostic(
        "twin",
        place,
        what,
        "TLC cannot check the twin as it stands",
        "mend the line shown, or what leads to it",
    )
    return TwinUnusable("\n  ".join([shown.render(), *_reported(behaviour)]))


def _reported(behaviour: Sequence[str]) -> list[str]:
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
