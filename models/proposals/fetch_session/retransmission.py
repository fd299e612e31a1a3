"""A leader that answers a repeated epoch with the response that it sent before.

By KIP-227 a request with an epoch that the session does not expect is refused, whatever the reason,
and the fetcher begins a new session. Where the network repeats a request, the copy may be served
first, and the fetcher's own request is then refused. This leader keeps the last response of each
session and sends it again.
"""

from lockstep import Map, present, replaces, require
from models.fetch_metadata import NO_SESSION, Error, OpenId, is_full, next_epoch
from models.fetch_partitions import nothing
from models.fetch_session_leader import (
    incoming,
    is_expected,
    respond,
    serve_wrong_epoch,
    session_of,
)
from models.fetch_session_state import Fetcher, FetchSession, Response, Via


class RetransmittingFetchSession(FetchSession):
    # The last response of each session.
    sent: Map[OpenId, Response | None] = {i: None for i in OpenId}


def is_repeated(s: RetransmittingFetchSession, request):
    """Whether a request has the epoch that its session expected last."""
    return (
        session_of(s, request) is not None
        and session_of(s, request).epoch == next_epoch(request.epoch)
        and s.sent[request.session_id] is not None
    )


@replaces(respond)
def respond_and_keep(
    s: RetransmittingFetchSession,
    new: RetransmittingFetchSession,
    f,
    via,
    error,
    session_id,
    partitions,
    throttled,
):
    respond(s, new, f, via, error, session_id, partitions, throttled)
    new.sent = {
        i: Response(error=error, session_id=session_id, partitions=partitions, throttled=throttled)
        if i == session_id
        else s.sent[i]
        for i in OpenId
    }


def response_to(s: RetransmittingFetchSession, request):
    """What is answered to a request with an epoch that its session does not expect."""
    if is_repeated(s, request):
        return s.sent[request.session_id]
    return Response(
        error=Error.INVALID_FETCH_SESSION_EPOCH,
        session_id=NO_SESSION,
        partitions=nothing(),
        throttled=False,
    )


@replaces(serve_wrong_epoch)
def serve_unexpected_epoch(
    s: RetransmittingFetchSession, new: RetransmittingFetchSession, f: Fetcher, via: Via
):
    """(ID, EPOCH) with an epoch that the session does not expect: the last one is answered again,
    any other is refused."""
    request = present(incoming(s, f, via))
    require(not is_full(request.epoch) and session_of(s, request) is not None)
    require(not is_expected(s, request))
    response = response_to(s, request)
    respond(
        s,
        new,
        f,
        via,
        response.error,
        response.session_id,
        response.partitions,
        response.throttled,
    )
