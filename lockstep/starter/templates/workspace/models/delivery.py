"""A sender hands messages to a receiver, over a network that loses them and repeats them.

The sender numbers its messages, and sends each until the receiver has confirmed it.
"""

from lockstep import Constant, Range, State, action, present, require

MESSAGES: Constant = 4  # how many the sender has

Number = Range(1, MESSAGES)
Count = Range(0, MESSAGES)


class Delivery(State):
    confirmed: Count = 0  # how many messages the sender knows to have arrived
    message: Number | None = None  # the number of the message that is on its way
    delivered: Count = 0  # how many messages the receiver has taken
    answer: Number | None = None  # the number of the message that the answer on its way confirms


@action
def send(s, new):
    """The sender sends the message that comes next, for the first time or once more."""
    require(s.confirmed < MESSAGES)
    new.message = s.confirmed + 1


@action
def lose_message(s, new):
    """The network loses the message."""
    require(s.message is not None)
    new.message = None


@action
def deliver(s, new):
    """The receiver takes the message that it waits for. The network may bring it once more."""
    message = present(s.message)
    require(message == s.delivered + 1)
    new.delivered = s.delivered + 1
    new.answer = message


@action
def answer_again(s, new):
    """A message comes that the receiver has already: it takes no second one, and answers."""
    require(s.message is not None and s.message <= s.delivered)
    new.answer = s.message


@action
def lose_answer(s, new):
    """The network loses the answer."""
    require(s.answer is not None)
    new.answer = None


@action
def confirm(s, new):
    """The sender learns that its message has arrived."""
    require(s.answer == s.confirmed + 1)
    new.confirmed = s.confirmed + 1
