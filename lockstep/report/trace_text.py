"""Behaviours on a terminal or in a pipe."""

from __future__ import annotations

from collections.abc import Iterable

from lockstep.report.output import Output
from lockstep.trace.render import Line


def print_trace(output: Output, lines: Iterable[Line], margin: int = 0) -> None:
    """Print the lines of a behaviour, indented by `margin` columns: six at most fit into 80."""
    for line in lines:
        output.line(" " * margin + line.text, line.style)
