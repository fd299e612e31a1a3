"""What must hold of KIP-227 fetch sessions. Ids such as 227-12 are rows of specs/kip_227.toml."""

from lockstep import invariant, present, sometimes, step_invariant, when
from models.fetch_metadata import (
    FINAL_EPOCH,
    FIRST_INCREMENTAL_EPOCH,
    INITIAL_EPOCH,
    MAX_EPOCH,
    NO_SESSION,
    Error,
    OpenId,
    is_full,
    next_epoch,
)
from models.fetch_partitions import Partition, learned
from models.fetch_session_leader import answer, has_records, incoming
from models.fetch_session_state import Fetcher, FetchSession, Via

# What a step did, read off the states before and after it.


def was_served(s: FetchSession, new: FetchSession, f, via):
    """A request left the network because the leader served it (or, if stray, was lost)."""
    if via == Via.AWAITED:
        return s.request[f] is not None and new.request[f] is None and new.response[f] is not None
    return s.stray[f] is not None and new.stray[f] is None


def was_accepted(s: FetchSession, new: FetchSession, f):
    """The awaited request was served as an incremental one, and its session lives on."""
    return (
        was_served(s, new, f, Via.AWAITED)
        and not is_full(s.request[f].epoch)
        and new.response[f].error == Error.NONE
        and new.sessions[s.request[f].session_id] is not None
    )


def was_sent(s: FetchSession, new: FetchSession, f):
    return s.request[f] is None and new.request[f] is not None


def told_of(s: FetchSession, f, p):
    """What the fetcher knows of a partition once the response under way is handled."""
    if s.response[f] is None or s.response[f].partitions[p] is None:
        return s.told[f][p]
    return learned(s.told[f][p], s.response[f].partitions[p])


# Requests are served once, and what is lost or repeated is noticed.


@step_invariant("227-6", "227-28", "227-32")
def session_changes_only_by_accepting_its_epoch(s: FetchSession, new: FetchSession, i: OpenId):
    """A session changes only when it processes the request with the epoch it expects, and then its
    epoch moves on: no request is served twice, none is passed over."""
    before = present(s.sessions[i])
    after = present(new.sessions[i])
    when(before != after)
    return after.epoch == next_epoch(before.epoch) and any(
        was_served(s, new, f, via)
        and incoming(s, f, via).session_id == i
        and incoming(s, f, via).epoch == before.epoch
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
        and new.sessions[request.session_id].epoch == next_epoch(request.epoch)
    )


@invariant("227-2", "227-30", "227-31", "227-32", "227-51")
def epochs_agree_when_idle(s: FetchSession, f: Fetcher):
    """Between requests, fetcher and leader expect the same epoch of a session both have."""
    when(not s.pending[f] and not is_full(s.metadata[f].epoch))
    session = present(s.sessions[s.metadata[f].session_id])
    return session.epoch == s.metadata[f].epoch


# Leader and fetcher agree.


@invariant("227-1", "227-2", "227-9", "227-10", "227-11", "227-32", "227-43", "227-44")
def accepted_request_leaves_agreement(s: FetchSession, f: Fetcher, p: Partition):
    """While a session's response is under way, the leader has cached exactly the partitions that
    the fetcher wants, with the fields it last sent."""
    when(s.request[f] is None)
    response = present(s.response[f])
    when(response.error == Error.NONE and response.session_id != NO_SESSION)
    session = present(s.sessions[response.session_id])
    cached = session.partitions[p]
    return (
        s.fetching[f][p] is None
        if cached is None
        else s.fetching[f][p] is not None and cached.interest == s.fetching[f][p]
    )


@step_invariant("227-1", "227-10", "227-12", "227-13")
def learns_what_a_full_fetch_would_tell(
    s: FetchSession, new: FetchSession, f: Fetcher, p: Partition
):
    """After an incremental response the fetcher knows of each partition what a full one would have
    told it at that moment: the session is only an optimisation (227-D9)."""
    when(was_accepted(s, new, f) and not new.response[f].throttled)
    when(new.sessions[s.request[f].session_id].partitions[p] is not None)
    whole = answer(s, p, records=False)
    return (
        told_of(new, f, p) is not None
        and told_of(new, f, p).high_watermark == whole.high_watermark
        and told_of(new, f, p).log_start_offset == whole.log_start_offset
    )


