"""What must come to pass in KIP-227's earlier draft, and what its scopes reach."""

from invariants.fetch_session_draft_steps import is_full, knows_all
from lockstep import each, leads_to, sometimes
from models.fetch_partitions import EMPTY, MAX_OFFSET, Partition
from models.fetch_session_draft_fetcher import (
    receive_error,
    receive_full,
    receive_incremental,
    receive_last,
    send_incremental,
)
from models.fetch_session_draft_leader import (
    serve_full_altering,
    serve_full_creating,
    serve_full_declining,
    serve_incremental,
    serve_invalid,
    serve_repeated,
)
from models.fetch_session_draft_state import (
    MAX_DISTURBANCES,
    MAX_SEQUENCE,
    NO_SESSION,
    Error,
    Fetcher,
    FetchSessionDraft,
    OpenId,
)

# What must come to pass.

SERVED_AND_HANDLED = (
    each(serve_full_creating, "f", "via"),
    each(serve_full_declining, "f", "via"),
    each(serve_full_altering, "f", "via"),
    each(serve_repeated, "f", "via"),
    each(serve_invalid, "f", "via"),
    each(receive_full, "f"),
    each(receive_incremental, "f"),
    each(receive_last, "f"),
    each(receive_error, "f"),
)
"""What is served and handled in the end, whatever becomes of the next incremental request. That a
client is denied is the leader's choice, and nothing that it owes."""


@leads_to("227d-13", "227d-25", weak=(*SERVED_AND_HANDLED, each(serve_incremental, "f", "via")))
def waiting_ends(s: FetchSessionDraft, f: Fetcher):
    """A request is served, and its response handled, in the end."""
    return s.unanswered[f] is not None, s.unanswered[f] is None


@leads_to(
    "227d-10",
    weak=(*SERVED_AND_HANDLED, each(send_incremental, "f")),
    strong=each(serve_incremental, "f", "via", "sent"),
)
def changes_come_to_be_known(s: FetchSessionDraft, f: Fetcher, p: Partition):
    """A fetcher that keeps asking learns at last how a partition of its session is, if each choice
    of partitions that fit has its turn; or it wants the partition no more, or asks everything
    again."""
    wants = s.fetching[f][p] is not None
    return wants and not knows_all(s, f, p), not wants or knows_all(s, f, p)


# The scope reaches what it is about.


@sometimes("227d-5")
def reaches_the_last_number(s: FetchSessionDraft):
    return any(s.sessions[i] is not None and s.sessions[i].sequence == MAX_SEQUENCE for i in OpenId)


@sometimes("227d-13")
def an_answered_request_is_repeated(s: FetchSessionDraft):
    """A session has the number of a request that is under way, where any is disturbed."""
    return MAX_DISTURBANCES == 0 or any(
        s.request[f] is not None
        and s.request[f].sequence > 0
        and s.sessions[s.request[f].session_id] is not None
        and s.sessions[s.request[f].session_id].sequence == s.request[f].sequence
        for f in Fetcher
    )


@sometimes("227d-10", "227d-28")
def an_unchanged_partition_is_answered(s: FetchSessionDraft):
    """An incremental response has a partition without records that is as its fetcher heard last:
    what is new is the log's end, of which a response says nothing. So it is where there are
    records."""
    return MAX_OFFSET == 0 or any(
        s.response[f] is not None
        and s.response[f].incremental
        and s.response[f].partitions[p] is not None
        and not s.response[f].partitions[p].records
        and s.reported[f][p] is not None
        and s.reported[f][p].high_watermark == s.response[f].partitions[p].high_watermark
        and s.reported[f][p].log_start_offset == s.response[f].partitions[p].log_start_offset
        for f in Fetcher
        for p in Partition
    )


@sometimes("227d-17", "227d-24")
def a_full_request_is_refused(s: FetchSessionDraft):
    """A fetcher that asks for everything gets an error, since the session that it names is gone."""
    return any(
        s.response[f] is not None
        and s.response[f].error == Error.INVALID_FETCH_SESSION
        and not s.response[f].incremental
        for f in Fetcher
    )


@sometimes("227d-18")
def a_fetcher_is_denied(s: FetchSessionDraft):
    return any(
        s.response[f] is not None and s.response[f].error == Error.INCREMENTAL_FETCH_DENIED
        for f in Fetcher
    )


@sometimes("227d-21")
def an_incremental_request_says_nothing(s: FetchSessionDraft):
    return any(
        s.request[f] is not None
        and not is_full(s.request[f])
        and all(s.request[f].partitions[p] is None for p in Partition)
        for f in Fetcher
    )


@sometimes("227d-28")
def an_incremental_response_says_nothing(s: FetchSessionDraft):
    return any(
        s.response[f] is not None
        and s.response[f].incremental_ok
        and all(s.response[f].partitions[p] is None for p in Partition)
        for f in Fetcher
    )


@sometimes("227d-19")
def a_leader_declines(s: FetchSessionDraft):
    """A full request that names no session is answered in full, and gets none."""
    return any(
        s.response[f] is not None
        and s.response[f].error == Error.NONE
        and not s.response[f].incremental
        and s.response[f].session_id == NO_SESSION
        for f in Fetcher
    )


@sometimes("227d-24")
def a_full_request_names_a_session(s: FetchSessionDraft):
    return any(
        s.request[f] is not None and is_full(s.request[f]) and s.request[f].session_id != NO_SESSION
        for f in Fetcher
    )


@sometimes("227d-9")
def a_moved_log_start_is_reported(s: FetchSessionDraft):
    """A fetcher knows that a log does not start at 0 any more, where logs have records."""
    return MAX_OFFSET == 0 or any(
        s.reported[f][p] is not None and s.reported[f][p].log_start_offset > 0
        for f in Fetcher
        for p in Partition
    )


@sometimes("227d-33")
def a_fetcher_moves_past_records(s: FetchSessionDraft):
    """An incremental request has a partition with a later fetch offset, where there is one."""
    return MAX_OFFSET == 0 or any(
        s.request[f] is not None
        and not is_full(s.request[f])
        and s.request[f].partitions[p] is not None
        and s.request[f].partitions[p].fetch_offset > 0
        and s.reported[f][p] is not None
        for f in Fetcher
        for p in Partition
    )


@sometimes("227d-33")
def a_fetcher_reads_again(s: FetchSessionDraft):
    """An incremental request has a partition with an earlier fetch offset, where there is one."""
    return MAX_OFFSET == 0 or any(
        s.request[f] is not None
        and not is_full(s.request[f])
        and s.request[f].partitions[p] is not None
        and s.sessions[s.request[f].session_id] is not None
        and s.sessions[s.request[f].session_id].partitions[p] is not None
        and s.request[f].partitions[p].fetch_offset
        < s.sessions[s.request[f].session_id].partitions[p].interest.fetch_offset
        for f in Fetcher
        for p in Partition
    )


@sometimes("227d-23")
def a_fetcher_wants_some_partitions(s: FetchSessionDraft):
    """A full request is of some partitions, where there are several, and not of all."""
    return all(p == q for p in Partition for q in Partition) or any(
        s.request[f] is not None
        and is_full(s.request[f])
        and any(s.request[f].partitions[p] is None for p in Partition)
        for f in Fetcher
    )


@sometimes("227d-23")
def a_log_that_stays_empty_is_asked_for(s: FetchSessionDraft):
    """A partition without records is fetched as others are, where there is one."""
    return all(p not in EMPTY for p in Partition) or any(
        s.request[f] is not None and p in EMPTY and s.request[f].partitions[p] is not None
        for f in Fetcher
        for p in Partition
    )
