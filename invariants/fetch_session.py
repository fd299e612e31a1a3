"""What must hold of KIP-227 fetch sessions. Ids such as 227-12 are rows of specs/kip_227.toml.

Here is what must hold of requests and sessions. What must hold of their partitions, and what must
come to pass, are files of their own.
"""

from invariants.fetch_session_steps import (
    came,
    follows,
    was_accepted,
    was_handled,
    was_sent,
    was_served,
)
from lockstep import invariant, present, step_invariant, when
from models.fetch_metadata import FINAL_EPOCH, NO_SESSION, Error, OpenId
from models.fetch_partitions import Partition
from models.fetch_session_state import STRAYS_ARE_LOST, TOPIC_IDS, Fetcher, FetchSession, Via

# What is asked and reported of partitions.
from invariants.fetch_session_partitions import (
    accepted_request_leaves_agreement,
    learns_what_a_full_fetch_would_tell,
    changes_are_reported,
    errors_are_reported,
    records_are_the_leaders,
    records_are_never_withheld_from_all,
    full_response_answers_every_partition,
    only_what_is_wanted_is_answered,
    what_is_answered_is_learned,
    full_fetch_starts_from_nothing,
    asking_changes_nothing_that_was_reported,
    fetch_offset_moves_past_records_only,
    only_requests_in_order_are_put_off,
    unchanged_partitions_are_not_requested,
    nothing_unchanged_is_sent,
)

# Liveness, and what is possible.
from invariants.fetch_session_progress import (
    waiting_ends,
    changes_come_to_be_known,
    reaches_the_last_epoch,
    an_epoch_error_reaches_a_fetcher,
    an_unknown_session_error_reaches_a_fetcher,
    a_topic_id_error_reaches_a_fetcher,
    an_incremental_request_says_nothing,
    an_incremental_response_says_nothing,
    an_unchanged_partition_is_left_out,
    a_fetcher_wants_no_session,
    a_fetcher_closes_its_session,
    a_fetcher_moves_past_records,
    a_fetcher_reads_again,
    a_fetcher_wants_some_partitions,
    some_partitions_are_wanted_without_a_session,
    a_session_of_some_partitions_is_put_off,
    a_partition_that_failed_is_answered_without_an_error,
    a_log_that_stays_empty_is_asked_for,
    a_moved_log_start_is_reported,
    a_topic_created_again_is_asked_for,
    a_request_arrives_after_it_was_given_up,
    a_session_is_to_be_closed_once_more,
    a_session_is_created_beside_a_stray,
    a_request_outlives_its_fetcher,
)

# Requests are served once, and what is lost or repeated is noticed.


@step_invariant("227-6", "227-28", "227-30", "227-32")
def session_changes_only_by_accepting_its_epoch(s: FetchSession, new: FetchSession, i: OpenId):
    """A session changes only when it processes the request with the epoch it expects, and then its
    epoch moves on: no request is served twice, none is passed over."""
    before = present(s.sessions[i])
    after = present(new.sessions[i])
    when(before != after)
    return follows(after.epoch, before.epoch) and any(
        was_served(s, new, f, via)
        and came(s, f, via).session_id == i
        and came(s, f, via).epoch == before.epoch
        for f in Fetcher
        for via in Via
    )


@step_invariant("227-6", "227-8", "227-39")
def accepted_request_moves_the_epoch(s: FetchSession, new: FetchSession, f: Fetcher):
    """A request that is answered without error was the one expected, and counts as processed."""
    when(was_accepted(s, new, f))
    request = s.request[f]
    return (
        s.sessions[request.session_id] is not None
        and s.sessions[request.session_id].epoch == request.epoch
        and follows(new.sessions[request.session_id].epoch, request.epoch)
    )


@invariant("227-2", "227-30", "227-31", "227-32", "227-51")
def epochs_agree_when_idle(s: FetchSession, f: Fetcher):
    """Between requests, fetcher and leader expect the same epoch of a session both have."""
    when(not s.pending[f] and s.metadata[f].epoch > 0)
    session = present(s.sessions[s.metadata[f].session_id])
    return session.epoch == s.metadata[f].epoch


# Errors are deserved.


@step_invariant("227-27", "227-39", "227-47")
def unknown_session_error_is_deserved(s: FetchSession, new: FetchSession, f: Fetcher):
    """FETCH_SESSION_ID_NOT_FOUND answers exactly the incremental requests whose session is not in
    the cache."""
    when(was_served(s, new, f, Via.AWAITED) and s.request[f].epoch > 0)
    return (new.response[f].error == Error.FETCH_SESSION_ID_NOT_FOUND) == (
        s.sessions[s.request[f].session_id] is None
    )