@step_invariant("227-13", "227-56")
def records_are_never_withheld_from_all(s: FetchSession, new: FetchSession, f: Fetcher):
    """If any partition of the session has records, the response carries some of one."""
    when(was_accepted(s, new, f) and not new.response[f].throttled)
    session = new.sessions[s.request[f].session_id]
    when(
        any(
            session.partitions[p] is not None
            and has_records(s, f, p, session.partitions[p].interest)
            for p in Partition
        )
    )
    answers = new.response[f].partitions
    return any(answers[p] is not None and answers[p].records for p in Partition)


@step_invariant("227-34", "227-36", "227-38", "227-40", "227-66")
def full_response_answers_every_partition(
    s: FetchSession, new: FetchSession, f: Fetcher, p: Partition
):
    """A full response tells of every partition that was asked for, and of no other (227-D23)."""
    when(was_served(s, new, f, Via.AWAITED) and is_full(s.request[f].epoch))
    return (new.response[f].partitions[p] is None) == (s.request[f].partitions[p] is None)


# Nothing needless is sent.


@step_invariant("227-42", "227-44", "227-45")
def unchanged_partitions_are_not_requested(
    s: FetchSession, new: FetchSession, f: Fetcher, p: Partition
):
    """An incremental request lists a partition only to add or alter it, and names it as removed
    only if it was there."""
    when(was_sent(s, new, f) and not is_full(new.request[f].epoch))
    request = new.request[f]
    return (request.partitions[p] is None or request.partitions[p] != s.fetching[f][p]) and (
        p not in request.forgotten or s.fetching[f][p] is not None
    )


@step_invariant("227-52", "227-53")
def nothing_unchanged_is_sent(s: FetchSession, new: FetchSession, f: Fetcher, p: Partition):
    """An incremental response includes a partition only for records, an error, or a high watermark
    or log start offset that the fetcher has not been told."""
    when(was_accepted(s, new, f))
    sent = present(new.response[f].partitions[p])
    return (
        sent.records
        or sent.failed
        or s.told[f][p] is None
        or s.told[f][p].high_watermark != sent.high_watermark
        or s.told[f][p].log_start_offset != sent.log_start_offset
    )


# Errors are deserved.


@step_invariant("227-27", "227-39", "227-47")
def unknown_session_error_is_deserved(s: FetchSession, new: FetchSession, f: Fetcher):
    """FETCH_SESSION_ID_NOT_FOUND answers exactly the incremental requests whose session is not in
    the cache."""
    when(was_served(s, new, f, Via.AWAITED) and not is_full(s.request[f].epoch))
    return (new.response[f].error == Error.FETCH_SESSION_ID_NOT_FOUND) == (
        s.sessions[s.request[f].session_id] is None
    )


@step_invariant("227-6", "227-28", "227-32", "227-39", "227-47")
def epoch_error_is_deserved(s: FetchSession, new: FetchSession, f: Fetcher):
    """INVALID_FETCH_SESSION_EPOCH answers exactly the incremental requests whose session expects
    another epoch: a lost or repeated request is always noticed."""
    when(was_served(s, new, f, Via.AWAITED) and not is_full(s.request[f].epoch))
    session = present(s.sessions[s.request[f].session_id])
    return (new.response[f].error == Error.INVALID_FETCH_SESSION_EPOCH) == (
        session.epoch != s.request[f].epoch
    )


@invariant("227-31", "227-51")
def undisturbed_fetcher_sees_no_epoch_error(s: FetchSession, f: Fetcher):
    """A fetcher none of whose messages was lost, repeated or delayed never gets an epoch error."""
    when(s.disturbances[f] == 0 and s.response[f] is not None)
    return s.response[f].error != Error.INVALID_FETCH_SESSION_EPOCH


