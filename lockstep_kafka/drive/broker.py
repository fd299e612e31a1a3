"""One broker on loopback, in a process of its own, and its clients.

A broker of Apache Kafka is its own controller, and has a temporary folder. It ends with the process
that started it, however that ends.
"""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Mapping
from contextlib import ExitStack, closing, suppress
from functools import cache, partial
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec

from lockstep.errors import LockstepError
from lockstep.system.child_process import child_process, output_of
from lockstep.system.java import find_java
from lockstep.system.maven import Artifact, jars_of
from lockstep.system.scratch import scratch_folder
from lockstep_kafka.drive.clients import go_program
from lockstep_kafka.drive.jvm import SMALL_AND_SOON, Jvm, pinned
from lockstep_kafka.drive.wire import HOST, framed, frames

KFAKE = "kfake"
"""franz-go's broker in memory, which is written in Go."""
_CLUSTER = "AAAAAAAAQACAAAAAAAAAAQ"
_STARTING_SECONDS = 120.0
_ANSWER_SECONDS = 30.0
_RETRY_SECONDS = 0.1
_METADATA = 12
"""The version of that request."""
_MOST_BYTES = 1 << 16
_PROPERTIES = """\
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@{host}:{controller}
listeners=PLAINTEXT://{host}:{port},CONTROLLER://{host}:{controller}
controller.listener.names=CONTROLLER
log.dirs={folder}
offsets.topic.replication.factor=1
connections.max.idle.ms=-1
"""


@cache
def broker_jars() -> Mapping[str, tuple[Artifact, ...]]:
    """The jars of a whole broker, by release, oldest first."""
    text = resources.files(__package__).joinpath("brokers.json").read_bytes()
    return msgspec.json.decode(text, type=dict[str, tuple[Artifact, ...]])


NEWEST_BROKER = list(broker_jars())[-1]


class Broker:
    """A broker that answers: of a release, or franz-go's `KFAKE`.

    `LockstepError` where there is no such release, and where Java, a jar, or Go cannot be had.
    """

    def __init__(self, release: str) -> None:
        self._open = ExitStack()
        try:
            folder = self._open.enter_context(scratch_folder("kafka-broker-"))
            self.port, controller = _free_ports()
            if release == KFAKE:
                command = [*go_program(KFAKE).command, str(self.port)]
            else:
                command = _formatted(release, folder, self.port, controller)
            started = child_process(command, folder, subprocess.DEVNULL)
            self._wait(self._open.enter_context(started), release)
        except BaseException:
            self._open.close()
            raise

    def _wait(self, process: subprocess.Popen[str], release: str) -> None:
        end = time.monotonic() + _STARTING_SECONDS
        while time.monotonic() < end and process.poll() is None:
            with suppress(OSError):
                socket.create_connection((HOST, self.port), timeout=1).close()
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

    def close(self) -> None:
        """Stop it, and remove its folder."""
        self._open.close()


def _formatted(release: str, folder: Path, port: int, controller: int) -> list[str]:
    """The command that starts a broker, whose folder is made."""
    jars = jars_of(pinned(release, broker_jars()))
    properties = folder / "server.properties"
    places = {"host": HOST, "port": port, "controller": controller, "folder": folder / "logs"}
    properties.write_text(_PROPERTIES.format(**places), encoding="utf-8")
    java = [str(find_java()), *SMALL_AND_SOON, "-cp", ":".join(map(str, jars))]
    formatting = ["kafka.tools.StorageTool", "format", "-t", _CLUSTER, "-c", str(properties)]
    try:
        made = output_of([*java, *formatting], _STARTING_SECONDS, folder)
        why = _last(made.stdout) if made.returncode else None
    except subprocess.TimeoutExpired:
        why = f"it takes longer than {_STARTING_SECONDS:.0f} s"
    if why is not None:
        cure = "see that there is memory and room on the disk for a broker"
        raise LockstepError(f"the broker's folder is not formatted: {why}", cure=cure)
    return [*java, "kafka.Kafka", str(properties)]


def _free_ports() -> tuple[int, int]:
    with socket.create_server((HOST, 0)) as one, socket.create_server((HOST, 0)) as other:
        return one.getsockname()[1], other.getsockname()[1]


def _last(output: str) -> str:
    return (output.strip().splitlines() or ["it says nothing"])[-1]


class Connection:
    """A connection to a broker, on which one request after the other is sent and answered."""

    def __init__(self, jvm: Jvm, port: int) -> None:
        self._jvm = jvm
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
        self._sent += 1
        key, number = self._apis.valueOf(api), self._jvm.short(version)
        header = self._header(key, number, "lockstep", self._sent)
        buffer = request.serializeWithHeader(header)
        message = bytes(buffer.array())[buffer.position() : buffer.limit()]
        try:
            self._socket.sendall(framed(message))
            answer = next(self._answers, None)
            if answer is None:
                raise ConnectionError("it closed the connection")
        except OSError as error:
            raise LockstepError(
                f"the broker does not answer a request: {error}",
                cure="see that it has memory and time; --max-steps ends a run earlier",
            ) from error
        return self._response.parseResponse(self._buffer.wrap(answer), header)

    def close(self) -> None:
        """End it."""
        self._socket.close()


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

    def append(self, topic: str) -> int:
        """Append one record, in a batch of its own; the high watermark after it."""
        sent = self._producer.send(self._record(topic, "record")).get()
        return int(sent.offset()) + 1

    def delete_before(self, topic: str, offset: int) -> None:
        """Move the start of the log to an offset."""
        wanted = self._collections.singletonMap(self._partition(topic, 0), self._before(offset))
        self._admin.deleteRecords(wanted).all().get()

    def close(self) -> None:
        """End the clients."""
        self._producer.close()
        self._admin.close()
