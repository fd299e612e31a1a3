"""Consumes with kafka-python."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from kafka import KafkaConsumer, TopicPartition

from lockstep_kafka.drive.programs.consuming import WAIT_MS, consume


class KafkaPython:
    """A consumer without a group."""

    def __init__(self, server: str, client_id: str, topics: Sequence[str]) -> None:
        self._consumer: Any = KafkaConsumer(
            bootstrap_servers=server,
            client_id=client_id,
            group_id=None,
            auto_offset_reset="earliest",
            enable_auto_commit=False,
            fetch_max_wait_ms=100,
            reconnect_backoff_ms=10,
            reconnect_backoff_max_ms=20,
            retry_backoff_ms=10,
        )
        self.assign(topics)

    def poll(self) -> None:
        self._consumer.poll(timeout_ms=WAIT_MS)

    def pause(self, topic: str) -> None:
        self._consumer.pause(TopicPartition(topic, 0))

    def resume(self, topic: str) -> None:
        self._consumer.resume(TopicPartition(topic, 0))

    def seek(self, topic: str, offset: int) -> None:
        self._consumer.seek(TopicPartition(topic, 0), offset)

    def assign(self, topics: Sequence[str]) -> None:
        self._consumer.assign([TopicPartition(topic, 0) for topic in topics])

    def close(self) -> None:
        self._consumer.close(autocommit=False, timeout_ms=0)


if __name__ == "__main__":
    consume(KafkaPython, sys.argv[1:])
