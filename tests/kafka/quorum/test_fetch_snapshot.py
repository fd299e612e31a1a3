"""A replica of a real quorum that downloads a snapshot: as it was, and with damage of each kind."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from pathlib import Path

import pytest

from lockstep_kafka.findings import SideName, Verdict
from lockstep_kafka.rules import Rule
from tests.kafka.quorum.quorum_logs import (
    Document,
    answered,
    asked,
    departures,
    documents,
    follow_documents,
    of_api,
    shown,
)

CLIENT, NODE = SideName.CLIENT, SideName.BROKER
NOT_LEADER, FENCED, UNKNOWN_EPOCH, NOT_FOUND, OUT_OF_RANGE = 6, 74, 75, 98, 99
WHOLE = documents("raft-fetch.log", "fetch-snapshot-chunks.log")
"""A Fetch that is answered with a snapshot id, six chunks of 1,000 bytes, and what follows."""


def chunks(requests: list[Document]) -> list[Document]:
    return of_api(requests, "FETCH_SNAPSHOT")


def refused(chunk: Document, error: int, epoch: int | None = None) -> None:
    """Have a chunk answered with an error, as Kafka does."""
    nothing = {"errorCode": error, "snapshotId": {"endOffset": 0, "epoch": 0}}
    answered(chunk).update(nothing, size=0, position=0)
    if epoch is not None:
        answered(chunk)["currentLeader"]["leaderEpoch"] = epoch


def without(requests: list[Document], left_out: list[Document]) -> list[Document]:
    """The requests as if some had never been: nothing shows in the correlation ids."""
    kept = []
    for one in requests:
        header = one["requestHeader"]
        missing = sum(
            out["connection"] == one["connection"]
            and out["requestHeader"]["correlationId"] < header["correlationId"]
            for out in left_out
        )
        if one not in left_out:
            number = header["correlationId"] - missing
            kept.append(one | {"requestHeader": header | {"correlationId": number}})
    return kept


def test_a_download_conforms(tmp_path: Path) -> None:
    findings = follow_documents(WHOLE, tmp_path)
    assert departures(findings) == set()
    assert {session.verdict for session in findings.sessions} == {Verdict.CONFORMS}
    assert (findings.total.followed, findings.total.others) == (len(WHOLE), 0)
    assert sum(session.partial for session in findings.sessions) == 0


def test_chunks_alone_conform(tmp_path: Path) -> None:
    """Why the snapshot is fetched is not in this log: its first line is judged in part."""
    findings = follow_documents(chunks(WHOLE), tmp_path)
    (session,) = findings.sessions
    assert (session.verdict, session.lines, session.partial) == (Verdict.CONFORMS, 6, 1)


def wrong_position_answered(log: list[Document]) -> None:
    answered(chunks(log)[2])["position"] = 1000


def wrong_position_asked(log: list[Document]) -> None:
    asked(chunks(log)[2])["position"] = answered(chunks(log)[2])["position"] = 2500


def position_back(log: list[Document]) -> None:
    asked(chunks(log)[4])["position"] = answered(chunks(log)[4])["position"] = 1000


def position_below_0(log: list[Document]) -> None:
    asked(chunks(log)[0])["position"] = -1
    refused(chunks(log)[0], OUT_OF_RANGE)


def wrong_size(log: list[Document]) -> None:
    answered(chunks(log)[3])["size"] = 5896


def wrong_id_answered(log: list[Document]) -> None:
    answered(chunks(log)[1])["snapshotId"]["endOffset"] = 334


def wrong_epoch_of_id_answered(log: list[Document]) -> None:
    answered(chunks(log)[1])["snapshotId"]["epoch"] = 2


def wrong_id_asked(log: list[Document]) -> None:
    asked(chunks(log)[3])["snapshotId"]["endOffset"] = 103
    answered(chunks(log)[3])["snapshotId"]["endOffset"] = 103


def another_id_than_named(log: list[Document]) -> None:
    asked(chunks(log)[0])["snapshotId"]["endOffset"] = 103
    refused(chunks(log)[0], NOT_FOUND)


def fenced_in_its_epoch(log: list[Document]) -> None:
    refused(chunks(log)[5], FENCED)


def unknown_epoch_in_its_epoch(log: list[Document]) -> None:
    refused(chunks(log)[5], UNKNOWN_EPOCH)


def served_in_another_epoch(log: list[Document]) -> None:
    answered(chunks(log)[2])["currentLeader"]["leaderEpoch"] = 3


def not_leader_in_another_epoch(log: list[Document]) -> None:
    refused(chunks(log)[5], NOT_LEADER, epoch=3)


def not_found_in_another_epoch(log: list[Document]) -> None:
    refused(chunks(log)[5], NOT_FOUND, epoch=3)


def out_of_range_within(log: list[Document]) -> None:
    refused(chunks(log)[5], OUT_OF_RANGE)


def goes_on_after_an_error(log: list[Document]) -> None:
    refused(chunks(log)[2], NOT_FOUND)


def beyond_the_end(log: list[Document]) -> None:
    last = chunks(log)[5]
    asked(last)["position"] = answered(last)["position"] = 5897


def size_before_the_position(log: list[Document]) -> None:
    answered(chunks(log)[5])["size"] = 4999


def another_partition_answered(log: list[Document]) -> None:
    answered(chunks(log)[3])["index"] = 1


def bytes_skipped(log: list[Document]) -> None:
    log[:] = without(log, chunks(log)[2:3])


def first_bytes_skipped(log: list[Document]) -> None:
    log[:] = without(log, chunks(log)[:1])


def taken_before_it_is_whole(log: list[Document]) -> None:
    log[:] = without(log, chunks(log)[4:])


def goes_on_after_the_end(log: list[Document]) -> None:
    for chunk in chunks(log)[:5]:
        answered(chunk)["size"] = 5000
    answered(chunks(log)[5])["size"] = 5000


# Where the last chunk is refused, the follower goes on as if it had come.
@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        (wrong_position_answered, {(NODE, "630-49")}),
        (wrong_position_asked, {(CLIENT, "630-60")}),
        (position_back, {(CLIENT, "630-60")}),
        (position_below_0, {(CLIENT, "630-45"), (CLIENT, "630-60")}),
        (wrong_size, {(NODE, "630-48")}),
        (wrong_id_answered, {(NODE, "630-47")}),
        (wrong_epoch_of_id_answered, {(NODE, "630-47")}),
        (wrong_id_asked, {(CLIENT, "630-60")}),
        (another_id_than_named, {(CLIENT, "630-43"), (CLIENT, "630-60")}),
        (fenced_in_its_epoch, {(CLIENT, "630-25"), (NODE, "630-56")}),
        (unknown_epoch_in_its_epoch, {(CLIENT, "630-25"), (NODE, "630-57")}),
        (not_leader_in_another_epoch, {(CLIENT, "630-25"), (NODE, "630-58"), (NODE, "595-1")}),
        (not_found_in_another_epoch, {(CLIENT, "630-25"), (NODE, "630-54"), (NODE, "595-1")}),
        (out_of_range_within, {(CLIENT, "630-25"), (NODE, "630-55")}),
        (goes_on_after_an_error, {(CLIENT, "630-60")}),
        (bytes_skipped, {(CLIENT, "630-60")}),
        (first_bytes_skipped, {(CLIENT, "630-60")}),
        (taken_before_it_is_whole, {(CLIENT, "630-25")}),
    ],
)
def test_damage_departs(
    damage: Callable[[list[Document]], None], expected: set[tuple[SideName, str]], tmp_path: Path
) -> None:
    log = deepcopy(WHOLE)
    damage(log)
    assert departures(follow_documents(log, tmp_path)) == expected


@pytest.mark.parametrize(
    ("damage", "side"),
    [
        (served_in_another_epoch, NODE),
        (beyond_the_end, CLIENT),
        (beyond_the_end, NODE),
        (size_before_the_position, NODE),
        (another_partition_answered, NODE),
        (goes_on_after_the_end, CLIENT),
        (goes_on_after_the_end, NODE),
    ],
)
def test_damage_of_several_rules_departs(
    damage: Callable[[list[Document]], None], side: SideName, tmp_path: Path
) -> None:
    log = deepcopy(WHOLE)
    damage(log)
    assert side in {one for one, _ in departures(follow_documents(log, tmp_path))}


@pytest.mark.parametrize("number", range(6))
def test_a_line_that_is_missing_accuses_nobody(number: int, tmp_path: Path) -> None:
    log = [one for one in WHOLE if one is not chunks(WHOLE)[number]]
    findings = follow_documents(log, tmp_path)
    assert departures(findings) == set()
    inner = 0 < number < 5
    assert findings.verdict is (Verdict.UNKNOWN if inner else Verdict.CONFORMS)


def test_what_the_protocol_may_do_conforms(tmp_path: Path) -> None:
    """The same bytes again, fewer of them than asked for, from the beginning, not found."""
    log = deepcopy(chunks(WHOLE))
    positions = [0, 0, 400, 1400, 0, 1000]
    for chunk, position in zip(log, positions, strict=True):
        asked(chunk)["position"] = answered(chunk)["position"] = position
    refused(log[3], NOT_FOUND)
    findings = follow_documents(log, tmp_path)
    assert departures(findings) == set()
    assert findings.verdict is Verdict.CONFORMS


@pytest.mark.parametrize(("error", "conforms"), [(FENCED, True), (UNKNOWN_EPOCH, False)])
def test_an_epoch_that_is_not_known_is_an_old_one(
    error: int, conforms: bool, tmp_path: Path
) -> None:
    log = deepcopy(chunks(WHOLE))
    asked(log[5])["currentLeaderEpoch"] = -1
    refused(log[5], error)
    expected = set() if conforms else {(NODE, "630-57")}
    assert departures(follow_documents(log, tmp_path)) == expected


def test_an_error_of_the_partition_that_is_not_sent_is_unknown(tmp_path: Path) -> None:
    """It may be any exception in the broker, so that nothing departs (630-D43)."""
    requests = deepcopy(chunks(WHOLE))[:2]
    answered(requests[1]).clear()
    requests[1]["response"].update(errorCode=-1, topics=[])
    (session,) = follow_documents(requests, tmp_path).sessions
    assert session.client_side.verdict is Verdict.CONFORMS
    worst = session.broker_side.worst
    assert worst is not None
    assert (worst.verdict, worst.rule) == (Verdict.UNKNOWN, Rule.CHUNK_ERROR_LOST)
    assert "630-D43" in worst.because


def test_an_error_that_no_model_has_is_unknown(tmp_path: Path) -> None:
    log = deepcopy(chunks(WHOLE))
    refused(log[5], 8)  # BROKER_NOT_AVAILABLE: it shuts down
    (session,) = follow_documents(log, tmp_path).sessions
    assert session.client_side.verdict is Verdict.CONFORMS
    assert session.broker_side.verdict is Verdict.UNKNOWN


def test_the_last_piece_is_shown_with_the_one_that_does_not_follow(tmp_path: Path) -> None:
    log = deepcopy(WHOLE)
    bytes_skipped(log)
    partition = "__cluster_metadata-0"
    assert shown(follow_documents(log, tmp_path)) == [
        (
            number,
            f"FETCH_SNAPSHOT {partition} epoch 2 of replica 2 snapshot (104, 1) from byte "
            f"{position} -> NONE, {partition} NONE epoch 2 leader 1 snapshot (104, 1) from byte "
            f"{position} of 5897",
        )
        for number, position in ((11, 1000), (12, 3000))
    ]
