"""A diagram as SVG: a picture of its own, or an element of a page, light and dark.

Time runs downwards, a row a step. A message is drawn in the row of the step that receives or loses
it; one that was sent long before comes down beside its sender's lane from where that was.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, tostring

from lockstep.diagram.diagram import Diagram, DrawnStep, Fate, Message, Note, note_of
from lockstep.words import plural, printable

_STYLE = Path(__file__).with_name("svg.css")
_CROSS = 5
"""Half the size of the cross at which a message is lost."""


def to_svg(diagram: Diagram) -> str:
    """The text of an `<svg>` element, the elements of step N in a group `step-N`."""
    return tostring(svg_element(diagram), encoding="unicode")


def svg_element(diagram: Diagram) -> Element:
    """The same as an element of a tree, for pages that are made as one."""
    layout = lay_out(diagram)
    root = Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "class": "sequence",
            "role": "img",
            "aria-label": _title(diagram),
            "viewBox": f"0 0 {layout.width} {layout.height}",
            "width": str(layout.width),
            "height": str(layout.height),
        },
    )
    SubElement(root, "title").text = _title(diagram)
    SubElement(root, "desc").text = description(diagram)
    SubElement(root, "style").text = _STYLE.read_text(encoding="utf-8")
    _lanes(root, diagram, layout)
    _loop(root, diagram, layout)
    _detours(root, diagram, layout)
    for step, row in zip(diagram.steps, layout.rows, strict=True):
        _step(root, diagram, step, row, layout)
    if diagram.under_way:
        group = SubElement(root, "g", id="under-way")
        for message in diagram.under_way:
            _message(group, message, layout)
    if layout.ending is not None:
        _ending(root, diagram, layout, layout.ending)
    return root


def description(diagram: Diagram) -> str:
    """The diagram in sentences, for those who do not see it."""
    sentences = []
    for step in diagram.steps:
        where = "" if step.lane is None else f" at {diagram.lanes[step.lane]}"
        if diagram.loop == step.number - 1:
            sentences.append("For ever:")
        sentences += [_reported(diagram, message) for message in diagram.ended_in(step.number)]
        sentences.append(f"Step {step.number}{where}: {step.action}.")
    sentences += [_reported(diagram, message) for message in diagram.under_way]
    if diagram.ending is not None:
        sentences.append(f"{diagram.ending}.")
    return printable(" ".join(sentences))


def _reported(diagram: Diagram, message: Message) -> str:
    sender, receiver = diagram.lanes[message.sender], diagram.lanes[message.receiver]
    return f"{sender} to {receiver}: {message.label}."


def _title(diagram: Diagram) -> str:
    end = "" if diagram.ending is None else f", {diagram.ending}"
    return printable(f"{diagram.title}: {plural(len(diagram.steps), 'step')}{end}")


def _lanes(root: Element, diagram: Diagram, layout: Layout) -> None:
    for name, x in zip(diagram.lanes, layout.lanes, strict=True):
        group = SubElement(root, "g")
        _line(group, f"M{x} {HEAD} V{layout.height - BOX_PADDING}", "lifeline")
        width = layout.half_box
        _box(group, x - width // 2, BOX_PADDING, width, HEAD - BOX_PADDING)
        _text(group, printable(name), x, HEAD - BOX_PADDING - 4, "lane", "middle")


def _loop(root: Element, diagram: Diagram, layout: Layout) -> None:
    """A frame around what is done for ever."""
    if diagram.loop is None or diagram.loop >= len(diagram.steps):
        return
    top = layout.rows[diagram.loop].top
    group = SubElement(root, "g", {"class": "loop"})
    _box(group, 4, top, layout.width - 8, layout.rows[-1].bottom - top + BOX_PADDING // 2)
    _text(group, "loop for ever", 12, top + LINE, "text")


def _step(root: Element, diagram: Diagram, step: DrawnStep, row: Row, layout: Layout) -> None:
    group = SubElement(root, "g", {"id": f"step-{step.number}", "class": _class(step)})
    for message in diagram.ended_in(step.number):
        _message(group, message, layout)
    note = SubElement(group, "g", {"class": "note"})
    SubElement(note, "title").text = printable("\n".join((step.title, *step.changes)))
    x, width = layout.box(step.lane)
    _box(note, x, row.box, width, row.bottom - row.box)
    _note(note, note_of(step), x + BOX_PADDING, row.box + LINE)


def _class(step: DrawnStep) -> str:
    marks = {"environment": step.is_environment, "faulty": step.fault is not None}
    return " ".join(["step", *(mark for mark, is_so in marks.items() if is_so)])


def _note(group: Element, note: Note, x: int, y: int) -> None:
    _text(group, note.title, x, y, "action")
    for change in note.changes:
        y += LINE
        _text(group, change, x, y, "change")
    if note.remark is not None:
        _text(group, note.remark, x, y + LINE, "remark")


def _detours(root: Element, diagram: Diagram, layout: Layout) -> None:
    """The ways of messages that other steps overtake; boxes of other lanes stand before them."""
    for arrow in map(layout.arrow, diagram.messages):
        if arrow.detour is not None:
            group = SubElement(root, "g", {"class": _kinds(arrow.message)})
            _line(group, f"M{arrow.detour.x} {arrow.detour.y} H{arrow.begin} V{arrow.y}")


def _kinds(message: Message) -> str:
    fate = message.fate.name.lower().replace("_", "-")
    return " ".join(["message", fate, *["copy"] * message.is_copy])


def _message(parent: Element, message: Message, layout: Layout) -> None:
    arrow = layout.arrow(message)
    group = SubElement(parent, "g", {"class": _kinds(message)})
    way = 1 if arrow.end > arrow.begin else -1
    _line(group, f"M{arrow.begin} {arrow.y} H{arrow.end - way * 7}")
    if message.fate is Fate.LOST:
        size = 2 * _CROSS
        corner = f"M{arrow.end - _CROSS} {arrow.y - _CROSS}"
        _line(group, f"{corner} l{size} {size} m0 {-size} l{-size} {size}", "cross")
    else:
        _line(group, f"M{arrow.end} {arrow.y} l{-way * 9} -4 v8 z", "head")
    _text(group, printable(message.label), arrow.middle, arrow.y - 6, "text", "middle")


def _ending(root: Element, diagram: Diagram, layout: Layout, y: int) -> None:
    group = SubElement(root, "g", {"id": "ending", "class": "ending"})
    x, width = layout.box(None)
    _box(group, x, y, width, LINE + BOX_PADDING)
    _text(group, layout.ending_text(diagram), x + BOX_PADDING, y + LINE, "action")


def _box(parent: Element, x: int, y: int, width: int, height: int) -> None:
    place = {"x": x, "y": y, "width": width, "height": height, "rx": 4}
    SubElement(parent, "rect", {name: str(value) for name, value in place.items()})


def _line(parent: Element, path: str, style: str | None = None) -> None:
    SubElement(parent, "path", {"d": path} | ({} if style is None else {"class": style}))


def _text(
    parent: Element, text: str, x: int, y: int, style: str, anchor: str | None = None
) -> None:
    element = SubElement(parent, "text", {"x": str(x), "y": str(y), "class": style})
    if anchor is not None:
        element.set("text-anchor", anchor)
    element.text = text


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
        return _row_of_ending(diagram) or ""


def _row_of_ending(diagram: Diagram) -> str | None:
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
    text = _row_of_ending(diagram)
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
