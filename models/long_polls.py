"""KIP-227 with polls that wait: a request is accepted first, and answered later.

In fetch_session a leader accepts and answers in one step. Apache Kafka's leader moves the epoch of
a session on when it accepts a request, and answers when there is something to say or the poll has
waited long enough; other requests come in between (227-D12). A poll that waits knows its session
even when that is in the cache no more.

One fetcher and one leader. Of all partitions only this is left: the leader has a version of what
there is to report, a session remembers which version was answered last, the fetcher which it knows.
What requests and responses say of single partitions is in fetch_session.
"""

from enum import Enum

from lockstep import Constant, Domain, Map, Range, Record, State, action, present, replace, require
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

MAX_VERSION: Constant = 1
"""How often what there is to report changes in one behaviour."""

MAX_DISTURBANCES: Constant = 1
"""How often a request is given up or repeated in one behaviour."""

RACES: Constant = False
"""Whether the fetcher may give up a poll that waits and go on with the next one of the session, as
Apache Kafka's does not."""

TURNS: Constant = False
"""Whether a copy of a request may be as old as a whole turn of the epoch (227-D38)."""

Version: Domain = Range(0, MAX_VERSION)
Disturbances: Domain = Range(0, MAX_DISTURBANCES)


class Via(Enum):
    """Whether the fetcher awaits the response, or has given up the request."""

    AWAITED = 0
    STRAY = 1


class Poll(Record):
    """A request that was accepted and waits for its answer."""

    session_id: SessionId
    epoch: Epoch
    overtaken: bool  # a later request of the session was accepted meanwhile


class Session(Record):
    epoch: SessionEpoch
    sent: Version


class Response(Record):
    error: Error
    session_id: SessionId
    version: Version | None


class LongPolls(State):
    # The leader.
    version: Version = 0
    sessions: Map[OpenId, Session | None] = {i: None for i in OpenId}
    waiting: Map[Via, Poll | None] = {v: None for v in Via}
    # The network.
    request: Map[Via, Metadata | None] = {v: None for v in Via}
    response: Response | None = None
    # The fetcher.
    metadata: Metadata = FRESH
    pending: bool = False
    known_version: Version | None = None
    # How often a request was given up or repeated.
    disturbances: Disturbances = 0


@action
def change(s: LongPolls, new: LongPolls):
    """Records come, or offsets move: there is something to tell."""
    require(s.version < MAX_VERSION)
    new.version = s.version + 1


# The fetcher sends a request.


def send(s: LongPolls, new: LongPolls, metadata):
    new.request[Via.AWAITED] = metadata
    new.metadata = metadata
    new.pending = True
    new.known_version = None if is_full(metadata.epoch) else s.known_version


@action
def send_full(s: LongPolls, new: LongPolls):
    """(0, 0) or (ID, 0)."""
    require(not s.pending and s.metadata.epoch == INITIAL_EPOCH)
    send(s, new, s.metadata)


@action
def send_final(s: LongPolls, new: LongPolls):
    """(0, -1) or (ID, -1)."""
    require(not s.pending)
    send(s, new, Metadata(session_id=s.metadata.session_id, epoch=FINAL_EPOCH))


@action
def send_incremental(s: LongPolls, new: LongPolls):
    """(ID, EPOCH)."""
    require(not s.pending and not is_full(s.metadata.epoch))
    send(s, new, s.metadata)


def disturb(s: LongPolls, new: LongPolls):
    require(s.disturbances < MAX_DISTURBANCES)
    new.disturbances = s.disturbances + 1


@action
def send_racing(s: LongPolls, new: LongPolls):
    """(ID, EPOCH + 1), while (ID, EPOCH) waits: nobody reads the answer to that any more."""
    poll = present(s.waiting[Via.AWAITED])
    require(RACES and s.waiting[Via.STRAY] is None and not is_full(poll.epoch))
    disturb(s, new)
    new.waiting = {v: None if v == Via.AWAITED else poll for v in Via}
    send(s, new, replace(s.metadata, epoch=next_epoch(s.metadata.epoch)))


# The leader accepts a request, or refuses it at once.


def accept(s: LongPolls, new: LongPolls, via, request):
    """From now on the request waits. Whatever waits of the same session is overtaken, if the
    session takes this one in."""
    new.request[via] = None
    new.waiting = {
        v: Poll(session_id=request.session_id, epoch=request.epoch, overtaken=False)
        if v == via
        else overtaken_by(s.waiting[v], request)
        for v in Via
    }


