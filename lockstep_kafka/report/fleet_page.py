"""A fleet's logs as one self-contained page: who departs, how, since when, and the lines."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from lockstep.system.text_files import write_text
from lockstep.words import plural
from lockstep_kafka.findings import Verdict
from lockstep_kafka.fleet.figures import FleetFigures
from lockstep_kafka.report.conform import candidate_lines
from lockstep_kafka.report.fleet import hours_plot, sources_plot

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
        "count": _count,
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


def _count(number: int) -> str:
    return f"{number:,}"


def _moment(time_ms: int | None) -> str:
    if time_ms is None:
        return "at no known time"
    moment = datetime.fromtimestamp(time_ms / 1000, UTC)
    return moment.isoformat(" ", "milliseconds").removesuffix("+00:00") + " UTC"


def _names(names: Sequence[object]) -> str:
    shown = ", ".join(str(name) or "(no name)" for name in names[:_MOST_NAMES])
    more = len(names) - _MOST_NAMES
    return f"{shown} and {more:,} more" if more > 0 else shown
