"""KIP-227 incremental fetch sessions: any number of fetchers against one leader.

A fetcher has at most one request under way. The network may lose it, deliver a copy of it, or
delay it past the moment when the fetcher gave up waiting and connected anew: such a `stray`
request still reaches the leader, but nobody reads its response. The leader may forget any session
at any time. Every action of the leader is one outcome of one row of the request table.

Two assumptions about a real network, both needed because a scope has few ids and epochs: a stray
is gone before its epoch comes round again (`outlives`), and an id is not drawn again while
anything still mentions it (`is_unused`). See 227-D38 in `specs/`, where Apache Kafka departs from
the KIP's text or settles what it leaves open.
"""

from enum import Enum

from lockstep import Constant, Map, OneOf, Range, Record, Set, State, action, replace, require
from models.fetch_metadata import (
    FINAL_EPOCH,
    FIRST_INCREMENTAL_EPOCH,
    FRESH,
    INITIAL_EPOCH,
    NO_SESSION,
    Epoch,
    Error,
    Metadata,
    OpenId,
    SessionEpoch,
    SessionId,
    after_full_response,
    close_existing_attempt_new,
    is_full,
    next_epoch,
)
from models.fetch_partitions import (
    UNKNOWN,
    Answer,
    Answers,
    Cached,
    Interests,
    Offset,
    Partition,
    Told,
    answered,
    changed,
    dropped,
    learned,
    merged,
    must_answer,
    nothing,
    remember,
)

FETCHERS: Constant = ("c1",)
FOLLOWERS: Constant = ()
"""Those of the fetchers that are followers: they read up to the log's end."""

MAX_DISTURBANCES: Constant = 1
"""How often a fetcher's messages are lost, repeated or delayed in one behaviour."""

MAX_FAILURES: Constant = 1
"""How often a partition becomes unavailable in one behaviour."""

Fetcher = OneOf(FETCHERS, interchangeable=True)


class Via(Enum):
    """How a request reaches the leader: the one awaited, or a copy that nobody awaits."""

    AWAITED = 0
    STRAY = 1


class Request(Record):
    session_id: SessionId
    epoch: Epoch
    partitions: Interests
    forgotten: Set[Partition]


class Response(Record):
    error: Error
    session_id: SessionId
    partitions: Answers
    throttled: bool


class Session(Record):
    owner: Fetcher  # known to the reader only: the leader never looks at it
    epoch: SessionEpoch
    partitions: Map[Partition, Cached | None]


class FetchSession(State):
    # The leader's logs.
    log_start: Map[Partition, Offset] = {p: 0 for p in Partition}
    high_watermark: Map[Partition, Offset] = {p: 0 for p in Partition}
    log_end: Map[Partition, Offset] = {p: 0 for p in Partition}
    failing: Set[Partition] = set()
    failures: Range(0, MAX_FAILURES) = 0
    # The leader's session cache.
    sessions: Map[OpenId, Session | None] = {i: None for i in OpenId}
    # The network.
    request: Map[Fetcher, Request | None] = {f: None for f in Fetcher}
    stray: Map[Fetcher, Request | None] = {f: None for f in Fetcher}
    response: Map[Fetcher, Response | None] = {f: None for f in Fetcher}
    # The fetchers.
    metadata: Map[Fetcher, Metadata] = {f: FRESH for f in Fetcher}
    pending: Map[Fetcher, bool] = {f: False for f in Fetcher}
    fetching: Map[Fetcher, Interests] = {f: {p: None for p in Partition} for f in Fetcher}
    told: Map[Fetcher, Map[Partition, Told | None]] = {
        f: {p: None for p in Partition} for f in Fetcher
    }
    # How often a fetcher's messages were lost, repeated or delayed, or its process restarted.
    disturbances: Map[Fetcher, Range(0, MAX_DISTURBANCES)] = {f: 0 for f in Fetcher}


# The leader's logs change.


@action
def append(s, new, p: Partition, end: Offset):
    """Records arrive in the log; they are not committed yet."""
    require(end > s.log_end[p])
    new.log_end[p] = end


