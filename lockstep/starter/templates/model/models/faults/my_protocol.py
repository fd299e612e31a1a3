"""Mistakes that could be made in `my_protocol`, each with the claim that catches it."""

from lockstep import fault, require
from models.my_protocol import REQUESTS, answer


# `lockstep faults` makes each of them. A claim that none of them breaks may claim nothing.
@fault(replaces=answer, breaks="answers_were_asked_for")
def answers_by_itself(s, new):
    """An answer is given although nobody asked."""
    require(s.answered < REQUESTS)
    new.answered = s.answered + 1
