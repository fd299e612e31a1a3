"""The fields of a Fetch: which version has which, and what no protocol message can hold."""

from __future__ import annotations

import copy
import json
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest
from msgspec import structs

from lockstep_kafka.files.completed_request import Place, completed_request
from lockstep_kafka.files.fetch_fields import FieldRefused, with_value
from lockstep_kafka.files.lines import FetchLine, TopicPartition

SAMPLES = Path(__file__).parents[2] / "data" / "request-log"
ABSENT: Final = object()


@cache
def _first_line(sample: str) -> str:
    return (SAMPLES / f"{sample}.log").read_text().partition("\n")[0]


def sample_line(sample: str) -> dict[str, Any]:
    """The JSON of the sample's first line."""
    decoded: dict[str, Any] = json.loads(_first_line(sample).partition("Completed request:")[2])
    return decoded


def read(completed: dict[str, Any]) -> FetchLine:
    line = completed_request(json.dumps(completed).encode(), Place(1, "kafka-request.log", None))
    assert isinstance(line, FetchLine)
    return structs.replace(line, fingerprint=0)


def refusal(completed: dict[str, Any]) -> str:
    with pytest.raises(FieldRefused) as refused:
        read(completed)
    return str(with_value(refused.value, completed))


def steps(name: str) -> list[str | int]:
    """`a.b[2].c` as keys and indices."""
    fields: list[str | int] = []
    for step in name.split("."):
        key, _, index = step.rstrip("]").partition("[")
        fields += [key, int(index)] if index else [key]
    return fields


def changed(completed: dict[str, Any], name: str, value: object) -> dict[str, Any]:
    """A copy with another value at a path, or with nothing there for `ABSENT`."""
    line = copy.deepcopy(completed)
    *outer, last = steps(name)
    holder: Any = line
    for step in outer:
        holder = holder[step]
    if value is ABSENT:
        del holder[last]
    else:
        holder[last] = value
    return line


def without_what_came_after(version: int) -> dict[str, Any]:
    """A Fetch of aiokafka's, version 11, as a broker would log it at an older version."""
    completed = sample_line("aiokafka")
    completed["requestHeader"]["requestApiVersion"] = version
    request, response = completed["request"], completed["response"]
    for topic in request["topics"]:
        for partition in topic["partitions"]:
            if version < 9:
                del partition["currentLeaderEpoch"]
            if version < 5:
                del partition["logStartOffset"]
    for topic in response["responses"]:
        for partition in topic["partitions"]:
            del partition["preferredReadReplica"]
            if version < 5:
                del partition["logStartOffset"]
    del request["rackId"]
    if version < 7:
        for name in ("sessionId", "sessionEpoch", "forgottenTopicsData"):
            del request[name]
        for name in ("sessionId", "errorCode"):
            del response[name]
    return completed