@step_invariant("227-34", "227-36", "227-38", "227-40", "227-47")
def full_requests_never_get_session_errors(s: FetchSession, new: FetchSession, f: Fetcher):
    """A session error answers incremental requests only: a full request can always be served."""
    when(was_served(s, new, f, Via.AWAITED) and is_full(s.request[f].epoch))
    return new.response[f].error == Error.NONE


@step_invariant("227-48")
def after_an_error_everything_is_asked_again(s: FetchSession, new: FetchSession, f: Fetcher):
    """Of what a fetcher learned in its session nothing counts after a session error: its next
    request is a full one."""
    when(s.response[f] is not None and s.response[f].error != Error.NONE)
    when(not new.pending[f])
    return is_full(new.metadata[f].epoch) and all(new.told[f][p] is None for p in Partition)


# Sessions come and go as the request table says.


@step_invariant("227-34", "227-40", "227-50", "227-66")
def sessionless_request_creates_nothing(s: FetchSession, new: FetchSession, f: Fetcher, via: Via):
    """(0, -1) and (ID, -1) create no session, and are answered with session id 0."""
    when(was_served(s, new, f, via) and incoming(s, f, via).epoch == FINAL_EPOCH)
    return all(new.sessions[i] is None or s.sessions[i] is not None for i in OpenId) and (
        via == Via.STRAY or new.response[f].session_id == NO_SESSION
    )


@step_invariant("227-38", "227-40")
def full_request_closes_the_session_it_names(s: FetchSession, new: FetchSession, f: Fetcher):
    """(ID, 0) and (ID, -1) close session ID."""
    when(was_served(s, new, f, Via.AWAITED) and is_full(s.request[f].epoch))
    when(s.request[f].session_id != NO_SESSION)
    return new.sessions[s.request[f].session_id] is None


@step_invariant("227-7", "227-36", "227-37", "227-38")
def new_session_starts_at_epoch_one(s: FetchSession, new: FetchSession, i: OpenId):
    """A session is created by a request with epoch 0 only, and first expects epoch 1."""
    when(s.sessions[i] is None and new.sessions[i] is not None)
    return new.sessions[i].epoch == FIRST_INCREMENTAL_EPOCH and any(
        was_served(s, new, f, via) and incoming(s, f, via).epoch == INITIAL_EPOCH
        for f in Fetcher
        for via in Via
    )


@step_invariant("227-4", "227-49", "227-50", "227-51")
def answered_with_its_session(s: FetchSession, new: FetchSession, f: Fetcher):
    """A response without error names the session that the next request may use, or 0 for none."""
    when(was_served(s, new, f, Via.AWAITED) and new.response[f].error == Error.NONE)
    request = s.request[f]
    response = new.response[f]
    return (
        response.session_id == NO_SESSION
        or new.sessions[response.session_id] is not None
        and new.sessions[response.session_id].owner == f
    ) and (
        is_full(request.epoch)
        or (response.session_id == NO_SESSION) == (new.sessions[request.session_id] is None)
    )


@invariant("227-2", "227-3", "227-4")
def sessions_are_never_shared(s: FetchSession, i: OpenId):
    """An id belongs to one fetcher: no other holds it, whatever was evicted or created since."""
    when(s.sessions[i] is not None)
    return all(s.metadata[f].session_id != i or s.sessions[i].owner == f for f in Fetcher)


@invariant("227-29", "227-38", "227-40")
def one_session_per_undisturbed_fetcher(s: FetchSession, f: Fetcher):
    """A fetcher none of whose messages was lost never leaves a session behind in the cache."""
    when(s.disturbances[f] == 0)
    return sum(1 for i in OpenId if s.sessions[i] is not None and s.sessions[i].owner == f) <= 1


# The fetcher never gets stuck.


@invariant("227-51")
def pending_means_in_flight(s: FetchSession, f: Fetcher):
    """A fetcher that waits for a response has a request or a response under way: it is never stuck
    waiting for nothing."""
    when(s.pending[f])
    return s.request[f] is not None or s.response[f] is not None


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
