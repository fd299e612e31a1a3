"""The leader of the earlier draft of KIP-227: its logs, its sessions, and how it serves requests.

Every action that serves a request is one outcome.
"""

from lockstep import Set, action, present, replace, require
from models.fetch_partitions import EMPTY, Answer, Offset, Partition, nothing
from models.fetch_session_draft_state import (
    FOLLOWERS,
    LEFT_OUT_STAYS_DIRTY,
    NO_REQUEST,
    NO_SESSION,
    NUMBERED_FULL_REQUESTS,
    CachedPartition,
    Error,
    Fetcher,
    FetchSessionDraft,
    FetchType,
    LastDirty,
    OpenId,
    Response,
    Session,
    Via,
    next_number,
)

# The leader's logs change, and with each change their partition becomes dirty.


def dirtied(session, p):
    """A session once p is dirty: p's last dirty number is the upcoming one."""
    if session is None or session.partitions[p] is None:
        return session
    return replace(
        session,
        partitions={
            q: replace(session.partitions[q], last_dirty=LastDirty.UPCOMING)
            if p == q
            else session.partitions[q]
            for q in Partition
        },
    )


def mark_dirty(s: FetchSessionDraft, new: FetchSessionDraft, p):
    new.sessions = {i: dirtied(s.sessions[i], p) for i in OpenId}


@action
def append(s: FetchSessionDraft, new: FetchSessionDraft, p: Partition, end: Offset):
    """New data is added, and the log end offset changes."""
    require(p not in EMPTY and end > s.log_end[p])
    new.log_end[p] = end
    mark_dirty(s, new, p)


@action
def advance_high_watermark(s: FetchSessionDraft, new: FetchSessionDraft, p: Partition, to: Offset):
    """The leader advances the high watermark."""
    require(s.high_watermark[p] < to and to <= s.log_end[p])
    new.high_watermark[p] = to
    mark_dirty(s, new, p)


@action
def advance_log_start(s: FetchSessionDraft, new: FetchSessionDraft, p: Partition, to: Offset):
    """Messages are deleted, and this changes the log start offset."""
    require(s.log_start[p] < to and to <= s.high_watermark[p])
    new.log_start[p] = to
    mark_dirty(s, new, p)


# The leader serves a request.


def incoming(s: FetchSessionDraft, f, via):
    return s.request[f] if via == Via.AWAITED else s.stray[f]


def respond(s: FetchSessionDraft, new: FetchSessionDraft, f, via, response):
    """Take the request from the network; only an awaited one has a response that arrives."""
    new.request[f] = None if via == Via.AWAITED else s.request[f]
    new.stray[f] = None if via == Via.STRAY else s.stray[f]
    new.response[f] = response if via == Via.AWAITED else s.response[f]


def has_records(s: FetchSessionDraft, f, p, interest):
    """Whether there is partition data available: consumers see committed records only."""
    end = s.log_end[p] if f in FOLLOWERS else s.high_watermark[p]
    return s.log_start[p] <= interest.fetch_offset and interest.fetch_offset < end


def answer(s: FetchSessionDraft, p, records):
    return Answer(
        failed=False,
        high_watermark=s.high_watermark[p],
        log_start_offset=s.log_start[p],
        records=records,
    )


# Full requests.


def fits_the_limit(s: FetchSessionDraft, f, wanted, filled):
    """The limit may leave records of some partitions out, but never of all (KIP-74)."""
    readable = {p for p in Partition if wanted[p] is not None and has_records(s, f, p, wanted[p])}
    return filled <= readable and (len(filled) > 0 or len(readable) == 0)


def undirtied():
    """Nothing has become dirty that a full response does not tell."""
    return {p: LastDirty.BEFORE for p in Partition}


def after_full(s: FetchSessionDraft, f, p, interest, is_filled, last_dirty):
    """A partition once a full response has reported all of it but records that did not fit."""
    is_left_out = not is_filled and has_records(s, f, p, interest)
    return CachedPartition(
        interest=interest,
        last_dirty=LastDirty.UPCOMING if LEFT_OUT_STAYS_DIRTY and is_left_out else last_dirty,
    )


def full_answers(s: FetchSessionDraft, wanted, filled):
    return {p: None if wanted[p] is None else answer(s, p, p in filled) for p in Partition}


def serve_full(s: FetchSessionDraft, new: FetchSessionDraft, f, via, filled, i, sequence, dirty):
    """A full response has every partition; session i, if not 0, is of these from now on."""
    wanted = incoming(s, f, via).partitions
    require(fits_the_limit(s, f, wanted, filled))
    session = Session(
        client=f,
        sequence=sequence,
        partitions={
            p: None if wanted[p] is None else after_full(s, f, p, wanted[p], p in filled, dirty[p])
            for p in Partition
        },
    )
    new.sessions = {j: session if j == i else s.sessions[j] for j in OpenId}
    response = Response(
        error=Error.NONE,
        session_id=i,
        incremental=False,
        incremental_ok=i != NO_SESSION,
        partitions=full_answers(s, wanted, filled),
    )
    respond(s, new, f, via, response)