class TestVersions:
    @pytest.mark.parametrize("version", range(4, 11))
    def test_absent_fields_have_their_defaults(self, version: int) -> None:
        line = read(without_what_came_after(version))
        assert line.version == version
        assert (line.session_id, line.session_epoch, line.forgotten) == (0, -1, ())
        assert (line.error_code, line.response_session_id) == (0, 0)
        requested = line.partitions[TopicPartition("t1", 1)]
        assert (requested.leader_epoch, requested.last_fetched_epoch) == (-1, -1)
        assert requested.log_start_offset == -1
        answered = line.answered[TopicPartition("t1", 1)]
        assert answered.preferred_read_replica == -1
        assert answered.log_start_offset == (0 if version >= 5 else -1)
        assert answered.high_watermark == 28

    @pytest.mark.parametrize(
        ("version", "missing"),
        [
            (5, "request.topics[0].partitions[0].logStartOffset"),
            (7, "request.sessionId"),
            (9, "request.topics[0].partitions[0].currentLeaderEpoch"),
            (11, "response.responses[0].partitions[0].preferredReadReplica"),
        ],
    )
    def test_a_field_is_required_from_its_version_on(self, version: int, missing: str) -> None:
        completed = without_what_came_after(version - 1)
        completed["requestHeader"]["requestApiVersion"] = version
        assert refusal(completed) == f"{missing} is missing"

    @pytest.mark.parametrize("version", [-1, 0, 3, 19, 32767])
    def test_other_versions_are_refused(self, version: int) -> None:
        completed = sample_line("java-consumer")
        completed["requestHeader"]["requestApiVersion"] = version
        assert refusal(completed) == (
            f"requestHeader.requestApiVersion is {version}: expected `int` from 4 to 18"
        )

    def test_topics_have_names_up_to_version_12_and_ids_after(self) -> None:
        by_name = changed(sample_line("kafka-python"), "requestHeader.requestApiVersion", 13)
        assert refusal(by_name) == "request.topics[0].topicId is missing"
        by_id = changed(sample_line("librdkafka"), "requestHeader.requestApiVersion", 12)
        by_id["request"]["replicaId"] = -1
        assert refusal(by_id) == "request.topics[0].topic is missing"

    @pytest.mark.parametrize(
        "topic_id",
        ["", "vy9QFxHARxWn82ItdByEG", "vy9QFxHARxWn82ItdByEGQ=", "vy9QFxHARxWn82ItdByEG/"],
    )
    def test_a_topic_id_has_22_characters_of_base64url(self, topic_id: str) -> None:
        name = "response.responses[0].topicId"
        detail = refusal(changed(sample_line("librdkafka"), name, topic_id))
        assert detail.startswith(f'{name} is "{topic_id}": expected `str` matching regex')

    def test_replica_id_moves_into_replica_state_at_version_15(self) -> None:
        by_id = sample_line("librdkafka")
        by_id["request"]["replicaId"] = 7
        by_id["request"]["replicaState"] = {"replicaId": 8, "replicaEpoch": 1}
        for version, replica in ((13, 7), (14, 7), (15, 8), (18, 8)):
            line = read(changed(by_id, "requestHeader.requestApiVersion", version))
            assert line.replica_id == replica
            assert line.is_follower

    def test_replica_state_is_left_out_by_consumers(self) -> None:
        completed = changed(sample_line("follower-fetch"), "request.replicaState", ABSENT)
        line = read(completed)
        assert line.replica_id == -1
        assert not line.is_follower

    def test_the_names_that_kafka_2_8_gave_to_the_response(self) -> None:
        completed = sample_line("kafka-python")
        expected = read(completed)
        for topic in completed["response"]["responses"]:
            topic["partitionResponses"] = topic.pop("partitions")
            for partition in topic["partitionResponses"]:
                partition["partition"] = partition.pop("partitionIndex")
                partition["recordSetSizeInBytes"] = partition.pop("recordsSizeInBytes")
        assert read(completed) == expected