@step_invariant("227-6", "227-28", "227-32", "227-39", "227-47")
def epoch_error_is_deserved(s: FetchSession, new: FetchSession, f: Fetcher):
    """INVALID_FETCH_SESSION_EPOCH answers exactly the incremental requests whose session expects
    another epoch: a lost or repeated request is always noticed. The one expected gets no error but
    that of topic ids, and whatever the error is, the session stays as it is (227-D15)."""
    when(was_served(s, new, f, Via.AWAITED) and s.request[f].epoch > 0)
    session = present(s.sessions[s.request[f].session_id])
    error = new.response[f].error
    return (
        (error == Error.INVALID_FETCH_SESSION_EPOCH) == (session.epoch != s.request[f].epoch)
        and (error == Error.NONE or new.sessions[s.request[f].session_id] == session)
        and (error != Error.FETCH_SESSION_TOPIC_ID_ERROR or TOPIC_IDS)
    )


@invariant("227-31", "227-51")
def undisturbed_fetcher_sees_no_epoch_error(s: FetchSession, f: Fetcher):
    """A fetcher none of whose messages was lost, repeated or delayed never gets an epoch error."""
    when(s.disturbances[f] == 0 and s.response[f] is not None)
    return s.response[f].error != Error.INVALID_FETCH_SESSION_EPOCH


@step_invariant("227-34", "227-36", "227-38", "227-40", "227-47")
def full_requests_never_get_session_errors(s: FetchSession, new: FetchSession, f: Fetcher):
    """A session error answers incremental requests only: a full request can always be served."""
    when(was_served(s, new, f, Via.AWAITED) and s.request[f].epoch <= 0)
    return new.response[f].error == Error.NONE


@step_invariant("227-48")
def after_an_error_everything_is_asked_again(s: FetchSession, new: FetchSession, f: Fetcher):
    """Of what a fetcher learned in its session nothing counts after a session error: its next
    request is a full one, which closes the session if that may be there still (227-D20)."""
    when(was_handled(s, new, f) and s.response[f].error != Error.NONE)
    is_gone = s.response[f].error == Error.FETCH_SESSION_ID_NOT_FOUND
    return (
        new.metadata[f].epoch == 0
        and new.metadata[f].session_id == (NO_SESSION if is_gone else s.metadata[f].session_id)
        and all(new.reported[f][p] is None for p in Partition)
    )


@step_invariant("227-50")
def without_a_session_none_is_named(s: FetchSession, new: FetchSession, f: Fetcher):
    """After a response with id 0 the next request is a full one, and has no session to close."""
    when(was_handled(s, new, f) and s.response[f].error == Error.NONE)
    when(s.response[f].session_id == NO_SESSION)
    return new.metadata[f].session_id == NO_SESSION and new.metadata[f].epoch == 0


# Sessions come and go as the request table says.


@step_invariant("227-29", "227-31")
def requests_name_the_session_at_hand(s: FetchSession, new: FetchSession, f: Fetcher):
    """A request has the id of the session that its fetcher holds, or 0 if it holds none; and that
    session's next epoch, or one that asks for a full fetch. The fetcher knows which it sent."""
    when(was_sent(s, new, f))
    return (
        new.request[f].session_id == s.metadata[f].session_id
        and (new.request[f].epoch == s.metadata[f].epoch or new.request[f].epoch == FINAL_EPOCH)
        and new.metadata[f].session_id == new.request[f].session_id
        and new.metadata[f].epoch == new.request[f].epoch
    )


@step_invariant("227-34", "227-36", "227-38")
def full_requests_ask_for_something(s: FetchSession, new: FetchSession, f: Fetcher):
    """A full fetch is one of some partition; only who closes a session may be content without
    (227-D2, 227-D24)."""
    when(was_sent(s, new, f) and new.request[f].epoch <= 0)
    when(new.request[f].epoch == 0 or new.request[f].session_id == NO_SESSION)
    return any(new.request[f].partitions[p] is not None for p in Partition)


@invariant("227-29", "227-41")
def incremental_requests_name_a_session(s: FetchSession, f: Fetcher):
    """An epoch above 0 comes with the id of a session, in the request and in its copies."""
    return all(
        came(s, f, via) is None
        or came(s, f, via).epoch <= 0
        or came(s, f, via).session_id != NO_SESSION
        for via in Via
    )


@step_invariant("227-34", "227-40", "227-50", "227-66")
def sessionless_request_creates_nothing(s: FetchSession, new: FetchSession, f: Fetcher, via: Via):
    """(0, -1) and (ID, -1) create no session, and are answered with session id 0."""
    when(was_served(s, new, f, via) and came(s, f, via).epoch == FINAL_EPOCH)
    return all(new.sessions[i] is None or s.sessions[i] is not None for i in OpenId) and (
        via == Via.STRAY or new.response[f].session_id == NO_SESSION
    )


@step_invariant("227-38", "227-40")
def full_request_closes_the_session_it_names(
    s: FetchSession, new: FetchSession, f: Fetcher, via: Via
):
    """(ID, 0) and (ID, -1) close session ID, also if they come late."""
    when(was_served(s, new, f, via) and came(s, f, via).epoch <= 0)
    when(came(s, f, via).session_id != NO_SESSION)
    when(via == Via.AWAITED or not STRAYS_ARE_LOST or new.sessions != s.sessions)
    return new.sessions[came(s, f, via).session_id] is None


