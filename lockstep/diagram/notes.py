"""What is written of a step in a diagram: a few short lines."""

from __future__ import annotations

from dataclasses import dataclass

from lockstep.diagram.diagram import DrawnStep
from lockstep.words import plural, printable

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
