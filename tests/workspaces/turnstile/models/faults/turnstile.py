# mypy: ignore-errors
"""Mistakes in turnstiles."""

from lockstep import fault, require
from models.turnstile import Arm, Gate, push


@fault(replaces=push, breaks="entries_are_paid", source="a gate in Graz", unchanged=("arm",))
def stays_open(s, new, g: Gate):
    """The arm does not lock behind the one who goes in."""
    require(s.arm[g] == Arm.OPEN and s.entries[g] < 2)
    new.entries[g] = s.entries[g] + 1


@fault(breaks="opens_only_for_a_coin", scope="default", constants={"GATES": ("east",)})
def kicked_open(s, new, g: Gate):
    """A kick opens the arm."""
    require(s.arm[g] == Arm.LOCKED)
    new.arm[g] = Arm.OPEN
