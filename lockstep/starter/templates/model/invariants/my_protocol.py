"""What must hold of `my_protocol`."""

from lockstep import invariant, sometimes


# True in every state. Beside it there are @step_invariant(s, new) for every step, and @leads_to for
# what must come to pass.
@invariant
def answers_were_asked_for(s):
    """There are no more answers than requests."""
    return s.answered <= s.requested


# True in some state: the scope is large enough for what matters to happen in it.
@sometimes
def two_requests_wait(s):
    """Two requests wait for their answers at the same time."""
    return s.requested >= s.answered + 2
