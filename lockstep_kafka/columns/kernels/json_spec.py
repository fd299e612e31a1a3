"""Which fields of a completed request are read, where each is kept, and which ones a version has.

The same as `fetch_fields` and `completed_request` say with types, as tables for the kernel that
reads lines. A field that is not named here is passed over.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final, NamedTuple

import numpy as np

from lockstep_kafka.columns.kernels.layout import words
from lockstep_kafka.files.fetch_fields import NEWEST_VERSION, OLDEST_VERSION


class Object(IntEnum):
    """The objects of a line's JSON."""

    LINE = 0
    HEADER = 1
    REQUEST = 2
    ASKED_TOPIC = 3
    ASKED = 4
    FORGOTTEN_TOPIC = 5
    RESPONSE = 6
    ANSWERED_TOPIC = 7
    ANSWERED = 8
    DIVERGING = 9
    REPLICA = 10
    CLIENT = 11


OBJECTS: Final = len(Object)


class Kind(IntEnum):
    """What a field may have; a line in which one has something else is read by Python."""

    INTEGER = 0
    TEXT = 1
    TEXT_OR_NULL = 2
    MILLISECONDS = 3
    OBJECT = 4
    OBJECTS = 5
    INTEGERS = 6
    NULL = 7
    REFUSED = 8


FIELDS = words(
    "api version correlation client name connection total_digits total_scale replica "
    "old_replica session epoch max_wait min_bytes isolation error response_session throttle "
    "topic_name topic_id partition fetch_offset log_start max_bytes leader_epoch last_fetched "
    "partition_error high_watermark stable records_size preferred diverging "
    "no_records topic_of time fingerprint software_name software_version"
)
"""The fields of the line that is read."""


class Field(NamedTuple):
    """A field of an object. `first` is the first version that must have it, 0 for none."""

    of: Object
    key: str
    kind: Kind
    target: int = 0
    bits: int = 32
    first: int = 0
    last: int = 99


_F = FIELDS
_TOPICS = (Object.ASKED_TOPIC, Object.FORGOTTEN_TOPIC, Object.ANSWERED_TOPIC)

SPEC: Final = (
    Field(Object.LINE, "requestHeader", Kind.OBJECT, Object.HEADER, first=4),
    Field(Object.LINE, "request", Kind.OBJECT, Object.REQUEST, first=4),
    Field(Object.LINE, "response", Kind.OBJECT, Object.RESPONSE, first=4),
    Field(Object.LINE, "connection", Kind.TEXT, _F.connection, first=4),
    Field(Object.LINE, "totalTimeMs", Kind.MILLISECONDS, _F.total_digits),
    Field(Object.LINE, "clientInformation", Kind.OBJECT, Object.CLIENT),
    Field(Object.CLIENT, "softwareName", Kind.TEXT, _F.software_name),
    Field(Object.CLIENT, "softwareVersion", Kind.TEXT, _F.software_version),
    Field(Object.HEADER, "requestApiKey", Kind.INTEGER, _F.api, 16, 4),
    Field(Object.HEADER, "requestApiVersion", Kind.INTEGER, _F.version, 16, 4),
    Field(Object.HEADER, "correlationId", Kind.INTEGER, _F.correlation, first=4),
    Field(Object.HEADER, "requestApiKeyName", Kind.TEXT, _F.name, first=4),
    Field(Object.HEADER, "clientId", Kind.TEXT_OR_NULL, _F.client, first=4),
    Field(Object.REQUEST, "replicaId", Kind.INTEGER, _F.old_replica, first=4, last=14),
    Field(Object.REQUEST, "replicaState", Kind.OBJECT, Object.REPLICA),
    Field(Object.REQUEST, "sessionId", Kind.INTEGER, _F.session, first=7),
    Field(Object.REQUEST, "sessionEpoch", Kind.INTEGER, _F.epoch, first=7),
    Field(Object.REQUEST, "topics", Kind.OBJECTS, Object.ASKED_TOPIC, first=4),
    Field(Object.REQUEST, "forgottenTopicsData", Kind.OBJECTS, Object.FORGOTTEN_TOPIC, first=7),
    Field(Object.REQUEST, "maxWaitMs", Kind.INTEGER, _F.max_wait, first=4),
    Field(Object.REQUEST, "minBytes", Kind.INTEGER, _F.min_bytes, first=4),
    Field(Object.REQUEST, "isolationLevel", Kind.INTEGER, _F.isolation, 8, 4),
    Field(Object.REPLICA, "replicaId", Kind.INTEGER, _F.replica, first=4),
    *(Field(topic, "topic", Kind.TEXT, _F.topic_name, first=4, last=12) for topic in _TOPICS),
    *(Field(topic, "topicId", Kind.TEXT, _F.topic_id, first=13) for topic in _TOPICS),
    Field(Object.ASKED_TOPIC, "partitions", Kind.OBJECTS, Object.ASKED, first=4),
    Field(Object.FORGOTTEN_TOPIC, "partitions", Kind.INTEGERS, first=4),
    Field(Object.ANSWERED_TOPIC, "partitions", Kind.OBJECTS, Object.ANSWERED, first=4),
    Field(Object.ASKED, "partition", Kind.INTEGER, _F.partition, first=4),
    Field(Object.ASKED, "fetchOffset", Kind.INTEGER, _F.fetch_offset, 64, 4),
    Field(Object.ASKED, "logStartOffset", Kind.INTEGER, _F.log_start, 64, 5),
    Field(Object.ASKED, "partitionMaxBytes", Kind.INTEGER, _F.max_bytes, first=4),
    Field(Object.ASKED, "currentLeaderEpoch", Kind.INTEGER, _F.leader_epoch, first=9),
    Field(Object.ASKED, "lastFetchedEpoch", Kind.INTEGER, _F.last_fetched, first=12),
    Field(Object.RESPONSE, "throttleTimeMs", Kind.INTEGER, _F.throttle, first=4),
    Field(Object.RESPONSE, "errorCode", Kind.INTEGER, _F.error, 16, 7),
    Field(Object.RESPONSE, "sessionId", Kind.INTEGER, _F.response_session, first=7),
    Field(Object.RESPONSE, "responses", Kind.OBJECTS, Object.ANSWERED_TOPIC, first=4),
    Field(Object.ANSWERED_TOPIC, "partitionResponses", Kind.REFUSED),
    Field(Object.ANSWERED, "partitionIndex", Kind.INTEGER, _F.partition, first=4),
    Field(Object.ANSWERED, "errorCode", Kind.INTEGER, _F.partition_error, 16, 4),
    Field(Object.ANSWERED, "highWatermark", Kind.INTEGER, _F.high_watermark, 64, 4),
    Field(Object.ANSWERED, "lastStableOffset", Kind.INTEGER, _F.stable, 64, 4),
    Field(Object.ANSWERED, "logStartOffset", Kind.INTEGER, _F.log_start, 64, 5),
    Field(Object.ANSWERED, "preferredReadReplica", Kind.INTEGER, _F.preferred, first=11),
    Field(Object.ANSWERED, "divergingEpoch", Kind.OBJECT, Object.DIVERGING),
    # A replica of the metadata quorum has them, or a broker that leads a partition no more.
    Field(Object.ANSWERED, "snapshotId", Kind.REFUSED),
    Field(Object.ANSWERED, "currentLeader", Kind.REFUSED),
    Field(Object.ANSWERED, "recordsSizeInBytes", Kind.INTEGER, _F.records_size),
    Field(Object.ANSWERED, "records", Kind.NULL, _F.no_records),
    Field(Object.DIVERGING, "epoch", Kind.INTEGER, _F.diverging, first=4),
)

