# mypy: ignore-errors
"""Turnstiles that open for a coin, and a box that collects the coins."""

from enum import Enum

from lockstep import Constant, Map, OneOf, Range, State, action, require

GATES: Constant = ("east", "west")
MAX_COINS: Constant = 2
CAN_JAM: Constant = True

Gate = OneOf(GATES)
Count = Range(0, MAX_COINS)


class Arm(Enum):
    LOCKED = 0
    OPEN = 1
    JAMMED = 2


class Turnstile(State):
    arm: Map[Gate, Arm] = {g: Arm.LOCKED for g in Gate}
    coins: Map[Gate, Count] = {g: 0 for g in Gate}
    entries: Map[Gate, Count] = {g: 0 for g in Gate}


def has_room(s, g):
    return s.coins[g] < MAX_COINS


@action
def coin(s, new, g: Gate):
    """Somebody pays."""
    require(s.arm[g] == Arm.LOCKED and has_room(s, g))
    new.arm[g] = Arm.OPEN
    new.coins[g] = s.coins[g] + 1


@action
def push(s, new, g: Gate):
    """Somebody goes in."""
    require(s.arm[g] == Arm.OPEN)
    new.arm[g] = Arm.LOCKED
    new.entries[g] = s.entries[g] + 1


@action
def jam(s, new, g: Gate):
    """The arm breaks while it is locked."""
    require(CAN_JAM and s.arm[g] == Arm.LOCKED)
    new.arm[g] = Arm.JAMMED


@action
def collect(s, new, g: Gate):
    """The box is emptied and whatever is jammed is mended."""
    require(s.arm[g] != Arm.OPEN)
    new.arm[g] = Arm.LOCKED
    new.coins[g] = 0
    new.entries[g] = 0
