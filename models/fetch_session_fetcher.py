"""The fetchers of KIP-227 fetch sessions: what they send, what they make of the responses, and what
disturbs them.
"""

from lockstep import Set, action, present, replace, require
from models.fetch_metadata import (
    FINAL_EPOCH,
    FRESH,
    INITIAL_EPOCH,
    NO_SESSION,
    Error,
    Metadata,
    after_full_response,
    close_existing_attempt_new,
    is_full,
    next_epoch,
)
from models.fetch_partitions import (
    Interests,
    Partition,
    changed,
    dropped,
    is_fetched,
    keeps_its_place,
    learned,
    nothing,
    still_reported,
)
from models.fetch_session_state import (
    BEGINS_AGAIN,
    MAX_DISTURBANCES,
    SEEKS,
    STRAYS_ARE_LOST,
    TOPIC_IDS,
    Fetcher,
    FetchSession,
    Request,
)

# A fetcher sends a request.


def may_send(s: FetchSession, f):
    """One request at a time: the next one waits until the last one's response was handled."""
    return not s.pending[f]


def send(new: FetchSession, f, metadata, partitions, forgotten):
    require(all(is_fetched(p, partitions[p]) for p in Partition))
    new.request[f] = Request(
        session_id=metadata.session_id,
        epoch=metadata.epoch,
        partitions=partitions,
        forgotten=forgotten,
    )
    new.pending[f] = True


def send_all(new: FetchSession, f, metadata, wanted):
    """A full request: it lists every partition, and the fetcher starts to learn from nothing."""
    new.metadata[f] = metadata
    new.fetching[f] = wanted
    new.reported[f] = nothing()
    send(new, f, metadata, wanted, forgotten=set())


@action
def send_sessionless(s: FetchSession, new: FetchSession, f: Fetcher, wanted: Interests):
    """(0, -1): a fetcher that does not want a session (227-D25)."""
    require(may_send(s, f) and s.metadata[f].session_id == NO_SESSION)
    require(any(wanted[p] is not None for p in Partition))
    send_all(new, f, Metadata(session_id=NO_SESSION, epoch=FINAL_EPOCH), wanted)


@action
def send_full(s: FetchSession, new: FetchSession, f: Fetcher, wanted: Interests):
    """(0, 0) or (ID, 0): a fetcher that wants a new session, for some partition (227-D2)."""
    require(may_send(s, f) and s.metadata[f].epoch == INITIAL_EPOCH)
    require(any(wanted[p] is not None for p in Partition))
    send_all(new, f, s.metadata[f], wanted)


def send_changes(s: FetchSession, new: FetchSession, f, wanted, replaced):
    """List what changed, and name what is removed; what is replaced is both."""
    old = {p: None if p in replaced else s.fetching[f][p] for p in Partition}
    require(may_send(s, f) and not is_full(s.metadata[f].epoch))
    require(
        all(
            SEEKS
            or old[p] is None
            or wanted[p] is None
            or keeps_its_place(old[p], wanted[p], s.reported[f][p])
            for p in Partition
        )
    )
    new.fetching[f] = wanted
    new.reported[f] = {p: still_reported(old[p], wanted[p], s.reported[f][p]) for p in Partition}
    send(new, f, s.metadata[f], changed(old, wanted), dropped(s.fetching[f], wanted) | replaced)


@action
def send_incremental(s: FetchSession, new: FetchSession, f: Fetcher, wanted: Interests):
    """(ID, EPOCH): list what changed, name what is removed, and nothing else (227-D11)."""
    send_changes(s, new, f, wanted, replaced=set())


@action
def send_replacing(
    s: FetchSession, new: FetchSession, f: Fetcher, wanted: Interests, replaced: Set[Partition]
):
    """(ID, EPOCH): topics were made again, so that their partitions are removed by the old ids, and
    listed by the new ones (227-D10, 227-D42)."""
    require(TOPIC_IDS and len(replaced) > 0)
    require(
        all(
            p not in replaced or (s.fetching[f][p] is not None and wanted[p] is not None)
            for p in Partition
        )
    )
    send_changes(s, new, f, wanted, replaced)


@action
def send_close(s: FetchSession, new: FetchSession, f: Fetcher, wanted: Interests):
    """(ID, -1): a fetcher that wants no session any more; one that leaves wants no data either
    (227-D24)."""
    require(may_send(s, f) and s.metadata[f].session_id != NO_SESSION)
    closing = Metadata(session_id=s.metadata[f].session_id, epoch=FINAL_EPOCH)
    send_all(new, f, closing, wanted)


# A fetcher handles a response.


def settle(new: FetchSession, f, metadata):
    """The response was handled: the next request may go out, with this metadata."""
    new.response[f] = None
    new.pending[f] = False
    new.metadata[f] = metadata


def start_over(new: FetchSession, f):
    """The next request is a full one: what was fetched and reported no longer matters (227-D22)."""
    new.fetching[f] = nothing()
    new.reported[f] = nothing()


