"""A Fetch request and its response as Kafka's own JSON has them, one type for each version.

Which field belongs to which version is taken from Kafka's message definitions FetchRequest.json and
FetchResponse.json. A field that a version has must be there; fields that are not part of a
`FetchLine` are not looked at. Where an object has a key twice the last one counts: finding that out
would take as long again as reading the line.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Annotated, Any, Generic, TypeAlias, TypeVar

from msgspec import UNSET, Meta, Raw, Struct, UnsetType, ValidationError, field
from msgspec.json import Decoder

from lockstep.system.strict_json import Json, shown

OLDEST_VERSION = 4
NEWEST_VERSION = 18

_TopicId = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{22}\Z")]
_Reported = TypeVar("_Reported")
_Topic = TypeVar("_Topic")
_Forgotten = TypeVar("_Forgotten")


class _Part(Struct, gc=False, rename="camel"):
    """An object of the JSON; fields of the protocol that it does not name are passed over."""


class Topic(_Part, Generic[_Reported], kw_only=True):
    """What is reported of a topic's partitions. Up to version 12 topics have names."""

    topic: str
    partitions: list[_Reported]


class _TopicSince13(Topic[_Reported], Generic[_Reported], kw_only=True):
    topic: _TopicId = field(name="topicId")


class Requested(_Part, kw_only=True):
    """What is asked of a partition."""

    partition: Int32
    fetch_offset: Int64
    log_start_offset: Int64 = -1
    partition_max_bytes: Int32
    current_leader_epoch: Int32 = -1
    last_fetched_epoch: Int32 = -1


class _RequestedSince5(Requested, kw_only=True):
    log_start_offset: Int64


class _RequestedSince9(_RequestedSince5, kw_only=True):
    current_leader_epoch: Int32


class _RequestedSince12(_RequestedSince9, kw_only=True):
    last_fetched_epoch: Int32


class Replica(_Part, kw_only=True):
    """Who fetches. A tagged field since version 15: consumers leave it out."""

    replica_id: Int32


class Request(_Part, Generic[_Topic, _Forgotten], kw_only=True):
    """The body of a request."""

    replica_id: Int32
    session_id: Int32 = 0
    session_epoch: Int32 = -1
    topics: list[_Topic]
    forgotten_topics_data: list[_Forgotten] = []
    max_wait_ms: Int32
    min_bytes: Int32
    isolation_level: Int8

    @property
    def replica(self) -> int:
        """The broker or controller that fetches; -1 for a consumer."""
        return self.replica_id


class _RequestSince7(Request[_Topic, _Forgotten], Generic[_Topic, _Forgotten], kw_only=True):
    session_id: Int32
    session_epoch: Int32
    forgotten_topics_data: list[_Forgotten]


class _RequestSince15(
    _RequestSince7[_Topic, _Forgotten], Generic[_Topic, _Forgotten], kw_only=True
):
    # There is no field of this name: a later version could not take its meaning up again.
    replica_id: int = field(name="replicaId of versions up to 14", default=-1)
    replica_state: Replica | UnsetType = UNSET

    @property
    def replica(self) -> int:
        return -1 if self.replica_state is UNSET else self.replica_state.replica_id


class CurrentLeader(_Part, kw_only=True):
    """Who leads; -1 and -1 say nothing."""

    leader_id: Int32 = -1
    leader_epoch: Int32 = -1


class DivergingEpoch(_Part, kw_only=True):
    """Where the fetcher's log parts from the leader's; an epoch of -1 says nothing."""

    epoch: Int32


class SnapshotId(_Part, kw_only=True):
    """The snapshot to fetch instead; -1 and -1 say nothing."""

    end_offset: Int64 = -1
    epoch: Int32 = -1


class Answered(_Part, kw_only=True):
    """What is reported of a partition. The objects in it are tagged fields, left out by default."""

    partition: Int32 = field(name="partitionIndex")
    error_code: Int16
    high_watermark: Int64
    last_stable_offset: Int64
    log_start_offset: Int64 = -1
    preferred_read_replica: Int32 = -1
    diverging_epoch: DivergingEpoch | UnsetType = UNSET
    current_leader: CurrentLeader | UnsetType = UNSET
    snapshot_id: SnapshotId | UnsetType = UNSET
    records_size_in_bytes: Size | UnsetType = UNSET
    # Kafka logs the size instead of the records, except where there are none at all.
    records: Any = UNSET


class _AnsweredSince5(Answered, kw_only=True):
    log_start_offset: Int64


class _AnsweredSince11(_AnsweredSince5, kw_only=True):
    preferred_read_replica: Int32


class Response(_Part, Generic[_Topic], kw_only=True):
    """The body of a response."""

    throttle_time_ms: Int32
    error_code: Int16 = 0
    session_id: Int32 = 0
    responses: list[_Topic]


class _ResponseSince7(Response[_Topic], Generic[_Topic], kw_only=True):
    error_code: Int16
    session_id: Int32


@cache
def request_decoder(version: int) -> Decoder[Request[Topic[Requested], Topic[int]]]:
    """Reads the request of a version from 4 to 18."""
    requested: Any = _since(
        version, {4: Requested, 5: _RequestedSince5, 9: _RequestedSince9, 12: _RequestedSince12}
    )
    topic: Any = _since(version, {4: Topic, 13: _TopicSince13})
    request: Any = _since(version, {4: Request, 7: _RequestSince7, 15: _RequestSince15})
    return Decoder(request[topic[requested], topic[Int32]])


@cache
def response_decoder(version: int) -> Decoder[Response[Topic[Answered]]]:
    """Reads the response of a version from 4 to 18."""
    answered: Any = _since(version, {4: Answered, 5: _AnsweredSince5, 11: _AnsweredSince11})
    topic: Any = _since(version, {4: Topic, 13: _TopicSince13})
    response: Any = _since(version, {4: Response, 7: _ResponseSince7})
    return Decoder(response[topic[answered]])


def _since(version: int, types: dict[int, Any]) -> Any:
    """The type of a version, of those that first versions have."""
    return types[max(first for first in types if first <= version)]


# `true`, `1.0` and "1" are no integers to msgspec.
Int8: TypeAlias = Annotated[int, Meta(ge=-(2**7), le=2**7 - 1)]
Int16: TypeAlias = Annotated[int, Meta(ge=-(2**15), le=2**15 - 1)]
Int32: TypeAlias = Annotated[int, Meta(ge=-(2**31), le=2**31 - 1)]
Int64: TypeAlias = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
Size: TypeAlias = Annotated[int, Meta(ge=0, le=2**31 - 1)]
Milliseconds: TypeAlias = Annotated[float, Meta(ge=0)]

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
