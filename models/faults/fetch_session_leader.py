"""Mistakes of the leader with the requests and the sessions of KIP-227. Those with a source really
happened.
"""

from lockstep import edit, fault, present, replace, require
from models import fetch_partitions
from models import fetch_session_leader as leader
from models.fetch_metadata import (
    FINAL_EPOCH,
    FIRST_INCREMENTAL_EPOCH,
    NO_SESSION,
    Error,
    OpenId,
    is_full,
    next_epoch,
)
from models.fetch_partitions import UNKNOWN, Partition, merged_partition, nothing, updated_interest
from models.fetch_session_leader import (
    accept,
    full_answers,
    incoming,
    is_expected,
    is_unused,
    opened,
    respond,
    serve_topic_id_error,
    serve_wrong_epoch,
    session_after,
    session_of,
)
from models.fetch_session_state import Fetcher, FetchSession, Via

# Requests.


@fault(breaks="accepted_request_moves_the_epoch")
@edit(leader.is_expected, "return ...", "return session_of(s, request) is not None")
def epoch_not_checked():
    """Any request of a known session is accepted, repeated ones too."""


@fault(breaks="epoch_error_is_deserved")
@edit(leader.is_expected, "request.epoch", "next_epoch(request.epoch)")
def expects_the_epoch_after():
    """The session looks for the epoch after the one that the fetcher is to use."""


@fault(breaks="accepted_request_moves_the_epoch")
@edit(leader.accept, "session_of(s, request).owner", "f")
@edit(leader.accept, "next_epoch(request.epoch)", "request.epoch")
@edit(leader.accept, "partitions", "session_of(s, request).partitions")
def epoch_not_advanced():
    """An accepted request is not counted: the session expects the same epoch again."""


@fault(breaks="session_changes_only_by_accepting_its_epoch", constants={"MAX_EPOCH": 3})
def merges_before_checking(s: FetchSession, new: FetchSession, f: Fetcher, via: Via):
    """A request with the wrong epoch gets its error, but its partitions were taken in already."""
    request = present(incoming(s, f, via))
    require(not is_full(request.epoch) and session_of(s, request) is not None)
    require(not is_expected(s, request))
    new.sessions[request.session_id] = replace(
        session_of(s, request), partitions=session_after(s, request)
    )
    respond(
        s, new, f, via, Error.INVALID_FETCH_SESSION_EPOCH, NO_SESSION, nothing(), throttled=False
    )


@fault(
    replaces=updated_interest,
    breaks="accepted_request_leaves_agreement",
    source="KAFKA-9338",
    constants={"MAX_LEADER_EPOCH": 0, "MAX_OFFSET": 0},
)
def leader_epoch_not_cached(cached, interest):
    """The session does not remember the leader epoch of a partition."""
    return updated_interest(cached, replace(interest, current_leader_epoch=UNKNOWN))


@fault(
    replaces=updated_interest,
    breaks="accepted_request_leaves_agreement",
    source="apache/kafka commit fcc7c2d",
    constants={"MAX_FETCHED_EPOCH": 0, "MAX_OFFSET": 0},
)
def last_fetched_epoch_not_cached(cached, interest):
    """The session does not remember the epoch of the last record that the fetcher has."""
    return updated_interest(cached, replace(interest, last_fetched_epoch=UNKNOWN))


@fault(breaks="accepted_request_leaves_agreement")
@edit(fetch_partitions.updated_interest, "return ...", "return cached")
def altered_partition_ignored():
    """A partition that is in the session already keeps its old fields."""


@fault(
    replaces=merged_partition,
    breaks="learns_what_a_full_fetch_would_tell",
    source="KAFKA-13111",
    scope="topics",
)
def topic_created_again_is_taken_for_the_old(cached, requested, is_forgotten):
    """The session goes by a topic's name: it keeps what it answered of the one that was deleted."""
    return merged_partition(cached, requested, is_forgotten and requested is None)


@fault(replaces=updated_interest, breaks="accepted_request_leaves_agreement", scope="seeking")
def seek_past_the_watermark_is_ignored(cached, interest):
    """A partition that is asked for from beyond the watermark that was answered, and from further
    on than before, is served from where it was."""
    if cached.interest.fetch_offset < interest.fetch_offset > cached.high_watermark:
        return cached
    return updated_interest(cached, interest)


@fault(replaces=session_of, breaks="unknown_session_error_is_deserved")
def session_found_only_once(s: FetchSession, request):
    """The leader finds a session for its first incremental request, and not for a later one."""
    return session_of(s, request) if request.epoch == FIRST_INCREMENTAL_EPOCH else None