@step_invariant("227-4", "227-28", "227-38", "227-40")
def only_its_own_request_ends_a_session(
    s: FetchSession, new: FetchSession, f: Fetcher, via: Via, i: OpenId
):
    """Whichever request is served, no session ends but the one that it names: by a full request, or
    by the one that it expects, if that leaves it no partition (227-D1)."""
    when(was_served(s, new, f, via) and new.sessions[i] is None)
    session = present(s.sessions[i])
    request = came(s, f, via)
    return request.session_id == i and (
        request.epoch <= 0
        or request.epoch == session.epoch
        and all(
            request.partitions[p] is None
            and (session.partitions[p] is None or p in request.forgotten)
            for p in Partition
        )
    )


@step_invariant("227-7", "227-30", "227-36", "227-37", "227-38")
def new_session_starts_at_epoch_one(s: FetchSession, new: FetchSession, i: OpenId):
    """A session is created by a request with epoch 0 only, and first expects epoch 1."""
    when(s.sessions[i] is None and new.sessions[i] is not None)
    return new.sessions[i].epoch == 1 and any(
        was_served(s, new, f, via) and came(s, f, via).epoch == 0 for f in Fetcher for via in Via
    )


@step_invariant("227-4", "227-49", "227-50", "227-51")
def answered_with_its_session(s: FetchSession, new: FetchSession, f: Fetcher):
    """A response names the session that the next request may use, or 0 for none, as an error does
    (227-D13); to an incremental request, its own or none."""
    when(was_served(s, new, f, Via.AWAITED))
    request = s.request[f]
    answered = new.response[f].session_id
    return (
        answered == NO_SESSION
        or new.response[f].error == Error.NONE
        and new.sessions[answered] is not None
        and new.sessions[answered].owner == f
    ) and (
        request.epoch <= 0
        or answered == NO_SESSION
        and (new.response[f].error != Error.NONE or new.sessions[request.session_id] is None)
        or answered == request.session_id
    )


@step_invariant("227-31", "227-50", "227-51")
def response_says_whether_the_session_goes_on(s: FetchSession, new: FetchSession, f: Fetcher):
    """After a response with a session's id the next request may be that session's next one; after
    one with id 0 it is none of any session."""
    when(was_handled(s, new, f) and s.response[f].error == Error.NONE)
    when(new.metadata[f].epoch > 0)
    return (
        s.response[f].session_id != NO_SESSION
        and new.metadata[f].session_id == s.response[f].session_id
        and follows(new.metadata[f].epoch, s.metadata[f].epoch)
    )


@invariant("227-2", "227-3", "227-4")
def sessions_are_never_shared(s: FetchSession, i: OpenId):
    """An id belongs to one fetcher: no other holds it, whatever was evicted or created since."""
    when(s.sessions[i] is not None)
    return all(s.metadata[f].session_id != i or s.sessions[i].owner == f for f in Fetcher)


@step_invariant("227-9")
def sessions_have_partitions(s: FetchSession, new: FetchSession, i: OpenId):
    """A session that takes in a request is of some partition then: one that is left without any is
    closed (227-D1)."""
    before = present(s.sessions[i])
    after = present(new.sessions[i])
    when(before != after)
    return any(after.partitions[p] is not None for p in Partition)


@invariant("227-29", "227-38", "227-40")
def one_session_per_undisturbed_fetcher(s: FetchSession, f: Fetcher):
    """A fetcher none of whose messages was lost never leaves a session behind in the cache."""
    when(s.disturbances[f] == 0)
    return sum(1 for i in OpenId if s.sessions[i] is not None and s.sessions[i].owner == f) <= 1


# The fetcher never gets stuck.


@invariant("227-51")
def pending_means_in_flight(s: FetchSession, f: Fetcher):
    """A fetcher waits for a response exactly while a request or a response is under way: it is
    never stuck waiting for nothing."""
    return s.pending[f] == (s.request[f] is not None or s.response[f] is not None)


@step_invariant("227-32")
def late_request_is_a_copy(s: FetchSession, new: FetchSession, f: Fetcher):
    """A request that nobody awaits is one that was given up or repeated, and is as it was sent. It
    comes by a disturbance, which is one of something that was under way, or of a session."""
    comes = new.stray[f] is not None and new.stray[f] != s.stray[f]
    is_copy = s.stray[f] is None and new.stray[f] == s.request[f]
    gives_up = (s.pending[f] and not new.pending[f]) or s.metadata[f] != new.metadata[f]
    return (
        not comes
        if new.disturbances[f] == s.disturbances[f]
        else new.disturbances[f] == s.disturbances[f] + 1 and (is_copy if comes else gives_up)
    )