def is_mentioned(request, i):
    return request is not None and request.session_id == i


def is_unused(s: FetchSessionDraft, i):
    """Ids are drawn at random from 2**64: one that is still spoken of is not drawn again."""
    return s.sessions[i] is None and not any(
        s.session_id[f] == i
        or is_mentioned(s.request[f], i)
        or is_mentioned(s.stray[f], i)
        or (s.response[f] is not None and s.response[f].session_id == i)
        for f in Fetcher
    )


def is_full_request(request, names_a_session):
    return (
        request.fetch_type == FetchType.FULL_FETCH_REQUEST
        and (request.session_id != NO_SESSION) == names_a_session
    )


@action
def serve_full_creating(
    s: FetchSessionDraft,
    new: FetchSessionDraft,
    f: Fetcher,
    via: Via,
    filled: Set[Partition],
    i: OpenId,
):
    """A full request with id 0: the leader creates a session."""
    request = present(incoming(s, f, via))
    require(is_full_request(request, names_a_session=False) and is_unused(s, i))
    serve_full(s, new, f, via, filled, i, NO_REQUEST, undirtied())


@action
def serve_full_declining(
    s: FetchSessionDraft, new: FetchSessionDraft, f: Fetcher, via: Via, filled: Set[Partition]
):
    """A full request with id 0: the leader creates no session."""
    request = present(incoming(s, f, via))
    require(is_full_request(request, names_a_session=False))
    serve_full(s, new, f, via, filled, NO_SESSION, NO_REQUEST, undirtied())


def session_of(s: FetchSessionDraft, request):
    return None if request.session_id == NO_SESSION else s.sessions[request.session_id]


def is_next(s: FetchSessionDraft, request):
    """Number N + 1: what was sent back for number N arrived."""
    session = session_of(s, request)
    return session is not None and request.sequence == next_number(session.sequence)


def is_repeated(s: FetchSessionDraft, request):
    """Number N again: what was sent back for it may be lost."""
    session = session_of(s, request)
    return (
        session is not None
        and request.sequence == session.sequence
        and session.sequence != NO_REQUEST
    )


def is_checked(request):
    """Whether a request's number has to be valid for its session (227d-D2)."""
    return NUMBERED_FULL_REQUESTS or request.fetch_type == FetchType.INCREMENTAL_FETCH_REQUEST


def is_valid(s: FetchSessionDraft, request):
    return session_of(s, request) is not None and (
        is_next(s, request) or is_repeated(s, request) or not is_checked(request)
    )


def outlives(s: FetchSessionDraft, f, request):
    """Whether a stray would be taken for a later request of the session, since numbers come round
    here as they do not in 64 bits."""
    return (
        s.stray[f] is not None
        and s.stray[f].session_id == request.session_id
        and s.stray[f].sequence == next_number(request.sequence)
    )


def dirty_after_full(s: FetchSessionDraft, request):
    """Number N again takes back nothing that has become dirty since, for its response may be lost
    as well (227d-D3)."""
    if not (NUMBERED_FULL_REQUESTS and is_repeated(s, request)):
        return undirtied()
    cached = session_of(s, request).partitions
    return {p: LastDirty.BEFORE if cached[p] is None else cached[p].last_dirty for p in Partition}


@action
def serve_full_altering(
    s: FetchSessionDraft, new: FetchSessionDraft, f: Fetcher, via: Via, filled: Set[Partition]
):
    """A full request with a session's id: the session has these partitions from now on."""
    request = present(incoming(s, f, via))
    require(is_full_request(request, names_a_session=True) and is_valid(s, request))
    require(not outlives(s, f, request))
    sequence = request.sequence if NUMBERED_FULL_REQUESTS else session_of(s, request).sequence
    dirty = dirty_after_full(s, request)
    serve_full(s, new, f, via, filled, request.session_id, sequence, dirty)


# Incremental requests.


def interests_after(session, request):
    """Of each partition of the session, what the latest request that named it asked."""
    return {
        p: None
        if session.partitions[p] is None
        else session.partitions[p].interest
        if request.partitions[p] is None
        else request.partitions[p]
        for p in Partition
    }


def is_dirty(cached, repeated):
    """Whether a partition's last dirty number is at least the request's."""
    return cached.last_dirty == LastDirty.UPCOMING or (
        repeated and cached.last_dirty == LastDirty.LATEST
    )


