"""What `specs/kip_951.toml` says of the protocol's fields and error codes."""

from __future__ import annotations

import importlib
from dataclasses import fields
from pathlib import Path
from types import ModuleType

import pytest
from kio.schema.errors import ErrorCode

from lockstep.specs.kip import load_kip
from lockstep.specs.tables import Plain
from models.leader_discovery_state import Error

ROOT = Path(__file__).parents[2]
FIRST_WITH_ENDPOINTS = {"fetch": 16, "produce": 10}
NODE_ENDPOINT = ("node_id", "host", "port", "rack")


def response(api: str, version: int) -> ModuleType:
    return importlib.import_module(f"kio.schema.{api}.v{version}.response")


def names(record: type) -> tuple[str, ...]:
    return tuple(field.name for field in fields(record))


def constants() -> dict[str, Plain]:
    return {row.name: row.value for row in load_kip(ROOT / "specs" / "kip_951.toml").constants}


def test_error_codes_are_those_of_the_protocol_and_of_the_model() -> None:
    stated = constants()
    for error in Error:
        assert error.value == ErrorCode[error.name.lower()].value
        assert error is Error.NONE or stated[error.name] == error.value


@pytest.mark.parametrize(
    ("api", "answer", "partition"),
    [
        ("fetch", "FetchResponse", "PartitionData"),
        ("produce", "ProduceResponse", "PartitionProduceResponse"),
    ],
)
def test_both_responses_have_the_fields(api: str, answer: str, partition: str) -> None:
    """Tagged, absent by default, and from the versions on that 951-D1 says."""
    schema = response(api, FIRST_WITH_ENDPOINTS[api])
    endpoints = next(x for x in fields(getattr(schema, answer)) if x.name == "node_endpoints")
    leader = next(x for x in fields(getattr(schema, partition)) if x.name == "current_leader")
    assert "tag" in endpoints.metadata
    assert endpoints.default == ()
    assert "tag" in leader.metadata
    assert leader.default == schema.LeaderIdAndEpoch(
        leader_id=constants()["NO_LEADER"], leader_epoch=-1
    )
    before = response(api, FIRST_WITH_ENDPOINTS[api] - 1)
    assert "node_endpoints" not in names(getattr(before, answer))


@pytest.mark.parametrize("api", ["fetch", "produce"])
def test_an_endpoint_is_id_host_port_and_rack(api: str) -> None:
    assert names(response(api, FIRST_WITH_ENDPOINTS[api]).NodeEndpoint) == NODE_ENDPOINT
