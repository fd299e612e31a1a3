"""The twins in tla/ are equal to their models in some scopes beside the small ones.

The whole graphs of the small scopes are in `tests/models/test_every_model.py`.
"""

from __future__ import annotations

from typing import TypeAlias

import pytest

from lockstep.specs.scopes import Scope, load_model_spec
from lockstep.twin.compare import TwinResult
from tests.twin.conftest import KAFKA, Copy, assert_same


def compare(name: str, scope: Scope, *, liveness: bool = False) -> TwinResult:
    """Compares a model of this workspace with its twin."""
    return Copy(KAFKA).compare(name, scope, liveness=liveness)


@pytest.mark.verify
def test_tlc_finds_a_replicas_liveness_in_minutes() -> None:
    result = compare(
        "snapshot_fetch", load_model_spec(KAFKA, "snapshot_fetch").scope("small"), liveness=True
    )
    assert_same(result)
    assert result.unchecked == ()


Values: TypeAlias = dict[str, int | tuple[str | int, ...]]
ONE_OF_EACH: Values = {"PARTITIONS": ("p1",), "SESSION_IDS": (1,), "MAX_EPOCH": 1, "MAX_OFFSET": 0}
CALM: Values = {"MAX_FAILURES": 0, "MAX_DISTURBANCES": 0}


CORNERS: dict[str, tuple[str, Values, int]] = {
    "two partitions": (
        "fetch_session",
        # With one epoch a repeated request could not be distinguished from the next one.
        {
            **{**ONE_OF_EACH, **CALM, "MAX_EPOCH": 2, "MAX_DISTURBANCES": 1},
            "PARTITIONS": ("p1", "p2"),
        },
        7107,
    ),
    "two fetchers and two sessions": (
        "fetch_session",
        {
            **{**ONE_OF_EACH, **CALM, "SESSION_IDS": (1, 2)},
            **{"FETCHERS": ("c1", "c2"), "FOLLOWERS": ("c2",)},
        },
        1327,
    ),
    "a follower, and a partition that fails": (
        "fetch_session",
        {**ONE_OF_EACH, **CALM, "FOLLOWERS": ("c1",), "MAX_OFFSET": 1, "MAX_FAILURES": 1},
        1771,
    ),
    "every field of a request": (
        "fetch_session",
        {
            **{**ONE_OF_EACH, **CALM, "MAX_BYTES": 1, "MAX_FETCHER_LOG_START": 0},
            **{"MAX_LEADER_EPOCH": 0, "MAX_FETCHED_EPOCH": 0},
        },
        822,
    ),
    "messages that do not fill the limit": (
        "fetch_response",
        {"MAX_BACKLOG": 3, "LIMIT": 3, "MESSAGE_BYTES": 2, "PARTITION_LIMIT": 2},
        3760,
    ),
    "one slot": (
        "session_cache",
        {"SLOTS": ("slot1",), "MAX_TIME": 2, "MAX_SIZE": 3, "METER": 3},
        1323,
    ),
    "Apache Kafka's order in each of two shards": (
        "session_cache",
        {
            **{"SLOTS": ("slot1", "slot2", "slot3"), "SECOND_SHARD": ("slot3",)},
            **{"KAFKA_ORDER": True, "EVICTION_MS": 0, "MAX_TIME": 1, "METER": 1},
        },
        20180,
    ),
}
"""Constants that no scope of `specs/` has, and how many states there are."""


@pytest.mark.slow
@pytest.mark.daily(4)
@pytest.mark.parametrize("corner", CORNERS)
def test_graphs_are_equal_in_corners_that_no_scope_of_specs_has(corner: str) -> None:
    name, constants, states = CORNERS[corner]
    result = compare(name, Scope("corner", constants=constants, compare="graph"))
    assert_same(result)
    assert result.run.distinct == states


@pytest.mark.verify
@pytest.mark.parametrize("name", ["fetch_response", "fetch_session", "session_cache"])
def test_the_default_scopes_are_equal(name: str) -> None:
    scope = load_model_spec(KAFKA, name).scope("default")
    result = compare(name, scope)
    assert_same(result)
    assert result.run.distinct == scope.pins.states
