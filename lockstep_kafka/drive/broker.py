"""One broker on loopback, in a process of its own, and its clients.

A broker of Apache Kafka is its own controller, and has a temporary folder. It ends with the process
that started it, however that ends. A node may be a controller alone: tests make quorums of them.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from lockstep.errors import LockstepError
from lockstep.system.child_process import child_process, output_of
from lockstep.system.java import find_java
from lockstep.system.maven import Artifact, jars_of
from lockstep.system.scratch import scratch_folder
from lockstep_kafka.drive.clients import go_program
from lockstep_kafka.drive.jvm import SMALL_AND_SOON, Jvm, pinned
from lockstep_kafka.drive.wire import HOST, framed, frames
from lockstep_kafka.jars import BROKER_JARS

SHARDS, SLOTS_OF_A_SHARD = 8, 2
"""Of the cache of sessions: how many shards Kafka makes, and how many sessions each has here."""
OVER_QUOTA = "over-quota"
"""A client that may have a byte a second, by its id."""
KFAKE = "kfake"
"""franz-go's broker in memory, which is written in Go."""
CLUSTER = "AAAAAAAAQACAAAAAAAAAAQ"
"""The id of every cluster here."""
_STARTING_SECONDS = 120.0
_ANSWER_SECONDS = 30.0
_RETRY_SECONDS = 0.1
_METADATA = 12
"""The version of that request."""
_MOST_BYTES = 1 << 16


@dataclass(frozen=True)
class Node:
    """A node of Apache Kafka in a folder, which is formatted once and started as often as wanted.

    `jars` and `options` are those of its Java, in which the last word on a setting counts.
    """

    folder: Path
    properties: Mapping[str, object]
    jars: tuple[Artifact, ...]
    options: tuple[str, ...] = ()

    @property
    def command(self) -> list[str]:
        """What starts it."""
        return [*self._java(), "kafka.Kafka", str(self._file)]

    def format(self) -> None:
        """Make its folder ready; `LockstepError` where that fails."""
        lines = (f"{name}={value}\n" for name, value in self.properties.items())
        self._file.write_text("".join(lines), encoding="utf-8")
        formatting = ["kafka.tools.StorageTool", "format", "-t", CLUSTER, "-c", str(self._file)]
        try:
            made = output_of([*self._java(), *formatting], _STARTING_SECONDS, self.folder)
            why = _last(made.stdout) if made.returncode else None
        except subprocess.TimeoutExpired:
            why = f"it takes longer than {_STARTING_SECONDS:.0f} s"
        if why is not None:
            cure = "see that there is memory and room on the disk for a broker"
            raise LockstepError(f"the broker's folder is not formatted: {why}", cure=cure)

    def _java(self) -> list[str]:
        jars = ":".join(map(str, jars_of(self.jars)))
        return [str(find_java()), *SMALL_AND_SOON, *self.options, "-cp", jars]

    @property
    def _file(self) -> Path:
        return self.folder / "server.properties"


class Broker:
    """A broker that answers: of a release, or franz-go's `KFAKE`.

    `LockstepError` where there is no such release, and where Java, a jar, or Go cannot be had.
    """

    def __init__(self, release: str) -> None:
        self._open = ExitStack()
        try:
            folder = self._open.enter_context(scratch_folder("kafka-broker-"))
            self.port, controller = free_ports(2)
            self.software = f"Apache Kafka {release}"
            if release == KFAKE:
                program = go_program(KFAKE)
                self.software = f"franz-go's kfake {program.version}"
                command = [*program.command, str(self.port)]
            else:
                properties = _properties(folder, self.port, controller)
                node = Node(folder, properties, pinned(release, BROKER_JARS))
                node.format()
                command = node.command
            self._command, self._folder, self._release = command, folder, release
            self._runs = self._open.enter_context(ExitStack())
            self._start()
        except BaseException:
            self._open.close()
            raise

    def _start(self) -> None:
        started = child_process(self._command, self._folder, subprocess.DEVNULL)
        self._process = self._runs.enter_context(started)
        until_it_listens(self._process, self.port, self._release)

    def restart(self) -> None:
        """Let it end in good order, which keeps what its logs are, and start it again."""
        os.killpg(self._process.pid, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_ANSWER_SECONDS)
        self._runs.close()
        self._start()

    def close(self) -> None:
        """Stop it, and remove its folder."""
        self._open.close()


