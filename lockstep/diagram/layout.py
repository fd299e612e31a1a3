"""Where the parts of a diagram stand in its picture, in pixels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from lockstep.diagram.diagram import Diagram, Fate, Message
from lockstep.diagram.notes import note_of
from lockstep.words import printable

LINE = 16
"""The height of a line of text."""
ARROW = 30
"""The height of a message with its text."""
BOX_PADDING = 8
HEAD = 36
"""The height of the names of the lanes."""

_LETTER = 7.3
"""The width of a letter, of the widest usual monospace font of the size."""
_GAP = 14
"""Between two steps."""
_BESIDE = 46
"""Between the boxes of two lanes, for the arrows that come down between them."""
_LEAST_BOX = 120
_DETOUR = 8
"""Between a box and a line that comes down beside it, or two such lines."""
_MOST_DETOURS = 3


@dataclass(frozen=True)
class Row:
    """A step: where its messages begin, its box begins, and it ends."""

    top: int
    arrows: int
    box: int
    bottom: int


@dataclass(frozen=True)
class Point:
    """A place in the picture."""

    x: int
    y: int


@dataclass(frozen=True)
class Arrow:
    """A message: it runs at the height `y` from `begin` to `end`, its text is in the `middle`.

    One that other steps overtake comes there from its `detour`, where it was sent.
    """

    message: Message
    y: int
    begin: int
    end: int
    middle: int
    detour: Point | None


@dataclass(frozen=True)
class Layout:
    """A whole picture; `lanes` are where the lanes' lines stand.

    `heights` are those of messages. `beside` numbers those that one step sent to one lane, so that
    they do not cover one another.
    """

    width: int
    height: int
    lanes: tuple[int, ...]
    half_box: int
    rows: tuple[Row, ...]
    heights: Mapping[Message, int]
    beside: Mapping[Message, int]
    ending: int | None

    def arrow(self, message: Message) -> Arrow:
        """Where a message of the diagram is drawn."""
        begin, receiver = self.lanes[message.sender], self.lanes[message.receiver]
        if begin == receiver:
            receiver = begin + self.half_box
        end = receiver if message.fate is Fate.RECEIVED else (begin + 2 * receiver) // 3
        middle, detour = (begin + receiver) // 2, None
        if 0 < message.sent < (message.ended or len(self.rows) + 1) - 1:
            way, aside = (1 if receiver > begin else -1), _DETOUR * self.beside.get(message, 0)
            departure = self.rows[message.sent - 1].bottom - BOX_PADDING - aside
            detour = Point(begin + way * self.half_box, departure)
            begin = detour.x + way * (_DETOUR + aside)
        return Arrow(message, self.heights[message], begin, end, middle, detour)

    def box(self, lane: int | None) -> tuple[int, int]:
        """Where the box of a step begins, and how wide it is; without a lane it is over all."""
        if lane is None:
            begin = self.lanes[0] - self.half_box
            return begin, self.lanes[-1] + self.half_box - begin
        return self.lanes[lane] - self.half_box, 2 * self.half_box

    def ending_text(self, diagram: Diagram) -> str:
        """What is violated, or that nothing happens any more."""
        return _ending(diagram) or ""


def _ending(diagram: Diagram) -> str | None:
    is_stopped = diagram.loop is not None and diagram.loop >= len(diagram.steps)
    texts = ["then nothing happens any more"] * is_stopped
    texts += [] if diagram.ending is None else [printable(diagram.ending)]
    return ": ".join(texts) or None


def lay_out(diagram: Diagram) -> Layout:
    """The places of all parts of a diagram."""
    half_box = _half_box(diagram)
    gap = max([2 * half_box + _BESIDE, *(_least_gap(message) for message in diagram.messages)])
    first = half_box + 2 * _GAP
    lanes = tuple(first + gap * number for number in range(len(diagram.lanes)))
    y = HEAD + _GAP
    rows: list[Row] = []
    heights: dict[Message, int] = {}
    for step in diagram.steps:
        is_first_of_loop = diagram.loop == step.number - 1
        top = y
        arrows = top + (LINE if is_first_of_loop else 0)
        y = arrows
        for message in diagram.ended_in(step.number):
            heights[message] = y = y + ARROW
        box = y + BOX_PADDING
        bottom = box + LINE * len(note_of(step).lines) + BOX_PADDING
        rows.append(Row(top, arrows, box, bottom))
        y = bottom + _GAP
    for message in diagram.under_way:
        heights[message] = y = y + ARROW
    ending = None
    text = _ending(diagram)
    if text is not None:
        ending = y + _GAP
        y = ending + LINE + BOX_PADDING + _GAP
    width = lanes[-1] + half_box + 2 * _GAP
    if text is not None:
        width = max(width, int(len(text) * _LETTER) + 6 * _GAP)
    return Layout(width, y + _GAP, lanes, half_box, tuple(rows), heights, _beside(heights), ending)


def _beside(messages: Iterable[Message]) -> dict[Message, int]:
    counts: Counter[tuple[int, int, int]] = Counter()
    beside = {}
    for message in messages:
        kind = (message.sent, message.sender, message.receiver)
        beside[message] = counts[kind] % _MOST_DETOURS
        counts[kind] += 1
    return beside


def _half_box(diagram: Diagram) -> int:
    """Half the width of a box in which the longest line of a lane's step has room."""
    lines = (
        line for step in diagram.steps if step.lane is not None for line in note_of(step).lines
    )
    longest = max([*(len(line) for line in lines), *map(len, diagram.lanes)], default=0)
    return max(_LEAST_BOX, int(longest * _LETTER) + 2 * BOX_PADDING) // 2


def _least_gap(message: Message) -> int:
    """The distance of neighbouring lanes at which a message's text has room."""
    lanes_passed = max(1, abs(message.receiver - message.sender))
    return (int(len(message.label) * _LETTER) + 2 * _GAP) // lanes_passed