KEY = words("hash of text length kind target limit bit")
"""A field in the table of keys; `hash` 0 is a free place."""

KEY_PLACES: Final = 256
_MASK = 2**64 - 1


def key_hash(of: int, key: bytes) -> int:
    """The hash of a key in an object, as the kernel computes it; never 0."""
    value = of + 1
    for byte in key:
        value = (value * 0x100000001B3 ^ byte) & _MASK
    return (value ^ value >> 29) & (2**62 - 1) | 1


def key_table() -> tuple[np.ndarray, np.ndarray]:
    """The fields by the hashes of their keys, and the bytes of all keys one after another."""
    table = np.zeros(KEY_PLACES * KEY.size, np.int64)
    text = b""
    bits: dict[Object, int] = {}
    for field in SPEC:
        key = field.key.encode()
        hashed = key_hash(field.of, key)
        place = hashed % KEY_PLACES
        while table[place * KEY.size]:
            place = (place + 1) % KEY_PLACES
        bit = bits[field.of] = bits.get(field.of, 0) + 1
        row = (hashed, field.of, len(text), len(key), field.kind, field.target)
        limit = 2 ** (field.bits - 1) - 1
        table[place * KEY.size : (place + 1) * KEY.size] = (*row, limit, 1 << bit)
        text += key
    return table, np.frombuffer(text, np.uint8)


def required_bits() -> np.ndarray:
    """For each version and object the bits of the fields that must be there."""
    required = np.zeros((NEWEST_VERSION + 1) * OBJECTS, np.int64)
    bits: dict[Object, int] = {}
    for field in SPEC:
        bit = bits[field.of] = bits.get(field.of, 0) + 1
        for version in range(OLDEST_VERSION, NEWEST_VERSION + 1):
            if field.first and field.first <= version <= field.last:
                required[version * OBJECTS + field.of] |= 1 << bit
    return required


def required_of_others() -> int:
    """The bits of the fields that the line of another API must have."""
    others = {"requestHeader", "connection"}
    fields = [field.key for field in SPEC if field.of is Object.LINE]
    return sum(1 << place for place, key in enumerate(fields, 1) if key in others)