def _properties(folder: Path, port: int, controller: int) -> Mapping[str, object]:
    """Those of a broker that is its own controller."""
    return {
        "process.roles": "broker,controller",
        "node.id": 1,
        "controller.quorum.voters": f"1@{HOST}:{controller}",
        "listeners": f"PLAINTEXT://{HOST}:{port},CONTROLLER://{HOST}:{controller}",
        "controller.listener.names": "CONTROLLER",
        "log.dirs": folder / "logs",
        "offsets.topic.replication.factor": 1,
        "connections.max.idle.ms": -1,
        "max.incremental.fetch.session.cache.slots": SHARDS * SLOTS_OF_A_SHARD,
        # Requests of several connections are taken in in the order in which they came.
        "num.network.threads": 1,
        "num.io.threads": 1,
        # A quota is one of the last two seconds.
        "quota.window.num": 2,
    }


def until_it_listens(process: subprocess.Popen[str], port: int, release: str) -> None:
    """Wait for a broker that was started; `LockstepError` where it ends, or takes too long."""
    end = time.monotonic() + _STARTING_SECONDS
    while time.monotonic() < end and process.poll() is None:
        with suppress(OSError):
            socket.create_connection((HOST, port), timeout=1).close()
            # It ends soon where another program has the port, and answers in its place.
            time.sleep(_RETRY_SECONDS)
            if process.poll() is None:
                return
        time.sleep(_RETRY_SECONDS)
    ended = f"ended with exit code {process.returncode}"
    why = f"gave no answer in {_STARTING_SECONDS:.0f} s" if process.poll() is None else ended
    raise LockstepError(
        f"the broker ({release}) {why}",
        cure="see that there is memory for it, and try again: its port may have been taken",
    )


def free_ports(number: int) -> list[int]:
    """So many ports of loopback on which nobody listens now."""
    with ExitStack() as held:
        servers = [held.enter_context(socket.create_server((HOST, 0))) for _ in range(number)]
        return [server.getsockname()[1] for server in servers]


def _last(output: str) -> str:
    return (output.strip().splitlines() or ["it says nothing"])[-1]


class Connection:
    """A connection to a broker, on which one request after the other is sent and answered."""

    def __init__(self, jvm: Jvm, port: int, client: str = "lockstep") -> None:
        self._jvm, self._client = jvm, client
        self._header = jvm.named("org.apache.kafka.common.requests.RequestHeader")
        self._apis = jvm.named("org.apache.kafka.common.protocol.ApiKeys")
        self._response = jvm.named("org.apache.kafka.common.requests.AbstractResponse")
        self._buffer = jvm.named("java.nio.ByteBuffer")
        self._sent = 0
        self._socket = socket.create_connection((HOST, port), timeout=_ANSWER_SECONDS)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._answers = frames(iter(partial(self._socket.recv, _MOST_BYTES), b""))

    def ask(self, request: Any, version: int, api: str = "FETCH") -> Any:
        """The answer to a request; both are Kafka's objects."""
        self.send(request, version, api)
        return self.answer()

    def send(self, request: Any, version: int, api: str = "FETCH") -> None:
        """Send a request, whose answer may be long in coming."""
        self._sent += 1
        key, number = self._apis.valueOf(api), self._jvm.short(version)
        self._asked = self._header(key, number, self._client, self._sent)
        buffer = request.serializeWithHeader(self._asked)
        message = bytes(buffer.array())[buffer.position() : buffer.limit()]
        with _answering():
            self._socket.sendall(framed(message))

    def is_answered(self) -> bool:
        """Whether the answer to the last request has begun to arrive."""
        return bool(select.select([self._socket], [], [], 0)[0])

    def answer(self) -> Any:
        """The answer to the last request, once it is there."""
        with _answering():
            answer = next(self._answers, None)
            if answer is None:
                raise ConnectionError("it closed the connection")
        return self._response.parseResponse(self._buffer.wrap(answer), self._asked)

    def close(self) -> None:
        """End it."""
        self._socket.close()


