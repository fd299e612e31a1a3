"""A behaviour as parts of a page: its diagram, and its steps."""

from __future__ import annotations

from dataclasses import replace

from lockstep.diagram.mermaid import to_mermaid
from lockstep.diagram.svg import svg_element
from lockstep.report.page import Figure, Lines
from lockstep.report.replay_pictures import diagram_of
from lockstep.results.search_result import Violation
from lockstep.trace.render import render_trace, render_violation
from lockstep.verbs.replay import Replay
from lockstep.words import plural


def figure_of(replay: Replay) -> Figure:
    """The diagram of a behaviour that was taken again."""
    diagram, origin = diagram_of(replay), replay.origin
    fault = f" with {origin.fault}" if origin.fault else ""
    steps = plural(len(replay.trace.steps), "step")
    caption = f"{origin.model}{fault}: {origin.property} is violated in {steps}"
    return Figure(svg_element(diagram), caption, to_mermaid(diagram))


def behaviour_lines(replay: Replay, caption: str, *, folded: bool = True) -> Lines:
    """The steps of a behaviour that was taken again, folded away unless told."""
    model, origin = replay.model, replay.origin
    if replay.parameters is None or origin.property is None:
        lines = render_trace(model, replay.trace, origin.fault)
    else:
        violation = Violation((origin.property,), replay.parameters, replay.trace)
        lines = render_violation(model, violation, origin.fault)
    return replace(Lines(tuple(lines), caption), folded=folded)
