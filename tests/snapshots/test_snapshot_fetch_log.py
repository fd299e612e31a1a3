"""A real replica, wiped and started again, that downloads a snapshot: its requests in their order.

One connection of the captured logs has the fetch that is answered with a snapshot id, all requests
for chunks, and the fetches that follow. See tests/data/request-log/README.md.
"""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

import pytest

if TYPE_CHECKING:
    from tests.conftest import KafkaOutput

FETCH, FETCH_SNAPSHOT = 1, 59
SNAPSHOT = {"endOffset": 104, "epoch": 1}
SIZE, MAX_BYTES = 5897, 1000

Fields: TypeAlias = "dict[str, int | str | dict[str, int]]"


class Exchange:
    """One request for one partition, and its answer."""

    def __init__(self, line: str) -> None:
        logged = json.loads(line[line.index("{") :])
        self.api: int = logged["requestHeader"]["requestApiKey"]
        self.number: int = logged["requestHeader"]["correlationId"]
        self.connection: str = logged["connection"]
        self.request: Fields = logged["request"]
        (topic,) = logged["request"]["topics"]
        (asked,) = topic["partitions"]
        self.asked: Fields = asked
        (topic,) = logged["response"]["topics" if self.api == FETCH_SNAPSHOT else "responses"]
        (answered,) = topic["partitions"]
        self.response: Fields = logged["response"]
        self.answered: Fields = answered


@pytest.fixture(scope="module")
def exchanges(kafka_output: KafkaOutput) -> list[Exchange]:
    return [
        Exchange(line)
        for name in ("raft-fetch.log", "fetch-snapshot-chunks.log")
        for line in kafka_output(f"request-log/{name}").read_text(encoding="utf-8").splitlines()
    ]


@pytest.fixture(scope="module")
def download(exchanges: list[Exchange]) -> list[Exchange]:
    """What went over the connection of the download, each once, by correlation id."""
    (connection,) = {of.connection for of in exchanges if of.api == FETCH_SNAPSHOT}
    of_it = {of.number: of for of in exchanges if of.connection == connection}
    return [of_it[number] for number in sorted(of_it)]


@pytest.fixture(scope="module")
def chunks(download: list[Exchange]) -> list[Exchange]:
    return [of for of in download if of.api == FETCH_SNAPSHOT]


def test_a_fetch_below_the_log_start_is_answered_with_a_snapshot_id(
    download: list[Exchange],
) -> None:
    reported = [of for of in download if "snapshotId" in of.answered and of.api == FETCH]
    assert [of.answered["snapshotId"] for of in reported] == [SNAPSHOT]
    assert reported[0].asked["fetchOffset"] == 0
    assert reported[0].answered["logStartOffset"] == SNAPSHOT["endOffset"]
    assert reported[0].answered["recordsSizeInBytes"] == 0


def test_no_fetch_is_sent_while_a_snapshot_is_downloaded(
    download: list[Exchange], chunks: list[Exchange]
) -> None:
    numbers = [of.number for of in chunks]
    assert numbers == list(range(numbers[0], numbers[0] + len(chunks)))
    before = [of for of in download if of.number < numbers[0]][-1]
    assert before.answered["snapshotId"] == SNAPSHOT


def test_requests_carry_what_the_kip_lists(chunks: list[Exchange]) -> None:
    for chunk in chunks:
        assert set(chunk.request) >= {"clusterId", "replicaId", "maxBytes", "topics"}
        assert chunk.request["maxBytes"] == MAX_BYTES
        assert set(chunk.asked) == {
            "partition",
            "currentLeaderEpoch",
            "snapshotId",
            "position",
            "replicaDirectoryId",
        }
        assert chunk.asked["snapshotId"] == SNAPSHOT


def test_responses_carry_what_the_kip_lists(chunks: list[Exchange]) -> None:
    for chunk in chunks:
        assert set(chunk.response) >= {"throttleTimeMs", "errorCode", "topics"}
        assert chunk.response["errorCode"] == 0
        assert set(chunk.answered) == {
            "index",
            "errorCode",
            "snapshotId",
            "currentLeader",
            "size",
            "position",
            "unalignedRecords",
        }
        assert chunk.answered["errorCode"] == 0
        assert chunk.answered["snapshotId"] == SNAPSHOT
        assert chunk.answered["size"] == SIZE
        assert chunk.answered["position"] == chunk.asked["position"]


def test_each_request_goes_on_where_the_last_answer_ended(chunks: list[Exchange]) -> None:
    """Answers have as many bytes as the request allows; the log shows none of them."""
    positions = [of.asked["position"] for of in chunks]
    assert positions == list(range(0, SIZE, MAX_BYTES))


def test_the_next_fetch_is_from_the_snapshots_end_and_epoch(
    download: list[Exchange], chunks: list[Exchange]
) -> None:
    after = next(of for of in download if of.number > chunks[-1].number)
    assert after.api == FETCH
    assert after.asked["fetchOffset"] == SNAPSHOT["endOffset"]
    assert after.asked["lastFetchedEpoch"] == SNAPSHOT["epoch"]
    assert after.asked["highWatermark"] == SNAPSHOT["endOffset"]
    assert after.answered["errorCode"] == 0
    assert "snapshotId" not in after.answered


def test_fetches_with_a_wrong_epoch_are_refused_and_tell_the_leader(
    exchanges: list[Exchange],
) -> None:
    refused = {
        (
            of.asked["currentLeaderEpoch"],
            of.answered["errorCode"],
            str(of.answered["currentLeader"]),
        )
        for of in exchanges
        if of.api == FETCH and of.answered["errorCode"]
    }
    not_leader, fenced = 6, 74
    assert (0, fenced, "{'leaderId': 1, 'leaderEpoch': 2}") in refused
    assert {error for _, error, _ in refused} == {not_leader, fenced}


def test_a_fetch_names_the_end_of_the_log_its_last_epoch_and_the_leaders(
    download: list[Exchange],
) -> None:
    """Where the log ends is known from what came: nothing, a snapshot, no records, or some."""
    fetches = [of for of in download if of.api == FETCH]
    assert place(fetches[0]) == (0, 0)
    for before, after in pairwise(fetches):
        leader, snapshot = before.answered["currentLeader"], before.answered.get("snapshotId")
        assert isinstance(leader, dict)
        assert after.asked["currentLeaderEpoch"] == leader["leaderEpoch"]
        if isinstance(snapshot, dict):
            assert place(after) == (snapshot["epoch"], snapshot["endOffset"])
        elif before.answered["recordsSizeInBytes"] == 0:
            assert place(after) == place(before)
        else:
            assert place(after)[0] >= place(before)[0]
            assert place(after)[1] > place(before)[1]


def test_a_fetcher_never_goes_back(download: list[Exchange]) -> None:
    """Once it has the snapshot, neither the epoch nor the offset that it fetches at falls."""
    places = [place(of) for of in download if of.api == FETCH]
    assert len(places) > 3
    assert places == sorted(places)


def place(of: Exchange) -> tuple[int, int]:
    """The last fetched epoch and the offset that a fetch names."""
    return integer(of.asked, "lastFetchedEpoch"), integer(of.asked, "fetchOffset")


def integer(of: Fields, name: str) -> int:
    value = of[name]
    assert isinstance(value, int)
    return value
