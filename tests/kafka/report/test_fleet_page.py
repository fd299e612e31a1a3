"""The page of a fleet: what it must show, and what a log's text must not do to it."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser

import pytest

from lockstep_kafka.findings import Candidate, Verdict
from lockstep_kafka.fleet.figures import (
    Counts,
    DepartureGroup,
    Example,
    FleetFigures,
    Hour,
    Quarantined,
    Source,
)
from lockstep_kafka.report.fleet import fleet_page, hours_plot, sources_plot

BEGIN_MS = 1_763_769_600_000
HOSTILE = "</script><script>alert(1)</script>$x^2$\x07&amp;"


def figures(client: str = "orders") -> FleetFigures:
    candidate = Candidate("send_full", "epoch  == 0", {"epoch": "3"})
    text = f'{{"c": "{client}"}}'
    example = Example(f"logs/{client}.log", 12, BEGIN_MS, "the epoch is 3", text, text, [candidate])
    return FleetFigures(
        sessions={
            "client": {Verdict.CONFORMS: 4, Verdict.DEPARTS: 1},
            "broker": {Verdict.UNKNOWN: 5},
        },
        hours=[
            Hour(BEGIN_MS, Counts(1000, 3, 0, 1)),
            Hour(BEGIN_MS + 3_600_000, Counts(2000, 0, 2)),
            Hour(None, Counts(10)),
        ],
        sources=[
            Source("10.0.0.1:9092", client, 17, Counts(2990, 3, 2, 1)),
            Source("10.0.0.2:9092", "payments", 12, Counts(20)),
        ],
        kinds=[
            DepartureGroup(
                "client",
                "session-epoch-expected",
                client,
                f"epoch 0 of {client}",
                ["227-6"],
                3,
                BEGIN_MS,
                BEGIN_MS + 60_000,
                ["10.0.0.1:9092"],
                [client],
                [17],
                [example],
            )
        ],
        quarantined=[Quarantined("truncated", True, 7, ["a.log:3"])],
        requirements={"227-6": "The epoch follows the one before."},
    )


class _Elements(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        for name, value in attrs:
            assert name not in ("src", "onload"), "a page needs nothing else to be shown"
            assert not (name == "href" and (value or "").startswith("http"))

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_says_who_how_and_since_when_with_the_line() -> None:
    page = _Elements(fleet_page(figures(), "logs of a day"))
    for text in (
        "5 departures in 3,010 requests, of 1 client",
        "2025-11-22 00:00:00.000 UTC",
        "logs/orders.log:12",
        '{"c": "orders"}',
        "send_full cannot be taken: `epoch == 0` is false (epoch = 3)",
        "requirement 227-6: The epoch follows the one before.",
        "truncated (requests may be lost)",
        "On 1 lines a side is unknown",
    ):
        assert text in " ".join(page.text.split()), text
    assert page.names.count("svg") == 2


def test_what_a_log_says_is_text_and_never_markup() -> None:
    page = fleet_page(figures(HOSTILE), HOSTILE)
    assert "script" not in _Elements(page).names
    assert "<script" not in page


def test_nothing_departs_is_not_said_where_nothing_was_read() -> None:
    empty = FleetFigures({}, [], [], [], [])
    assert "No request was followed" in fleet_page(empty, "none")
    unknown = FleetFigures({}, [], [Source("b", "c", 1, Counts(5, 0, 0, 5))], [], [])
    assert "not everything is known" in fleet_page(unknown, "some")


@pytest.mark.parametrize("client", ["", "orders", HOSTILE, "x" * 500])
def test_plots_are_drawings_and_the_same_every_time(client: str) -> None:
    drawings = [
        (hours_plot(sample.hours), sources_plot(sample.sources))
        for sample in (figures(client), figures(client))
    ]
    assert drawings[0] == drawings[1]
    for drawing in drawings[0]:
        ElementTree.fromstring(drawing)
    assert hours_plot([]) == sources_plot([]) == ""
