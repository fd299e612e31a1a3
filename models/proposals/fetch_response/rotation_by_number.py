"""KIP-227's earlier draft: a response begins at the partition whose index is the request's number.

The partitions of a session are in lexicographical order, and the index is the sequence number
modulo how many there are. Numbers go up by one, so that each response begins one partition further
on than the one before, whatever that one returned.
"""

from lockstep import replaces
from models.fetch_response import FetchResponse, finish_response, to_the_tail


@replaces(to_the_tail)
def unmoved(order, p):
    return order


@replaces(finish_response)
def finish_and_rotate(s: FetchResponse, new: FetchResponse):
    """The next response begins with the next partition."""
    finish_response(s, new)
    new.order = s.order[1:] + s.order[:1]