def due_partitions(s: FetchSessionDraft, f, session, interests, repeated):
    """The partitions that an incremental response is about."""
    return {
        p
        for p in Partition
        if interests[p] is not None
        and (
            is_dirty(session.partitions[p], repeated)
            or (LEFT_OUT_STAYS_DIRTY and has_records(s, f, p, interests[p]))
        )
    }


def last_dirty_after(last_dirty, repeated, is_left_out):
    """A request with number N + 1 makes what was upcoming the latest; number N again changes
    nothing, since its response may be lost as well."""
    if LEFT_OUT_STAYS_DIRTY and is_left_out:
        return LastDirty.UPCOMING
    if repeated:
        return last_dirty
    return LastDirty.LATEST if last_dirty == LastDirty.UPCOMING else LastDirty.BEFORE


def fits(sent, due, readable):
    """What does not fit is left out of a response: the limit is reached by records alone
    (227d-D8)."""
    return sent <= due and (sent == due or len(sent & readable) > 0)


def serve_session(s: FetchSessionDraft, new: FetchSessionDraft, f, via, sent, repeated, goes_on):
    """Answer what is due, and fits."""
    request = incoming(s, f, via)
    session = session_of(s, request)
    interests = interests_after(session, request)
    due = due_partitions(s, f, session, interests, repeated)
    readable = {
        p for p in Partition if interests[p] is not None and has_records(s, f, p, interests[p])
    }
    require(fits(sent, due, readable))
    served = Session(
        client=session.client,
        sequence=request.sequence,
        partitions={
            p: None
            if interests[p] is None
            else CachedPartition(
                interest=interests[p],
                last_dirty=last_dirty_after(
                    session.partitions[p].last_dirty, repeated, p in due - sent
                ),
            )
            for p in Partition
        },
    )
    new.sessions[request.session_id] = served if goes_on else None
    response = Response(
        error=Error.NONE,
        session_id=request.session_id,
        incremental=True,
        incremental_ok=goes_on,
        partitions={p: answer(s, p, p in readable) if p in sent else None for p in Partition},
    )
    respond(s, new, f, via, response)


@action
def serve_incremental(
    s: FetchSessionDraft,
    new: FetchSessionDraft,
    f: Fetcher,
    via: Via,
    sent: Set[Partition],
    goes_on: bool,
):
    """The next number; the leader may allow no further incremental request (227d-D5)."""
    request = present(incoming(s, f, via))
    require(request.fetch_type == FetchType.INCREMENTAL_FETCH_REQUEST and is_next(s, request))
    require(not outlives(s, f, request))
    serve_session(s, new, f, via, sent, repeated=False, goes_on=goes_on)


@action
def serve_repeated(
    s: FetchSessionDraft, new: FetchSessionDraft, f: Fetcher, via: Via, sent: Set[Partition]
):
    """The last number again: all that was dirty for it, or has become dirty since."""
    request = present(incoming(s, f, via))
    require(request.fetch_type == FetchType.INCREMENTAL_FETCH_REQUEST and is_repeated(s, request))
    serve_session(s, new, f, via, sent, repeated=True, goes_on=True)


def respond_error(s: FetchSessionDraft, new: FetchSessionDraft, f, via, error):
    response = Response(
        error=error,
        session_id=NO_SESSION,
        incremental=incoming(s, f, via).fetch_type == FetchType.INCREMENTAL_FETCH_REQUEST,
        incremental_ok=False,
        partitions=nothing(),
    )
    respond(s, new, f, via, response)


@action
def serve_invalid(s: FetchSessionDraft, new: FetchSessionDraft, f: Fetcher, via: Via):
    """InvalidFetchSessionException: an unknown session, or a number that it does not expect."""
    request = present(incoming(s, f, via))
    require(request.session_id != NO_SESSION and not is_valid(s, request))
    respond_error(s, new, f, via, Error.INVALID_FETCH_SESSION)


@action
def serve_denied(s: FetchSessionDraft, new: FetchSessionDraft, f: Fetcher, via: Via):
    """IncrementalFetchDenied: the leader wants no incremental requests of this client any more, and
    keeps no session for it (227d-D5)."""
    request = present(incoming(s, f, via))
    require(request.fetch_type == FetchType.INCREMENTAL_FETCH_REQUEST and is_valid(s, request))
    new.sessions[request.session_id] = None
    respond_error(s, new, f, via, Error.INCREMENTAL_FETCH_DENIED)


@action
def evict(s: FetchSessionDraft, new: FetchSessionDraft, i: OpenId):
    """The leader gives the session's slot to another, by the rules of session_cache."""
    require(s.sessions[i] is not None)
    new.sessions[i] = None
