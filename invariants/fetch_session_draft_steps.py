"""What a step of the earlier draft of KIP-227 did, and how things are, for what must hold of it.

All of it is read off the states in words of its own.
"""

from models.fetch_session_draft_state import (
    FOLLOWERS,
    MAX_SEQUENCE,
    FetchSessionDraft,
    FetchType,
    Via,
)


def came(s: FetchSessionDraft, f, via):
    return s.stray[f] if via == Via.STRAY else s.request[f]


def was_sent(s: FetchSessionDraft, new: FetchSessionDraft, f):
    """A request that is no repetition."""
    return s.unanswered[f] is None and new.unanswered[f] is not None


def was_served(s: FetchSessionDraft, new: FetchSessionDraft, f):
    return s.request[f] is not None and new.request[f] is None and new.response[f] is not None


def was_handled(s: FetchSessionDraft, new: FetchSessionDraft, f):
    return (
        s.response[f] is not None
        and new.response[f] is None
        and s.disturbances[f] == new.disturbances[f]
    )


def is_full(request):
    return request.fetch_type == FetchType.FULL_FETCH_REQUEST


def was_asked_in_full(s: FetchSessionDraft, new: FetchSessionDraft, f, via, i):
    """A full request that names session i was taken from the network."""
    request = came(s, f, via)
    return (
        request is not None
        and is_full(request)
        and request.session_id == i
        and came(new, f, via) is None
    )


def follows(sequence, earlier):
    return sequence == (1 if earlier == MAX_SEQUENCE else earlier + 1)


def knows_all(s: FetchSessionDraft, f, p):
    """It was reported to the fetcher where the log of p starts, and where its high watermark is."""
    return (
        s.reported[f][p] is not None
        and s.reported[f][p].high_watermark == s.high_watermark[p]
        and s.reported[f][p].log_start_offset == s.log_start[p]
    )


def is_readable(s: FetchSessionDraft, f, p):
    """There is a record where the fetcher wants to read."""
    end = s.log_end[p] if f in FOLLOWERS else s.high_watermark[p]
    return (
        s.fetching[f][p] is not None
        and s.log_start[p] <= s.fetching[f][p].fetch_offset
        and s.fetching[f][p].fetch_offset < end
    )