@contextmanager
def _answering() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise LockstepError(
            f"the broker does not answer a request: {error}",
            cure="see that it has memory and time; --max-steps ends a run earlier",
        ) from error


class Logs:
    """The topics of a broker, each with one partition, as its own clients change them."""

    def __init__(self, jvm: Jvm, port: int) -> None:
        self._jvm, self._port = jvm, port
        self._metadata = jvm.named("org.apache.kafka.common.requests.MetadataRequest$Builder")
        properties = jvm.named("java.util.Properties")()
        properties.put("bootstrap.servers", f"{HOST}:{port}")
        strings = "org.apache.kafka.common.serialization.StringSerializer"
        properties.put("key.serializer", strings)
        properties.put("value.serializer", strings)
        clients = "org.apache.kafka.clients"
        self._admin = jvm.named(f"{clients}.admin.Admin").create(properties)
        self._producer = jvm.named(f"{clients}.producer.KafkaProducer")(properties)
        self._record = jvm.named(f"{clients}.producer.ProducerRecord")
        self._topic = jvm.named(f"{clients}.admin.NewTopic")
        self._before = jvm.named(f"{clients}.admin.RecordsToDelete").beforeOffset
        self._partition = jvm.named("org.apache.kafka.common.TopicPartition")
        self._collections = jvm.named("java.util.Collections")

    def create(self, topic: str) -> Any:
        """A topic that is there from now on; its id."""
        wanted = self._topic(topic, 1, self._jvm.short(1))
        made = self._admin.createTopics(self._collections.singleton(wanted))
        try:
            return made.topicId(topic).get()
        except self._jvm.named("java.util.concurrent.ExecutionException"):
            # kfake makes it, but Kafka's client cannot read the answer.
            with closing(Connection(self._jvm, self._port)) as connection:
                asked = self._metadata(self._collections.singletonList(topic), False)
                request = asked.build(self._jvm.short(_METADATA))
                answer = connection.ask(request, _METADATA, "METADATA")
            (made,) = answer.data().topics()
            if made.errorCode():
                raise LockstepError(
                    f"the broker does not make the topic {topic}: error {made.errorCode()}",
                    cure="try again: it may have had no time for it",
                ) from None
            return made.topicId()

    def delete(self, topic: str) -> None:
        """Delete a topic, which the broker may lead for a while still."""
        self._admin.deleteTopics(self._collections.singleton(topic)).all().get()

    def limit(self, client: str, rate: float = 1.0) -> None:
        """Let a client have no more than so many bytes a second."""
        named, quota = self._jvm.named, "org.apache.kafka.common.quota.ClientQuota"
        entity = named(f"{quota}Entity")(self._collections.singletonMap("client-id", client))
        rate = named(f"{quota}Alteration$Op")("consumer_byte_rate", named("java.lang.Double")(rate))
        wanted = named(f"{quota}Alteration")(entity, self._collections.singletonList(rate))
        self._admin.alterClientQuotas(self._collections.singletonList(wanted)).all().get()

    def append(self, topic: str, size: int = 6) -> int:
        """Append one record, in a batch of its own; the high watermark after it."""
        sent = self._producer.send(self._record(topic, "r" * size)).get()
        return int(sent.offset()) + 1

    def delete_before(self, topic: str, offset: int) -> None:
        """Move the start of the log to an offset."""
        wanted = self._collections.singletonMap(self._partition(topic, 0), self._before(offset))
        self._admin.deleteRecords(wanted).all().get()

    def close(self) -> None:
        """End the clients."""
        self._producer.close()
        self._admin.close()
