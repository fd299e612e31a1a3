"""What must hold of a lock with leases."""

from lockstep import invariant


@invariant("9998-1")
def a_lease_that_is_over_frees_the_lock(s):
    """Somebody has the lock exactly as long as a lease lasts."""
    return (s.holder is not None) == (s.left > 0)
