"""A diagram as SVG: a picture of its own, or an element of a page, light and dark.

Time runs downwards, a row a step. A message is drawn in the row of the step that receives or loses
it; one that was sent long before comes down beside its sender's lane from where that was.
"""

from __future__ import annotations

from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, tostring

from lockstep.diagram.diagram import Diagram, DrawnStep, Fate, Message
from lockstep.diagram.layout import BOX_PADDING, HEAD, LINE, Layout, Row, lay_out
from lockstep.diagram.notes import Note, note_of
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
        sentences += [_told(diagram, message) for message in diagram.ended_in(step.number)]
        sentences.append(f"Step {step.number}{where}: {step.action}.")
    sentences += [_told(diagram, message) for message in diagram.under_way]
    if diagram.ending is not None:
        sentences.append(f"{diagram.ending}.")
    return printable(" ".join(sentences))


def _told(diagram: Diagram, message: Message) -> str:
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
