"""Mistakes that could be made in a lock with leases, each with the claim that catches it."""

from lockstep import fault, require
from models.lease import TICKS, Client, renew


@fault(replaces=renew, breaks="a_lease_that_is_over_frees_the_lock")
def renews_a_lease_that_is_over(s, new, c: Client):
    """The lock does not look whether the lease of a client is over."""
    require(s.holder == c or s.holder is None)
    new.left = TICKS
