# mypy: ignore-errors
"""What must hold of turnstiles."""

from lockstep import invariant, sometimes, step_invariant, when
from models.turnstile import Arm, Gate


@invariant("9-1")
def entries_are_paid(s, g: Gate):
    """Nobody gets in without a coin."""
    return s.entries[g] <= s.coins[g]


@step_invariant("9-2")
def opens_only_for_a_coin(s, new, g: Gate):
    """An arm that opens has just been paid for."""
    when(s.arm[g] != Arm.OPEN and new.arm[g] == Arm.OPEN)
    return new.coins[g] == s.coins[g] + 1


@sometimes("9-3")
def somebody_gets_in(s):
    """Somebody gets in."""
    return any(s.entries[g] > 0 for g in Gate)
