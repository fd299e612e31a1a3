"""The leader of KIP-227 fetch sessions: its session cache, and how it serves requests.

Every action that serves a request is one outcome of one row of the request table.
"""

from lockstep import Set, action, present, require
from models.fetch_metadata import (
    FINAL_EPOCH,
    FIRST_INCREMENTAL_EPOCH,
    INITIAL_EPOCH,
    NO_SESSION,
    Error,
    OpenId,
    is_full,
    next_epoch,
)
from models.fetch_partitions import (
    UNKNOWN,
    Answer,
    Partition,
    answered,
    diverges,
    merged,
    must_answer,
    nothing,
    remember,
)
from models.fetch_session_state import (
    ANSWERS_ANY_CHANGE,
    FOLLOWERS,
    TOPIC_IDS,
    Fetcher,
    FetchSession,
    Response,
    Session,
    Via,
)

# The leader serves a request.


def incoming(s: FetchSession, f, via):
    return s.request[f] if via == Via.AWAITED else s.stray[f]


def respond(s: FetchSession, new: FetchSession, f, via, error, session_id, partitions, throttled):
    """Take the request from the network; only an awaited one has a response that arrives."""
    response = Response(
        error=error, session_id=session_id, partitions=partitions, throttled=throttled
    )
    new.request[f] = None if via == Via.AWAITED else s.request[f]
    new.stray[f] = None if via == Via.STRAY else s.stray[f]
    new.response[f] = response if via == Via.AWAITED else s.response[f]


def has_records(s: FetchSession, f, p, interest):
    """Whether there is anything to read: consumers see committed records only."""
    end = s.log_end[p] if f in FOLLOWERS else s.high_watermark[p]
    return (
        p not in s.failing
        and not diverges(interest)
        and s.log_start[p] <= interest.fetch_offset
        and interest.fetch_offset < end
    )


def answer(s: FetchSession, p, records):
    """The leader's answer for a partition, whether it is sent or not."""
    if p in s.failing:
        return Answer(failed=True, high_watermark=UNKNOWN, log_start_offset=UNKNOWN, records=False)
    return Answer(
        failed=False,
        high_watermark=s.high_watermark[p],
        log_start_offset=s.log_start[p],
        records=records,
    )


def fits_the_limit(s: FetchSession, f, interests, filled):
    """The size limit may leave records of some partitions for later, but never of all (KIP-74)."""
    with_records = {
        p for p in Partition if interests[p] is not None and has_records(s, f, p, interests[p])
    }
    return filled <= with_records and (len(filled) > 0 or len(with_records) == 0)


def full_answers(s: FetchSession, wanted, filled):
    """What is answered to a full request, all of it at one moment (227-D41)."""
    return {p: None if wanted[p] is None else answer(s, p, p in filled) for p in Partition}


def closed(sessions, session_id):
    """The cache without the session that a full request names, if it has it."""
    return {i: None if i == session_id else sessions[i] for i in OpenId}


def is_mentioned(metadata, request, stray, response, i):
    return (
        metadata.session_id == i
        or (request is not None and request.session_id == i)
        or (stray is not None and stray.session_id == i)
        or (response is not None and response.session_id == i)
    )


def is_unused(s: FetchSession, i):
    """Ids are drawn at random from 2**31: one that is still spoken of is not drawn again
    (227-D17, 227-D38)."""
    return s.sessions[i] is None and not any(
        is_mentioned(s.metadata[f], s.request[f], s.stray[f], s.response[f], i) for f in Fetcher
    )


def opened(f, wanted, answers):
    """A new session: it expects epoch 1, and remembers what its first request was answered."""
    return Session(
        owner=f,
        epoch=FIRST_INCREMENTAL_EPOCH,
        partitions={
            p: None if wanted[p] is None else answered(remember(wanted[p]), answers[p])
            for p in Partition
        },
    )


@action
def serve_sessionless(
    s: FetchSession, new: FetchSession, f: Fetcher, via: Via, filled: Set[Partition]
):
    """(0, -1) and (ID, -1): answer everything, close the session named, create none."""
    request = present(incoming(s, f, via))
    require(request.epoch == FINAL_EPOCH)
    require(fits_the_limit(s, f, request.partitions, filled))
    answers = full_answers(s, request.partitions, filled)
    new.sessions = closed(s.sessions, request.session_id)
    respond(s, new, f, via, Error.NONE, NO_SESSION, answers, throttled=False)


@action
def serve_full_creating(
    s: FetchSession, new: FetchSession, f: Fetcher, via: Via, filled: Set[Partition], i: OpenId
):
    """(0, 0) and (ID, 0): answer everything, close the session named, create another (227-D31)."""
    request = present(incoming(s, f, via))
    require(request.epoch == INITIAL_EPOCH)
    require(fits_the_limit(s, f, request.partitions, filled))
    require(is_unused(s, i))
    answers = full_answers(s, request.partitions, filled)
    new.sessions = closed(s.sessions, request.session_id)
    new.sessions[i] = opened(f, request.partitions, answers)
    respond(s, new, f, via, Error.NONE, i, answers, throttled=False)


@action
def serve_full_without_session(
    s: FetchSession, new: FetchSession, f: Fetcher, via: Via, filled: Set[Partition]
):
    """(0, 0) and (ID, 0) without a session, at any time (no room is one reason): session id 0."""
    request = present(incoming(s, f, via))
    require(request.epoch == INITIAL_EPOCH)
    require(fits_the_limit(s, f, request.partitions, filled))
    answers = full_answers(s, request.partitions, filled)
    new.sessions = closed(s.sessions, request.session_id)
    respond(s, new, f, via, Error.NONE, NO_SESSION, answers, throttled=False)


