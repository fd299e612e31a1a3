"""Consumes with Apache Kafka's own client, `kafka-clients`; the first argument is its release."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from lockstep.errors import LockstepError
from lockstep_kafka.drive.jvm import Jvm
from lockstep_kafka.drive.programs.consuming import WAIT_MS, consume

_SETTINGS = {
    "auto.offset.reset": "earliest",
    "enable.auto.commit": "false",
    "fetch.max.wait.ms": "100",
    "reconnect.backoff.ms": "10",
    "reconnect.backoff.max.ms": "20",
    "retry.backoff.ms": "10",
    "retry.backoff.max.ms": "20",
    "enable.metrics.push": "false",
}


class Java:
    """A consumer without a group."""

    def __init__(self, jvm: Jvm, server: str, client_id: str, topics: Sequence[str]) -> None:
        properties = jvm.named("java.util.Properties")()
        for name, value in _SETTINGS.items():
            properties.put(name, value)
        properties.put("bootstrap.servers", server)
        properties.put("client.id", client_id)
        bytes_of = jvm.named("org.apache.kafka.common.serialization.ByteArrayDeserializer")()
        consumer = jvm.named("org.apache.kafka.clients.consumer.KafkaConsumer")
        self._partition = jvm.named("org.apache.kafka.common.TopicPartition")
        self._duration = jvm.named("java.time.Duration")
        self._one = jvm.named("java.util.Collections").singletonList
        self._consumer = consumer(properties, bytes_of, bytes_of)
        self._wait = self._duration.ofMillis(WAIT_MS)
        self._list = jvm.named("java.util.ArrayList")
        self.assign(topics)

    def poll(self) -> None:
        self._consumer.poll(self._wait)

    def pause(self, topic: str) -> None:
        self._consumer.pause(self._one(self._partition(topic, 0)))

    def resume(self, topic: str) -> None:
        self._consumer.resume(self._one(self._partition(topic, 0)))

    def seek(self, topic: str, offset: int) -> None:
        self._consumer.seek(self._partition(topic, 0), offset)

    def assign(self, topics: Sequence[str]) -> None:
        assigned = self._list()
        for topic in topics:
            assigned.add(self._partition(topic, 0))
        self._consumer.assign(assigned)

    def close(self) -> None:
        self._consumer.close(self._duration.ZERO)


def main(release: str, topics: Sequence[str]) -> None:
    """Load the release, and consume; what is missing is one line on standard error."""
    try:
        jvm = Jvm(release)
    except LockstepError as error:
        sys.exit(error.message if error.cure is None else f"{error.message}; cure: {error.cure}")
    consume(lambda *given: Java(jvm, *given), topics)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