@action
def advance_high_watermark(s, new, p: Partition, to: Offset):
    """Records become visible to consumers."""
    require(s.high_watermark[p] < to and to <= s.log_end[p])
    new.high_watermark[p] = to


@action
def advance_log_start(s, new, p: Partition, to: Offset):
    """Retention or DeleteRecords moves the log's start."""
    require(s.log_start[p] < to and to <= s.high_watermark[p])
    new.log_start[p] = to


@action
def fail_partition(s, new, p: Partition):
    """The partition can only be answered with an error: leadership moved, storage is offline."""
    require(p not in s.failing and s.failures < MAX_FAILURES)
    new.failures = s.failures + 1
    new.failing = s.failing | {p}


@action
def recover_partition(s, new, p: Partition):
    """The partition can be answered again (227-D4)."""
    require(p in s.failing)
    new.failing = s.failing - {p}


# A fetcher sends a request.


def may_send(s, f):
    """One request at a time: the next one waits until the last one's response was handled."""
    return not s.pending[f]


def send(new, f, metadata, partitions, forgotten):
    new.request[f] = Request(
        session_id=metadata.session_id,
        epoch=metadata.epoch,
        partitions=partitions,
        forgotten=forgotten,
    )
    new.pending[f] = True


def send_all(new, f, metadata, wanted):
    """A full request: it lists every partition, and the fetcher starts to learn from nothing."""
    new.metadata[f] = metadata
    new.fetching[f] = wanted
    new.told[f] = nothing()
    send(new, f, metadata, wanted, set())


@action
def send_sessionless(s, new, f: Fetcher, wanted: Interests):
    """(0, -1): a fetcher that does not want a session (227-D25)."""
    require(may_send(s, f) and s.metadata[f].session_id == NO_SESSION)
    require(any(wanted[p] is not None for p in Partition))
    send_all(new, f, Metadata(session_id=NO_SESSION, epoch=FINAL_EPOCH), wanted)


@action
def send_full(s, new, f: Fetcher, wanted: Interests):
    """(0, 0) or (ID, 0): a fetcher that wants a new session, for some partition (227-D2)."""
    require(may_send(s, f) and s.metadata[f].epoch == INITIAL_EPOCH)
    require(any(wanted[p] is not None for p in Partition))
    send_all(new, f, s.metadata[f], wanted)


def keeps_its_place(old, wanted, told):
    """A fetch offset moves forward only past records that came (227-D39)."""
    return wanted.fetch_offset <= old.fetch_offset or (told is not None and told.records)


def still_told(old, wanted, told):
    """What a fetcher still knows of a partition when it sends: after a move, of no records."""
    return (
        None
        if old is None or wanted is None or told is None
        else told
        if old.fetch_offset == wanted.fetch_offset
        else replace(told, records=False)
    )


@action
def send_incremental(s, new, f: Fetcher, wanted: Interests):
    """(ID, EPOCH): list what changed, name what is removed, and nothing else (227-D11)."""
    require(may_send(s, f) and not is_full(s.metadata[f].epoch))
    require(
        all(
            s.fetching[f][p] is None
            or wanted[p] is None
            or keeps_its_place(s.fetching[f][p], wanted[p], s.told[f][p])
            for p in Partition
        )
    )
    new.fetching[f] = wanted
    new.told[f] = {p: still_told(s.fetching[f][p], wanted[p], s.told[f][p]) for p in Partition}
    send(new, f, s.metadata[f], changed(s.fetching[f], wanted), dropped(s.fetching[f], wanted))


@action
def send_close(s, new, f: Fetcher, wanted: Interests):
    """(ID, -1): a fetcher that wants no session any more; one that leaves wants no data either
    (227-D24)."""
    require(may_send(s, f) and s.metadata[f].session_id != NO_SESSION)
    closing = Metadata(session_id=s.metadata[f].session_id, epoch=FINAL_EPOCH)
    send_all(new, f, closing, wanted)


# The leader serves a request.


def incoming(s, f, via):
    return s.request[f] if via == Via.AWAITED else s.stray[f]


