"""What `specs/kip_951.toml` says of the protocol's fields and error codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from kio.schema.errors import ErrorCode

from lockstep.specs.kip import load_kip
from lockstep.specs.tables import Plain
from models.leader_discovery_state import Error
from tests.conftest import KafkaOutput

ROOT = Path(__file__).parents[2]


def constants() -> dict[str, Plain]:
    return {row.name: row.value for row in load_kip(ROOT / "specs" / "kip_951.toml").constants}


def test_error_codes_are_those_of_the_protocol_and_of_the_model() -> None:
    stated = constants()
    for error in Error:
        assert error.value == ErrorCode[error.name.lower()].value
        assert error is Error.NONE or stated[error.name] == error.value


# What Apache Kafka itself wrote: its request log has each response as it was sent.


@pytest.fixture(scope="module")
def responses(kafka_output: KafkaOutput) -> list[dict[str, Any]]:
    """The Fetch responses of KRaft replicas, which name the leader in all of them."""
    lines = kafka_output("request-log/raft-fetch.log").read_text(encoding="utf-8").splitlines()
    return [json.loads(line.partition("Completed request:")[2])["response"] for line in lines]


def leader_of(response: dict[str, Any]) -> dict[str, int]:
    (topic,) = response["responses"]
    (partition,) = topic["partitions"]
    leader: dict[str, int] = partition["currentLeader"]
    return leader


def test_kafka_reports_leader_and_endpoint(responses: list[dict[str, Any]]) -> None:
    """The leadership is in the partition, and the leader's endpoint, rack included, in the
    response."""
    reported = [response for response in responses if leader_of(response)["leaderId"] >= 0]
    assert reported
    for response in reported:
        leader = leader_of(response)
        assert set(leader) == {"leaderId", "leaderEpoch"}
        (endpoint,) = response["nodeEndpoints"]
        assert set(endpoint) == {"nodeId", "host", "port", "rack"}
        assert endpoint["nodeId"] == leader["leaderId"]


def test_kafka_reports_that_no_leader_is_known(responses: list[dict[str, Any]]) -> None:
    """Then there is no endpoint, either."""
    unknown = [response for response in responses if leader_of(response)["leaderId"] < 0]
    assert unknown
    for response in unknown:
        assert leader_of(response)["leaderId"] == constants()["NO_LEADER"]
        assert not response.get("nodeEndpoints")