@fault(
    replaces=serve_topic_id_error,
    breaks="epoch_error_is_deserved",
    source="KAFKA-13079",
    scope="default",
)
def removal_alone_is_not_understood(s: FetchSession, new: FetchSession, f: Fetcher, via: Via):
    """A request that lists no partition names the topics that it removes by an id that is none: it
    is refused, and its session is given up."""
    request = present(incoming(s, f, via))
    require(not is_full(request.epoch) and is_expected(s, request))
    require(len(request.forgotten) > 0 and all(request.partitions[p] is None for p in Partition))
    respond(
        s, new, f, via, Error.FETCH_SESSION_TOPIC_ID_ERROR, NO_SESSION, nothing(), throttled=False
    )


@fault(replaces=serve_topic_id_error, breaks="epoch_error_is_deserved", scope="topics")
def topic_id_error_counts(s: FetchSession, new: FetchSession, f: Fetcher, via: Via):
    """The epoch moves on before it is seen that the request names its topics otherwise."""
    serve_topic_id_error(s, new, f, via)
    accept(s, new, f, incoming(s, f, via), session_of(s, incoming(s, f, via)).partitions)


# Its cache.


@fault(breaks="full_request_closes_the_session_it_names")
@edit(leader.closed, "return ...", "return sessions")
def old_session_stays():
    """A full request does not close the session that it names."""


@fault(breaks="full_request_closes_the_session_it_names", constants={"STRAYS_ARE_LOST": False})
@edit(
    leader.serve_sessionless,
    "closed(s.sessions, request.session_id)",
    "closed(s.sessions, request.session_id if via == Via.AWAITED else NO_SESSION)",
)
def late_close_closes_nothing():
    """(ID, -1) closes its session only as long as its fetcher waits for the response."""


@fault(breaks="only_its_own_request_ends_a_session", constants={"SESSION_IDS": (1, 2)})
@edit(leader.closed, "return ...", "return {i: None for i in OpenId}")
def full_request_closes_every_session():
    """A full request empties the cache, whichever session it names."""


@fault(replaces=leader.serve_wrong_epoch, breaks="only_its_own_request_ends_a_session")
def late_request_ends_the_session(s: FetchSession, new: FetchSession, f: Fetcher, via: Via):
    """A copy of a request that was served before has its session closed."""
    serve_wrong_epoch(s, new, f, via)
    new.sessions[incoming(s, f, via).session_id] = (
        None if via == Via.STRAY else session_of(s, incoming(s, f, via))
    )


@fault(replaces=leader.serve_incremental_emptying, breaks="sessions_have_partitions")
def emptied_session_lives_on(s: FetchSession, new: FetchSession, f: Fetcher, via: Via):
    """A session stays when its last partition is removed."""
    request = present(incoming(s, f, via))
    require(not is_full(request.epoch) and is_expected(s, request))
    require(all(session_after(s, request)[p] is None for p in Partition))
    accept(s, new, f, request, nothing())
    respond(s, new, f, via, Error.NONE, request.session_id, nothing(), throttled=False)


@fault(replaces=opened, breaks="new_session_starts_at_epoch_one")
def new_session_expects_epoch_two(f, wanted, answers):
    """The request that created the session is counted as one of its own."""
    session = opened(f, wanted, answers)
    return replace(session, epoch=next_epoch(session.epoch))


@fault(breaks="sessionless_request_creates_nothing")
def sessionless_request_is_cached(s: FetchSession, new: FetchSession, f: Fetcher, i: OpenId):
    """(0, -1) is served like (0, 0)."""
    request = present(s.request[f])
    require(request.epoch == FINAL_EPOCH and is_unused(s, i))
    answers = full_answers(s, request.partitions, filled=set())
    new.sessions[i] = opened(f, request.partitions, answers)
    respond(s, new, f, Via.AWAITED, Error.NONE, i, answers, throttled=False)


@fault(breaks="full_requests_never_get_session_errors")
def closing_unknown_session_fails(s: FetchSession, new: FetchSession, f: Fetcher):
    """(ID, 0) and (ID, -1) get an error when session ID is gone already."""
    request = present(s.request[f])
    require(is_full(request.epoch))
    require(request.session_id != NO_SESSION and session_of(s, request) is None)
    error = Error.FETCH_SESSION_ID_NOT_FOUND
    answers = full_answers(s, request.partitions, filled=set())
    respond(s, new, f, Via.AWAITED, error, NO_SESSION, answers, throttled=False)


@fault(
    breaks="sessions_are_never_shared",
    constants={"FETCHERS": ("c1", "c2"), "MAX_OFFSET": 0, "MAX_DISTURBANCES": 0},
)
@edit(leader.is_unused, "return ...", "return s.sessions[i] is None")
def id_drawn_again_too_soon():
    """An id is free as soon as its session is evicted, although its fetcher still holds it."""
