"""Consumes with librdkafka, by confluent-kafka."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from confluent_kafka import OFFSET_BEGINNING, Consumer, TopicPartition

from lockstep_kafka.drive.programs.consuming import WAIT_MS, consume


class Librdkafka:
    """A consumer that never joins the group which it has to name."""

    def __init__(self, server: str, client_id: str, topics: Sequence[str]) -> None:
        settings = {
            "bootstrap.servers": server,
            "client.id": client_id,
            "group.id": "lockstep",
            "enable.auto.commit": False,
            "fetch.wait.max.ms": 100,
            "reconnect.backoff.ms": 10,
            "reconnect.backoff.max.ms": 20,
            "retry.backoff.ms": 10,
            "fetch.error.backoff.ms": 10,
        }
        self._consumer: Any = Consumer(settings)
        self.assign(topics)

    def poll(self) -> None:
        self._consumer.poll(WAIT_MS / 1000)

    def pause(self, topic: str) -> None:
        self._consumer.pause([TopicPartition(topic, 0)])

    def resume(self, topic: str) -> None:
        self._consumer.resume([TopicPartition(topic, 0)])

    def seek(self, topic: str, offset: int) -> None:
        self._consumer.seek(TopicPartition(topic, 0, offset))

    def assign(self, topics: Sequence[str]) -> None:
        self._consumer.assign([TopicPartition(topic, 0, OFFSET_BEGINNING) for topic in topics])

    def close(self) -> None:
        """Nothing is closed: that waits for brokers. The next consumer has another name."""


if __name__ == "__main__":
    consume(Librdkafka, sys.argv[1:])
