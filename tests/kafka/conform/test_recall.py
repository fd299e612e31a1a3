"""A damage counts as found by the right side, session and line only."""

from __future__ import annotations

import pytest

from lockstep_kafka.findings import Place, Remark, SessionFinding, SideName
from lockstep_kafka.rules import Rule
from lockstep_kafka.simulated.damage.kind import BOTH, BROKER, CLIENT, Shown
from tests.kafka.conform.following import Findings, sides
from tests.kafka.conform.recall import compare

Departing = tuple[int, str, int]


def findings(*departing: Departing) -> Findings:
    """Sessions with one side that departs at a line."""
    sessions = []
    for session, side, line in departing:
        at = Place("a.log", line)
        finding = SessionFinding(session, "client", "connection", at, at, is_whole=True)
        sides(finding)[SideName(side)].remark(Remark(Rule.ANSWERED_WHEN_EMPTIED, at))
        sessions.append(finding)
    return Findings(tuple(sessions))


@pytest.mark.parametrize(
    ("departing", "missing", "false"),
    [
        ([(7, "broker", 5)], (), 0),
        ([(7, "broker", 9), (7, "client", 9)], (), 0),
        ([], ("broker",), 0),
        ([(7, "client", 5)], ("broker",), 0),
        ([(8, "broker", 5)], ("broker",), 1),
        ([(7, "broker", 4)], ("broker",), 1),
        ([(7, "broker", 5), (8, "client", 5)], (), 1),
    ],
)
def test_departures_are_compared(
    departing: list[Departing], missing: tuple[str, ...], false: int
) -> None:
    shown = Shown(5, frozenset({7}), BROKER)
    lacking, wrong = compare(findings(*departing), shown, early={1, 2, 3, 4})
    assert (lacking, len(wrong)) == (missing, false)


def test_every_side_has_to_depart() -> None:
    shown = Shown(5, frozenset({7}), BOTH)
    assert compare(findings((7, "client", 5)), shown) == (("broker",), ())


def test_a_blameless_side_must_not_depart() -> None:
    shown = Shown(5, frozenset({7}), BROKER, CLIENT)
    missing, false = compare(findings((7, "broker", 5), (7, "client", 6)), shown)
    assert missing == ()
    said = Rule.ANSWERED_WHEN_EMPTIED.sentence
    assert false == (f"a.log:6 client of 7: {said}",)
