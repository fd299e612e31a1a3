"""The fetchers of the earlier draft of KIP-227: what they send, and again, and what they make of
the responses.
"""

from lockstep import action, present, require
from models.fetch_partitions import (
    Interests,
    Partition,
    changed,
    is_fetched,
    keeps_its_place,
    learned,
    nothing,
    still_reported,
)
from models.fetch_session_draft_state import (
    MAX_DISTURBANCES,
    NO_REQUEST,
    NO_SESSION,
    NUMBERED_FULL_REQUESTS,
    Error,
    Fetcher,
    FetchSessionDraft,
    FetchType,
    Request,
    next_number,
)

# A fetcher sends a request.


def may_send(s: FetchSessionDraft, f):
    """One request at a time: the next one waits until the last one's response was handled."""
    return s.unanswered[f] is None


def send(s: FetchSessionDraft, new: FetchSessionDraft, f, fetch_type, sequence, wanted, partitions):
    require(may_send(s, f))
    require(all(is_fetched(p, wanted[p]) for p in Partition))
    request = Request(
        fetch_type=fetch_type,
        session_id=s.session_id[f],
        sequence=sequence,
        partitions=partitions,
    )
    new.request[f] = request
    new.unanswered[f] = request
    new.fetching[f] = wanted


def full_request_number(s: FetchSessionDraft, f):
    """A full request that names no session has no number (227d-D2)."""
    if NUMBERED_FULL_REQUESTS and s.session_id[f] != NO_SESSION:
        return next_number(s.sequence[f])
    return NO_REQUEST


@action
def send_full(s: FetchSessionDraft, new: FetchSessionDraft, f: Fetcher, wanted: Interests):
    """FULL_FETCH_REQUEST: with id 0 for a new session, with a session's id to alter which
    partitions it has."""
    require(any(wanted[p] is not None for p in Partition))
    send(s, new, f, FetchType.FULL_FETCH_REQUEST, full_request_number(s, f), wanted, wanted)
    new.reported[f] = nothing()


@action
def send_incremental(s: FetchSessionDraft, new: FetchSessionDraft, f: Fetcher, wanted: Interests):
    """INCREMENTAL_FETCH_REQUEST: of the session's partitions, those that changed."""
    old = s.fetching[f]
    require(s.session_id[f] != NO_SESSION)
    require(all((wanted[p] is None) == (old[p] is None) for p in Partition))
    require(
        all(
            old[p] is None
            or wanted[p] is None
            or keeps_its_place(old[p], wanted[p], s.reported[f][p])
            for p in Partition
        )
    )
    send(
        s,
        new,
        f,
        FetchType.INCREMENTAL_FETCH_REQUEST,
        next_number(s.sequence[f]),
        wanted,
        changed(old, wanted),
    )
    new.reported[f] = {p: still_reported(old[p], wanted[p], s.reported[f][p]) for p in Partition}


# A fetcher handles a response.


def settle(new: FetchSessionDraft, f, session_id, sequence):
    """The response was handled: the next request may go out, in this session."""
    new.response[f] = None
    new.unanswered[f] = None
    new.session_id[f] = session_id
    new.sequence[f] = sequence


def start_over(new: FetchSessionDraft, f):
    """The next request is a full one, for a new session (227d-D4)."""
    new.fetching[f] = nothing()
    new.reported[f] = nothing()
    settle(new, f, NO_SESSION, NO_REQUEST)


def learn(s: FetchSessionDraft, new: FetchSessionDraft, f, answers):
    """Partitions that a response does not have are as they were."""
    new.reported[f] = {
        p: s.reported[f][p] if answers[p] is None else learned(s.reported[f][p], answers[p])
        for p in Partition
    }


def number_after_full(s: FetchSessionDraft, f, request, session_id):
    """A session's numbers begin with it, and go on in it."""
    if request.session_id != session_id:
        return NO_REQUEST
    return request.sequence if NUMBERED_FULL_REQUESTS else s.sequence[f]


@action
def receive_full(s: FetchSessionDraft, new: FetchSessionDraft, f: Fetcher):
    """A full response that allows incremental requests."""
    response = present(s.response[f])
    require(response.error == Error.NONE and not response.incremental and response.incremental_ok)
    learn(s, new, f, response.partitions)
    sequence = number_after_full(s, f, s.unanswered[f], response.session_id)
    settle(new, f, response.session_id, sequence)


@action
def receive_incremental(s: FetchSessionDraft, new: FetchSessionDraft, f: Fetcher):
    """An incremental response that allows more of them."""
    response = present(s.response[f])
    require(response.error == Error.NONE and response.incremental and response.incremental_ok)
    learn(s, new, f, response.partitions)
    settle(new, f, s.session_id[f], s.unanswered[f].sequence)


@action
def receive_last(s: FetchSessionDraft, new: FetchSessionDraft, f: Fetcher):
    """A response after which only full requests are allowed."""
    response = present(s.response[f])
    require(response.error == Error.NONE and not response.incremental_ok)
    start_over(new, f)


@action
def receive_error(s: FetchSessionDraft, new: FetchSessionDraft, f: Fetcher):
    """Neither error says whether the session is still there: it is given up (227d-D4)."""
    response = present(s.response[f])
    require(response.error != Error.NONE)
    start_over(new, f)


# What disturbs a fetcher.


def abandon(s: FetchSessionDraft, new: FetchSessionDraft, f, arrives):
    """Nothing that is under way comes back; the request itself may still arrive."""
    require(s.disturbances[f] < MAX_DISTURBANCES)
    require(not arrives or (s.request[f] is not None and s.stray[f] is None))
    new.disturbances[f] = s.disturbances[f] + 1
    new.stray[f] = s.request[f] if arrives else s.stray[f]
    new.response[f] = None


@action
def retransmit(s: FetchSessionDraft, new: FetchSessionDraft, f: Fetcher, arrives: bool):
    """A request or response is lost or late: the fetcher sends the same request again."""
    require(s.unanswered[f] is not None)
    abandon(s, new, f, arrives)
    new.request[f] = s.unanswered[f]


@action
def restart_fetcher(s: FetchSessionDraft, new: FetchSessionDraft, f: Fetcher, arrives: bool):
    """The fetcher's process starts again and knows nothing."""
    require(s.unanswered[f] is not None or s.session_id[f] != NO_SESSION)
    abandon(s, new, f, arrives)
    new.request[f] = None
    start_over(new, f)


@action
def lose_stray(s: FetchSessionDraft, new: FetchSessionDraft, f: Fetcher):
    """A late request is lost after all."""
    require(s.stray[f] is not None)
    new.stray[f] = None
