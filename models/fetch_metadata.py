"""Fetch session ids, fetch epochs and session errors (KIP-227, "FetchRequest Metadata meaning").

A request carries a pair (session id, epoch):

    (0, -1)      full fetch, no session
    (0, 0)       full fetch, create a session if possible
    (ID, 0)      close session ID, full fetch, create a session if possible
    (ID, EPOCH)  incremental fetch within session ID, EPOCH > 0
    (ID, -1)     close session ID, full fetch, no session

No other pair is sent (227-D16).
"""

from enum import Enum

from lockstep import Constant, Domain, OneOf, Range, Record

SESSION_IDS: Constant = (1, 2)
"""The ids that a leader may draw. Names, not numbers: nothing adds or orders them."""

MAX_EPOCH: Constant = 3
"""The epoch after which 1 follows: 2**31 - 1 in Kafka. At least 2 where messages are repeated:
with one epoch a copy of a request could not be distinguished from the next request."""

NO_SESSION = 0
INITIAL_EPOCH = 0
FINAL_EPOCH = -1
FIRST_INCREMENTAL_EPOCH = 1

OpenId: Domain = OneOf(SESSION_IDS, interchangeable=True)
SessionId: Domain = OneOf((NO_SESSION, *SESSION_IDS))
Epoch: Domain = Range(FINAL_EPOCH, MAX_EPOCH)
SessionEpoch: Domain = Range(FIRST_INCREMENTAL_EPOCH, MAX_EPOCH)


class Error(Enum):
    """The top-level error of a FetchResponse; the values are Kafka's error codes."""

    NONE = 0
    FETCH_SESSION_ID_NOT_FOUND = 70
    INVALID_FETCH_SESSION_EPOCH = 71
    FETCH_SESSION_TOPIC_ID_ERROR = 106


class Metadata(Record):
    """What a fetcher will put into its next request."""

    session_id: SessionId
    epoch: Epoch


FRESH = Metadata(session_id=NO_SESSION, epoch=INITIAL_EPOCH)


def next_epoch(epoch):
    """The epoch after this one; it never becomes 0 or negative again."""
    return FIRST_INCREMENTAL_EPOCH if epoch == MAX_EPOCH else epoch + 1


def is_full(epoch):
    """Whether a request with this epoch lists every partition."""
    return epoch in (INITIAL_EPOCH, FINAL_EPOCH)


def close_existing_attempt_new(metadata):
    """What follows when the fetcher no longer trusts its session."""
    return Metadata(session_id=metadata.session_id, epoch=INITIAL_EPOCH)


def after_full_response(session_id):
    """What follows a full response: the new session's first request, or another full one."""
    if session_id == NO_SESSION:
        return FRESH
    return Metadata(session_id=session_id, epoch=FIRST_INCREMENTAL_EPOCH)
