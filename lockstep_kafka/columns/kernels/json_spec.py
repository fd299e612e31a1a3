"""Which fields of a completed request are read, where each is kept, and which ones a version has.

What `fetch_fields` says of requests and responses, and `completed_request` of the rest with types,
as tables for the kernel that reads lines. A field that is not named here is passed over.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
from msgspec import UNSET

from lockstep_kafka.columns.kernels.layout import words
from lockstep_kafka.files.fetch_fields import (
    FETCH,
    NEWEST_VERSION,
    OLDEST_VERSION,
    Field,
    Kind,
    Object,
)

OBJECTS: Final = len(Object)
_LEFT = (Object.LEADER, Object.SNAPSHOT)
"""A replica of the metadata quorum has them, or a broker that leads a partition no more: a line
with one is read by Python, and so is one in which a field has something else than its kind."""
_AS = {Kind.SIZE: Kind.INTEGER, Kind.TOPIC_ID: Kind.TEXT}
_SPEC: Final = FETCH | {
    Object.LINE: (
        Field("requestHeader", "header", Kind.OBJECT, Object.HEADER),
        Field("request", "request", Kind.OBJECT, Object.REQUEST),
        Field("response", "response", Kind.OBJECT, Object.RESPONSE),
        Field("connection", "connection", Kind.TEXT),
        Field("totalTimeMs", "total_digits", Kind.MILLISECONDS, default=UNSET),
        Field("clientInformation", "client", Kind.OBJECT, Object.CLIENT, default=UNSET),
    ),
    Object.CLIENT: (
        Field("softwareName", "software_name", Kind.TEXT, default=UNSET),
        Field("softwareVersion", "software_version", Kind.TEXT, default=UNSET),
    ),
    Object.HEADER: (
        Field("requestApiKey", "api", bits=16),
        Field("requestApiVersion", "version", bits=16),
        Field("correlationId", "correlation"),
        Field("requestApiKeyName", "name", Kind.TEXT),
        Field("clientId", "client", Kind.TEXT_OR_NULL),
    ),
    # What Kafka 2.8 calls the partitions.
    Object.ANSWERED_TOPIC: (
        *FETCH[Object.ANSWERED_TOPIC],
        Field("partitionResponses", "partitions", Kind.REFUSED, default=UNSET),
    ),
}


def _fields() -> Iterator[tuple[Object, Field, int]]:
    """Each field with its object, and the bit that says that it is there."""
    for of in Object:
        for place, field in enumerate(() if of in _LEFT else _SPEC[of], 1):
            yield of, field, 1 << place


_WORDS = dict.fromkeys(field.name for _, field, _ in _fields() if field.within is None)
FIELDS = words(f"{' '.join(_WORDS)} total_scale topic_of time fingerprint")
"""The fields of the line that is read."""

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
    for of, field, bit in _fields():
        key = field.key.encode()
        hashed = key_hash(of, key)
        place = hashed % KEY_PLACES
        while table[place * KEY.size]:
            place = (place + 1) % KEY_PLACES
        kind = Kind.REFUSED if field.within in _LEFT else _AS.get(field.kind, field.kind)
        target = getattr(FIELDS, field.name) if field.within is None else field.within
        row = (hashed, of, len(text), len(key), kind, target, 2 ** (field.bits - 1) - 1, bit)
        table[place * KEY.size : (place + 1) * KEY.size] = row
        text += key
    return table, np.frombuffer(text, np.uint8)


def required_bits() -> np.ndarray:
    """For each version and object the bits of the fields that must be there."""
    required = np.zeros((NEWEST_VERSION + 1) * OBJECTS, np.int64)
    for of, field, bit in _fields():
        for version in range(OLDEST_VERSION, NEWEST_VERSION + 1):
            if field.must_be_there(version):
                required[version * OBJECTS + of] |= bit
    return required


def required_of_others() -> int:
    """The bits of the fields that the line of another API must have."""
    others = {"requestHeader", "connection"}
    return sum(bit for of, field, bit in _fields() if of is Object.LINE and field.key in others)
