"""Consumes with aiokafka."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from typing import Any

from aiokafka import AIOKafkaConsumer, TopicPartition

from lockstep_kafka.drive.programs.consuming import WAIT_MS, consume


class Aiokafka:
    """A consumer without a group, with a loop of its own."""

    def __init__(self, server: str, client_id: str, topics: Sequence[str]) -> None:
        self._loop = asyncio.new_event_loop()
        self._loop.run_until_complete(self._start(server, client_id))
        self.assign(topics)

    async def _start(self, server: str, client_id: str) -> None:
        self._consumer: Any = AIOKafkaConsumer(
            bootstrap_servers=server,
            client_id=client_id,
            auto_offset_reset="earliest",
            enable_auto_commit=False,
            fetch_max_wait_ms=100,
            retry_backoff_ms=10,
        )
        await self._consumer.start()

    def _do(self, method: str, *given: Any) -> None:
        """Call a method of the consumer where its loop runs."""

        async def call() -> None:
            getattr(self._consumer, method)(*given)

        self._loop.run_until_complete(call())

    def poll(self) -> None:
        self._loop.run_until_complete(self._consumer.getmany(timeout_ms=WAIT_MS))

    def pause(self, topic: str) -> None:
        self._do("pause", TopicPartition(topic, 0))

    def resume(self, topic: str) -> None:
        self._do("resume", TopicPartition(topic, 0))

    def seek(self, topic: str, offset: int) -> None:
        self._do("seek", TopicPartition(topic, 0), offset)

    def assign(self, topics: Sequence[str]) -> None:
        self._do("assign", [TopicPartition(topic, 0) for topic in topics])

    def close(self) -> None:
        """Nothing is closed: that waits for brokers. The next consumer has another name."""


if __name__ == "__main__":
    consume(Aiokafka, sys.argv[1:])
