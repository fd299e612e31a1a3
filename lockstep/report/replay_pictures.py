"""A replayed behaviour as files that show it: a page, and diagrams."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from lockstep.diagram.diagram import Diagram
from lockstep.diagram.mermaid import to_mermaid
from lockstep.diagram.sequence import sequence
from lockstep.diagram.svg import to_svg
from lockstep.report.replay_page import replay_page
from lockstep.verbs.replay import Replay


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
