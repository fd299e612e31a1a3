"""A lock with leases: a client loses the lock after some time, unless it renews its lease before.

`drivers/lock.py` is such a lock, and `drivers/lease.py` drives it in step with this model.
"""

from lockstep import Constant, OneOf, Range, State, action, require

CLIENTS: Constant = ("c1", "c2")
TICKS: Constant = 2  # how long a lease lasts

Client = OneOf(CLIENTS)
Left = Range(0, TICKS)


class Lease(State):
    holder: Client | None = None  # who has the lock
    left: Left = 0  # how many ticks its lease still lasts


@action
def grant(s, new, c: Client):
    """The lock is free, and a client gets it."""
    require(s.holder is None)
    new.holder = c
    new.left = TICKS


@action
def refuse(s, new, c: Client):
    """A client asks for the lock, which somebody has."""
    require(s.holder is not None)


@action
def renew(s, new, c: Client):
    """The client that has the lock renews its lease."""
    require(s.holder == c)
    new.left = TICKS


@action
def refuse_renewal(s, new, c: Client):
    """A client wants to renew a lease that it does not have, or that is over."""
    require(s.holder != c)


@action
def tick(s, new):
    """Time goes by; the last tick of a lease frees the lock."""
    require(s.holder is not None)
    new.left = s.left - 1
    new.holder = s.holder if s.left > 1 else None