def respond(s, new, f, via, error, session_id, partitions, throttled):
    """Take the request from the network; only an awaited one has a response that arrives."""
    response = Response(
        error=error, session_id=session_id, partitions=partitions, throttled=throttled
    )
    new.request[f] = None if via == Via.AWAITED else s.request[f]
    new.stray[f] = None if via == Via.STRAY else s.stray[f]
    new.response[f] = response if via == Via.AWAITED else s.response[f]


def has_records(s, f, p, interest):
    """Whether there is anything to read: consumers see committed records only."""
    end = s.log_end[p] if f in FOLLOWERS else s.high_watermark[p]
    return (
        p not in s.failing
        and s.log_start[p] <= interest.fetch_offset
        and interest.fetch_offset < end
    )


def answer(s, p, records):
    """The leader's answer for a partition, whether it is sent or not."""
    return (
        Answer(failed=True, high_watermark=UNKNOWN, log_start_offset=UNKNOWN, records=False)
        if p in s.failing
        else Answer(
            failed=False,
            high_watermark=s.high_watermark[p],
            log_start_offset=s.log_start[p],
            records=records,
        )
    )


def fits_the_limit(s, f, interests, filled):
    """The size limit may leave records of some partitions for later, but never of all (KIP-74)."""
    with_records = {
        p for p in Partition if interests[p] is not None and has_records(s, f, p, interests[p])
    }
    return filled <= with_records and (len(filled) > 0 or len(with_records) == 0)


def full_answers(s, wanted, filled):
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


def is_unused(s, i):
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
def serve_sessionless(s, new, f: Fetcher, via: Via, filled: Set[Partition]):
    """(0, -1) and (ID, -1): answer everything, close the session named, create none."""
    require(incoming(s, f, via) is not None)
    request = incoming(s, f, via)
    require(request.epoch == FINAL_EPOCH)
    require(fits_the_limit(s, f, request.partitions, filled))
    new.sessions = closed(s.sessions, request.session_id)
    respond(
        s, new, f, via, Error.NONE, NO_SESSION, full_answers(s, request.partitions, filled), False
    )


@action
def serve_full_creating(s, new, f: Fetcher, via: Via, filled: Set[Partition], i: OpenId):
    """(0, 0) and (ID, 0): answer everything, close the session named, create another (227-D31)."""
    require(incoming(s, f, via) is not None)
    request = incoming(s, f, via)
    require(request.epoch == INITIAL_EPOCH)
    require(fits_the_limit(s, f, request.partitions, filled))
    require(is_unused(s, i))
    answers = full_answers(s, request.partitions, filled)
    new.sessions = closed(s.sessions, request.session_id)
    new.sessions[i] = opened(f, request.partitions, answers)
    respond(s, new, f, via, Error.NONE, i, answers, False)


@action
def serve_full_without_session(s, new, f: Fetcher, via: Via, filled: Set[Partition]):
    """(0, 0) and (ID, 0) when the cache has no room: answer everything, with session id 0."""
    require(incoming(s, f, via) is not None)
    request = incoming(s, f, via)
    require(request.epoch == INITIAL_EPOCH)
    require(fits_the_limit(s, f, request.partitions, filled))
    new.sessions = closed(s.sessions, request.session_id)
    respond(
        s, new, f, via, Error.NONE, NO_SESSION, full_answers(s, request.partitions, filled), False
    )


def session_of(s, request):
    return None if request.session_id == NO_SESSION else s.sessions[request.session_id]


def is_expected(s, request):
    """Whether an incremental request names a session and the epoch that it expects."""
    return session_of(s, request) is not None and session_of(s, request).epoch == request.epoch


def outlives(s, f, session_id, epoch):
    """Whether a stray would be taken for a request of this epoch, a whole turn later (227-D38)."""
    return (
        s.stray[f] is not None and s.stray[f].session_id == session_id and s.stray[f].epoch == epoch
    )


def session_after(s, request):
    """The partitions of the session once the request is taken in."""
    return merged(session_of(s, request).partitions, request.partitions, request.forgotten)


