"""What must hold of KIP-227 fetch sessions. Ids such as 227-12 are rows of specs/kip_227.toml.

They are stated from the states in words of their own: one that called what the model calls would
be wrong whenever that is.
"""

from lockstep import each, invariant, leads_to, present, sometimes, step_invariant, when
from models.fetch_metadata import FINAL_EPOCH, MAX_EPOCH, NO_SESSION, Error, OpenId
from models.fetch_partitions import UNKNOWN, Partition
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
from models.fetch_session_state import (
    ANSWERS_ANY_CHANGE,
    FOLLOWERS,
    Fetcher,
    FetchSession,
    Via,
)

# What a step did, read off the states before and after it.


def came(s: FetchSession, f, via):
    """The request that the leader has by one way or the other."""
    return s.stray[f] if via == Via.STRAY else s.request[f]


def was_served(s: FetchSession, new: FetchSession, f, via):
    """A request left the network because the leader served it (or, if stray, was lost)."""
    if via == Via.AWAITED:
        return s.request[f] is not None and new.request[f] is None and new.response[f] is not None
    return s.stray[f] is not None and new.stray[f] is None


def was_told(s: FetchSession, new: FetchSession, f):
    """The awaited request was served, and not put off."""
    return (
        was_served(s, new, f, Via.AWAITED)
        and new.response[f].error == Error.NONE
        and not new.response[f].throttled
    )


def was_accepted(s: FetchSession, new: FetchSession, f):
    """The awaited request was served as an incremental one, and its session lives on."""
    return (
        was_served(s, new, f, Via.AWAITED)
        and s.request[f].epoch > 0
        and new.response[f].error == Error.NONE
        and new.sessions[s.request[f].session_id] is not None
    )


def was_sent(s: FetchSession, new: FetchSession, f):
    return s.request[f] is None and new.request[f] is not None


def was_handled(s: FetchSession, new: FetchSession, f):
    """The fetcher took its response; one that is lost counts as a disturbance."""
    return (
        s.response[f] is not None
        and new.response[f] is None
        and s.disturbances[f] == new.disturbances[f]
    )


def follows(epoch, earlier):
    """Whether an epoch comes after another in a session; 0 and -1 come before the first."""
    if earlier <= 0 or earlier == MAX_EPOCH:
        return epoch == 1
    return epoch == earlier + 1


# How things are.


def is_up_to_date(s: FetchSession, p, high_watermark, log_start_offset):
    """Whether these are the leader's own offsets of a partition, or say that it has failed."""
    if p in s.failing:
        return high_watermark == UNKNOWN and log_start_offset == UNKNOWN
    return high_watermark == s.high_watermark[p] and log_start_offset == s.log_start[p]


def knows_all(s: FetchSession, f, p):
    """Whether the fetcher was told how a partition is."""
    return s.told[f][p] is not None and is_up_to_date(
        s, p, s.told[f][p].high_watermark, s.told[f][p].log_start_offset
    )


def end_for(s: FetchSession, f, p):
    """Where a fetcher's reading ends: a consumer's at what is committed."""
    return s.log_end[p] if f in FOLLOWERS else s.high_watermark[p]


