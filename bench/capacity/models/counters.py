"""Decimal counters that only count up: 10 to the power of their number states, and no protocol.

No model of the workspace has just 10^9 states in a scope that fits one word a state; this one
shows what the explorer holds.
"""

from lockstep import Constant, Map, Range, State, action, require

COUNTERS: Constant = 9

Counter = Range(1, COUNTERS)
Digit = Range(0, 9)


class Counters(State):
    at: Map[Counter, Digit] = {c: 0 for c in Counter}


@action
def count(s, new, c: Counter):
    """One of the counters goes on."""
    require(s.at[c] < 9)
    new.at[c] = s.at[c] + 1
