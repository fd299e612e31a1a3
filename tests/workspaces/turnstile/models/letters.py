# mypy: ignore-errors
"""Letters are written, carried in one sack, held in one hand, and put into boxes."""

from lockstep import (
    Bool,
    Constant,
    Map,
    OneOf,
    Range,
    Record,
    Sequence,
    Set,
    State,
    action,
    require,
)

SACK: Constant = 2

Person = OneOf(("ann", "bo"))
Count = Range(0, SACK)


class Letter(Record):
    to: Person
    urgent: bool


class Letters(State):
    sack: Map[Person, Map[Bool, Count]] = {p: {u: 0 for u in Bool} for p in Person}
    hand: Letter | None = None
    box: Map[Person, Sequence[Letter, 2]] = {p: () for p in Person}
    pleased: Set[Person] = set()


def fits(s):
    carried = sum(s.sack[p][u] for p in Person for u in Bool) + (0 if s.hand is None else 1)
    return carried + sum(len(s.box[p]) for p in Person) < SACK


@action
def write(s, new, letter: Letter):
    """Somebody writes a letter."""
    require(fits(s))
    new.sack[letter.to][letter.urgent] = s.sack[letter.to][letter.urgent] + 1


@action
def pick(s, new, letter: Letter):
    """The postman takes a letter out of the sack."""
    require(s.hand is None and s.sack[letter.to][letter.urgent] > 0)
    new.sack[letter.to][letter.urgent] = s.sack[letter.to][letter.urgent] - 1
    new.hand = letter


@action
def deliver(s, new, letter: Letter):
    """The letter in the hand goes into a box."""
    require(s.hand == letter)
    new.box[letter.to] = s.box[letter.to] + (letter,)
    new.pleased = s.pleased | {letter.to}
    new.hand = None
