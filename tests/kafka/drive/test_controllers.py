"""Quorums of Apache Kafka's controllers on loopback: what they log, keep, and answer by hand."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest

from lockstep.workspace import find_workspace
from lockstep_kafka.files.snapshot_name import SnapshotId, snapshot_name
from lockstep_kafka.findings import RemarkFinding, Verdict
from lockstep_kafka.jars import BROKER_JARS, NEWEST_BROKER
from lockstep_kafka.quorum.models import HIGHEST_BYTES, PARTITION, QuorumModels
from lockstep_kafka.rules import Rule
from lockstep_kafka.verbs.conform import conform
from lockstep_kafka.verbs.requests import ConformRequest
from tests.day import day
from tests.kafka.drive.controllers import (
    METADATA,
    Chunk,
    Controller,
    Lead,
    Quorum,
    fetch_snapshot,
    kill_and_write,
    quorum,
    until,
)
from tests.kafka_models import ROOT

SERVED, INVALID_REQUEST, INCONSISTENT_CLUSTER_ID = 0, 42, 104
UNKNOWN_SERVER_ERROR = -1
"""Of a whole response: what is received of any error of a partition (630-D43)."""
AGAIN = {(Rule.VOTE_ASKED, None), (Rule.QUORUM_ERROR, INVALID_REQUEST)}
"""What is remarked of one that stands again in an epoch, and of the answer (595-D7)."""
KILLS = 5
WORKSPACE = find_workspace(ROOT)


def leave_behind(three: Quorum) -> Controller:
    """Have a follower fetch a snapshot, because the leader's log starts beyond its end."""
    lead = three.lead()
    follower = next(one for one in three.controllers if one is not lead.controller)
    three.write()
    until(lambda: follower.snapshots or None, "the follower makes no snapshot")
    follower.crash()
    three.write()
    end = three.lead().high_watermark
    for _ in range(5):
        three.write()

    def starts_later() -> bool | None:
        return three.lead().controller.snapshots[0].end_offset > end or None

    until(starts_later, "the leader's log starts no later")
    three.start(follower)

    def has_fetched() -> bool | None:
        three.start_those_that_ended()  # as one does in the state that 595-D7 describes
        return follower.snapshots[-1].end_offset > end or None

    until(has_fetched, "the follower fetches no snapshot")
    return follower


@pytest.mark.slow
@pytest.mark.verify
@pytest.mark.parametrize("release", BROKER_JARS)
def test_a_quorum_whose_nodes_are_killed_conforms(release: str) -> None:
    with quorum(release) as three:
        follower = leave_behind(three)
        kill_and_write(three, random.Random(day()), KILLS)
        for controller in three.controllers:
            controller.crash()
        lines = [line for one in three.controllers for line in snapshots_asked_for(one)]
        assert any(f'"replicaId":{follower.id},' in line for line in lines)

        logs = tuple(one.logs for one in three.controllers)
        heard: list[RemarkFinding] = []
        followed = conform(ConformRequest(logs, workspace=WORKSPACE), heard=heard.append)
        assert followed.totals.followed > len(lines)
        stands_again = AGAIN if release != "3.9.1" else set()
        assert {(one.remark.rule, one.remark.arguments.get("error")) for one in heard} <= (
            stands_again | {(Rule.CHUNK_ERROR_LOST, UNKNOWN_SERVER_ERROR)}
        )
        directories = tuple(one.directory for one in three.controllers)
        judged = conform(ConformRequest(directories, kraft=True, workspace=WORKSPACE))
        assert [one.verdict for one in judged.totals.nodes] == [Verdict.CONFORMS] * 3, judged


def snapshots_asked_for(controller: Controller) -> Iterator[str]:
    """The lines of its logs that have a FetchSnapshot."""
    for log in controller.logs.iterdir():
        for line in log.read_text(encoding="utf-8").splitlines():
            if '"FETCH_SNAPSHOT"' in line:
                yield line


@pytest.fixture(scope="module", name="models")
def of_the_quorum() -> QuorumModels:
    return QuorumModels(ROOT)


@dataclass(frozen=True)
class Asked:
    """One that is asked: whether it leads, in which epoch, and which snapshots it has."""

    controller: Controller
    leads: bool
    epoch: int

    def file(self, snapshot: SnapshotId) -> bytes | None:
        """What is in a snapshot."""
        try:
            return (self.controller.directory / snapshot_name(snapshot)).read_bytes()
        except FileNotFoundError:
            return None