def accept(s, new, f, request, partitions):
    """The session has processed request N and expects request N + 1 (227-D12)."""
    new.sessions[request.session_id] = Session(
        owner=session_of(s, request).owner,
        epoch=next_epoch(request.epoch),
        partitions=partitions,
    )


@action
def serve_incremental(s, new, f: Fetcher, via: Via, filled: Set[Partition]):
    """(ID, EPOCH) as expected: answer the partitions that have something to say."""
    require(incoming(s, f, via) is not None)
    request = incoming(s, f, via)
    require(not is_full(request.epoch) and is_expected(s, request))
    require(not outlives(s, f, request.session_id, next_epoch(request.epoch)))
    cached = session_after(s, request)
    require(any(cached[p] is not None for p in Partition))
    interests = {p: None if cached[p] is None else cached[p].interest for p in Partition}
    require(fits_the_limit(s, f, interests, filled))
    answers = {p: answer(s, p, p in filled) for p in Partition}
    sent = {p for p in Partition if cached[p] is not None and must_answer(cached[p], answers[p])}
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
        False,
    )


def throttled_session_id(request):
    return request.session_id


@action
def serve_incremental_throttled(s, new, f: Fetcher, via: Via):
    """(ID, EPOCH) as expected, but over quota: the request counts, the response is empty
    (227-D18, 227-D40)."""
    require(incoming(s, f, via) is not None)
    request = incoming(s, f, via)
    require(not is_full(request.epoch) and is_expected(s, request))
    require(not outlives(s, f, request.session_id, next_epoch(request.epoch)))
    cached = session_after(s, request)
    require(any(cached[p] is not None for p in Partition))
    accept(s, new, f, request, cached)
    respond(s, new, f, via, Error.NONE, throttled_session_id(request), nothing(), True)


@action
def serve_incremental_emptying(s, new, f: Fetcher, via: Via):
    """(ID, EPOCH) as expected, and the last partition is removed: the session ends (227-D1)."""
    require(incoming(s, f, via) is not None)
    request = incoming(s, f, via)
    require(not is_full(request.epoch) and is_expected(s, request))
    cached = session_after(s, request)
    require(all(cached[p] is None for p in Partition))
    new.sessions[request.session_id] = None
    respond(s, new, f, via, Error.NONE, NO_SESSION, nothing(), False)


@action
def serve_unknown_session(s, new, f: Fetcher, via: Via):
    """(ID, EPOCH) for a session that the leader does not have (227-D14)."""
    require(incoming(s, f, via) is not None)
    request = incoming(s, f, via)
    require(not is_full(request.epoch) and session_of(s, request) is None)
    respond(s, new, f, via, Error.FETCH_SESSION_ID_NOT_FOUND, NO_SESSION, nothing(), False)


@action
def serve_wrong_epoch(s, new, f: Fetcher, via: Via):
    """(ID, EPOCH) with an epoch that the session does not expect (227-D13)."""
    require(incoming(s, f, via) is not None)
    request = incoming(s, f, via)
    require(not is_full(request.epoch) and session_of(s, request) is not None)
    require(not is_expected(s, request))
    respond(s, new, f, via, Error.INVALID_FETCH_SESSION_EPOCH, NO_SESSION, nothing(), False)


@action
def evict(s, new, i: OpenId):
    """The leader gives the session's slot to another, whatever the reason (see session_cache)."""
    require(s.sessions[i] is not None)
    new.sessions[i] = None


@action
def restart_broker(s, new):
    """The leader forgets every session."""
    require(any(s.sessions[i] is not None for i in OpenId))
    new.sessions = {i: None for i in OpenId}


# A fetcher handles a response.


def settle(new, f, metadata):
    """The response was handled: the next request may go out, with this metadata."""
    new.response[f] = None
    new.pending[f] = False
    new.metadata[f] = metadata


def start_over(new, f):
    """The next request is a full one: what was fetched and told no longer matters (227-D22)."""
    new.fetching[f] = nothing()
    new.told[f] = nothing()


def told_after(s, f, answers):
    """What the fetcher knows after a response; partitions not in it are as they were."""
    return {
        p: s.told[f][p] if answers[p] is None else learned(s.told[f][p], answers[p])
        for p in Partition
    }