class TestMeaning:
    def test_records_size(self) -> None:
        completed = sample_line("kafka-python")
        partition = completed["response"]["responses"][0]["partitions"][0]
        which = TopicPartition("t2", 1)
        del partition["recordsSizeInBytes"]
        assert read(completed).answered[which].records_size is None
        partition["records"] = None
        assert read(completed).answered[which].records_size == 0
        partition["recordsSizeInBytes"] = -1
        assert refusal(completed) == (
            "response.responses[0].partitions[0].recordsSizeInBytes is -1: expected `int` >= 0"
        )

    def test_diverging_epoch(self) -> None:
        completed = sample_line("java-consumer")
        partition = completed["response"]["responses"][0]["partitions"][0]
        which = TopicPartition("V96ZVDx0QA-1vkn_tXRLug", 0)
        for epoch, diverges in ((3, True), (0, True), (-1, False)):
            partition["divergingEpoch"] = {"epoch": epoch, "endOffset": 17}
            assert read(completed).answered[which].has_diverging_epoch is diverges
        partition["divergingEpoch"] = {"endOffset": 17}
        assert refusal(completed) == (
            "response.responses[0].partitions[0].divergingEpoch.epoch is missing"
        )

    def test_a_snapshot_to_fetch_instead(self) -> None:
        completed = sample_line("raft-fetch")
        (which,) = read(completed).answered
        partition = completed["response"]["responses"][0]["partitions"][0]
        del partition["snapshotId"]
        assert not read(completed).answered[which].has_snapshot_id
        for snapshot, asks in (
            ({"endOffset": 17, "epoch": 3}, True),
            ({"endOffset": 0}, True),
            ({"epoch": 0}, True),
            ({"endOffset": -1, "epoch": -1}, False),
            ({}, False),
        ):
            partition["snapshotId"] = snapshot
            assert read(completed).answered[which].has_snapshot_id is asks

    def test_isolation_level_and_time_taken(self) -> None:
        completed = sample_line("java-consumer")
        assert (read(completed).isolation_level, read(completed).total_time_ms) == (0, 1.794)
        completed["request"]["isolationLevel"] = 1
        del completed["totalTimeMs"]
        assert (read(completed).isolation_level, read(completed).total_time_ms) == (1, 0.0)
        completed["totalTimeMs"] = -1
        assert refusal(completed) == "totalTimeMs is -1: expected `float` >= 0.0"

    def test_a_client_without_a_name(self) -> None:
        completed = changed(sample_line("java-consumer"), "requestHeader.clientId", None)
        assert read(completed).client_id == ""

    def test_an_error_of_the_whole_response(self) -> None:
        completed = sample_line("java-consumer")
        completed["response"].update(errorCode=70, sessionId=0, responses=[], throttleTimeMs=9)
        line = read(completed)
        assert (line.error_code, line.response_session_id, line.throttle_time_ms) == (70, 0, 9)
        assert line.answered == {}

    def test_a_request_that_was_not_answered(self) -> None:
        completed = changed(sample_line("java-consumer"), "response", "")
        assert refusal(completed).startswith('response is "", as when the broker closes')

    def test_a_partition_that_is_asked_for_twice(self) -> None:
        completed = sample_line("kafka-python")
        partitions = completed["request"]["topics"][0]["partitions"]
        partitions.append(partitions[1])
        assert refusal(completed) == 'request.topics has the partition "t2-0" more than once'

    def test_a_partition_that_is_answered_twice(self) -> None:
        """That is the broker's doing, and no reason not to follow the line."""
        completed = sample_line("kafka-python")
        assert read(completed).answered_twice == ()
        partitions = completed["response"]["responses"][0]["partitions"]
        partitions.append({**partitions[1], "highWatermark": 4711})
        line = read(completed)
        assert line.answered_twice == (TopicPartition("t2", 0),)
        assert line.answered[TopicPartition("t2", 0)].high_watermark == 4711

    @pytest.mark.parametrize(
        ("name", "lowest", "highest"),
        [
            ("requestHeader.correlationId", -(2**31), 2**31 - 1),
            ("response.errorCode", -(2**15), 2**15 - 1),
            ("request.topics[0].partitions[0].fetchOffset", -(2**63), 2**63 - 1),
        ],
    )
    def test_ranges(self, name: str, lowest: int, highest: int) -> None:
        completed = sample_line("java-consumer")
        for value in (lowest, highest):
            read(changed(completed, name, value))
        for value, bound in ((lowest - 1, f">= {lowest}"), (highest + 1, f"<= {highest}")):
            assert refusal(changed(completed, name, value)) in (
                f"{name} is {value}: expected `int` {bound}",
                f"{name} is {value}: integer value out of range",
            )


