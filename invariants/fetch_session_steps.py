"""What a step of KIP-227 fetch sessions did, and how things are, for what must hold of them.

All of it is read off the states in words of its own: a claim that called what the model calls would
be wrong whenever that is.
"""

from models.fetch_metadata import MAX_EPOCH, Error
from models.fetch_partitions import DIVERGING_EPOCHS, UNKNOWN
from models.fetch_session_state import FOLLOWERS, FetchSession, Via

# What a step did, read off the states before and after it.


def came(s: FetchSession, f, via):
    """The request that the leader has by one way or the other."""
    return s.stray[f] if via == Via.STRAY else s.request[f]


def was_served(s: FetchSession, new: FetchSession, f, via):
    """A request left the network because the leader served it (or, if stray, was lost)."""
    if via == Via.AWAITED:
        return s.request[f] is not None and new.request[f] is None and new.response[f] is not None
    return s.stray[f] is not None and new.stray[f] is None


def was_answered(s: FetchSession, new: FetchSession, f):
    """The awaited request was served, and not put off."""
    return (
        was_served(s, new, f, Via.AWAITED)
        and new.response[f].error == Error.NONE
        and not new.response[f].throttled
    )


def was_accepted(s: FetchSession, new: FetchSession, f):
    """The awaited request was served as an incremental one, and its session lives on."""
    return (
        was_served(s, new, f, Via.AWAITED)
        and s.request[f].epoch > 0
        and new.response[f].error == Error.NONE
        and new.sessions[s.request[f].session_id] is not None
    )


def was_sent(s: FetchSession, new: FetchSession, f):
    return s.request[f] is None and new.request[f] is not None


def was_handled(s: FetchSession, new: FetchSession, f):
    """The fetcher took its response; one that is lost counts as a disturbance."""
    return (
        s.response[f] is not None
        and new.response[f] is None
        and s.disturbances[f] == new.disturbances[f]
    )


def follows(epoch, earlier):
    """Whether an epoch comes after another in a session; 0 and -1 come before the first."""
    if earlier <= 0 or earlier == MAX_EPOCH:
        return epoch == 1
    return epoch == earlier + 1


# How things are.


def is_up_to_date(s: FetchSession, p, high_watermark, log_start_offset):
    """Whether these are the leader's own offsets of a partition, or say that it has failed."""
    if p in s.failing:
        return high_watermark == UNKNOWN and log_start_offset == UNKNOWN
    return high_watermark == s.high_watermark[p] and log_start_offset == s.log_start[p]


def knows_all(s: FetchSession, f, p):
    """Whether it was reported to the fetcher how a partition is."""
    return s.reported[f][p] is not None and is_up_to_date(
        s, p, s.reported[f][p].high_watermark, s.reported[f][p].log_start_offset
    )


def end_for(s: FetchSession, f, p):
    """Where a fetcher's reading ends: a consumer's at what is committed."""
    return s.log_end[p] if f in FOLLOWERS else s.high_watermark[p]


def is_readable(s: FetchSession, f, p):
    """Whether there is a record where the fetcher wants to read."""
    return (
        s.fetching[f][p] is not None
        and p not in s.failing
        and s.fetching[f][p].last_fetched_epoch not in DIVERGING_EPOCHS
        and s.fetching[f][p].fetch_offset >= s.log_start[p]
        and s.fetching[f][p].fetch_offset < end_for(s, f, p)
    )
