"""Requests of a log as the damage generator reads them: its own reading, apart from the follower's.

Documents are never changed in place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

_FETCH = 1

Document = dict[str, Any]
Partition = tuple[str, int]
"""A topic, by name or by id, and an index."""


@dataclass(frozen=True, eq=False)
class Request:
    """A completed request of any API; `number` is its line, counted from 1."""

    number: int
    document: Document

    @property
    def connection(self) -> str:
        return str(self.document["connection"])

    @property
    def correlation_id(self) -> int:
        return int(self.document["requestHeader"]["correlationId"])

    @property
    def is_fetch(self) -> bool:
        return bool(self.document["requestHeader"]["requestApiKey"] == _FETCH)


@dataclass(frozen=True, eq=False)
class Fetch(Request):
    """A Fetch request with its response."""

    @cached_property
    def session(self) -> int:
        return int(self.document["request"].get("sessionId", 0))

    @cached_property
    def epoch(self) -> int:
        return int(self.document["request"].get("sessionEpoch", -1))

    @cached_property
    def answered_session(self) -> int:
        return int(self.document["response"].get("sessionId", 0))

    @property
    def error(self) -> int:
        return int(self.document["response"].get("errorCode", 0))

    @property
    def is_throttled(self) -> bool:
        return bool(self.document["response"]["throttleTimeMs"] > 0)

    @property
    def version(self) -> int:
        return int(self.document["requestHeader"]["requestApiVersion"])

    @property
    def has_topic_ids(self) -> bool:
        """Whether the version names topics by id."""
        return self.version >= 13

    @property
    def isolation(self) -> int:
        return int(self.document["request"]["isolationLevel"])

    @property
    def is_plain_consumer(self) -> bool:
        """Whether it is a consumer that reads from the leader, whatever its rack."""
        request = self.document["request"]
        replica = request.get("replicaState", {}).get("replicaId", request.get("replicaId", -1))
        return bool(replica == -1 and not request.get("rackId"))

    @cached_property
    def interests(self) -> dict[Partition, Document]:
        """What is asked of each partition that the request lists."""
        return {
            (topic_of(topic), partition["partition"]): partition
            for topic in self.document["request"]["topics"]
            for partition in topic["partitions"]
        }

    @cached_property
    def forgotten(self) -> tuple[Partition, ...]:
        return tuple(
            (topic_of(topic), partition)
            for topic in self.document["request"].get("forgottenTopicsData", ())
            for partition in topic["partitions"]
        )

    @cached_property
    def answers(self) -> dict[Partition, Document]:
        return {
            (topic_of(topic), partition["partitionIndex"]): partition
            for topic in self.document["response"]["responses"]
            for partition in topic["partitions"]
        }


def is_plain_answer(answer: Document | None) -> bool:
    """Whether an answer has no error and nothing that forces it or keeps records back."""
    return (
        answer is not None
        and answer.get("errorCode") == 0
        and answer["highWatermark"] >= 0
        and answer.get("preferredReadReplica", -1) < 0
        and not answer.get("divergingEpoch")
        and not answer.get("snapshotId")
    )


def topic_of(topic: Mapping[str, Any]) -> str:
    """The topic's id, or in versions without ids its name."""
    return str(topic.get("topicId") or topic["topic"])


def topic_key(fetch: Fetch) -> str:
    """The field that names a topic in this version."""
    return "topicId" if fetch.has_topic_ids else "topic"