HEADER = ["requestApiVersion", "correlationId", "clientId"]
REQUEST = ["replicaId", "maxWaitMs", "minBytes", "isolationLevel", "sessionId", "sessionEpoch"]
REQUEST += ["topics", "forgottenTopicsData"]
ASKED = ["partition", "fetchOffset", "partitionMaxBytes", "currentLeaderEpoch"]
ASKED += ["lastFetchedEpoch", "logStartOffset"]
RESPONSE = ["throttleTimeMs", "errorCode", "sessionId", "responses"]
ANSWERED = ["partitionIndex", "errorCode", "highWatermark", "lastStableOffset", "logStartOffset"]
ANSWERED += ["preferredReadReplica", "recordsSizeInBytes"]
READ_FIELDS = [
    *("requestHeader", "request", "response", "connection"),
    *(f"requestHeader.{name}" for name in HEADER),
    *(f"request.{name}" for name in REQUEST),
    *(f"request.topics[1].{name}" for name in ["topic", "partitions"]),
    *(f"request.topics[1].partitions[2].{name}" for name in ASKED),
    *(f"request.forgottenTopicsData[0].{name}" for name in ["topic", "partitions"]),
    *(f"response.{name}" for name in RESPONSE),
    *(f"response.responses[1].{name}" for name in ["topic", "partitions"]),
    *(f"response.responses[1].partitions[2].{name}" for name in ANSWERED),
]
WRONG_VALUES: dict[str, object] = {
    "null": None,
    "true": True,
    "1.0": 1.0,
    '"7"': "7",
    "an array of 1": [[]],
    "an object": {"a": 1},
    "9223372036854775808": 2**63,
    "-9223372036854775809": -(2**63) - 1,
}


class TestEveryField:
    @pytest.fixture
    def completed(self) -> dict[str, Any]:
        forgotten = [{"topic": "t3", "partitions": [0, 4]}]
        return changed(sample_line("kafka-python"), "request.forgottenTopicsData", forgotten)

    def test_it_reads_as_it_stands(self, completed: dict[str, Any]) -> None:
        assert read(completed).forgotten == (TopicPartition("t3", 0), TopicPartition("t3", 4))

    @pytest.mark.parametrize("reported", WRONG_VALUES)
    @pytest.mark.parametrize("name", READ_FIELDS)
    def test_a_wrong_value_is_refused_with_its_path(
        self, completed: dict[str, Any], name: str, reported: str
    ) -> None:
        right: Any = completed
        for step in steps(name):
            right = right[step]
        value = WRONG_VALUES[reported]
        if type(value) is type(right) and not isinstance(right, int):
            value, reported = 5, "5"
        if name == "requestHeader.clientId" and value is None:
            value, reported = 5, "5"
        detail = refusal(changed(completed, name, value))
        assert detail.startswith(
            (
                f"{name} is {reported}: expected `",
                f"{name} is {reported}: integer value out of range",
            )
        )

    @pytest.mark.parametrize("name", READ_FIELDS)
    def test_a_missing_field_is_named(self, completed: dict[str, Any], name: str) -> None:
        if name.endswith("recordsSizeInBytes"):
            read(changed(completed, name, ABSENT))
        else:
            assert refusal(changed(completed, name, ABSENT)) == f"{name} is missing"

    @pytest.mark.parametrize(
        "name",
        [
            "request.topics[1]",
            "request.topics[1].partitions[2]",
            "request.forgottenTopicsData[0]",
            "response.responses[1]",
            "response.responses[1].partitions[2]",
        ],
    )
    def test_what_should_be_an_object(self, completed: dict[str, Any], name: str) -> None:
        assert refusal(changed(completed, name, 5)) == (
            f"{name} is 5: expected `object`, got `int`"
        )

    @pytest.mark.parametrize("value", [2**31, True, "1", None])
    def test_a_forgotten_partition(self, completed: dict[str, Any], value: object) -> None:
        name = "request.forgottenTopicsData[0].partitions[1]"
        detail = refusal(changed(completed, name, value))
        assert detail.startswith(f"{name} is {json.dumps(value)}: expected `int`")
