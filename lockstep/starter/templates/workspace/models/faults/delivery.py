"""Mistakes that could be made in the delivery of messages, each with the claim that catches it."""

from lockstep import fault, require
from models.delivery import MESSAGES, answer_again, confirm, deliver


@fault(replaces=deliver, breaks="no_message_is_taken_twice")
def takes_repeated_messages(s, new):
    """The receiver does not look at the number of a message."""
    require(s.message is not None and s.delivered < MESSAGES)
    new.delivered = s.delivered + 1
    new.answer = s.message


@fault(replaces=confirm, breaks="confirmed_is_delivered")
def takes_silence_for_an_answer(s, new):
    """The sender waits for no answer."""
    require(s.confirmed < MESSAGES and s.answer is None)
    new.confirmed = s.confirmed + 1


@fault(breaks="delivered_stays_delivered")
def restart(s, new):
    """The receiver starts again and does not know what it has taken."""
    require(s.delivered > 0)
    new.delivered = 0


@fault(replaces=answer_again, breaks="every_message_is_confirmed", unchanged=("answer",))
def drops_repeated_messages(s, new):
    """The receiver says nothing when a message comes again: once an answer is lost, all is over."""
    require(s.message is not None and s.message <= s.delivered)
    new.message = None
