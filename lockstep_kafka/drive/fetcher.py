"""A fetcher's side of a session: `FetchSessionHandler`, which brokers and consumers share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lockstep_kafka.drive.messages import VERSION, Interest, Messages, Request, Response


class Fetcher:
    """One fetcher, new: what its requests name, and what becomes of it with each response."""

    def __init__(self, messages: Messages, *, is_follower: bool) -> None:
        self.is_follower = is_follower
        self._messages = messages
        self.restart()

    def restart(self) -> None:
        """The process starts again and knows nothing."""
        jvm = self._messages.jvm
        utilities = "org.apache.kafka.common.utils"
        context = jvm.named(f"{utilities}.internals.LogContext", f"{utilities}.LogContext")
        self._handler = jvm.named("org.apache.kafka.clients.FetchSessionHandler")(context(), 1)

    @property
    def metadata(self) -> tuple[int, int]:
        """The session id and epoch of the next request, or of the one under way."""
        java = self._messages.jvm.field(self._handler, "nextMetadata")
        return int(java.sessionId()), int(java.epoch())

    def close(self) -> None:
        """The next request closes the session."""
        self._handler.notifyClose()

    def build(self, wanted: Mapping[str, Interest]) -> Request:
        """The next request, of a fetcher that wants these partitions."""
        builder = self._handler.newBuilder()
        for name, interest in wanted.items():
            partition = self._messages.topic_partition(name, 0)
            builder.add(partition, self._messages.interest(name, interest))
        data: Any = builder.build()
        return self._messages.build(
            data.metadata(),
            data.toSend(),
            data.toForget(),
            data.toReplace(),
            is_follower=self.is_follower,
        )

    def receive(self, response: Response) -> None:
        """A response has come."""
        self._handler.handleResponse(response.java, self._messages.jvm.short(VERSION))

    def disconnect(self) -> None:
        """No response comes."""
        error = self._messages.jvm.named("org.apache.kafka.common.errors.DisconnectException")
        self._handler.handleError(error())