@action
def receive_full(s, new, f: Fetcher):
    """A full response with a session id: the session's next request has epoch 1."""
    require(s.response[f] is not None and is_full(s.metadata[f].epoch))
    response = s.response[f]
    require(response.session_id != NO_SESSION)
    new.told[f] = told_after(s, f, response.partitions)
    settle(new, f, after_full_response(response.session_id))


@action
def receive_sessionless(s, new, f: Fetcher):
    """A full response with session id 0: there is no session."""
    require(s.response[f] is not None and is_full(s.metadata[f].epoch))
    require(s.response[f].session_id == NO_SESSION)
    start_over(new, f)
    settle(new, f, after_full_response(NO_SESSION))


@action
def receive_incremental(s, new, f: Fetcher):
    """An incremental response of the session: partitions not in it are as they were."""
    require(s.response[f] is not None and not is_full(s.metadata[f].epoch))
    response = s.response[f]
    require(response.error == Error.NONE and response.session_id != NO_SESSION)
    new.told[f] = told_after(s, f, response.partitions)
    settle(new, f, replace(s.metadata[f], epoch=next_epoch(s.metadata[f].epoch)))


@action
def receive_session_closed(s, new, f: Fetcher):
    """An incremental response with session id 0: the session is gone."""
    require(s.response[f] is not None and not is_full(s.metadata[f].epoch))
    response = s.response[f]
    require(response.error == Error.NONE and response.session_id == NO_SESSION)
    start_over(new, f)
    settle(new, f, FRESH)


@action
def receive_unknown_session(s, new, f: Fetcher):
    """FETCH_SESSION_ID_NOT_FOUND: there is nothing to close, start afresh (227-D20)."""
    require(s.response[f] is not None)
    require(s.response[f].error == Error.FETCH_SESSION_ID_NOT_FOUND)
    start_over(new, f)
    settle(new, f, FRESH)


def after_wrong_epoch(metadata):
    return close_existing_attempt_new(metadata)


@action
def receive_wrong_epoch(s, new, f: Fetcher):
    """INVALID_FETCH_SESSION_EPOCH: close the session and attempt a new one (227-D20)."""
    require(s.response[f] is not None)
    require(s.response[f].error == Error.INVALID_FETCH_SESSION_EPOCH)
    start_over(new, f)
    settle(new, f, after_wrong_epoch(s.metadata[f]))


# What disturbs a fetcher.


def disturb(s, new, f):
    require(s.disturbances[f] < MAX_DISTURBANCES)
    new.disturbances[f] = s.disturbances[f] + 1


def abandon(s, new, f, arrives):
    """Nothing that is under way comes back; the request itself may still arrive."""
    disturb(s, new, f)
    new.stray[f] = s.request[f] if arrives else s.stray[f]
    new.request[f] = None
    new.response[f] = None
    new.pending[f] = False


def after_disconnect(metadata):
    return close_existing_attempt_new(metadata)


@action
def disconnect(s, new, f: Fetcher, arrives: bool):
    """A request or response is lost, or delayed past the fetcher's patience (227-D21)."""
    require(s.pending[f])
    require(not arrives or (s.request[f] is not None and s.stray[f] is None))
    abandon(s, new, f, arrives)
    start_over(new, f)
    new.metadata[f] = after_disconnect(s.metadata[f])


@action
def restart_fetcher(s, new, f: Fetcher, arrives: bool):
    """The fetcher's process starts again and knows nothing."""
    require(not arrives or (s.request[f] is not None and s.stray[f] is None))
    require(s.pending[f] or s.metadata[f] != FRESH)
    abandon(s, new, f, arrives)
    start_over(new, f)
    new.metadata[f] = FRESH


@action
def duplicate(s, new, f: Fetcher):
    """The network repeats a request."""
    require(s.request[f] is not None and s.stray[f] is None)
    disturb(s, new, f)
    new.stray[f] = s.request[f]


@action
def lose_stray(s, new, f: Fetcher):
    """A delayed or repeated request is lost after all."""
    require(s.stray[f] is not None)
    new.stray[f] = None
