# mypy: ignore-errors
"""What is said of letters, not all of it true."""

from lockstep import invariant
from models.letters import Person


@invariant()
def boxes_hold_one_letter(s, p: Person):
    """A box never holds more than one letter."""
    return len(s.box[p]) <= 1


@invariant()
def the_pleased_have_letters(s, p: Person):
    """Whoever is pleased has a letter."""
    return p not in s.pleased or len(s.box[p]) > 0
