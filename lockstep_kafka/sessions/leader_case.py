"""One partition of one request, as the leader is asked about it, and what comes of it."""

from __future__ import annotations

from enum import IntEnum, StrEnum
from typing import NamedTuple

OPEN = -2
"""A number that is not known."""

UNKNOWN = -1
"""Kafka's own number for an offset that is not given."""


BEYOND_ALL = 2**63 - 1
"""A fetch offset behind all records: where open transactions may hide those that follow it."""


class Row(StrEnum):
    """How a request is served: the actions of the model's leader that answer without an error."""

    SESSIONLESS = "serve_sessionless"
    CREATING = "serve_full_creating"
    WITHOUT_SESSION = "serve_full_without_session"
    INCREMENTAL = "serve_incremental"
    THROTTLED = "serve_incremental_throttled"
    EMPTYING = "serve_incremental_emptying"


FULL = (Row.SESSIONLESS, Row.CREATING, Row.WITHOUT_SESSION)


class Membership(IntEnum):
    """Whether a session has a partition."""

    ABSENT = 0
    PRESENT = 1
    OPEN = 2


class Others(IntEnum):
    """The other partitions of the session, or of the full request."""

    ABSENT = 0
    QUIET = 1
    """There are some, and the response has no records of them."""
    WITH_RECORDS = 2


class Answer(NamedTuple):
    """What a response says of a partition.

    Without data there is an error, or a hint where to fetch from or to truncate to: then it is
    answered whatever the leader's log has, and without records (227-D4, 227-D8).
    """

    has_data: bool
    high_watermark: int
    log_start: int
    has_records: bool


class LeaderCase(NamedTuple):
    """One partition of one request, as far as the leader is concerned.

    `offset`, `high_watermark` and `log_start` are those that the session has cached. `requested`
    is the fetch offset of the request, OPEN where the request does not name the partition.
    `least_high_watermark` and `least_log_start` are what the leader's log is known to have
    reached before the request arrived, 0 where nothing is known.
    """

    row: Row
    is_replica: bool
    membership: Membership
    is_forgotten: bool
    others: Others
    answer: Answer | None
    offset: int
    high_watermark: int
    log_start: int
    requested: int
    least_high_watermark: int
    least_log_start: int


class Cached(NamedTuple):
    """What the session has of the partition afterwards; OPEN where behaviours differ in it.

    `is_requested` says that the interest is the one of this request.
    """

    membership: Membership
    is_requested: bool
    high_watermark: int
    log_start: int