def of_the_model(models: QuorumModels, asked: Asked, chunk: Chunk) -> tuple[int, int]:
    """The error and the number of bytes that `fetch_snapshot_response` answers."""
    model = models.answers(max(0, chunk.max_bytes), HIGHEST_BYTES)
    record = model.model.universe.modules["models.fetch_snapshot_response"].Asked
    file = asked.file(chunk.snapshot)
    # The model's epochs begin at 0: one more than Kafka's, which has -1 for one not known.
    one = record(
        named_epoch=chunk.epoch + 1,
        epoch=asked.epoch + 1,
        leads=asked.leads,
        size=None if file is None else len(file),
        position=max(-1, chunk.position),
    )
    arrived = model.step(model.state(asked={PARTITION: one}), "begin_response")
    (answer,) = (
        after.answers[PARTITION]
        for action in ("give", "refuse")
        if (after := model.step(arrived, action, p=PARTITION)) is not None
    )
    return answer.error.value, answer.units


def check_as_the_model(models: QuorumModels, asked: Asked, chunk: Chunk) -> None:
    """Ask, and compare all of the answer with the model's and with the file."""
    error, units = of_the_model(models, asked, chunk)
    answer = fetch_snapshot(asked.controller, chunk)
    if error:
        assert (answer.error_code, answer.topics) == (UNKNOWN_SERVER_ERROR, ()), (chunk, answer)
        return
    assert answer.error_code == SERVED, (chunk, answer)
    ((came,),) = (topic.partitions for topic in answer.topics)
    assert (came.error_code, len(came.unaligned_records)) == (SERVED, units), (chunk, answer)
    assert (answer.topics[0].name, came.index) == (METADATA, 0)
    assert came.current_leader.leader_epoch == asked.epoch
    file = asked.file(chunk.snapshot)
    assert file is not None
    assert (came.snapshot_id.end_offset, came.snapshot_id.epoch) == chunk.snapshot
    assert (came.size, came.position) == (len(file), chunk.position)
    assert came.unaligned_records == file[chunk.position :][: chunk.max_bytes]


def ends_of(asked: Asked, snapshot: SnapshotId) -> Iterator[Chunk]:
    """What is asked for at the ends of a file, and for what is not there."""
    epoch, file = asked.epoch, asked.file(snapshot)
    assert file is not None
    size = len(file)
    positions = (0, 1, size - 1, size, size + 1, -1, -(2**63), 2**31 - 1, 2**31, 2**63 - 1)
    for position in positions:
        for most in (0, 1, size, 2**31 - 1):
            yield Chunk(epoch, snapshot, position, most)
    end, last = snapshot
    for other in ((end + 1, last), (end, last + 1), (end, last - 1), (2**62, last), (0, 0)):
        yield Chunk(epoch, SnapshotId(*other))
    for named in (-1, 0, epoch - 1, epoch + 1, 2**31 - 2):
        yield Chunk(named, snapshot)
        yield Chunk(named, SnapshotId(end + 1, last), -1)


def ask_by_hand(models: QuorumModels, quorum: Quorum) -> None:
    """Ask the leader for all of it, and for what the model has no answer to."""
    for _ in range(4):
        quorum.write()
    lead = quorum.lead()
    snapshot = until(lambda: lead.controller.snapshots[-1:] or None, "there is no snapshot")[0]
    leader = Asked(lead.controller, True, lead.epoch)
    for chunk in ends_of(leader, snapshot):
        check_as_the_model(models, leader, chunk)
    check_as_the_model(models, leader, Chunk(lead.epoch, snapshot, cluster=None))
    chunk = Chunk(lead.epoch, snapshot)
    assert errors(lead, replace(chunk, cluster="another")) == [INCONSISTENT_CLUSTER_ID]
    for partition in ((METADATA, 1), ("another", 0)):
        assert errors(lead, replace(chunk, partition=partition)) == [UNKNOWN_SERVER_ERROR]
    # The others are left out, unless there are several of both (630-D24).
    another, second = ("another", 0), (METADATA, 1)
    for other in (another, second):
        assert errors(lead, replace(chunk, also=(other,))) == [SERVED, SERVED]
    assert errors(lead, replace(chunk, also=(another, second))) == [INVALID_REQUEST]


def errors(lead: Lead, chunk: Chunk) -> list[int]:
    """The error of an answer, and that of each partition that is answered."""
    answer = fetch_snapshot(lead.controller, chunk)
    parts = [one.error_code for topic in answer.topics for one in topic.partitions]
    return [int(answer.error_code), *map(int, parts)]


def test_a_leader_answers_by_hand_as_the_model(models: QuorumModels) -> None:
    with quorum(NEWEST_BROKER, 1) as alone:
        ask_by_hand(models, alone)


@pytest.mark.slow
@pytest.mark.verify
@pytest.mark.parametrize("release", BROKER_JARS)
def test_a_quorum_answers_by_hand_as_the_model(release: str, models: QuorumModels) -> None:
    with quorum(release) as three:
        ask_by_hand(models, three)
        lead = three.lead()
        for controller in three.controllers:
            if controller is not lead.controller:
                check_as_the_model(
                    models,
                    Asked(controller, False, lead.epoch),
                    Chunk(lead.epoch, controller.snapshots[-1]),
                )
