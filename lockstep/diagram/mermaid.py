"""A diagram as text of Mermaid, which GitHub and many wikis draw.

A message is drawn where it arrives or is lost, and says when it was sent if that was not just
before: Mermaid has no arrow from one step to a later one.
"""

from __future__ import annotations

from collections.abc import Iterator

from lockstep.diagram.diagram import Diagram, DrawnStep, Fate, Message, note_of
from lockstep.words import printable

_ARROWS = {Fate.RECEIVED: "->>", Fate.LOST: "-x", Fate.UNDER_WAY: "--)"}
_SPECIAL = frozenset('#;<&%"`\\')
"""What ends a text, or begins markup, a directive or a number of a letter."""


def to_mermaid(diagram: Diagram) -> str:
    """The text of the diagram, one statement a line."""
    return "".join(f"{line}\n" for line in _lines(diagram))


def _lines(diagram: Diagram) -> Iterator[str]:
    yield "sequenceDiagram"
    for number, name in enumerate(diagram.lanes):
        yield f"  participant L{number} as {_text(name)}"
    margin = "  "
    for step in diagram.steps:
        if diagram.loop == step.number - 1:
            yield "  loop for ever"
            margin = "    "
        for message in diagram.ended_in(step.number):
            yield margin + _arrow(message)
        yield f"{margin}Note over {_place(diagram, step)}: {_note(step)}"
    if diagram.loop is not None and diagram.loop < len(diagram.steps):
        yield "  end"
    for message in diagram.under_way:
        yield f"  {_arrow(message)}"
    if diagram.loop is not None and diagram.loop >= len(diagram.steps):
        yield f"  Note over {_everywhere(diagram)}: then nothing happens any more"
    if diagram.ending is not None:
        yield f"  Note over {_everywhere(diagram)}: {_text(diagram.ending)}"


def _arrow(message: Message) -> str:
    arrow = _ARROWS[message.fate]
    if message.is_copy and message.fate is Fate.RECEIVED:
        arrow = "-->>"
    return f"L{message.sender}{arrow}L{message.receiver}: {_text(message.label)}"


def _place(diagram: Diagram, step: DrawnStep) -> str:
    return _everywhere(diagram) if step.lane is None else f"L{step.lane}"


def _everywhere(diagram: Diagram) -> str:
    return "L0" if len(diagram.lanes) == 1 else f"L0,L{len(diagram.lanes) - 1}"


def _note(step: DrawnStep) -> str:
    return "<br/>".join(map(_text, note_of(step).lines))


def _text(text: str) -> str:
    """A text with whatever means something to Mermaid, or to a page, written by its number."""
    return "".join(
        f"#{ord(letter)};" if letter in _SPECIAL else letter for letter in printable(text)
    )
