"""What must come to pass in KIP-227 fetch sessions, and what is possible."""

from invariants.fetch_session_steps import knows_all
from lockstep import each, leads_to, sometimes
from models.fetch_metadata import FINAL_EPOCH, MAX_EPOCH, NO_SESSION, Error, OpenId
from models.fetch_partitions import EMPTY, MAX_OFFSET, UNKNOWN, Partition
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
from models.fetch_session_state import MAX_FAILURES, TOPIC_IDS, Fetcher, FetchSession

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
    """A fetcher that keeps asking, and is not always put off, learns at last how a partition of its
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
    """It names no partition, and removes none, when no records came that it could move past."""
    return any(
        s.request[f] is not None
        and s.request[f].epoch > 0
        and all(s.reported[f][p] is None or not s.reported[f][p].records for p in Partition)
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


@sometimes("227-52")
def an_unchanged_partition_is_left_out(s: FetchSession):
    """A response of a session has one of its partitions and not another, where it has two."""
    return all(p == q for p in Partition for q in Partition) or any(
        s.response[f] is not None
        and s.metadata[f].epoch > 0
        and s.response[f].partitions[p] is not None
        and s.response[f].partitions[q] is None
        and s.fetching[f][q] is not None
        for f in Fetcher
        for p in Partition
        for q in Partition
    )


@sometimes("227-34")
def a_fetcher_wants_no_session(s: FetchSession):
    return any(
        s.request[f] is not None
        and s.request[f].epoch == FINAL_EPOCH
        and s.request[f].session_id == NO_SESSION
        for f in Fetcher
    )


@sometimes("227-40")
def a_fetcher_closes_its_session(s: FetchSession):
    return any(
        s.request[f] is not None
        and s.request[f].epoch == FINAL_EPOCH
        and s.request[f].session_id != NO_SESSION
        for f in Fetcher
    )


@sometimes("227-42")
def a_fetcher_moves_past_records(s: FetchSession):
    """A partition of the session is named again with a later fetch offset, where there is one."""
    return MAX_OFFSET == 0 or any(
        s.request[f] is not None
        and s.request[f].epoch > 0
        and s.request[f].partitions[p] is not None
        and s.request[f].partitions[p].fetch_offset > 0
        and s.reported[f][p] is not None
        for f in Fetcher
        for p in Partition
    )


@sometimes("227-42")
def a_fetcher_reads_again(s: FetchSession):
    """A partition of the session is named again with an earlier fetch offset, where there is
    one."""
    return MAX_OFFSET == 0 or any(
        s.request[f] is not None
        and s.request[f].epoch > 0
        and s.request[f].partitions[p] is not None
        and s.sessions[s.request[f].session_id] is not None
        and s.sessions[s.request[f].session_id].partitions[p] is not None
        and s.request[f].partitions[p].fetch_offset
        < s.sessions[s.request[f].session_id].partitions[p].interest.fetch_offset
        for f in Fetcher
        for p in Partition
    )


@sometimes("227-36")
def a_fetcher_wants_some_partitions(s: FetchSession):
    """A request for a session is of some partitions, where there are several, and not of all."""
    return all(p == q for p in Partition for q in Partition) or any(
        s.request[f] is not None
        and s.request[f].epoch == 0
        and any(s.request[f].partitions[p] is None for p in Partition)
        for f in Fetcher
    )


@sometimes("227-34")
def some_partitions_are_wanted_without_a_session(s: FetchSession):
    """Who wants no session asks for some partitions, where there are several, and not for all."""
    return all(p == q for p in Partition for q in Partition) or any(
        s.request[f] is not None
        and s.request[f].epoch == FINAL_EPOCH
        and s.request[f].session_id == NO_SESSION
        and any(s.request[f].partitions[p] is None for p in Partition)
        for f in Fetcher
    )


@sometimes("227-9", "227-13")
def a_session_of_some_partitions_is_put_off(s: FetchSession):
    """A fetcher over its quota need not want every partition, where there are several."""
    return all(p == q for p in Partition for q in Partition) or any(
        s.response[f] is not None
        and s.response[f].throttled
        and any(s.fetching[f][p] is None for p in Partition)
        for f in Fetcher
    )


@sometimes("227-13")
def a_partition_that_failed_is_answered_without_an_error(s: FetchSession):
    """The response is without an error that follows one with an error, where partitions fail
    (227-D4)."""
    return MAX_FAILURES == 0 or any(
        s.reported[f][p] is not None
        and s.reported[f][p].high_watermark == UNKNOWN
        and s.response[f] is not None
        and s.response[f].partitions[p] is not None
        and not s.response[f].partitions[p].failed
        for f in Fetcher
        for p in Partition
    )


@sometimes("227-47")
def a_topic_id_error_reaches_a_fetcher(s: FetchSession):
    """A request in order is refused, where clients go over to topic ids (227-D15)."""
    return not TOPIC_IDS or any(
        s.response[f] is not None and s.response[f].error == Error.FETCH_SESSION_TOPIC_ID_ERROR
        for f in Fetcher
    )


@sometimes("227-36")
def a_log_that_stays_empty_is_asked_for(s: FetchSession):
    """A partition without records is fetched as others are, where there is one."""
    return all(p not in EMPTY for p in Partition) or any(
        s.request[f] is not None and p in EMPTY and s.request[f].partitions[p] is not None
        for f in Fetcher
        for p in Partition
    )


@sometimes("227-67")
def a_topic_created_again_is_asked_for(s: FetchSession):
    """A request removes a partition and lists it, where topics are created again."""
    return not TOPIC_IDS or any(
        s.request[f] is not None
        and p in s.request[f].forgotten
        and s.request[f].partitions[p] is not None
        for f in Fetcher
        for p in Partition
    )


@sometimes("227-12")
def a_moved_log_start_is_reported(s: FetchSession):
    """A fetcher knows that a log does not start at 0 any more, where logs have records."""
    return MAX_OFFSET == 0 or any(
        s.reported[f][p] is not None and s.reported[f][p].log_start_offset > 0
        for f in Fetcher
        for p in Partition
    )


@sometimes("227-32")
def a_request_arrives_after_it_was_given_up(s: FetchSession):
    """The fetcher will have its session closed, and what it sent there is still under way."""
    return any(
        s.stray[f] is not None
        and not s.pending[f]
        and s.metadata[f].session_id != NO_SESSION
        and s.metadata[f].epoch == 0
        for f in Fetcher
    )


@sometimes("227-38")
def a_session_is_to_be_closed_once_more(s: FetchSession):
    """A fetcher gave up a full request that closes its session, and names that session still."""
    return any(
        s.stray[f] is not None
        and s.stray[f].epoch <= 0
        and not s.pending[f]
        and s.metadata[f].session_id != NO_SESSION
        and s.metadata[f].session_id == s.stray[f].session_id
        for f in Fetcher
    )


@sometimes("227-36")
def a_session_is_created_beside_a_stray(s: FetchSession):
    """A new session need not wait until what its fetcher sent before is gone."""
    return any(
        s.stray[f] is not None
        and s.response[f] is not None
        and s.response[f].session_id != NO_SESSION
        and s.metadata[f].epoch == 0
        for f in Fetcher
    )


@sometimes("227-32")
def a_request_outlives_its_fetcher(s: FetchSession):
    """A session awaits a request that is under way, and whose fetcher has started again."""
    return any(
        s.stray[f] is not None
        and s.stray[f].epoch > 0
        and s.sessions[s.stray[f].session_id] is not None
        and s.sessions[s.stray[f].session_id].epoch == s.stray[f].epoch
        and not s.pending[f]
        and s.metadata[f].session_id == NO_SESSION
        for f in Fetcher
    )
