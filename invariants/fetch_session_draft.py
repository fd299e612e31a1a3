"""What must hold of the earlier draft of KIP-227. Ids are rows of specs/kip_227_draft.toml.

Here is what must hold of requests and sessions. What must hold of their partitions, and what must
come to pass, are files of their own.
"""

from invariants.fetch_session_draft_steps import (
    came,
    follows,
    is_full,
    was_handled,
    was_sent,
    was_served,
)
from lockstep import invariant, present, step_invariant, when
from models.fetch_partitions import Partition
from models.fetch_session_draft_state import (
    NO_SESSION,
    Error,
    Fetcher,
    FetchSessionDraft,
    OpenId,
    Via,
)

# What a session has of its partitions, and what is asked and reported of them.
from invariants.fetch_session_draft_partitions import (
    leader_has_what_is_wanted,
    changes_make_partitions_dirty,
    what_is_not_known_is_dirty,
    last_dirty_number_never_decreases,
    last_dirty_number_rises_with_changes_only,
    repeated_request_is_the_same,
    unchanged_partitions_are_not_requested,
    full_response_answers_every_partition,
    answers_are_the_leaders,
    only_dirty_partitions_are_answered,
    dirty_partitions_make_way_for_records_only,
    records_are_never_withheld_from_all,
    what_is_answered_is_learned,
    what_is_answered_is_clean,
    only_full_requests_forget,
    fetch_offset_moves_past_records_only,
)

# Liveness, and what is possible.
from invariants.fetch_session_draft_progress import (
    waiting_ends,
    changes_come_to_be_known,
    reaches_the_last_number,
    an_answered_request_is_repeated,
    an_unchanged_partition_is_answered,
    a_full_request_is_refused,
    a_fetcher_is_denied,
    an_incremental_request_says_nothing,
    an_incremental_response_says_nothing,
    a_leader_declines,
    a_full_request_names_a_session,
    a_moved_log_start_is_reported,
    a_fetcher_moves_past_records,
    a_fetcher_reads_again,
    a_fetcher_wants_some_partitions,
    a_log_that_stays_empty_is_asked_for,
)

# Sessions and their numbers.


@invariant("227d-1", "227d-2")
def sessions_are_never_shared(s: FetchSessionDraft, i: OpenId):
    """An id belongs to one fetcher: no other holds it, whatever was evicted or created since."""
    when(s.sessions[i] is not None)
    return all(s.session_id[f] != i or s.sessions[i].client == f for f in Fetcher)


@invariant("227d-5", "227d-6")
def leader_is_at_most_one_request_ahead(s: FetchSessionDraft, f: Fetcher):
    """A session has the number of the last request whose response its fetcher has handled, or of
    the one that it waits for an answer to."""
    when(s.session_id[f] != NO_SESSION)
    session = present(s.sessions[s.session_id[f]])
    return session.sequence == s.sequence[f] or (
        s.unanswered[f] is not None and session.sequence == s.unanswered[f].sequence
    )


@step_invariant("227d-5", "227d-6")
def numbers_go_up_by_one(s: FetchSessionDraft, new: FetchSessionDraft, i: OpenId):
    """A session's number changes to the next one only."""
    before = present(s.sessions[i])
    after = present(new.sessions[i])
    when(before.sequence != after.sequence)
    return follows(after.sequence, before.sequence)


@invariant("227d-5")
def numbers_begin_with_a_session(s: FetchSessionDraft, f: Fetcher):
    """A fetcher without a session has sent no number in it."""
    when(s.session_id[f] == NO_SESSION)
    return s.sequence[f] == 0


@invariant("227d-7", "227d-22")
def incremental_requests_have_a_session_and_a_number(s: FetchSessionDraft, f: Fetcher):
    """No incremental request has the id 0 or the number 0."""
    return all(
        came(s, f, via) is None
        or is_full(came(s, f, via))
        or (came(s, f, via).session_id != NO_SESSION and came(s, f, via).sequence > 0)
        for via in Via
    )


@step_invariant("227d-19", "227d-26")
def created_session_is_named(s: FetchSessionDraft, new: FetchSessionDraft, f: Fetcher, i: OpenId):
    """A response has the id of the session that was created for it, and no id that is nobody's."""
    when(was_served(s, new, f) and s.sessions[i] is None)
    return (new.response[f].session_id == i) == (new.sessions[i] is not None)


@step_invariant("227d-19", "227d-22", "227d-26", "227d-27")
def session_is_entered_by_a_full_response(s: FetchSessionDraft, new: FetchSessionDraft, f: Fetcher):
    """A fetcher has a session after a full response with its id that allows incremental
    requests."""
    when(new.session_id[f] != NO_SESSION and new.session_id[f] != s.session_id[f])
    return (
        s.response[f] is not None
        and not s.response[f].incremental
        and s.response[f].incremental_ok
        and s.response[f].session_id == new.session_id[f]
    )


