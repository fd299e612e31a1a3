"""Controllers of Apache Kafka on loopback, which make a quorum and log what they are asked.

Each is a process of its own, with a folder that stays when it is killed. All end with the process
that started them.
"""

from __future__ import annotations

import io
import random
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from lockstep.system.child_process import child_process
from lockstep.system.maven import Artifact
from lockstep.system.scratch import scratch_folder
from lockstep_kafka.drive.broker import CLUSTER, Node, free_ports, until_it_listens
from lockstep_kafka.drive.jvm import pinned
from lockstep_kafka.drive.wire import HOST, codec, framed, frames
from lockstep_kafka.files.snapshot_name import SnapshotId, parse_name
from lockstep_kafka.jars import BROKER_JARS

T = TypeVar("T")

ALTER_CLIENT_QUOTAS, DESCRIBE_QUORUM, FETCH_SNAPSHOT = 49, 55, 59
METADATA = "__cluster_metadata"
_ANSWER_SECONDS = 30.0
_TURN_SECONDS = 180.0
"""How long a quorum may take, on a busy machine, for an election or a download."""
_LOOK_SECONDS = 0.25
_BINDING = Artifact(
    "org.slf4j",
    "slf4j-simple",
    "1.7.36",
    "2f39bed943d624dfa8f4102d0571283a10870b6aa36f197a8a506f147010c10f",
)
_NO_BINDING = "slf4j-nop"
_SETTINGS = {
    "process.roles": "controller",
    "controller.listener.names": "CONTROLLER",
    # A snapshot each few requests, sent in small pieces, and no older one kept.
    "metadata.log.max.record.bytes.between.snapshots": 1_000,
    "controller.quorum.fetch.snapshot.max.bytes": 500,
    "metadata.max.retention.bytes": 1_024,
    "metadata.max.retention.ms": 1_000,
}


class Gone(Exception):
    """A controller closed the connection instead of an answer."""


def ask(port: int, api: int, version: int, build: Callable[[Any], Any]) -> Any:
    """The answer to a request, both as kio has them; `build` is given kio's module of it.

    `Gone` where there is none, and OSError where nobody listens.
    """
    kio = codec()
    schema = kio.load_request_schema(api, version)
    answer = kio.load_response_schema(api, version)
    module = kio.load_payload_module(api, version, kio.request)
    header = schema.__header_schema__(
        request_api_key=api, request_api_version=version, correlation_id=1, client_id="lockstep"
    )
    with io.BytesIO() as buffer:
        kio.writer(schema.__header_schema__)(buffer, header)
        kio.writer(schema)(buffer, build(module))
        message = framed(buffer.getvalue())
    with socket.create_connection((HOST, port), timeout=_ANSWER_SECONDS) as connection:
        connection.sendall(message)
        received = next(frames(iter(partial(connection.recv, 1 << 16), b"")), None)
    if received is None:
        raise Gone
    _, start = kio.reader(answer.__header_schema__)(received, 0)
    return kio.reader(answer)(received, start)[0]


@dataclass
class Controller:
    """One controller, which may run or not."""

    id: int
    port: int
    node: Node
    logs: Path
    """The folder of its request logs, one of each start."""
    _opened: ExitStack = field(default_factory=ExitStack)
    _process: subprocess.Popen[str] | None = None
    _starts: int = 0

    @property
    def directory(self) -> Path:
        """Where it keeps the log of the quorum."""
        return self.node.folder / f"{METADATA}-0"

    @property
    def snapshots(self) -> list[SnapshotId]:
        """Those that it has now, the oldest first."""
        names = (parse_name(file.name) for file in self.directory.glob("*.checkpoint"))
        return sorted(name.id for name in names if name is not None)

    def start(self) -> subprocess.Popen[str]:
        """Start it; whether it listens is not waited for."""
        self._starts += 1
        log = self.logs / f"kafka-request-{self._starts:02}.log"
        command = self.node.command
        command[1:1] = [f"-Dorg.slf4j.simpleLogger.logFile={log}"]
        started = child_process(command, self.node.folder, subprocess.DEVNULL)
        self._process = self._opened.enter_context(started)
        return self._process

    @property
    def has_ended(self) -> bool:
        """Whether it was started, and has ended by itself."""
        return self._process is not None and self._process.poll() is not None

    def crash(self) -> None:
        """Kill it, as kill -9 does; nothing if it does not run."""
        self._process = None
        self._opened.close()


@dataclass(frozen=True)
class Lead:
    """Who leads in which epoch, and the high watermark."""

    controller: Controller
    epoch: int
    high_watermark: int