def reported_after(s: FetchSession, f, answers):
    """What the fetcher knows after a response; partitions not in it are as they were."""
    return {
        p: s.reported[f][p] if answers[p] is None else learned(s.reported[f][p], answers[p])
        for p in Partition
    }


@action
def receive_full(s: FetchSession, new: FetchSession, f: Fetcher):
    """A full response with a session id: the session's next request has epoch 1."""
    response = present(s.response[f])
    require(is_full(s.metadata[f].epoch) and response.session_id != NO_SESSION)
    new.reported[f] = reported_after(s, f, response.partitions)
    settle(new, f, after_full_response(response.session_id))


@action
def receive_sessionless(s: FetchSession, new: FetchSession, f: Fetcher):
    """A full response with session id 0: there is no session."""
    response = present(s.response[f])
    require(is_full(s.metadata[f].epoch) and response.session_id == NO_SESSION)
    start_over(new, f)
    settle(new, f, after_full_response(NO_SESSION))


@action
def receive_incremental(s: FetchSession, new: FetchSession, f: Fetcher):
    """An incremental response of the session (227-D45): partitions not in it are as they were."""
    response = present(s.response[f])
    require(not is_full(s.metadata[f].epoch))
    require(response.error == Error.NONE and response.session_id != NO_SESSION)
    new.reported[f] = reported_after(s, f, response.partitions)
    settle(new, f, replace(s.metadata[f], epoch=next_epoch(s.metadata[f].epoch)))


@action
def receive_session_closed(s: FetchSession, new: FetchSession, f: Fetcher):
    """An incremental response with session id 0: the session is gone."""
    response = present(s.response[f])
    require(not is_full(s.metadata[f].epoch))
    require(response.error == Error.NONE and response.session_id == NO_SESSION)
    start_over(new, f)
    settle(new, f, FRESH)


@action
def receive_unknown_session(s: FetchSession, new: FetchSession, f: Fetcher):
    """FETCH_SESSION_ID_NOT_FOUND: there is nothing to close, start afresh (227-D20)."""
    response = present(s.response[f])
    require(response.error == Error.FETCH_SESSION_ID_NOT_FOUND)
    start_over(new, f)
    settle(new, f, FRESH)


@action
def receive_wrong_epoch(s: FetchSession, new: FetchSession, f: Fetcher):
    """INVALID_FETCH_SESSION_EPOCH, or an error that is no business of the session's: close it and
    attempt a new one (227-D20)."""
    response = present(s.response[f])
    require(response.error not in (Error.NONE, Error.FETCH_SESSION_ID_NOT_FOUND))
    start_over(new, f)
    settle(new, f, close_existing_attempt_new(s.metadata[f]))


# What disturbs a fetcher.


def disturb(s: FetchSession, new: FetchSession, f):
    require(s.disturbances[f] < MAX_DISTURBANCES)
    new.disturbances[f] = s.disturbances[f] + 1


def abandon(s: FetchSession, new: FetchSession, f, arrives):
    """Nothing that is under way comes back; the request itself may still arrive."""
    disturb(s, new, f)
    new.stray[f] = s.request[f] if arrives else s.stray[f]
    new.request[f] = None
    new.response[f] = None
    new.pending[f] = False


@action
def disconnect(s: FetchSession, new: FetchSession, f: Fetcher, arrives: bool):
    """A request or response is lost, or delayed past the fetcher's patience (227-D21)."""
    require(s.pending[f])
    require(not arrives or (s.request[f] is not None and s.stray[f] is None))
    abandon(s, new, f, arrives)
    start_over(new, f)
    new.metadata[f] = close_existing_attempt_new(s.metadata[f])


@action
def restart_fetcher(s: FetchSession, new: FetchSession, f: Fetcher, arrives: bool):
    """The fetcher's process starts again and knows nothing."""
    require(not arrives or (s.request[f] is not None and s.stray[f] is None))
    require(s.pending[f] or s.metadata[f] != FRESH)
    abandon(s, new, f, arrives)
    start_over(new, f)
    new.metadata[f] = FRESH


@action
def begin_again(s: FetchSession, new: FetchSession, f: Fetcher, naming: bool):
    """A fetcher gives its session up, and drops the response that has come: its next request is
    ($ID, 0), or (0, 0), which leaves the session behind (227-D43)."""
    require(BEGINS_AGAIN and s.request[f] is None)
    begun = close_existing_attempt_new(s.metadata[f]) if naming else FRESH
    require(s.pending[f] or begun != s.metadata[f])
    disturb(s, new, f)
    start_over(new, f)
    settle(new, f, begun)


@action
def duplicate(s: FetchSession, new: FetchSession, f: Fetcher):
    """The network repeats a request."""
    require(s.request[f] is not None and s.stray[f] is None)
    disturb(s, new, f)
    new.stray[f] = s.request[f]


@action
def lose_stray(s: FetchSession, new: FetchSession, f: Fetcher):
    """A delayed or repeated request is lost after all."""
    require(STRAYS_ARE_LOST and s.stray[f] is not None)
    new.stray[f] = None