def session_of(s: FetchSession, request):
    return None if request.session_id == NO_SESSION else s.sessions[request.session_id]


def is_expected(s: FetchSession, request):
    """Whether an incremental request names a session and the epoch that it expects."""
    return session_of(s, request) is not None and session_of(s, request).epoch == request.epoch


def outlives(s: FetchSession, f, session_id, epoch):
    """Whether a stray would be taken for a request of this epoch, a whole turn later (227-D38)."""
    return (
        s.stray[f] is not None and s.stray[f].session_id == session_id and s.stray[f].epoch == epoch
    )


def session_after(s: FetchSession, request):
    """The partitions of the session once the request is taken in."""
    return merged(session_of(s, request).partitions, request.partitions, request.forgotten)


def accept(s: FetchSession, new: FetchSession, f, request, partitions):
    """The session has processed request N and expects request N + 1 (227-D12)."""
    new.sessions[request.session_id] = Session(
        owner=session_of(s, request).owner,
        epoch=next_epoch(request.epoch),
        partitions=partitions,
    )


def was_altered(request, p):
    """Whether a partition is answered because the fetcher named it (227-D3)."""
    return ANSWERS_ANY_CHANGE and request.partitions[p] is not None


@action
def serve_incremental(
    s: FetchSession, new: FetchSession, f: Fetcher, via: Via, filled: Set[Partition]
):
    """(ID, EPOCH) as expected: answer the partitions that have something to say."""
    request = present(incoming(s, f, via))
    require(not is_full(request.epoch) and is_expected(s, request))
    require(not outlives(s, f, request.session_id, next_epoch(request.epoch)))
    cached = session_after(s, request)
    require(any(cached[p] is not None for p in Partition))
    interests = {p: None if cached[p] is None else cached[p].interest for p in Partition}
    require(fits_the_limit(s, f, interests, filled))
    answers = {p: answer(s, p, p in filled) for p in Partition}
    sent = {
        p
        for p in Partition
        if cached[p] is not None and (must_answer(cached[p], answers[p]) or was_altered(request, p))
    }
    accept(
        s,
        new,
        f,
        request,
        {p: answered(cached[p], answers[p]) if p in sent else cached[p] for p in Partition},
    )
    respond(
        s,
        new,
        f,
        via,
        Error.NONE,
        request.session_id,
        {p: answers[p] if p in sent else None for p in Partition},
        throttled=False,
    )


@action
def serve_incremental_throttled(s: FetchSession, new: FetchSession, f: Fetcher, via: Via):
    """(ID, EPOCH) as expected, but over quota: the request counts, the response is empty
    (227-D18, 227-D40)."""
    request = present(incoming(s, f, via))
    require(not is_full(request.epoch) and is_expected(s, request))
    require(not outlives(s, f, request.session_id, next_epoch(request.epoch)))
    cached = session_after(s, request)
    require(any(cached[p] is not None for p in Partition))
    accept(s, new, f, request, cached)
    respond(s, new, f, via, Error.NONE, request.session_id, nothing(), throttled=True)


@action
def serve_incremental_emptying(s: FetchSession, new: FetchSession, f: Fetcher, via: Via):
    """(ID, EPOCH) as expected, and the last partition is removed: the session ends (227-D1)."""
    request = present(incoming(s, f, via))
    require(not is_full(request.epoch) and is_expected(s, request))
    cached = session_after(s, request)
    require(all(cached[p] is None for p in Partition))
    new.sessions[request.session_id] = None
    respond(s, new, f, via, Error.NONE, NO_SESSION, nothing(), throttled=False)


@action
def serve_unknown_session(s: FetchSession, new: FetchSession, f: Fetcher, via: Via):
    """(ID, EPOCH) for a session that the leader does not have (227-D14)."""
    request = present(incoming(s, f, via))
    require(not is_full(request.epoch) and session_of(s, request) is None)
    respond(
        s, new, f, via, Error.FETCH_SESSION_ID_NOT_FOUND, NO_SESSION, nothing(), throttled=False
    )


@action
def serve_wrong_epoch(s: FetchSession, new: FetchSession, f: Fetcher, via: Via):
    """(ID, EPOCH) with an epoch that the session does not expect (227-D13)."""
    request = present(incoming(s, f, via))
    require(not is_full(request.epoch) and session_of(s, request) is not None)
    require(not is_expected(s, request))
    respond(
        s, new, f, via, Error.INVALID_FETCH_SESSION_EPOCH, NO_SESSION, nothing(), throttled=False
    )


@action
def serve_topic_id_error(s: FetchSession, new: FetchSession, f: Fetcher, via: Via):
    """(ID, EPOCH) as expected, but of the other kind of topics: the request does not count
    (227-D15)."""
    request = present(incoming(s, f, via))
    require(TOPIC_IDS and not is_full(request.epoch) and is_expected(s, request))
    respond(
        s, new, f, via, Error.FETCH_SESSION_TOPIC_ID_ERROR, NO_SESSION, nothing(), throttled=False
    )


@action
def evict(s: FetchSession, new: FetchSession, i: OpenId):
    """The leader gives the session's slot to another, whatever the reason (see session_cache)."""
    require(s.sessions[i] is not None)
    new.sessions[i] = None


@action
def restart_broker(s: FetchSession, new: FetchSession):
    """The leader forgets every session."""
    require(any(s.sessions[i] is not None for i in OpenId))
    new.sessions = {i: None for i in OpenId}
