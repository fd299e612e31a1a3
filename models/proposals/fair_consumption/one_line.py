"""One line for all: whatever a poll leaves behind goes to its end, and so does what comes in."""

from lockstep import replaces
from models.fair_consumption import FairConsumption, after_unreadable, left_off


@replaces(left_off)
def left_off_at_the_end(s: FairConsumption):
    return s.line[1:] + (s.line[0],)


@replaces(after_unreadable)
def unreadable_at_the_end(s: FairConsumption):
    return s.line[1:] + (s.line[0],)