@step_invariant("227d-27")
def flag_ends_incremental_requests(s: FetchSessionDraft, new: FetchSessionDraft, f: Fetcher):
    """After a response that allows no incremental request, the next one is full and of no
    session."""
    when(was_handled(s, new, f))
    when(s.response[f].error == Error.NONE and not s.response[f].incremental_ok)
    return new.session_id[f] == NO_SESSION


@step_invariant("227d-20")
def response_is_of_the_requests_type(s: FetchSessionDraft, new: FetchSessionDraft, f: Fetcher):
    """A full request is answered in full, and an incremental one incrementally."""
    when(was_served(s, new, f))
    return new.response[f].incremental == (not is_full(s.request[f]))


@step_invariant("227d-17")
def invalid_session_error_is_deserved(s: FetchSessionDraft, new: FetchSessionDraft, f: Fetcher):
    """InvalidFetchSessionException answers who names a session that is not there, or a number that
    is neither the session's own nor the next."""
    when(was_served(s, new, f) and s.request[f].session_id != NO_SESSION)
    session = s.sessions[s.request[f].session_id]
    return (new.response[f].error == Error.INVALID_FETCH_SESSION) == (
        session is None
        or (
            s.request[f].sequence > 0
            and s.request[f].sequence != session.sequence
            and not follows(s.request[f].sequence, session.sequence)
        )
    )


@invariant("227d-17")
def error_comes_of_a_lost_session(s: FetchSessionDraft, f: Fetcher):
    """A fetcher that gets InvalidFetchSessionException has lost its session: retransmission
    mends all that the network does."""
    when(s.response[f] is not None and s.response[f].error == Error.INVALID_FETCH_SESSION)
    return s.sessions[s.session_id[f]] is None


@step_invariant("227d-18")
def denied_are_incremental_requests(s: FetchSessionDraft, new: FetchSessionDraft, f: Fetcher):
    """IncrementalFetchDenied answers incremental requests, and leaves no session."""
    when(was_served(s, new, f) and new.response[f].error == Error.INCREMENTAL_FETCH_DENIED)
    return not is_full(s.request[f]) and new.sessions[s.request[f].session_id] is None


@step_invariant("227d-1", "227d-18", "227d-27")
def only_its_own_fetcher_loses_a_session(
    s: FetchSessionDraft, new: FetchSessionDraft, f: Fetcher, i: OpenId
):
    """Whichever request is served, no session ends but the one that it names, and its fetcher may
    not go on in it."""
    when(was_served(s, new, f) and s.sessions[i] is not None and new.sessions[i] is None)
    return s.request[f].session_id == i and not new.response[f].incremental_ok


@step_invariant("227d-25")
def error_is_of_all_partitions(s: FetchSessionDraft, new: FetchSessionDraft, f: Fetcher):
    """A response with an error has no partition, and after it nothing that was reported counts any
    more."""
    when(was_handled(s, new, f) and s.response[f].error != Error.NONE)
    return all(
        s.response[f].partitions[p] is None and new.reported[f][p] is None for p in Partition
    )


@step_invariant("227d-26", "227d-27")
def allowed_session_is_kept(s: FetchSessionDraft, new: FetchSessionDraft, f: Fetcher):
    """A response allows incremental requests if, and only if, the leader has its session."""
    when(was_served(s, new, f) and new.response[f].error == Error.NONE)
    i = new.response[f].session_id
    return new.response[f].incremental_ok == (i != NO_SESSION and new.sessions[i] is not None)


@step_invariant("227d-23")
def full_requests_ask_for_something(s: FetchSessionDraft, new: FetchSessionDraft, f: Fetcher):
    """A full request is one of some partition."""
    when(was_sent(s, new, f) and is_full(new.request[f]))
    return any(new.request[f].partitions[p] is not None for p in Partition)


@step_invariant("227d-24")
def full_request_is_answered_with_its_session(
    s: FetchSessionDraft, new: FetchSessionDraft, f: Fetcher
):
    """A full request with the id of a session gets an error, or goes on in that session."""
    when(was_served(s, new, f) and is_full(s.request[f]))
    when(s.request[f].session_id != NO_SESSION and new.response[f].error == Error.NONE)
    return new.response[f].session_id == s.request[f].session_id


@step_invariant("227d-13")
def late_request_is_a_copy(s: FetchSessionDraft, new: FetchSessionDraft, f: Fetcher):
    """A request that nobody awaits is one that was given up, and is as it was sent. It comes by a
    disturbance, which is one of a request or of a session."""
    comes = new.stray[f] is not None and new.stray[f] != s.stray[f]
    is_copy = s.stray[f] is None and new.stray[f] == s.request[f]
    gives_up = s.unanswered[f] is not None or s.session_id[f] != new.session_id[f]
    return (
        not comes
        if new.disturbances[f] == s.disturbances[f]
        else new.disturbances[f] == s.disturbances[f] + 1 and (is_copy if comes else gives_up)
    )
