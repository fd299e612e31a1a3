"""Where the parts of a diagram stand in its picture, in pixels."""

from __future__ import annotations

from dataclasses import dataclass

from lockstep.diagram.diagram import Diagram, Message
from lockstep.diagram.notes import note_of, printable

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


@dataclass(frozen=True)
class Row:
    """A step: where its messages begin, its box begins, and it ends."""

    top: int
    arrows: int
    box: int
    bottom: int


@dataclass(frozen=True)
class Layout:
    """A whole picture; `lanes` are where the lanes' lines stand."""

    width: int
    height: int
    lanes: tuple[int, ...]
    half_box: int
    rows: tuple[Row, ...]
    under_way: int
    ending: int | None

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
    rows = []
    for step in diagram.steps:
        is_first_of_loop = diagram.loop == step.number - 1
        top = y
        arrows = top + (LINE if is_first_of_loop else 0)
        box = arrows + ARROW * len(list(diagram.ended_in(step.number))) + BOX_PADDING
        bottom = box + LINE * len(note_of(step).lines) + BOX_PADDING
        rows.append(Row(top, arrows, box, bottom))
        y = bottom + _GAP
    under_way = y
    y += ARROW * len(diagram.under_way)
    ending = None
    text = _ending(diagram)
    if text is not None:
        ending = y + _GAP
        y = ending + LINE + BOX_PADDING + _GAP
    width = lanes[-1] + half_box + 2 * _GAP
    if text is not None:
        width = max(width, int(len(text) * _LETTER) + 6 * _GAP)
    return Layout(width, y + _GAP, lanes, half_box, tuple(rows), under_way, ending)


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
