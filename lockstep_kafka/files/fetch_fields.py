"""A Fetch request and its response as Kafka's own JSON has them: one table for all versions.

Which field belongs to which version is taken from Kafka's message definitions FetchRequest.json and
FetchResponse.json. A field that a version has must be there; fields that are not part of a
`FetchLine` are not looked at. Where an object has a key twice the last one counts: finding that out
would take as long again as reading the line. The kernel that reads lines goes by the same table.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping
from enum import IntEnum
from functools import cache
from typing import Annotated, Any, Final, NamedTuple, TypeAlias, TypeVar

from msgspec import UNSET, Meta, Raw, Struct, UnsetType, ValidationError, defstruct
from msgspec.json import Decoder

from lockstep.system.strict_json import Json, shown

OLDEST_VERSION = 4
NEWEST_VERSION = 18
FIRST_WITH_TOPIC_IDS = 13
"""The first version that names topics by their ids, and no longer by their names."""
FIRST_WITH_REPLICA_STATE = 15
NEVER = NEWEST_VERSION + 1
"""The first version of a field that none must have."""

# `true`, `1.0` and "1" are no integers to msgspec.
Int8: TypeAlias = Annotated[int, Meta(ge=-(2**7), le=2**7 - 1)]
Int16: TypeAlias = Annotated[int, Meta(ge=-(2**15), le=2**15 - 1)]
Int32: TypeAlias = Annotated[int, Meta(ge=-(2**31), le=2**31 - 1)]
Int64: TypeAlias = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
Milliseconds: TypeAlias = Annotated[float, Meta(ge=0)]


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
    LEADER = 12
    SNAPSHOT = 13


class Kind(IntEnum):
    """What a field may have."""

    INTEGER = 0
    TEXT = 1
    TEXT_OR_NULL = 2
    MILLISECONDS = 3
    OBJECT = 4
    OBJECTS = 5
    INTEGERS = 6
    NULL = 7
    """Null says something, and other values do not."""
    REFUSED = 8
    SIZE = 9
    TOPIC_ID = 10
    BOOLEAN = 11


class Field(NamedTuple):
    """A field of an object, by its key; `within` is the object that it has, or has a list of."""

    key: str
    name: str
    kind: Kind = Kind.INTEGER
    within: Hashable = None
    bits: int = 32
    """Of an integer."""
    first: int = 0
    last: int = NEWEST_VERSION
    """The versions that have it."""
    default: Any = None
    """What it has where it is left out. UNSET is that of tagged fields: no version must have them.
    Versions before the first one may have a field with another default, too."""

    def must_be_there(self, version: int) -> bool:
        """Whether a message of a version has it in any case."""
        return self.first <= version <= self.last and self.default is not UNSET

    def may_be_there(self, version: int) -> bool:
        """Whether it is looked at where a message of a version has it."""
        is_read_early = self.default is not None and self.default is not UNSET
        return version <= self.last and (version >= self.first or is_read_early)


Table: TypeAlias = Mapping[Any, tuple[Field, ...]]
"""The fields of each object, in the order in which they are missed."""
_FORGOTTEN = Object.FORGOTTEN_TOPIC
_TOPIC = (
    Field("topic", "topic_name", Kind.TEXT, last=12),
    Field("topicId", "topic_id", Kind.TOPIC_ID, first=FIRST_WITH_TOPIC_IDS),
)
FETCH: Final[dict[Object, tuple[Field, ...]]] = {
    Object.REQUEST: (
        Field("replicaId", "old_replica", last=14),
        Field("sessionId", "session", first=7, default=0),
        Field("sessionEpoch", "epoch", first=7, default=-1),
        Field("topics", "topics", Kind.OBJECTS, Object.ASKED_TOPIC),
        Field("forgottenTopicsData", "forgotten", Kind.OBJECTS, _FORGOTTEN, first=7, default=[]),
        Field("maxWaitMs", "max_wait"),
        Field("minBytes", "min_bytes"),
        Field("isolationLevel", "isolation", bits=8),
        # Who fetches. Consumers leave it out.
        Field("replicaState", "state", Kind.OBJECT, Object.REPLICA, first=15, default=UNSET),
    ),
    Object.REPLICA: (Field("replicaId", "replica"),),
    Object.ASKED_TOPIC: (*_TOPIC, Field("partitions", "partitions", Kind.OBJECTS, Object.ASKED)),
    _FORGOTTEN: (*_TOPIC, Field("partitions", "partitions", Kind.INTEGERS)),
    Object.ASKED: (
        Field("partition", "partition"),
        Field("fetchOffset", "fetch_offset", bits=64),
        Field("logStartOffset", "log_start", bits=64, first=5, default=-1),
        Field("partitionMaxBytes", "max_bytes"),
        Field("currentLeaderEpoch", "leader_epoch", first=9, default=-1),
        Field("lastFetchedEpoch", "last_fetched", first=12, default=-1),
    ),
    Object.RESPONSE: (
        Field("throttleTimeMs", "throttle"),
        Field("errorCode", "error", bits=16, first=7, default=0),
        Field("sessionId", "response_session", first=7, default=0),
        Field("responses", "topics", Kind.OBJECTS, Object.ANSWERED_TOPIC),
    ),
    Object.ANSWERED_TOPIC: (
        *_TOPIC,
        Field("partitions", "partitions", Kind.OBJECTS, Object.ANSWERED),
    ),
    Object.ANSWERED: (
        Field("partitionIndex", "partition"),
        Field("errorCode", "partition_error", bits=16),
        Field("highWatermark", "high_watermark", bits=64),
        Field("lastStableOffset", "stable", bits=64),
        Field("logStartOffset", "log_start", bits=64, first=5, default=-1),
        Field("preferredReadReplica", "preferred", first=11, default=-1),
        # Where the fetcher's log parts from the leader's; an epoch of -1 says nothing.
        Field("divergingEpoch", "divergence", Kind.OBJECT, Object.DIVERGING, default=UNSET),
        # Who leads, and the snapshot to fetch instead; -1 and -1 say nothing.
        Field("currentLeader", "leader", Kind.OBJECT, Object.LEADER, default=UNSET),
        Field("snapshotId", "snapshot", Kind.OBJECT, Object.SNAPSHOT, default=UNSET),
        # Kafka logs the size instead of the records, except where there are none at all.
        Field("recordsSizeInBytes", "records_size", Kind.SIZE, default=UNSET),
        Field("records", "no_records", Kind.NULL, default=UNSET),
    ),
    Object.DIVERGING: (Field("epoch", "diverging"),),
    Object.LEADER: (
        Field("leaderId", "id", first=NEVER, default=-1),
        Field("leaderEpoch", "epoch", first=NEVER, default=-1),
    ),
    Object.SNAPSHOT: (
        Field("endOffset", "end", bits=64, first=NEVER, default=-1),
        Field("epoch", "epoch", first=NEVER, default=-1),
    ),
}
"""What is read of a request and its response; other fields of the protocol are passed over."""

_OF_BITS = {8: Int8, 16: Int16, 32: Int32, 64: Int64}
_TYPES: dict[Kind, Any] = {
    Kind.TEXT: str,
    Kind.TOPIC_ID: Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{22}\Z")],
    Kind.SIZE: Annotated[int, Meta(ge=0, le=2**31 - 1)],
    Kind.INTEGERS: list[Int32],
    Kind.NULL: Any,
    Kind.BOOLEAN: bool,
}


@cache
def decoders(version: int) -> tuple[Decoder[Any], Decoder[Any]]:
    """Read the request and the response of a version from 4 to 18."""
    return decoder(FETCH, Object.REQUEST, version), decoder(FETCH, Object.RESPONSE, version)


def decoder(table: Table, of: Hashable, version: int) -> Decoder[Any]:
    """Reads an object of a version; its attributes have the names of the table."""
    return Decoder(_struct(table, of, version))


def _struct(table: Table, of: Hashable, version: int) -> type[Struct]:
    here = [one for one in table[of] if one.may_be_there(version)]
    fields: list[Any] = []
    for one in here:
        kind = _type(table, one, version)
        if one.must_be_there(version):
            fields.append((one.name, kind))
        else:
            kind = kind | UnsetType if one.default is UNSET else kind
            fields.append((one.name, kind, one.default))
    keys = {one.name: one.key for one in here}
    return defstruct(str(of), fields, kw_only=True, gc=False, rename=keys)


def _type(table: Table, field: Field, version: int) -> Any:
    if field.within is not None:
        within: Any = _struct(table, field.within, version)
        return within if field.kind is Kind.OBJECT else list[within]
    return _OF_BITS[field.bits] if field.kind is Kind.INTEGER else _TYPES[field.kind]


_Decoded = TypeVar("_Decoded")
_PLACE = re.compile(r" - at `\$\.?(.*)`\Z", re.DOTALL)
_MISSING = re.compile(r"Object missing required field `(.*)`\Z", re.DOTALL)
_STEP = re.compile(r"\[([0-9]+)\]|([^.\[]+)")


class FieldRefused(ValueError):
    """A field is missing, of a wrong type or out of its range; the message begins with its path."""


def decoded(decoder: Decoder[_Decoded], encoded: bytes | Raw, where: str = "") -> _Decoded:
    """The value that a decoder reads; `where` is the path of that value in the line's object.

    Raises `FieldRefused`; of what is no JSON at all, msgspec's own `DecodeError` or
    `RecursionError`.
    """
    try:
        return decoder.decode(encoded)
    except ValidationError as error:
        raise _refusal(str(error), where) from None


def _refusal(message: str, where: str) -> FieldRefused:
    place = _PLACE.search(message)
    reason = message[: place.start()] if place else message
    inner = place[1] if place else ""
    path = inner if inner.startswith("[") or not where or not inner else f".{inner}"
    path = where + path
    if missing := _MISSING.match(reason):
        return FieldRefused(f"{path}.{missing[1]} is missing".lstrip("."))
    return FieldRefused(f"{path}: {reason[0].lower()}{reason[1:]}")


def with_value(refusal: FieldRefused, line: Json) -> FieldRefused:
    """The refusal with the value of its field, where the line's object has that field."""
    path, colon, reason = str(refusal).partition(": ")
    if not colon:
        return refusal
    value = line
    for index, name in _STEP.findall(path):
        if index and isinstance(value, list) and int(index) < len(value):
            value = value[int(index)]
        elif name and isinstance(value, dict) and name in value:
            value = value[name]
        else:
            return refusal
    return FieldRefused(f"{path} is {shown(value)}: {reason}")
