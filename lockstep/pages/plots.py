"""Small plots of a page, drawn as SVG elements with the page's own colours."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement

_WIDTH = 680
_LABEL = 150
_ROW = 22
_AFTER = 120
"""Pixels for what stands after a bar."""

_CHART = 160
"""Pixels of height of a course."""


@dataclass(frozen=True)
class Bar:
    """A number from 1 up under a label; a `faint` one is claimed and was not counted here."""

    label: str
    number: int
    faint: bool = False


def bars(rows: Sequence[Bar], title: str) -> Element:
    """Horizontal bars whose length goes by the order of magnitude, each with its number."""
    height = _ROW * len(rows) + 6
    svg = _drawing(height, title)
    most = math.log10(max([10, *(row.number for row in rows)]))
    room = _WIDTH - _LABEL - _AFTER
    for at, row in enumerate(rows):
        middle = _ROW * at + _ROW / 2 + 3
        _text(svg, _LABEL - 8, middle, row.label, "end")
        length = max(2.0, room * math.log10(max(row.number, 1)) / most)
        _shape(
            svg,
            "rect",
            "bar faint" if row.faint else "bar",
            x=_LABEL,
            y=middle - 7,
            width=length,
            height=14,
            rx=2,
        )
        _text(svg, _LABEL + length + 6, middle, f"{row.number:,}", "start")
    return svg


def course(numbers: Sequence[int], labels: Sequence[str], title: str) -> Element:
    """Numbers from 0 up in the order of time, the first and the last with their labels."""
    svg = _drawing(_CHART, title)
    most, top, bottom = max([1, *numbers]), 18, _CHART - 24
    left, right = 90, _WIDTH - 20
    wide = (right - left) / max(1, len(numbers) - 1)
    points = [
        (left + wide * at, bottom - (bottom - top) * number / most)
        for at, number in enumerate(numbers)
    ]
    _shape(svg, "line", "axis", x1=left, y1=bottom, x2=right, y2=bottom)
    _text(svg, left - 8, top, f"{most:,}", "end")
    _text(svg, left - 8, bottom, "0", "end")
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    SubElement(svg, "polyline", {"class": "course", "points": path})
    for x, y in points:
        _shape(svg, "circle", "dot", cx=x, cy=y, r=3)
    if labels:
        _text(svg, left, _CHART - 10, labels[0], "start")
    if len(labels) > 1:
        _text(svg, right, _CHART - 10, labels[-1], "end")
    return svg


def _drawing(height: float, title: str) -> Element:
    """An empty drawing, which is read out by its title."""
    return Element(
        "svg",
        {
            "viewBox": f"0 0 {_WIDTH} {height:g}",
            "width": str(_WIDTH),
            "height": f"{height:g}",
            "role": "img",
            "aria-label": title,
            "class": "plot",
        },
    )


def _shape(parent: Element, tag: str, kind: str, **numbers: float) -> None:
    given = {name: f"{number:g}" for name, number in numbers.items()}
    SubElement(parent, tag, {"class": kind, **given})


def _text(parent: Element, x: float, y: float, text: str, anchor: str) -> None:
    given = {"x": f"{x:g}", "y": f"{y:g}", "text-anchor": anchor, "dominant-baseline": "central"}
    SubElement(parent, "text", given).text = text