def is_readable(s: FetchSession, f, p):
    """Whether there is a record where the fetcher wants to read."""
    return (
        s.fetching[f][p] is not None
        and p not in s.failing
        and s.fetching[f][p].fetch_offset >= s.log_start[p]
        and s.fetching[f][p].fetch_offset < end_for(s, f, p)
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


# Leader and fetcher agree.


@invariant("227-1", "227-2", "227-9", "227-10", "227-11", "227-32", "227-43", "227-44")
def accepted_request_leaves_agreement(s: FetchSession, f: Fetcher, p: Partition):
    """While a session's response is under way, the leader has cached exactly the partitions that
    the fetcher wants, with the fields it last sent (227-D6)."""
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
    """After a response the fetcher knows of each partition that it wants how that is at this
    moment, as after a full one: the session is only an optimisation (227-D9)."""
    when(was_told(s, new, f) and s.fetching[f][p] is not None)
    answer = new.response[f].partitions[p]
    return (
        knows_all(s, f, p)
        if answer is None
        else is_up_to_date(s, p, answer.high_watermark, answer.log_start_offset)
    )


@step_invariant("227-12", "227-13")
def changes_are_told(s: FetchSession, new: FetchSession, f: Fetcher, p: Partition):
    """A partition is in the response if it is not as the fetcher was told, or, by the letter of one
    of two sentences (227-D3), if the fetcher changed what it asks of it."""
    when(was_told(s, new, f) and s.fetching[f][p] is not None)
    when(not knows_all(s, f, p) or (ANSWERS_ANY_CHANGE and s.request[f].partitions[p] is not None))
    return new.response[f].partitions[p] is not None


@step_invariant("227-13")
def errors_are_told(s: FetchSession, new: FetchSession, f: Fetcher, p: Partition):
    """A partition that cannot be read is in each response, with its error, and no other has one
    (227-D4)."""
    when(was_told(s, new, f) and s.fetching[f][p] is not None)
    answer = new.response[f].partitions[p]
    return (p in s.failing) == (answer is not None and answer.failed)


@step_invariant("227-13", "227-56")
def records_are_the_leaders(s: FetchSession, new: FetchSession, f: Fetcher, p: Partition):
    """Records come only where the fetcher wants to read, and only those that it may see."""
    when(was_served(s, new, f, Via.AWAITED))
    answer = present(new.response[f].partitions[p])
    when(answer.records)
    return is_readable(s, f, p)


@step_invariant("227-13", "227-56")
def records_are_never_withheld_from_all(s: FetchSession, new: FetchSession, f: Fetcher):
    """If there is anything to read in any partition, the response carries records of one."""
    when(was_told(s, new, f) and any(is_readable(s, f, p) for p in Partition))
    answers = new.response[f].partitions
    return any(answers[p] is not None and answers[p].records for p in Partition)


@step_invariant("227-34", "227-36", "227-38", "227-40", "227-66")
def full_response_answers_every_partition(
    s: FetchSession, new: FetchSession, f: Fetcher, p: Partition
):
    """A full response tells of every partition that was asked for, and of no other (227-D23)."""
    when(was_served(s, new, f, Via.AWAITED) and s.request[f].epoch <= 0)
    return (new.response[f].partitions[p] is None) == (s.request[f].partitions[p] is None)


@step_invariant("227-1", "227-51")
def what_is_answered_is_learned(s: FetchSession, new: FetchSession, f: Fetcher, p: Partition):
    """Within a session the fetcher knows what the response says, and of what it leaves out it knows
    what it knew."""
    when(was_handled(s, new, f))
    when(s.response[f].error == Error.NONE and s.response[f].session_id != NO_SESSION)
    answer = s.response[f].partitions[p]
    told = s.told[f][p]
    return (
        new.told[f][p] == told
        if answer is None
        else new.told[f][p] is not None
        and new.told[f][p].high_watermark == answer.high_watermark
        and new.told[f][p].log_start_offset == answer.log_start_offset
        and new.told[f][p].records == (answer.records or (told is not None and told.records))
    )


# Nothing needless is sent.


@step_invariant("227-42", "227-44", "227-45")
def unchanged_partitions_are_not_requested(
    s: FetchSession, new: FetchSession, f: Fetcher, p: Partition
):
    """An incremental request lists a partition only to add or alter it, and names it as removed
    only if it was there."""
    when(was_sent(s, new, f) and new.request[f].epoch > 0)
    request = new.request[f]
    return (request.partitions[p] is None or request.partitions[p] != s.fetching[f][p]) and (
        p not in request.forgotten or s.fetching[f][p] is not None
    )


@step_invariant("227-52", "227-53")
def nothing_unchanged_is_sent(s: FetchSession, new: FetchSession, f: Fetcher, p: Partition):
    """An incremental response includes a partition only for records, an error, or a high watermark
    or log start offset that the fetcher has not been told; by the letter of another sentence, also
    if the request names it (227-D3)."""
    when(was_accepted(s, new, f))
    sent = present(new.response[f].partitions[p])
    return (
        (ANSWERS_ANY_CHANGE and s.request[f].partitions[p] is not None)
        or sent.records
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
    when(was_served(s, new, f, Via.AWAITED) and s.request[f].epoch > 0)
    return (new.response[f].error == Error.FETCH_SESSION_ID_NOT_FOUND) == (
        s.sessions[s.request[f].session_id] is None
    )


@step_invariant("227-6", "227-28", "227-32", "227-39", "227-47")
def epoch_error_is_deserved(s: FetchSession, new: FetchSession, f: Fetcher):
    """INVALID_FETCH_SESSION_EPOCH answers exactly the incremental requests whose session expects
    another epoch: a lost or repeated request is always noticed."""
    when(was_served(s, new, f, Via.AWAITED) and s.request[f].epoch > 0)
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
        and all(new.told[f][p] is None for p in Partition)
    )


# Sessions come and go as the request table says.


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
def full_request_closes_the_session_it_names(s: FetchSession, new: FetchSession, f: Fetcher):
    """(ID, 0) and (ID, -1) close session ID."""
    when(was_served(s, new, f, Via.AWAITED) and s.request[f].epoch <= 0)
    when(s.request[f].session_id != NO_SESSION)
    return new.sessions[s.request[f].session_id] is None


@step_invariant("227-7", "227-30", "227-36", "227-37", "227-38")
def new_session_starts_at_epoch_one(s: FetchSession, new: FetchSession, i: OpenId):
    """A session is created by a request with epoch 0 only, and first expects epoch 1."""
    when(s.sessions[i] is None and new.sessions[i] is not None)
    return new.sessions[i].epoch == 1 and any(
        was_served(s, new, f, via) and came(s, f, via).epoch == 0 for f in Fetcher for via in Via
    )


@step_invariant("227-4", "227-49", "227-50", "227-51")
def answered_with_its_session(s: FetchSession, new: FetchSession, f: Fetcher):
    """A response without error names the session that the next request may use, or 0 for none; to
    an incremental request, its own or none."""
    when(was_served(s, new, f, Via.AWAITED) and new.response[f].error == Error.NONE)
    request = s.request[f]
    answered = new.response[f].session_id
    return (
        answered == NO_SESSION
        or new.sessions[answered] is not None
        and new.sessions[answered].owner == f
    ) and (
        request.epoch <= 0
        or answered == NO_SESSION
        and new.sessions[request.session_id] is None
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


@leads_to(
    "227-51",
    weak=(
        each(serve_sessionless, "f", "via"),
        each(serve_full_creating, "f", "via"),
        each(serve_full_without_session, "f", "via"),
        each(serve_incremental, "f", "via"),
        each(serve_incremental_throttled, "f", "via"),
        each(serve_incremental_emptying, "f", "via"),
        each(serve_unknown_session, "f", "via"),
        each(serve_wrong_epoch, "f", "via"),
        each(receive_full, "f"),
        each(receive_sessionless, "f"),
        each(receive_incremental, "f"),
        each(receive_session_closed, "f"),
        each(receive_unknown_session, "f"),
        each(receive_wrong_epoch, "f"),
    ),
)
def waiting_ends(s: FetchSession, f: Fetcher):
    """A request is served, and its response handled, in the end."""
    return s.pending[f], not s.pending[f]


@leads_to(
    "227-1",
    "227-13",
    weak=(
        each(send_incremental, "f"),
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
    ),
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
