"""A replayed behaviour in pictures: files that show it, and parts of other pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from lockstep.diagram.diagram import Diagram
from lockstep.diagram.mermaid import to_mermaid
from lockstep.diagram.sequence import sequence
from lockstep.diagram.svg import svg_element, to_svg
from lockstep.report.page import Figure, Lines
from lockstep.report.replay import behaviour_of
from lockstep.report.replay_page import replay_page
from lockstep.trace.render import render_trace
from lockstep.verbs.replay import Replay
from lockstep.words import plural


@dataclass(frozen=True)
class Picture:
    """A file with its text."""

    file: Path
    text: str


_MAKERS: Mapping[str, Callable[[Replay, Diagram], str]] = {
    "html": replay_page,
    "svg": lambda _, diagram: f"{to_svg(diagram)}\n",
    "mermaid": lambda _, diagram: to_mermaid(diagram),
}


def pictures_of(result: Replay, files: Mapping[str, Path | None]) -> list[Picture]:
    """The files that are asked for by the kind of each: `html`, `svg`, `mermaid`."""
    asked = {kind: file for kind, file in files.items() if file is not None}
    if not asked:
        return []
    diagram = diagram_of(result)
    return [Picture(file, _MAKERS[kind](result, diagram)) for kind, file in asked.items()]


def diagram_of(result: Replay) -> Diagram:
    """The diagram of what was taken again, and of what it violates if it does."""
    return sequence(
        result.model,
        result.trace,
        violated=None if result.parameters is None else result.origin.property,
        parameters=result.parameters,
        fault=result.origin.fault,
    )


def figure_of(replay: Replay) -> Figure:
    """The diagram of a behaviour that was taken again."""
    diagram, origin = diagram_of(replay), replay.origin
    fault = f" with {origin.fault}" if origin.fault else ""
    steps = plural(len(replay.trace.steps), "step")
    caption = f"{origin.model}{fault}: {origin.property} is violated in {steps}"
    return Figure(svg_element(diagram), caption, to_mermaid(diagram))


def behaviour_lines(replay: Replay, caption: str, *, folded: bool = True) -> Lines:
    """The steps of a behaviour that was taken again, folded away by default."""
    lines = render_trace(replay.model, behaviour_of(replay), replay.origin.fault)
    return Lines(tuple(lines), caption, folded=folded)
