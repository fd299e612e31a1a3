"""Kafka's messages as bytes, by the codec kio: what a leader reads, and what it answers.

Only what a consumer asks of its leader is here: ApiVersions, Metadata, ListOffsets and Fetch.
"""

from __future__ import annotations

import io
import struct
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

from lockstep.errors import LockstepError
from lockstep_kafka.drive.messages import UNKNOWN, Interest
from lockstep_kafka.files.fetch_fields import FIRST_WITH_TOPIC_IDS
from lockstep_kafka.files.lines import AnsweredPartition

PRODUCE, FETCH, LIST_OFFSETS, METADATA, API_VERSIONS = 0, 1, 2, 3, 18
VERSIONS = {
    # Nobody produces, but librdkafka fetches only from a leader that takes records of this format.
    PRODUCE: (3, 9),
    FETCH: (4, 17),
    LIST_OFFSETS: (1, 8),
    METADATA: (0, 12),
    API_VERSIONS: (0, 4),
}
"""The versions that are announced, by the number of the API: the lowest and the highest."""
VERSIONS_WITHOUT_IDS = VERSIONS | {FETCH: (4, FIRST_WITH_TOPIC_IDS - 1), METADATA: (0, 9)}
"""Those of a leader from before topics had ids (KIP-516)."""

HOST, NODE, LEADER_EPOCH = "127.0.0.1", 1, 0
_UNSUPPORTED_VERSION = 35
_HEAD = struct.Struct(">hhi")
_WHEN = datetime(2026, 1, 1, tzinfo=UTC)


def topic_id(topic: str) -> uuid.UUID:
    """The id of a topic, the same in every run."""
    return uuid.uuid5(uuid.NAMESPACE_OID, topic)


@dataclass(frozen=True)
class Asked:
    """A request: its header, and its body as kio has it; None of a version that is not read."""

    api: int
    version: int
    correlation_id: int
    client_id: str
    body: Any = field(repr=False)


@dataclass(frozen=True)
class Fetch:
    """What a Fetch says, with topics by their names."""

    asked: Asked
    session_id: int
    epoch: int
    partitions: Mapping[str, Interest]
    forgotten: frozenset[str]


@dataclass(frozen=True)
class Reply:
    """A FetchResponse; `answered` are its partitions, and `records` those with a record."""

    error: int
    session_id: int
    answered: Mapping[str, AnsweredPartition]
    records: Mapping[str, int]
    """The offset of the record, by partition."""
    throttle_ms: int = 0


def api_of(frame: bytes) -> int:
    """The API that a request is for."""
    return int.from_bytes(frame[:2], "big")


def read_request(frame: bytes) -> Asked:
    """The request of a frame, without its length; `ValueError` where it cannot be read."""
    api, version, correlation_id = _HEAD.unpack_from(frame)
    low, high = VERSIONS.get(api, (0, -1))
    if not low <= version <= high:
        return Asked(api, version, correlation_id, "", None)
    kio = codec()
    schema = kio.load_request_schema(api, version)
    header, start = _reader(schema.__header_schema__)(frame, 0)
    body, _ = _reader(schema)(frame, start)
    return Asked(api, version, correlation_id, header.client_id or "", body)


def read_fetch(asked: Asked, topics: Iterable[str]) -> Fetch:
    """What a Fetch says; topics that are not among `topics` are named by their ids."""
    names: dict[object, str] = {topic_id(topic): topic for topic in topics}
    body, version = asked.body, asked.version

    def named(one: Any) -> str:
        if version < FIRST_WITH_TOPIC_IDS:
            return str(one.topic)
        return names.get(one.topic_id, str(one.topic_id))

    return Fetch(
        asked,
        session_id=int(getattr(body, "session_id", 0)),
        epoch=int(getattr(body, "session_epoch", UNKNOWN)),
        partitions={
            named(topic): Interest(
                fetch_offset=int(one.fetch_offset),
                log_start_offset=int(getattr(one, "log_start_offset", UNKNOWN)),
                partition_max_bytes=int(one.partition_max_bytes),
                current_leader_epoch=int(getattr(one, "current_leader_epoch", UNKNOWN)),
                last_fetched_epoch=int(getattr(one, "last_fetched_epoch", UNKNOWN)),
            )
            for topic in body.topics
            for one in topic.partitions
        },
        forgotten=frozenset(named(topic) for topic in getattr(body, "forgotten_topics_data", ())),
    )


def fetch_response(asked: Asked, reply: Reply) -> bytes:
    """The answer to a Fetch."""
    with_ids = asked.version >= FIRST_WITH_TOPIC_IDS
    return _response(
        asked,
        lambda make: make(
            "FetchResponse",
            throttle_time=timedelta(milliseconds=reply.throttle_ms),
            error_code=reply.error,
            session_id=reply.session_id,
            responses=tuple(
                make(
                    "FetchableTopicResponse",
                    partitions=(_partition(make, one, reply.records.get(name)),),
                    **({"topic_id": topic_id(name)} if with_ids else {"topic": name}),
                )
                for name, one in reply.answered.items()
            ),
        ),
    )


def _partition(make: Any, one: AnsweredPartition, record: int | None) -> Any:
    return make(
        "PartitionData",
        partition_index=0,
        error_code=one.error_code,
        high_watermark=one.high_watermark,
        last_stable_offset=one.last_stable_offset,
        log_start_offset=one.log_start_offset,
        aborted_transactions=None,
        records=b"" if record is None else record_batch(record),
    )