def overtaken_by(poll, request):
    if poll is None or is_full(request.epoch) or poll.session_id != request.session_id:
        return poll
    return replace(poll, overtaken=True)


@action
def accept_full(s: LongPolls, new: LongPolls, via: Via):
    """(0, 0), (ID, 0), (0, -1), (ID, -1): the session named goes at once, if it is there."""
    request = present(s.request[via])
    require(is_full(request.epoch) and s.waiting[via] is None)
    accept(s, new, via, request)
    new.sessions = {i: None if i == request.session_id else s.sessions[i] for i in OpenId}


def session_of(s: LongPolls, request):
    return None if request.session_id == NO_SESSION else s.sessions[request.session_id]


def outlives(s: LongPolls, request):
    """Whether a stray would be taken for the request after this one, a whole turn later."""
    stray = s.request[Via.STRAY]
    return (
        stray is not None
        and stray.session_id == request.session_id
        and stray.epoch == next_epoch(request.epoch)
    )


@action
def accept_incremental(s: LongPolls, new: LongPolls, via: Via):
    """(ID, EPOCH) as expected: the session expects the next one, whenever this one is answered."""
    request = present(s.request[via])
    require(not is_full(request.epoch) and s.waiting[via] is None)
    require(session_of(s, request) is not None and session_of(s, request).epoch == request.epoch)
    require(TURNS or not outlives(s, request))
    accept(s, new, via, request)
    new.sessions[request.session_id] = replace(
        session_of(s, request), epoch=next_epoch(request.epoch)
    )


def respond(s: LongPolls, new: LongPolls, via, error, session_id, version):
    """Only an awaited request has a response that arrives."""
    response = Response(error=error, session_id=session_id, version=version)
    new.response = response if via == Via.AWAITED else s.response


@action
def refuse_unknown_session(s: LongPolls, new: LongPolls, via: Via):
    """(ID, EPOCH) for a session that the leader does not have."""
    request = present(s.request[via])
    require(not is_full(request.epoch) and session_of(s, request) is None)
    new.request[via] = None
    respond(s, new, via, Error.FETCH_SESSION_ID_NOT_FOUND, NO_SESSION, None)


@action
def refuse_wrong_epoch(s: LongPolls, new: LongPolls, via: Via):
    """(ID, EPOCH) with an epoch that the session does not expect, be it that of a poll which
    waits."""
    request = present(s.request[via])
    require(not is_full(request.epoch) and session_of(s, request) is not None)
    require(session_of(s, request).epoch != request.epoch)
    new.request[via] = None
    respond(s, new, via, Error.INVALID_FETCH_SESSION_EPOCH, NO_SESSION, None)


# The leader answers a poll: there is something to say, or it has waited long enough.


@action
def answer_without_session(s: LongPolls, new: LongPolls, via: Via):
    """A full response with session id 0: none was asked for, or the cache has no room."""
    poll = present(s.waiting[via])
    require(is_full(poll.epoch))
    new.waiting[via] = None
    respond(s, new, via, Error.NONE, NO_SESSION, s.version)


@action
def answer_throttled_full(s: LongPolls, new: LongPolls, via: Via):
    """The same for a fetcher that is over its quota, and with no partition (227-D19)."""
    poll = present(s.waiting[via])
    require(is_full(poll.epoch))
    new.waiting[via] = None
    respond(s, new, via, Error.NONE, NO_SESSION, None)


def is_mentioned(named, i):
    return named is not None and named.session_id == i


def is_unused(s: LongPolls, i):
    """Ids are drawn at random: one that is still spoken of is not drawn again (227-D38)."""
    return (
        s.sessions[i] is None
        and s.metadata.session_id != i
        and not is_mentioned(s.response, i)
        and not any(is_mentioned(s.request[v], i) or is_mentioned(s.waiting[v], i) for v in Via)
    )


@action
def answer_creating(s: LongPolls, new: LongPolls, via: Via, i: OpenId):
    """A full response with a session, which is created only now."""
    poll = present(s.waiting[via])
    require(poll.epoch == INITIAL_EPOCH and is_unused(s, i))
    new.waiting[via] = None
    new.sessions[i] = Session(epoch=FIRST_INCREMENTAL_EPOCH, sent=s.version)
    respond(s, new, via, Error.NONE, i, s.version)


