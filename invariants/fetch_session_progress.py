"""What must come to pass in KIP-227 fetch sessions, and what is possible."""

from invariants.fetch_session_steps import knows_all
from lockstep import each, leads_to, sometimes
from models.fetch_metadata import MAX_EPOCH, NO_SESSION, Error, OpenId
from models.fetch_partitions import Partition
from models.fetch_session_fetcher import (
    receive_full,
    receive_incremental,
    receive_session_closed,
    receive_sessionless,
    receive_unknown_session,
    receive_wrong_epoch,
    send_incremental,
)
from models.fetch_session_leader import (
    serve_full_creating,
    serve_full_without_session,
    serve_incremental,
    serve_incremental_emptying,
    serve_incremental_throttled,
    serve_sessionless,
    serve_unknown_session,
    serve_wrong_epoch,
)
from models.fetch_session_state import Fetcher, FetchSession

# What must come to pass.

SERVED_AND_HANDLED = (
    each(serve_sessionless, "f", "via"),
    each(serve_full_creating, "f", "via"),
    each(serve_full_without_session, "f", "via"),
    each(serve_incremental_emptying, "f", "via"),
    each(serve_unknown_session, "f", "via"),
    each(serve_wrong_epoch, "f", "via"),
    each(receive_full, "f"),
    each(receive_sessionless, "f"),
    each(receive_incremental, "f"),
    each(receive_session_closed, "f"),
    each(receive_unknown_session, "f"),
    each(receive_wrong_epoch, "f"),
)
"""What is served and handled in the end, whatever becomes of requests that are in order."""


@leads_to(
    "227-51",
    weak=(
        *SERVED_AND_HANDLED,
        each(serve_incremental, "f", "via"),
        each(serve_incremental_throttled, "f", "via"),
    ),
)
def waiting_ends(s: FetchSession, f: Fetcher):
    """A request is served, and its response handled, in the end."""
    return s.pending[f], not s.pending[f]


@leads_to(
    "227-1",
    "227-13",
    weak=(*SERVED_AND_HANDLED, each(send_incremental, "f")),
    strong=each(serve_incremental, "f", "via"),
)
def changes_come_to_be_known(s: FetchSession, f: Fetcher, p: Partition):
    """A fetcher that keeps asking, and is not always put off, comes to know how a partition of its
    session is; or it wants the partition no more, or asks everything again."""
    wants = s.fetching[f][p] is not None
    return wants and not knows_all(s, f, p), not wants or knows_all(s, f, p)


# The scope reaches what it is about.


@sometimes("227-8")
def reaches_the_last_epoch(s: FetchSession):
    """The epoch gets to where it wraps around."""
    return any(s.sessions[i] is not None and s.sessions[i].epoch == MAX_EPOCH for i in OpenId)


@sometimes("227-28")
def an_epoch_error_reaches_a_fetcher(s: FetchSession):
    return any(
        s.response[f] is not None and s.response[f].error == Error.INVALID_FETCH_SESSION_EPOCH
        for f in Fetcher
    )


@sometimes("227-27")
def an_unknown_session_error_reaches_a_fetcher(s: FetchSession):
    return any(
        s.response[f] is not None and s.response[f].error == Error.FETCH_SESSION_ID_NOT_FOUND
        for f in Fetcher
    )


@sometimes("227-45")
def an_incremental_request_says_nothing(s: FetchSession):
    """It names no partition, and removes none."""
    return any(
        s.request[f] is not None
        and s.request[f].epoch > 0
        and len(s.request[f].forgotten) == 0
        and all(s.request[f].partitions[p] is None for p in Partition)
        for f in Fetcher
    )


@sometimes("227-53")
def an_incremental_response_says_nothing(s: FetchSession):
    """It has no partition, although it was not put off and the session goes on."""
    return any(
        s.response[f] is not None
        and s.metadata[f].epoch > 0
        and s.response[f].session_id != NO_SESSION
        and not s.response[f].throttled
        and all(s.response[f].partitions[p] is None for p in Partition)
        for f in Fetcher
    )
