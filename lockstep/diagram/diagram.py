"""A sequence diagram: lanes, steps, messages from lane to lane, and notes on what changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

from lockstep.results.notebook import ShownInNotebooks
from lockstep.words import plural, printable


class Fate(Enum):
    """What becomes of a message."""

    RECEIVED = "received"
    LOST = "lost"
    UNDER_WAY = "still under way"


@dataclass(frozen=True)
class Message:
    """A message from one lane to another.

    It is sent in the step `sent`, 0 where it was under way before the first one, and ends in the
    step `ended`: the one in which it is received or lost. One that is still under way at the end
    has None there. A copy is another arrival of a message that was sent once.
    """

    text: str
    sender: int
    receiver: int
    sent: int
    ended: int | None = None
    fate: Fate = Fate.UNDER_WAY
    is_copy: bool = False

    @property
    def is_late(self) -> bool:
        """Whether another step happened between its sending and its end."""
        return self.ended is not None and self.ended > self.sent + 1

    @property
    def label(self) -> str:
        """Its text, with what is out of the ordinary about it."""
        remarks = ["copy"] * self.is_copy
        if self.fate is not Fate.RECEIVED:
            remarks.append(self.fate.value)
        elif self.is_late and self.sent:
            remarks.append(f"sent in step {self.sent}")
        return f"{self.text} ({', '.join(remarks)})" if remarks else self.text


@dataclass(frozen=True)
class DrawnStep:
    """A step of the behaviour, the first of which has number 1.

    `lane` is None where it happens to nobody in particular. `changes` are what it changes, one text
    each, but for messages that are drawn. `fault` says how a fault has to do with it.
    """

    number: int
    action: str
    parameters: tuple[str, ...]
    lane: int | None
    changes: tuple[str, ...]
    is_environment: bool = False
    fault: str | None = None

    @property
    def title(self) -> str:
        """The action with its parameters: `serve(c=c1)`."""
        return f"{self.action}({', '.join(self.parameters)})"


@dataclass(frozen=True)
class Diagram(ShownInNotebooks):
    """A behaviour as it is drawn: `lanes` are the names of those who take part, left to right.

    With `loop`, the steps after that number are taken for ever; where there are none, nothing
    happens any more. `ending` says what is violated at the end, None where nothing is.
    """

    title: str
    lanes: tuple[str, ...]
    steps: tuple[DrawnStep, ...]
    messages: tuple[Message, ...]
    loop: int | None = None
    ending: str | None = None

    def ended_in(self, number: int) -> Iterator[Message]:
        """The messages that are received or lost in a step, in the order of their sending."""
        return iter(self._by_end.get(number, ()))

    @cached_property
    def _by_end(self) -> dict[int | None, list[Message]]:
        by_end: dict[int | None, list[Message]] = {}
        for message in sorted(self.messages, key=lambda message: message.sent):
            by_end.setdefault(message.ended, []).append(message)
        return by_end

    @property
    def under_way(self) -> tuple[Message, ...]:
        """The messages that are neither received nor lost."""
        return tuple(self._by_end.get(None, ()))


WIDTH = 38
"""Characters of a line."""

_MOST_CHANGES = 4
_MORE = "\N{HORIZONTAL ELLIPSIS}"


@dataclass(frozen=True)
class Note:
    """The lines of one step: the first says what it is, the others what it changed."""

    title: str
    changes: tuple[str, ...]
    remark: str | None

    @property
    def lines(self) -> tuple[str, ...]:
        """All of them."""
        return (self.title, *self.changes, *([self.remark] if self.remark else []))


def note_of(step: DrawnStep) -> Note:
    """The note of a step; what is too long ends in an ellipsis."""
    changes = [shortened(change) for change in step.changes[:_MOST_CHANGES]]
    if (more := len(step.changes) - _MOST_CHANGES) > 0:
        changes[-1:] = [f"and {plural(more + 1, 'other change')}"]
    title = _title(step)
    return Note(title, tuple(changes), None if step.fault is None else printable(step.fault))


def _title(step: DrawnStep) -> str:
    """The number, the action, and those of its parameters that there is room for."""
    whole = printable(f"{step.number} {step.title}")
    if len(whole) <= WIDTH:
        return whole
    shown: list[str] = []
    for parameter in step.parameters:
        text = printable(f"{step.number} {step.action}({', '.join([*shown, parameter, _MORE])})")
        if len(text) > WIDTH:
            break
        shown.append(parameter)
    return shortened(f"{step.number} {step.action}({', '.join([*shown, _MORE])})")


def shortened(text: str) -> str:
    """A text of at most `WIDTH` characters, all of them printable."""
    text = printable(text)
    return text if len(text) <= WIDTH else text[: WIDTH - 1] + _MORE
