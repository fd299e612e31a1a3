"""The table of rules: ids are their own, sources exist, and a sentence says what it is given."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lockstep_kafka.findings import Candidate, Place, Remark, Verdict
from lockstep_kafka.rules import INNER, Arguments, Rule, SideName, rule_of
from lockstep_kafka.sessions.explanations import Explanations
from lockstep_kafka.workspaces import requirement_texts

ROOT = Path(__file__).parents[2]


def test_no_two_rules_have_one_id() -> None:
    assert len(Rule.__members__) == len(list(Rule)) == len({rule.id for rule in Rule})
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)+", rule.id) for rule in Rule)
    assert all(rule_of(rule.id) is rule for rule in Rule)


def test_every_requirement_is_one_of_the_workspace() -> None:
    texts = requirement_texts(ROOT)
    assert {one for rule in Rule for one in rule.requirements} <= texts.keys()


def test_only_departures_break_requirements() -> None:
    assert {rule.verdict for rule in Rule} == {Verdict.DEPARTS, Verdict.UNKNOWN}
    assert not any(rule.requirements for rule in Rule if rule.verdict is Verdict.UNKNOWN)


@pytest.mark.parametrize(
    ("rule", "arguments", "said"),
    [
        (
            Rule.EPOCH_EXPECTED,
            {"session": 7, "epoch": 2, "expected": 3, "since": Place("a.log", 4)},
            "the fetcher's next request is (7, 3) since a.log:4, but it sent (7, 2)",
        ),
        (
            Rule.EPOCH_EXPECTED,
            {"session": 7, "epoch": 2, "expected": 3},
            "the fetcher's next request is (7, 3), but it sent (7, 2)",
        ),
        (
            Rule.NEW_CONNECTION,
            {"session": 7, "needed": 1},
            "1 request of session 7 may be missing from the log before this line: the connection "
            "is new",
        ),
        (
            Rule.HOLE,
            {"session": 7, "needed": "2000", "missing": 2000},
            "2,000 requests of session 7 may be missing from the log before this line: a hole of "
            "2000 in the correlation ids of the connection",
        ),
        (
            Rule.WATERMARK_BACK,
            {"partition": "a{b}[c]-0", "watermark": 7, "now": 5},
            "the high watermark of a{b}[c]-0 goes back from 7 to 5",
        ),
    ],
)
def test_a_sentence_is_made_of_its_arguments(rule: Rule, arguments: Arguments, said: str) -> None:
    assert rule.said(arguments) == said


def test_an_argument_that_is_missing_is_an_error() -> None:
    with pytest.raises(KeyError, match="partition"):
        Rule.STRANGER_REMOVED.said({})


def test_a_rule_within_another_one() -> None:
    arguments: Arguments = {
        "session": 7,
        "opened": "a.log:1",
        INNER: "stranger-removed",
        "partition": "t-0",
    }
    assert Rule.ID_SHARED.said(arguments) == (
        "two sessions alive have the id 7, for another fetcher opened this one at a.log:1: "
        "t-0 is named as removed, but the fetcher does not have it"
    )
    assert Rule.ID_SHARED.broken(arguments) == ("227-3", "227-67")


def test_what_its_own_numbers_explain_is_unknown() -> None:
    remark = Remark(Rule.STRANGER_REMOVED, Place("a.log", 1), {"partition": "t-0"})
    departs = Explanations.departure(remark, (Candidate("a"),))
    assert (departs.verdict, departs.requirements) == (Verdict.DEPARTS, ("227-67",))
    unknown = Explanations.departure(remark, None)
    assert (unknown.verdict, unknown.requirements) == (Verdict.UNKNOWN, ())
    assert unknown.because == f"with its own numbers alone it is explained: {remark.because}"


def test_both_sides_have_rules() -> None:
    assert {rule.side for rule in Rule} == {SideName.CLIENT, SideName.BROKER, None}
