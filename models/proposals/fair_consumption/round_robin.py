"""KIP-387: fetches that no poll has begun are drained first, and the rest in round robin.

The KIP keeps two queues, `completedFetches` and `parsedFetches`, and serves the second when the
first is empty. Here both are one line: what no poll has begun stands before what one has.
"""

from lockstep import replaces
from models.fair_consumption import FairConsumption, after_unreadable, arrived, left_off


def completed(s: FairConsumption):
    """The fetches in line that no poll has begun."""
    return tuple(p for p in s.line if not s.buffered[p].begun)


def parsed(s: FairConsumption):
    """The fetches in line that a poll has returned a part of."""
    return tuple(p for p in s.line if s.buffered[p].begun)


@replaces(arrived)
def arrived_before_parsed(s: FairConsumption, p):
    return completed(s) + (p,) + parsed(s)


@replaces(left_off)
def left_off_at_the_end(s: FairConsumption):
    return s.line[1:] + (s.line[0],)


@replaces(after_unreadable)
def unreadable_after_completed(s: FairConsumption):
    """A fetch that cannot be parsed goes to the end of the completed ones (387-D2)."""
    return tuple(p for p in completed(s) if p != s.line[0]) + (s.line[0],) + parsed(s)
