"""The plots of a fleet's page, as SVG that stands in the page itself."""

from __future__ import annotations

import io
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from lockstep_kafka.fleet.figures import Hour, Source

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = {"client": "#c4581b", "broker": "#7b3294", "unknown": "#b8a200", "lines": "#5b7083"}
"""Told apart by people who do not see red or green, too."""

_WIDTH = 9.0
_MOST_BARS = 15
_MS = 1000


def hours_plot(hours: Sequence[Hour]) -> str:
    """Departures of each hour by side, above the lines read in it; empty without times."""
    timed = sorted(
        ((hour.begin_ms, hour.counts) for hour in hours if hour.begin_ms is not None),
        key=lambda row: row[0],
    )
    if not timed:
        return ""
    begins = [datetime.fromtimestamp(begin / _MS, UTC) for begin, _ in timed]
    figure = _figure(3.4)
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=[3, 1])
    width = 0.9 / 24
    base = [0] * len(timed)
    for side, numbers in (
        ("client", [counts.client_departures for _, counts in timed]),
        ("broker", [counts.broker_departures for _, counts in timed]),
        ("unknown", [counts.unknown for _, counts in timed]),
    ):
        above.bar(begins, numbers, width, base, align="edge", color=COLOURS[side], label=side)
        base = [low + more for low, more in zip(base, numbers, strict=True)]
    above.set_ylabel("remarks an hour")
    above.legend(frameon=False, ncols=3, loc="lower right", bbox_to_anchor=(1, 1))
    lines = [counts.lines for _, counts in timed]
    below.bar(begins, lines, width, align="edge", color=COLOURS["lines"])
    below.set_ylabel("lines")
    _tidy(above, below)
    figure.autofmt_xdate()
    return _svg(figure)


def sources_plot(sources: Sequence[Source]) -> str:
    """The sources with the most departures, by side; empty where nothing departs."""
    worst = sorted(
        (source for source in sources if source.counts.departures),
        key=lambda source: source.counts.departures,
    )[-_MOST_BARS:]
    if not worst:
        return ""
    names = [f"{_name(source.client)} v{source.version} at {source.broker}" for source in worst]
    places = range(len(worst))
    figure = _figure(0.9 + 0.3 * len(worst))
    axes = figure.subplots()
    left = [0] * len(worst)
    for side, numbers in (
        ("client", [source.counts.client_departures for source in worst]),
        ("broker", [source.counts.broker_departures for source in worst]),
    ):
        axes.barh(places, numbers, left=left, color=COLOURS[side], label=side)
        left = [low + more for low, more in zip(left, numbers, strict=True)]
    # A name may hold what matplotlib would read as a formula.
    axes.set_yticks(places, names, parse_math=False)
    axes.set_xlabel("lines with a departure")
    axes.legend(frameon=False, ncols=2, loc="lower right", bbox_to_anchor=(1, 1))
    _tidy(axes)
    return _svg(figure)


def _name(client: str) -> str:
    shown = "".join(
        letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in client
    )
    return (shown if len(shown) <= 40 else f"{shown[:39]}…") or "a client without a name"


def _figure(height: float) -> Figure:
    from matplotlib.figure import Figure

    return Figure(figsize=(_WIDTH, height), layout="constrained")


def _tidy(*plots: Axes) -> None:
    from matplotlib.ticker import MaxNLocator

    for axes in plots:
        axes.spines[["top", "right"]].set_visible(False)
        counted = axes.xaxis if axes.get_xlabel() else axes.yaxis
        counted.set_major_locator(MaxNLocator(integer=True, nbins=4))


def _svg(figure: Figure) -> str:
    """The figure as an element of a page: without the head of a file, and the same every time."""
    import matplotlib

    text = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": "lockstep", "svg.fonttype": "none"}):
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    drawing = text.getvalue()
    return drawing[drawing.index("<svg") :]
