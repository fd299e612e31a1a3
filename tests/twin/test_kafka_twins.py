"""The twins in tla/ are equal to their models."""

from __future__ import annotations

import pytest

from lockstep.language.model import model_names
from lockstep.specs.scopes import Scope, load_model_spec
from lockstep.twin.twin import compare_twin
from tests.twin.conftest import KAFKA, assert_same


@pytest.mark.parametrize("name", model_names(KAFKA))
def test_the_small_graphs_are_equal(name: str) -> None:
    spec = load_model_spec(KAFKA, name)
    scope = spec.scope("small")
    assert scope.compare == "graph"
    result = compare_twin(KAFKA, spec, scope)
    assert_same(result)
    assert result.run.distinct == scope.pins.states
    assert result.run.transitions == scope.pins.transitions
    assert result.run.steps == scope.pins.depth


ONE_OF_EACH = {"PARTITIONS": ("p1",), "SESSION_IDS": (1,), "MAX_EPOCH": 1, "MAX_OFFSET": 0}
CALM = {"MAX_FAILURES": 0, "MAX_DISTURBANCES": 0}


@pytest.mark.parametrize(
    ("name", "constants", "states"),
    [
        pytest.param(
            "fetch_session",
            {**ONE_OF_EACH, **CALM, "PARTITIONS": ("p1", "p2"), "MAX_DISTURBANCES": 1},
            3260,
            id="two partitions",
        ),
        pytest.param(
            "fetch_session",
            {
                **{**ONE_OF_EACH, **CALM, "SESSION_IDS": (1, 2)},
                **{"FETCHERS": ("c1", "c2"), "FOLLOWERS": ("c2",)},
            },
            1327,
            id="two fetchers and two sessions",
        ),
        pytest.param(
            "fetch_session",
            {**ONE_OF_EACH, **CALM, "FOLLOWERS": ("c1",), "MAX_OFFSET": 1, "MAX_FAILURES": 1},
            1771,
            id="a follower, and a partition that fails",
        ),
        pytest.param(
            "fetch_session",
            {
                **{**ONE_OF_EACH, **CALM, "MAX_BYTES": 1, "MAX_FETCHER_LOG_START": 0},
                **{"MAX_LEADER_EPOCH": 0, "MAX_FETCHED_EPOCH": 0},
            },
            822,
            id="every field of a request",
        ),
        pytest.param(
            "fetch_response",
            {"MAX_BACKLOG": 3, "LIMIT": 3, "MESSAGE_BYTES": 2, "PARTITION_LIMIT": 2},
            3760,
            id="messages that do not fill the limit",
        ),
        pytest.param(
            "session_cache",
            {"SLOTS": ("slot1",), "MAX_TIME": 2, "MAX_SIZE": 3, "METER": 3},
            1323,
            id="one slot",
        ),
    ],
)
def test_graphs_are_equal_in_corners_that_no_scope_of_specs_has(
    name: str, constants: dict[str, int | tuple[str, ...]], states: int
) -> None:
    spec = load_model_spec(KAFKA, name)
    result = compare_twin(KAFKA, spec, Scope("corner", constants=constants, compare="graph"))
    assert_same(result)
    assert result.run.distinct == states


@pytest.mark.verify
@pytest.mark.parametrize("name", ["fetch_response", "fetch_session", "session_cache"])
def test_the_default_scopes_are_equal(name: str) -> None:
    spec = load_model_spec(KAFKA, name)
    result = compare_twin(KAFKA, spec, spec.scope("default"))
    assert_same(result)
    assert result.run.distinct == spec.scope("default").pins.states
