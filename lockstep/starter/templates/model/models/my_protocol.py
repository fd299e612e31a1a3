"""What `my_protocol` is about, in a sentence: here, requests are made, and each is answered."""

from lockstep import Constant, Range, State, action, require

# Constants say how large the world is. specs/my_protocol.toml gives them other values.
REQUESTS: Constant = 3

# Domains are the finite sets that values are from: Range, OneOf(NAMES), an Enum, Map, Set, Record.
Count = Range(0, REQUESTS)


# The variables, each with its domain and its first value.
class MyProtocol(State):
    requested: Count = 0
    answered: Count = 0


# One action an outcome. `require` says when it is possible; `s` is the state before, which is read,
# and `new` the state after, which is written. What is not written stays as it is.
@action
def request(s, new):
    """One more request is made."""
    require(s.requested < REQUESTS)
    new.requested = s.requested + 1


@action
def answer(s, new):
    """One of the requests is answered."""
    require(s.answered < s.requested)
    new.answered = s.answered + 1