@action
def answer_incremental(s: LongPolls, new: LongPolls, via: Via):
    """A response of the session, with what changed since the last one."""
    poll = present(s.waiting[via])
    require(not is_full(poll.epoch) and not poll.overtaken)
    session = present(s.sessions[poll.session_id])
    new.waiting[via] = None
    new.sessions[poll.session_id] = replace(session, sent=s.version)
    changed = None if session.sent == s.version else s.version
    respond(s, new, via, Error.NONE, poll.session_id, changed)


@action
def answer_after_its_session(s: LongPolls, new: LongPolls, via: Via):
    """The same where the session was closed or evicted meanwhile: the poll knows it still. Here
    everything is answered; Kafka leaves out what the session had sent before (227-D44)."""
    poll = present(s.waiting[via])
    require(not is_full(poll.epoch) and not poll.overtaken)
    require(s.sessions[poll.session_id] is None)
    new.waiting[via] = None
    respond(s, new, via, Error.NONE, poll.session_id, s.version)


@action
def answer_overtaken(s: LongPolls, new: LongPolls, via: Via):
    """The session took in a later request: an epoch error, with the session's own id (227-D13)."""
    poll = present(s.waiting[via])
    require(poll.overtaken)
    new.waiting[via] = None
    respond(s, new, via, Error.INVALID_FETCH_SESSION_EPOCH, poll.session_id, None)


@action
def evict(s: LongPolls, new: LongPolls, i: OpenId):
    """The leader gives the session's slot to another, whatever waits in it."""
    require(s.sessions[i] is not None)
    new.sessions[i] = None


# The fetcher handles a response.


def settle(new: LongPolls, metadata, known_version):
    new.response = None
    new.pending = False
    new.metadata = metadata
    new.known_version = known_version


@action
def receive_full(s: LongPolls, new: LongPolls):
    """A full response: what is answered counts as long as there is a session."""
    response = present(s.response)
    require(is_full(s.metadata.epoch))
    known_version = None if response.session_id == NO_SESSION else response.version
    settle(new, after_full_response(response.session_id), known_version)


@action
def receive_incremental(s: LongPolls, new: LongPolls):
    """A response of the session: what it leaves out is as it was."""
    response = present(s.response)
    require(not is_full(s.metadata.epoch) and response.error == Error.NONE)
    known_version = s.known_version if response.version is None else response.version
    settle(new, replace(s.metadata, epoch=next_epoch(s.metadata.epoch)), known_version)


@action
def receive_error(s: LongPolls, new: LongPolls):
    """The session is gone, or is to be closed by the next request."""
    response = present(s.response)
    require(response.error != Error.NONE)
    is_gone = response.error == Error.FETCH_SESSION_ID_NOT_FOUND
    settle(new, FRESH if is_gone else close_existing_attempt_new(s.metadata), None)


# What disturbs it.


@action
def give_up(s: LongPolls, new: LongPolls, arrives: bool):
    """The fetcher waits no longer and closes its session by its next request; the poll may wait
    on, and the request may still arrive."""
    require(s.pending and (s.waiting[Via.AWAITED] is None or s.waiting[Via.STRAY] is None))
    require(not arrives or (s.request[Via.AWAITED] is not None and s.request[Via.STRAY] is None))
    disturb(s, new)
    kept = s.request[Via.AWAITED] if arrives else s.request[Via.STRAY]
    new.request = {v: None if v == Via.AWAITED else kept for v in Via}
    left = s.waiting[Via.STRAY] if s.waiting[Via.AWAITED] is None else s.waiting[Via.AWAITED]
    new.waiting = {v: None if v == Via.AWAITED else left for v in Via}
    settle(new, close_existing_attempt_new(s.metadata), None)


@action
def repeat(s: LongPolls, new: LongPolls):
    """The network repeats a request, of which both copies arrive or one."""
    require(s.request[Via.AWAITED] is not None and s.request[Via.STRAY] is None)
    disturb(s, new)
    new.request[Via.STRAY] = s.request[Via.AWAITED]


@action
def lose_stray(s: LongPolls, new: LongPolls):
    """A repeated or given-up request is lost after all."""
    require(s.request[Via.STRAY] is not None)
    new.request[Via.STRAY] = None
