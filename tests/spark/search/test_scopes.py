"""The scopes that users check: Spark says of them what one machine says, counterexamples included.

Default scopes and faults are explored by jobs from their first levels on; the large scopes by the
driver for a while and then by as many owners as Spark has room for.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lockstep.language.model import model_names
from lockstep.plain.exploration import Exploration
from lockstep.results.search_result import SearchResult
from lockstep.results.verdict import Verdict
from lockstep.spark.search.search import NearBounds, explore_on_spark
from lockstep.spark.session import KEPT_SESSION
from tests.spark.search.cases import ROOT, Case, compared

pytestmark = pytest.mark.verify

BY_JOBS = NearBounds(states=900, small=300, owners=2)
LATE_FAULTS = {
    "fetch_response": "list_is_visited_from_the_tail",
    "fetch_session": "merges_before_checking",
    "fetch_snapshot_response": "only_the_request_limits",
    "leader_discovery": "accepts_an_equal_epoch",
    "partition_leaders": "a_revoked_partition_stops_the_others",
    "session_cache": "rule_three_by_the_letter",
    "snapshot_election": "keeps_a_log_that_ends_beyond",
    "snapshot_fetch": "reset_only_by_a_newer_snapshot",
    "snapshot_log": "overtaken_snapshot_is_finished",
    "snapshot_offsets": "truncates_committed_records",
}
"""Of each model the fault with the longest counterexample, or one of them."""
LARGE = {"fetch_snapshot_response": 1, "snapshot_election": 2, "snapshot_fetch": 7}
"""Models whose scope `large` has 10 to 13 million states, and the words that a state takes."""


@pytest.fixture(scope="module", autouse=True)
def session() -> Iterator[None]:
    yield
    KEPT_SESSION.stop()


def on_spark(case: Case, near: NearBounds) -> SearchResult:
    request = Exploration("spark", deadlock_allowed=case.deadlock_allowed, master="local[2]")
    return explore_on_spark(case.program, request, near=near)


@pytest.mark.parametrize("name", model_names(ROOT))
def test_a_default_scope(name: str) -> None:
    case = Case.of(name, "default")
    result = on_spark(case, BY_JOBS)
    assert result.verdict is Verdict.HOLDS
    assert compared(result) == compared(case.on_one_machine())


@pytest.mark.parametrize("name", model_names(ROOT))
def test_a_counterexample(name: str) -> None:
    case = Case.of(name, fault=LATE_FAULTS[name])
    result = on_spark(case, BY_JOBS)
    assert result.verdict is Verdict.VIOLATED
    assert compared(result) == compared(case.on_one_machine())


@pytest.mark.parametrize(("name", "words"), LARGE.items())
def test_a_large_scope(name: str, words: int) -> None:
    case = Case.of(name, "large")
    assert case.program.layout.words == words
    result = on_spark(case, NearBounds(states=4_000_000))
    assert result.states > 10**7
    assert compared(result) == compared(case.on_one_machine())
