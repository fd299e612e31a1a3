"""TLC's `-tool` output: messages between markers that carry a code, so that no English is parsed.

A message is everything between a line that ends in `@!@!@STARTMSG 2110:1 @!@!@` (its code and its
severity) and the line `@!@!@ENDMSG 2110 @!@!@`. One message may stand inside another. Lines outside
of any message are the parser's, or what the module prints. The codes are those of class
tlc2.output.EC in TLC's source.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import IntEnum


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
