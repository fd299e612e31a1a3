"""Simulated request logs: behaviours of the model, as brokers write them."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import NamedTemporaryFile

import pytest

from lockstep.workspace import find_workspace
from lockstep_kafka.files.lines import FetchLine, OtherRequest, Skipped
from lockstep_kafka.files.request_log import read_request_log
from lockstep_kafka.findings import Verdict
from lockstep_kafka.simulated import episodes
from lockstep_kafka.simulated.groups import groups_of
from lockstep_kafka.simulated.simulation import Simulation
from lockstep_kafka.verbs.conform import ConformRequest, conform
from lockstep_kafka.verbs.simulate import SimulateRequest, simulate
from tests.kafka.conform.following import ROOT
from tests.kafka_models import fetch_session

ONE = Simulation(broker=1, brokers=3, lines=1_500, clients=8, partitions=9, seed=5, behaviours=100)


def simulated(simulation: Simulation) -> Iterator[str]:
    return (line.text for line in episodes.lines(simulation, fetch_session))


@cache
def read() -> tuple[list[FetchLine], list[OtherRequest]]:
    """The lines of `ONE` as a follower reads them."""
    fetches: list[FetchLine] = []
    others: list[OtherRequest] = []
    with NamedTemporaryFile("w", suffix=".log") as file:
        file.writelines(f"{text}\n" for text in simulated(ONE))
        file.flush()
        for line in read_request_log(file.name):
            assert not isinstance(line, Skipped), line
            if isinstance(line, FetchLine):
                fetches.append(line)
            else:
                assert isinstance(line, OtherRequest), line
                others.append(line)
    return fetches, others


@pytest.mark.parametrize("seed", range(4))
def test_every_session_of_a_clean_log_conforms(tmp_path: Path, seed: int) -> None:
    request = SimulateRequest(
        log=tmp_path / "out", lines=2_000, brokers=2, seed=seed, workspace=find_workspace(ROOT)
    )
    for broker in simulate(request).brokers:
        folder = tmp_path / "out" / f"broker-{broker.broker}"
        totals = conform(ConformRequest(logs=(folder,), workspace=request.workspace)).totals
        assert totals.sessions[Verdict.CONFORMS].count > 20
        assert totals.sessions[Verdict.UNKNOWN].count == totals.departing.count == 0
        assert totals.client.keys() == totals.broker.keys() == {Verdict.CONFORMS}
        assert totals.read == broker.lines
        assert not totals.lines.count


def test_a_log_has_what_happens_to_brokers() -> None:
    fetches, others = read()
    assert others
    assert any(line.is_follower for line in fetches)
    assert any(not line.is_follower for line in fetches)
    assert {line.error_code for line in fetches} == {0, 70}
    assert any(line.throttle_time_ms for line in fetches)
    assert any(line.forgotten for line in fetches)
    assert any(answer.error_code for line in fetches for answer in line.answered.values())
    assert any(answer.records_size for line in fetches for answer in line.answered.values())
    connections = defaultdict(set)
    for line in fetches:
        connections[line.client_id].add(line.connection)
    assert all(len(names) > 1 for names in connections.values())
    arrivals = [line.arrival_ms or 0.0 for line in fetches]
    assert arrivals != sorted(arrivals)
    times = [line.time_ms or 0 for line in fetches]
    assert times == sorted(times)


def test_offsets_and_log_starts_move_forward() -> None:
    reported = defaultdict(list)
    for line in read()[0]:
        for partition, answer in line.answered.items():
            if not answer.error_code:
                reported[partition].append((answer.log_start_offset, answer.high_watermark))
    assert all(len({start for start, _ in answers}) > 1 for answers in reported.values())
    assert all(answers[-1] > answers[0] for answers in reported.values())


def test_ids_and_connections_are_those_of_one_episode() -> None:
    clients = defaultdict(set)
    for line in read()[0]:
        clients[line.connection].add(line.client_id)
    assert all(len(names) == 1 for names in clients.values())
    opened = Counter(
        line.response_session_id
        for line in read()[0]
        if line.session_epoch == 0 and line.response_session_id
    )
    assert max(opened.values()) == 1


@pytest.mark.parametrize(("clients", "partitions"), [(1, 1), (2, 40), (40, 2), (30, 30), (31, 33)])
def test_every_client_and_partition_is_in_one_group(clients: int, partitions: int) -> None:
    groups = groups_of(replace(ONE, clients=clients, partitions=partitions))
    names = [name for group in groups for name in group.clients.values()]
    there_are = [name for group in groups for name in group.partitions.values()]
    assert len(set(there_are)) == len(there_are) == partitions
    assert len(set(names)) == len(names) == clients
    assert all(group.clients and group.partitions for group in groups)


def test_no_broker_follows_itself() -> None:
    for broker in (1, 2, 3):
        groups = groups_of(replace(ONE, broker=broker, clients=40, partitions=60))
        replicas = {replica for group in groups for replica in group.replicas.values()}
        assert replicas == {1, 2, 3} - {broker}
    assert not any(group.replicas for group in groups_of(replace(ONE, brokers=1)))


def test_behaviours_come_again_under_other_names(tmp_path: Path) -> None:
    few = replace(ONE, behaviours=1, lines=2_500)
    file = tmp_path / "server.log"
    file.write_text("".join(f"{text}\n" for text in simulated(few)))
    sessions = [
        line.response_session_id
        for line in read_request_log(file)
        if isinstance(line, FetchLine) and line.session_epoch == 0 and line.response_session_id
    ]
    assert len(set(sessions)) == len(sessions)
    request = ConformRequest(logs=(file,), workspace=find_workspace(ROOT))
    assert conform(request).exit_code == 0


def test_a_seed_is_a_log() -> None:
    few = replace(ONE, lines=50)
    assert [*simulated(few)] == [*simulated(few)]
    assert [*simulated(few)] != [*simulated(replace(few, seed=random.randrange(6, 100)))]
