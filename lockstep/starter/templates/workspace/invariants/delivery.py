"""What must hold of the delivery of messages."""

from lockstep import invariant, leads_to, lemma, sometimes, step_invariant, when
from models.delivery import Number, answer_again, confirm, deliver, send


@invariant("9999-1")
def no_message_is_taken_twice(s):
    """The receiver has taken no more messages than the sender has sent."""
    return s.delivered <= s.confirmed + 1


@invariant("9999-2")
def confirmed_is_delivered(s):
    """What the sender takes for delivered has been delivered."""
    return s.confirmed <= s.delivered


@step_invariant("9999-3")
def delivered_stays_delivered(s, new):
    """The receiver never forgets what it has taken."""
    return s.delivered <= new.delivered


@leads_to("9999-4", weak=send, strong=(deliver, answer_again, confirm))
def every_message_is_confirmed(s, n: Number):
    """The sender learns of each message that it has arrived, unless all are lost for ever."""
    return s.confirmed < n, s.confirmed >= n


@sometimes
def an_answer_was_lost(s):
    """The receiver has a message of which the sender does not know, and no answer is left."""
    return s.confirmed < s.delivered and s.answer is None


@lemma
def messages_are_sent(s):
    """A proof needs this one: no message is on its way that the sender has not come to."""
    when(s.message is not None)
    return s.message <= s.confirmed + 1


@lemma
def answers_are_true(s):
    """And this one: an answer is of a message that was delivered."""
    when(s.answer is not None)
    return s.answer <= s.delivered