class Quorum:
    """Controllers of one release. At the end of the block in `quorum` all of them are killed."""

    def __init__(self, release: str, folder: Path, number: int, opened: ExitStack) -> None:
        self._release, self._made = release, 0
        ports = free_ports(number)
        voters = ",".join(f"{id}@{HOST}:{port}" for id, port in enumerate(ports, 1))
        jars = tuple(one for one in pinned(release, BROKER_JARS) if one.name != _NO_BINDING)
        self.controllers = []
        for id, port in enumerate(ports, 1):
            own, logs = folder / f"node{id}", folder / f"logs{id}"
            own.mkdir()
            logs.mkdir()
            properties = _SETTINGS | {
                "node.id": id,
                "controller.quorum.voters": voters,
                "listeners": f"CONTROLLER://{HOST}:{port}",
                "log.dirs": own,
            }
            node = Node(own, properties, (*jars, _BINDING), _LOGGING)
            node.format()
            self.controllers.append(Controller(id, port, node, logs))
            opened.callback(self.controllers[-1].crash)
        self.start(*self.controllers)

    def start(self, *controllers: Controller) -> None:
        """Start these, and wait until they listen."""
        started = [(one.start(), one.port) for one in controllers]
        for process, port in started:
            until_it_listens(process, port, self._release)

    def start_those_that_ended(self) -> None:
        """Start those that ended by themselves."""
        for controller in self.controllers:
            if controller.has_ended:
                controller.crash()
                self.start(controller)

    def lead(self) -> Lead:
        """Who leads now, once somebody does."""
        return until(self._lead, "nobody leads")

    def write(self, records: int = 10) -> None:
        """Have records committed, in one batch."""
        users = [f"user-{self._made + number:05}" for number in range(records)]
        self._made += records
        until(lambda: self._quotas(users), "no record is committed")

    def _lead(self) -> Lead | None:
        for controller in self.controllers:
            with suppress(OSError, Gone):
                answer = ask(controller.port, DESCRIBE_QUORUM, 1, _describe)
                (partition,) = answer.topics[0].partitions
                if partition.error_code == 0 and partition.leader_id == controller.id:
                    return Lead(controller, partition.leader_epoch, partition.high_watermark)
        return None

    def _quotas(self, users: list[str]) -> bool | None:
        lead = self._lead()
        if lead is None:
            return None
        with suppress(OSError, Gone):
            answer = ask(
                lead.controller.port, ALTER_CLIENT_QUOTAS, 1, lambda kio: _quotas(kio, users)
            )
            return all(entry.error_code == 0 for entry in answer.entries) or None
        return None


_LOGGING = (
    "-Xmx96m",
    "-Dorg.slf4j.simpleLogger.defaultLogLevel=off",
    "-Dorg.slf4j.simpleLogger.log.kafka.request.logger=debug",
    "-Dorg.slf4j.simpleLogger.showDateTime=true",
    "-Dorg.slf4j.simpleLogger.dateTimeFormat=[yyyy-MM-dd HH:mm:ss,SSS]",
    "-Dorg.slf4j.simpleLogger.showThreadName=false",
)


@contextmanager
def quorum(release: str, number: int = 3) -> Iterator[Quorum]:
    """So many controllers of a release, all of which listen."""
    with scratch_folder("kafka-quorum-") as folder, ExitStack() as opened:
        yield Quorum(release, folder, number, opened)


def until(found: Callable[[], T | None], what: str) -> T:
    """What is found, as soon as it is."""
    end = time.monotonic() + _TURN_SECONDS
    while time.monotonic() < end:
        if (one := found()) is not None:
            return one
        time.sleep(_LOOK_SECONDS)
    raise AssertionError(f"{what} in {_TURN_SECONDS:.0f} s")


def kill_and_write(quorum: Quorum, draw: random.Random, times: int) -> None:
    """Kill a controller, and start it again, so often, while records are written."""
    for _ in range(times):
        quorum.write(draw.randrange(1, 20))
        killed = draw.choice(quorum.controllers)
        killed.crash()
        for _ in range(draw.randrange(3)):
            quorum.write(draw.randrange(1, 20))
        quorum.start(killed)


@dataclass(frozen=True)
class Chunk:
    """A request for a part of a snapshot; `also` are partitions that it names besides."""

    epoch: int
    snapshot: SnapshotId
    position: int = 0
    max_bytes: int = 2**31 - 1
    cluster: str | None = CLUSTER
    partition: tuple[str, int] = (METADATA, 0)
    also: tuple[tuple[str, int], ...] = ()


def fetch_snapshot(controller: Controller, chunk: Chunk) -> Any:
    """The answer to a request of one that is no replica."""

    def build(kio: Any) -> Any:
        end_offset, epoch = chunk.snapshot
        topics: dict[str, list[Any]] = {}
        for topic, partition in (chunk.partition, *chunk.also):
            asked = kio.PartitionSnapshot(
                partition=partition,
                current_leader_epoch=chunk.epoch,
                snapshot_id=kio.SnapshotId(end_offset=end_offset, epoch=epoch),
                position=chunk.position,
            )
            topics.setdefault(topic, []).append(asked)
        return kio.FetchSnapshotRequest(
            cluster_id=chunk.cluster,
            max_bytes=chunk.max_bytes,
            topics=tuple(
                kio.TopicSnapshot(name=name, partitions=tuple(asked))
                for name, asked in topics.items()
            ),
        )

    return ask(controller.port, FETCH_SNAPSHOT, 1, build)


def _describe(kio: Any) -> Any:
    partition = kio.PartitionData(partition_index=0)
    topic = kio.TopicData(topic_name=METADATA, partitions=(partition,))
    return kio.DescribeQuorumRequest(topics=(topic,))


def _quotas(kio: Any, users: list[str]) -> Any:
    """A quota for each of these users: a record each."""
    entries = tuple(
        kio.EntryData(
            entity=(kio.EntityData(entity_type="user", entity_name=user),),
            ops=(kio.OpData(key="producer_byte_rate", value=1e6, remove=False),),
        )
        for user in users
    )
    return kio.AlterClientQuotasRequest(entries=entries, validate_only=False)
