"""Lemmas about KIP-227 fetch sessions: invariants that only help proofs."""

from lockstep import lemma, present, when
from models.fetch_metadata import (
    FIRST_INCREMENTAL_EPOCH,
    NO_SESSION,
    Error,
    OpenId,
    is_full,
    next_epoch,
)
from models.fetch_partitions import UNKNOWN, Partition, learned
from models.fetch_session_leader import is_mentioned, session_after
from models.fetch_session_state import Fetcher, FetchSession

# Who may speak of a session.


def mentions(s: FetchSession, f, i):
    return is_mentioned(s.metadata[f], s.request[f], s.stray[f], s.response[f], i)


@lemma
def an_id_is_spoken_of_by_its_owner_only(s: FetchSession, f: Fetcher, i: OpenId):
    """A fetcher learns an id from the response to its own request only, and no id is drawn again
    while anything mentions it."""
    when(mentions(s, f, i))
    return (s.sessions[i] is None or s.sessions[i].owner == f) and not any(
        f != other and mentions(s, other, i) for other in Fetcher
    )


@lemma
def only_full_requests_name_no_session(s: FetchSession, f: Fetcher):
    """An epoch above 0 comes with a session's id, in what a fetcher holds and in what it sent."""
    return (s.metadata[f].session_id != NO_SESSION or is_full(s.metadata[f].epoch)) and (
        s.stray[f] is None or s.stray[f].session_id != NO_SESSION or is_full(s.stray[f].epoch)
    )


# What is under way.


@lemma
def one_message_is_awaited(s: FetchSession, f: Fetcher):
    """A fetcher waits for the response of one request: the one or the other is under way."""
    when(s.request[f] is not None or s.response[f] is not None)
    return s.pending[f] and (s.request[f] is None or s.response[f] is None)


@lemma
def request_carries_the_metadata(s: FetchSession, f: Fetcher):
    """A fetcher's metadata stays as it was sent until a response comes or is given up."""
    request = present(s.request[f])
    return request.session_id == s.metadata[f].session_id and request.epoch == s.metadata[f].epoch


@lemma
def full_request_lists_all_that_is_wanted(s: FetchSession, f: Fetcher):
    """A full request lists what the fetcher wants, of which nothing was reported to it yet."""
    request = present(s.request[f])
    when(is_full(request.epoch))
    return request.partitions == s.fetching[f] and all(s.reported[f][p] is None for p in Partition)


@lemma
def response_answers_its_kind_of_request(s: FetchSession, f: Fetcher):
    """A full request gets no error; an incremental one gets its own session's id, or none when it
    failed or ended its session."""
    response = present(s.response[f])
    return (
        response.error == Error.NONE
        if is_full(s.metadata[f].epoch)
        else response.session_id == NO_SESSION
        or (response.error == Error.NONE and response.session_id == s.metadata[f].session_id)
    )


@lemma
def new_session_awaits_its_first_request(s: FetchSession, f: Fetcher):
    """A fetcher that does not know yet of its new session has sent nothing to it, so that the
    session still expects its first request."""
    response = present(s.response[f])
    when(is_full(s.metadata[f].epoch) and response.session_id != NO_SESSION)
    session = s.sessions[response.session_id]
    return (s.stray[f] is None or s.stray[f].session_id != response.session_id) and (
        session is None or session.epoch == FIRST_INCREMENTAL_EPOCH
    )


@lemma
def disturbances_are_counted(s: FetchSession, f: Fetcher):
    """Only what was repeated or delayed goes astray."""
    when(s.disturbances[f] == 0)
    return s.stray[f] is None


# Which epoch a session expects.


@lemma
def session_expects_the_request_or_served_its_copy(s: FetchSession, f: Fetcher):
    """The session of the request under way expects its epoch, or, once a copy of it was served, the
    next one."""
    request = present(s.request[f])
    when(not is_full(request.epoch))
    session = present(s.sessions[request.session_id])
    return session.epoch == request.epoch or (
        session.epoch == next_epoch(request.epoch) and s.disturbances[f] > 0
    )


@lemma
def session_expects_what_follows_its_response(s: FetchSession, f: Fetcher):
    """While the response of an accepted request is under way, its session expects the next one."""
    response = present(s.response[f])
    when(not is_full(s.metadata[f].epoch) and response.session_id != NO_SESSION)
    session = present(s.sessions[response.session_id])
    return session.epoch == next_epoch(s.metadata[f].epoch)


@lemma
def only_a_copy_of_the_request_is_expected_astray(s: FetchSession, f: Fetcher):
    """A stray of the session in use has an epoch that the session is past, if it is not a copy of
    the very request under way, or of one that failed: it is gone before its epoch comes round again
    (227-D38)."""
    stray = present(s.stray[f])
    when(not is_full(stray.epoch))
    when(not is_full(s.metadata[f].epoch) and s.metadata[f].session_id == stray.session_id)
    session = present(s.sessions[stray.session_id])
    when(session.epoch == stray.epoch)
    return s.request[f] == stray or (
        s.response[f] is not None and s.response[f].error != Error.NONE
    )


@lemma
def undisturbed_fetcher_holds_its_session(s: FetchSession, f: Fetcher, i: OpenId):
    """All sessions of an undisturbed fetcher are named by the response under way or, without one,
    by its metadata, as when its request did not count: what had them made closed the one before."""
    when(s.disturbances[f] == 0)
    when(s.sessions[i] is not None and s.sessions[i].owner == f)
    response = s.response[f]
    return i == (
        s.metadata[f].session_id
        if response is None or response.error == Error.FETCH_SESSION_TOPIC_ID_ERROR
        else response.session_id
    )


# What leader and fetcher think of a partition.


def agrees(cached, wanted, reported):
    """The session has a partition exactly if the fetcher wants it, with the same fields, and has
    cached what was last reported to the fetcher."""
    if cached is None:
        return wanted is None
    return (
        wanted is not None
        and cached.interest == wanted
        and cached.high_watermark == (UNKNOWN if reported is None else reported.high_watermark)
        and cached.log_start_offset == (UNKNOWN if reported is None else reported.log_start_offset)
    )


def reported_of(s: FetchSession, f, p):
    """What the fetcher knows of a partition once the response under way is handled."""
    if s.response[f] is None or s.response[f].partitions[p] is None:
        return s.reported[f][p]
    return learned(s.reported[f][p], s.response[f].partitions[p])


@lemma
def agreement_when_idle(s: FetchSession, f: Fetcher, p: Partition):
    """Between requests, session and fetcher agree on every partition."""
    when(not s.pending[f] and not is_full(s.metadata[f].epoch))
    session = present(s.sessions[s.metadata[f].session_id])
    return agrees(session.partitions[p], s.fetching[f][p], s.reported[f][p])


@lemma
def request_brings_agreement(s: FetchSession, f: Fetcher, p: Partition):
    """An incremental request has all that the fetcher changed since they agreed."""
    request = present(s.request[f])
    when(not is_full(request.epoch))
    session = present(s.sessions[request.session_id])
    when(session.epoch == request.epoch)
    cached = session_after(s, request)[p]
    return agrees(cached, s.fetching[f][p], s.reported[f][p])


@lemma
def response_brings_agreement(s: FetchSession, f: Fetcher, p: Partition):
    """A response has all that the session cached since they agreed."""
    response = present(s.response[f])
    when(response.session_id != NO_SESSION)
    session = present(s.sessions[response.session_id])
    return agrees(session.partitions[p], s.fetching[f][p], reported_of(s, f, p))
