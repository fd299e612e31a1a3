# mypy: ignore-errors
"""Letters are written, carried in one sack, held in one hand, and put into boxes."""

from lockstep import Bag, BagOf, Constant, Map, OneOf, Record, Sequence, Set, State, action, require

SACK: Constant = 2

Person = OneOf(("ann", "bo"))


class Letter(Record):
    to: Person
    urgent: bool


class Letters(State):
    sack: BagOf[Letter, SACK] = Bag()
    hand: Letter | None = None
    box: Map[Person, Sequence[Letter, 2]] = {p: () for p in Person}
    pleased: Set[Person] = set()


def fits(s):
    return len(s.sack) + sum(len(s.box[p]) for p in Person) + (0 if s.hand is None else 1) < SACK


@action
def write(s, new, letter: Letter):
    """Somebody writes a letter."""
    require(fits(s))
    new.sack = s.sack.add(letter)


@action
def pick(s, new, letter: Letter):
    """The postman takes a letter out of the sack."""
    require(s.hand is None and letter in s.sack)
    new.sack = s.sack.remove(letter)
    new.hand = letter


@action
def deliver(s, new, letter: Letter):
    """The letter in the hand goes into a box."""
    require(s.hand == letter)
    new.box[letter.to] = s.box[letter.to] + (letter,)
    new.pleased = s.pleased | {letter.to}
    new.hand = None
