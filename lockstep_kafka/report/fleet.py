"""A fleet's figures: as text, and as plots."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from lockstep.pages.blocks import Block, Paragraph, Row, Table
from lockstep.system.text_files import write_text
from lockstep.words import plural, shown_path
from lockstep_kafka.findings import Verdict
from lockstep_kafka.fleet.arrival import Arrived
from lockstep_kafka.fleet.figures import FleetFigures, Hour, Source
from lockstep_kafka.fleet.groups import Group
from lockstep_kafka.report.conform import candidate_lines, conform_blocks, shown_line
from lockstep_kafka.report.conform_json import conform_json
from lockstep_kafka.verbs.conform_fleet import FleetResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def fleet_json(result: FleetResult) -> dict[str, object]:
    """The document of `conform`, and what only a fleet has."""
    return conform_json(result.conform) | {
        "tables": result.tables,
        "departures": [_group(group) for group in result.departures],
        "new": None if result.new is None else _new(result.new),
    }


def _new(new: Arrived) -> dict[str, object]:
    return {
        "lines": new.lines,
        "files": sorted({range_.path for range_ in new.ranges}),
        "unfinished": new.unfinished,
        "copies": new.copies,
    }


def _group(group: Group) -> dict[str, object]:
    broker, client, version, side, rule = group.key
    first = group.firsts[0]
    return {
        "broker": broker,
        "client": client,
        "api_version": version,
        "side": side,
        "rule": rule,
        "lines": group.count,
        "since": first["since"],
        "first": {name: first[name] for name in ("file", "line", "offset", "because", "text")},
    }


_GROUPS = Table(
    ("broker", "client id", "version", "departs", "rule", "lines", "since", "first at"),
    numbers=("version", "lines"),
)


def fleet_blocks(result: FleetResult) -> Iterator[Block]:
    """The largest groups of departures, what the totals are, and what this run has read."""
    if result.departures:
        yield _GROUPS.of(*map(_row, result.departures)).fitted()
        yield Paragraph("")
    yield from conform_blocks(result.conform, verbose=False, rest="the tables have all")
    if result.new is not None:
        yield from _new_blocks(result.new)
    yield shown_line(f"tables: {shown_path(Path(result.tables))}")


def _new_blocks(new: Arrived) -> Iterator[Paragraph]:
    """What was new of files, and what of them is not read."""
    files = len({range_.path for range_ in new.ranges})
    yield shown_line(f"new in this run: {plural(new.lines, 'line')} of {plural(files, 'file')}")
    for path, size in new.unfinished.items():
        size_text = plural(size, "byte")
        text = f"{path}: its last line has no end yet ({size_text}): the next run reads it"
        yield shown_line(text)


def _row(group: Group) -> Row:
    broker, client, version, side, rule = group.key
    first = group.firsts[0]
    place = f"{first['file']}:{first['line']}"
    since = first["since"] or ""
    return Row((broker, client, str(version), side, rule, f"{group.count:,}", since, place))


COLOURS = {"client": "#c4581b", "broker": "#7b3294", "unknown": "#b8a200", "lines": "#5b7083"}
"""Distinguished by people who do not see red or green, too."""

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


_TEMPLATE = "fleet_page.html"
_MOST_SOURCES = 200
_MOST_NAMES = 12


def write_fleet_page(path: Path, figures: FleetFigures, title: str) -> None:
    """Write the page; `LockstepError` where the file cannot be written."""
    write_text(path, fleet_page(figures, title))


def fleet_page(figures: FleetFigures, title: str) -> str:
    """The page as HTML, which needs nothing else to be shown.

    What logs hold is text in it, and never markup.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("lockstep_kafka", "report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "count": "{:,}".format,
        "moment": _moment,
        "names": _names,
        "candidate_lines": candidate_lines,
    }
    by_departures = sorted(
        figures.sources,
        key=lambda source: (-source.counts.departures, -source.counts.lines, source.client),
    )
    return environment.get_template(_TEMPLATE).render(
        title=title,
        headline=_headline(figures),
        figures=figures,
        verdicts=list(Verdict),
        hours=Markup(hours_plot(figures.hours)),
        sources=Markup(sources_plot(figures.sources)),
        by_departures=by_departures[:_MOST_SOURCES],
        more_sources=max(0, len(by_departures) - _MOST_SOURCES),
    )


def _headline(figures: FleetFigures) -> str:
    counts = figures.counts
    if not counts.lines:
        return "No request was followed"
    if counts.departures:
        clients = sorted({source.client for source in figures.sources if source.counts.departures})
        return (
            f"{plural(counts.departures, 'departure')} in {plural(counts.lines, 'request')}, "
            f"of {plural(len(clients), 'client')}"
        )
    if counts.unknown:
        return "Nothing departs, but not everything is known"
    return "Nothing departs"


def _moment(time_ms: int | None) -> str:
    if time_ms is None:
        return "at no known time"
    moment = datetime.fromtimestamp(time_ms / 1000, UTC)
    return moment.isoformat(" ", "milliseconds").removesuffix("+00:00") + " UTC"


def _names(names: Sequence[object]) -> str:
    shown = ", ".join(str(name) or "(no name)" for name in names[:_MOST_NAMES])
    more = len(names) - _MOST_NAMES
    return f"{shown} and {more:,} more" if more > 0 else shown