def api_versions_response(asked: Asked, *, with_ids: bool) -> bytes:
    """The APIs that are answered; version 0 of the answer where the request's is not one.

    With `with_ids` topics have ids.
    """
    known = asked.body is not None
    return _response(
        asked if known else Asked(asked.api, 0, asked.correlation_id, "", None),
        lambda make: make(
            "ApiVersionsResponse",
            error_code=0 if known else _UNSUPPORTED_VERSION,
            throttle_time=timedelta(),
            api_keys=tuple(
                make("ApiVersion", api_key=api, min_version=low, max_version=high)
                for api, (low, high) in (VERSIONS if with_ids else VERSIONS_WITHOUT_IDS).items()
            ),
        ),
    )


def metadata_response(asked: Asked, topics: Iterable[str], port: int) -> bytes:
    """One broker on loopback, which leads each of the topics; each has partition 0 alone."""

    def topic(make: Any, name: str) -> Any:
        partition = make(
            "MetadataResponsePartition",
            error_code=0,
            partition_index=0,
            leader_id=NODE,
            leader_epoch=LEADER_EPOCH,
            replica_nodes=(NODE,),
            isr_nodes=(NODE,),
        )
        return make(
            "MetadataResponseTopic",
            error_code=0,
            name=name,
            topic_id=topic_id(name),
            partitions=(partition,),
        )

    return _response(
        asked,
        lambda make: make(
            "MetadataResponse",
            throttle_time=timedelta(),
            brokers=(
                make("MetadataResponseBroker", node_id=NODE, host=HOST, port=port, rack=None),
            ),
            cluster_id="lockstep",
            controller_id=NODE,
            topics=tuple(topic(make, name) for name in topics),
        ),
    )


def list_offsets_response(asked: Asked, offset: int) -> bytes:
    """The same offset for every partition that is asked for."""
    return _response(
        asked,
        lambda make: make(
            "ListOffsetsResponse",
            throttle_time=timedelta(),
            topics=tuple(
                make(
                    "ListOffsetsTopicResponse",
                    name=str(topic.name),
                    partitions=tuple(
                        make(
                            "ListOffsetsPartitionResponse",
                            partition_index=one.partition_index,
                            error_code=0,
                            offset=offset,
                            leader_epoch=LEADER_EPOCH,
                        )
                        for one in topic.partitions
                    ),
                )
                for topic in asked.body.topics
            ),
        ),
    )


def record_batch(offset: int) -> bytes:
    """A batch of one record, which has this offset."""
    from kio.records.schema import NewRecordBatch, Record
    from kio.records.writers import write_new_batch
    from kio.static.primitive import TZAwareMicros, i8, i16, i32, i64

    record = Record(
        attributes=i8(0),
        timestamp=TZAwareMicros.parse(_WHEN),
        offset=i64(offset),
        key=None,
        value=b"record",
        headers=(),
    )
    batch = NewRecordBatch(
        producer_id=i64(UNKNOWN),
        producer_epoch=i16(UNKNOWN),
        partition_leader_epoch=i32(LEADER_EPOCH),
        base_sequence=i32(UNKNOWN),
        records=(record,),
        attributes=i16(0),
    )
    with io.BytesIO() as buffer:
        write_new_batch(buffer, batch)
        return buffer.getvalue()


def _response(asked: Asked, body: Any) -> bytes:
    """The frame of an answer, whose body is made of the classes of the version."""
    kio = codec()
    module = kio.load_payload_module(asked.api, asked.version, kio.response)
    schema = kio.load_response_schema(asked.api, asked.version)

    def make(name: str, /, **values: Any) -> Any:
        """One of the version's structures; what it does not have is left out."""
        kind = getattr(module, name)
        known = {one.name for one in fields(kind)}
        errors = {"error_code": kio.error(values["error_code"])} if "error_code" in values else {}
        return kind(**{key: one for key, one in (values | errors).items() if key in known})

    header = schema.__header_schema__
    with io.BytesIO() as buffer:
        kio.writer(header)(buffer, header(correlation_id=asked.correlation_id))
        kio.writer(schema)(buffer, body(make))
        return buffer.getvalue()


def framed(message: bytes) -> bytes:
    """A message with its length before it."""
    return len(message).to_bytes(4, "big") + message


class _Kio:
    """The functions of kio, which is loaded when a client is driven."""

    def __init__(self) -> None:
        try:
            from kio.index import load_payload_module, load_request_schema, load_response_schema
            from kio.schema.errors import ErrorCode
            from kio.serial import entity_reader, entity_writer
            from kio.static.constants import EntityType
        except ImportError as error:
            raise LockstepError(
                f"kio is needed to speak Kafka's protocol: {error}.",
                cure="pip install 'lockstep[clients]'",
            ) from error
        self.load_payload_module: Any = load_payload_module
        self.load_request_schema: Any = load_request_schema
        self.load_response_schema: Any = load_response_schema
        self.error: Any = ErrorCode
        self.reader: Any = lru_cache(maxsize=None)(entity_reader)
        self.writer: Any = lru_cache(maxsize=None)(entity_writer)
        self.request: Any = EntityType.request
        self.response: Any = EntityType.response


@lru_cache(maxsize=1)
def codec() -> _Kio:
    """The codec; `LockstepError` where it is not installed."""
    return _Kio()


def _reader(schema: Any) -> Any:
    return codec().reader(schema)


def frames(received: Iterator[bytes]) -> Iterator[bytes]:
    """The messages in a stream of bytes, each without its length."""
    waiting = b""
    for piece in received:
        waiting += piece
        while len(waiting) >= 4 and len(waiting) >= (end := 4 + int.from_bytes(waiting[:4], "big")):
            yield waiting[4:end]
            waiting = waiting[end:]
