"""What must hold of polls that wait. Ids such as 227-12 are rows of specs/kip_227.toml."""

from invariants.long_polls_fetcher import (
    after_an_error_everything_is_asked_again,
    answers_are_taken_in,
    epochs_agree,
    every_poll_ends,
    follows,
    pending_means_under_way,
    requests_go_on_in_order,
    what_is_given_up_goes_on,
)
from lockstep import present, sometimes, step_invariant, when
from models.fetch_metadata import NO_SESSION, Error, OpenId
from models.long_polls import LongPolls, Via


def was_accepted(s: LongPolls, new: LongPolls, v):
    """A request left the network and waits."""
    return (
        s.request[v] is not None
        and new.request[v] is None
        and s.waiting[v] is None
        and new.waiting[v] is not None
    )


def was_refused(s: LongPolls, new: LongPolls):
    """The awaited request was answered as it came."""
    return s.request[Via.AWAITED] is not None and s.response is None and new.response is not None


def was_answered(s: LongPolls, new: LongPolls, v):
    """A poll waits no more, and was not given up."""
    return (
        s.waiting[v] is not None
        and new.waiting[v] is None
        and (v == Via.STRAY or new.response is not None)
    )


# Requests are accepted in order, and at once.


@step_invariant("227-6", "227-28", "227-30", "227-32")
def a_session_moves_on_by_accepting(s: LongPolls, new: LongPolls, i: OpenId):
    """A session expects another epoch only when it accepts the request that it expected, and then
    the next one. That a poll is answered changes nothing of it."""
    before = present(s.sessions[i])
    after = present(new.sessions[i])
    when(before.epoch != after.epoch)
    return follows(after.epoch, before.epoch) and any(
        was_accepted(s, new, v)
        and s.request[v].session_id == i
        and s.request[v].epoch == before.epoch
        for v in Via
    )


@step_invariant("227-6", "227-8", "227-39")
def an_accepted_request_counts_at_once(s: LongPolls, new: LongPolls, v: Via):
    """An incremental request waits only where its session expected it, and from then on that
    expects the next one (227-D12)."""
    when(was_accepted(s, new, v) and s.request[v].epoch > 0)
    request = s.request[v]
    return (
        s.sessions[request.session_id] is not None
        and s.sessions[request.session_id].epoch == request.epoch
        and new.sessions[request.session_id] is not None
        and follows(new.sessions[request.session_id].epoch, request.epoch)
    )


@step_invariant("227-27", "227-28", "227-32", "227-47")
def refusals_are_deserved(s: LongPolls, new: LongPolls):
    """Whatever is refused as it comes names a session that is not there, or an epoch that is not
    expected, be it that of a poll which waits. The refusal names no session, and none changes."""
    when(was_refused(s, new))
    request = s.request[Via.AWAITED]
    session = None if request.session_id == NO_SESSION else s.sessions[request.session_id]
    return (
        request.epoch > 0
        and new.response.error
        == (
            Error.FETCH_SESSION_ID_NOT_FOUND
            if session is None
            else Error.INVALID_FETCH_SESSION_EPOCH
        )
        and (session is None or session.epoch != request.epoch)
        and new.response.session_id == NO_SESSION
        and new.response.version is None
        and new.sessions == s.sessions
    )


@step_invariant("227-38", "227-40")
def a_full_request_closes_at_once(s: LongPolls, new: LongPolls, v: Via):
    """(ID, 0) and (ID, -1) close session ID when they are accepted, not when they are answered."""
    when(was_accepted(s, new, v) and s.request[v].epoch <= 0)
    when(s.request[v].session_id != NO_SESSION)
    return new.sessions[s.request[v].session_id] is None


@step_invariant("227-4", "227-38", "227-40")
def answers_end_no_session(s: LongPolls, new: LongPolls, v: Via, i: OpenId):
    """Whatever becomes of a request, no session ends but the one that a full request names."""
    when(s.request[v] != new.request[v] or s.waiting[v] != new.waiting[v])
    when(s.sessions[i] is not None and new.sessions[i] is None)
    return was_accepted(s, new, v) and s.request[v].epoch <= 0 and s.request[v].session_id == i


@step_invariant("227-7", "227-36", "227-37")
def sessions_begin_with_an_answer(s: LongPolls, new: LongPolls, i: OpenId):
    """A session is created when a request with epoch 0 is answered, and first expects epoch 1."""
    when(s.sessions[i] is None)
    session = present(new.sessions[i])
    return session.epoch == 1 and any(
        was_answered(s, new, v) and s.waiting[v].epoch == 0 for v in Via
    )


@step_invariant("227-1", "227-4", "227-13")
def a_session_changes_by_its_requests(s: LongPolls, new: LongPolls, i: OpenId):
    """What a session was answered last changes only when one of its own polls is answered, and its
    epoch only when it accepts one. Nobody else's request changes it."""
    before = present(s.sessions[i])
    after = present(new.sessions[i])
    when(before != after)
    return any(
        (was_accepted(s, new, v) and s.request[v].session_id == i and after.sent == before.sent)
        or (
            was_answered(s, new, v)
            and s.waiting[v].epoch > 0
            and s.waiting[v].session_id == i
            and after.epoch == before.epoch
            and after.sent == s.version
        )
        for v in Via
    )


# Polls are answered as things are then.


@step_invariant("227-1", "227-12", "227-13")
def polls_tell_what_is_new(s: LongPolls, new: LongPolls):
    """After the answer to a poll the fetcher knows how things are at that moment, however long it
    waited."""
    when(was_answered(s, new, Via.AWAITED) and s.waiting[Via.AWAITED].epoch > 0)
    when(new.response.error == Error.NONE)
    return (s.known_version if new.response.version is None else new.response.version) == s.version


@step_invariant("227-52")
def polls_tell_nothing_twice(s: LongPolls, new: LongPolls):
    """An answer of a session that is there has only what its fetcher does not know."""
    when(was_answered(s, new, Via.AWAITED) and s.waiting[Via.AWAITED].epoch > 0)
    when(s.sessions[s.waiting[Via.AWAITED].session_id] is not None)
    return new.response.version is None or new.response.version != s.known_version


@step_invariant("227-34", "227-36", "227-38", "227-40")
def full_polls_are_answered_in_full(s: LongPolls, new: LongPolls):
    """A full request gets no error, and an answer of everything, or of nothing and without a
    session (227-D19)."""
    when(was_answered(s, new, Via.AWAITED) and s.waiting[Via.AWAITED].epoch <= 0)
    return new.response.error == Error.NONE and (
        new.response.version == s.version
        or (new.response.version is None and new.response.session_id == NO_SESSION)
    )


@step_invariant("227-28", "227-49", "227-51")
def an_overtaken_poll_gets_an_error(s: LongPolls, new: LongPolls):
    """The answer to a poll names its session, whether that is there or not. It is an epoch error
    exactly if the session went on without it (227-D12, 227-D13)."""
    when(was_answered(s, new, Via.AWAITED) and s.waiting[Via.AWAITED].epoch > 0)
    poll = s.waiting[Via.AWAITED]
    session = s.sessions[poll.session_id]
    goes_on = not poll.overtaken if session is None else follows(session.epoch, poll.epoch)
    return (
        new.response.session_id == poll.session_id and (new.response.error == Error.NONE) == goes_on
    )


@step_invariant("227-6", "227-28")
def only_its_session_overtakes_a_poll(s: LongPolls, new: LongPolls, v: Via):
    """A poll that waits stays as it is, until its own session accepts a later request."""
    when(s.waiting[v] is not None and new.waiting[v] is not None)
    is_passed = any(
        was_accepted(s, new, w)
        and s.request[w].epoch > 0
        and s.request[w].session_id == s.waiting[v].session_id
        for w in Via
    )
    return (
        new.waiting[v].session_id == s.waiting[v].session_id
        and new.waiting[v].epoch == s.waiting[v].epoch
        and new.waiting[v].overtaken == (s.waiting[v].overtaken or is_passed)
    )


@step_invariant("227-28")
def an_overtaken_poll_takes_nothing(s: LongPolls, new: LongPolls, v: Via):
    """What is answered to a poll that its session went on without counts as sent to nobody, though
    the answer is lost (227-D12)."""
    when(was_answered(s, new, v) and s.waiting[v].epoch > 0)
    session = present(s.sessions[s.waiting[v].session_id])
    when(not follows(session.epoch, s.waiting[v].epoch))
    return new.sessions == s.sessions


# What comes of nothing but the network and the scope.


@step_invariant("227-1", "227-13")
def what_there_is_to_tell_grows_by_itself(s: LongPolls, new: LongPolls):
    """What is new is one version more, and by itself it changes no session, poll or response."""
    when(new.version != s.version)
    return (
        new.version == s.version + 1
        and new.sessions == s.sessions
        and new.waiting == s.waiting
        and new.response == s.response
    )


@step_invariant("227-32", "227-38")
def a_stray_is_a_copy(s: LongPolls, new: LongPolls):
    """A request that is not awaited is one that was given up or repeated, and is as it was sent. It
    counts as one disturbance, as does a request that is given up or overtaken by the next one, and
    nothing else."""
    comes = new.request[Via.STRAY] is not None and new.request[Via.STRAY] != s.request[Via.STRAY]
    is_copy = s.request[Via.STRAY] is None and new.request[Via.STRAY] == s.request[Via.AWAITED]
    is_given_up = s.pending and not new.pending
    is_overtaken = (
        s.pending and s.request[Via.AWAITED] is None and new.request[Via.AWAITED] is not None
    )
    return (
        not comes and not is_overtaken
        if new.disturbances == s.disturbances
        else new.disturbances == s.disturbances + 1
        and (is_copy if comes else is_given_up or is_overtaken)
    )


# The scope reaches what it is about.


@sometimes("227-27")
def a_poll_outlives_its_session(s: LongPolls):
    """The session of a poll that waits was evicted, and the answer will name it all the same."""
    poll = s.waiting[Via.AWAITED]
    return poll is not None and poll.epoch > 0 and s.sessions[poll.session_id] is None


@sometimes("227-38")
def a_close_overtakes_a_poll(s: LongPolls):
    """A fetcher gave up a poll, and has its session closed while that waits still."""
    left = s.waiting[Via.STRAY]
    closing = s.waiting[Via.AWAITED]
    return (
        left is not None
        and closing is not None
        and left.epoch > 0
        and closing.epoch <= 0
        and left.session_id == closing.session_id
    )


@sometimes("227-32")
def a_copy_comes_while_its_poll_waits(s: LongPolls):
    """It is refused, though nothing was answered yet."""
    poll = s.waiting[Via.AWAITED]
    copy = s.request[Via.STRAY]
    return (
        poll is not None
        and copy is not None
        and copy.epoch > 0
        and copy.session_id == poll.session_id
        and copy.epoch == poll.epoch
    )


@sometimes("227-40")
def a_session_is_closed_without_another(s: LongPolls):
    """A fetcher closes its session, and asks for no other."""
    closing = s.waiting[Via.AWAITED]
    return closing is not None and closing.epoch == -1 and closing.session_id != NO_SESSION


@sometimes("227-34")
def everything_is_answered_without_a_session(s: LongPolls):
    """A full request is answered, though no session comes of it."""
    return (
        s.response is not None
        and s.response.session_id == NO_SESSION
        and s.response.version is not None
    )


@sometimes("227-13")
def an_answer_brings_something_new(s: LongPolls):
    """What a session has answered already has changed, and the next answer says so."""
    return (
        s.response is not None
        and s.response.version is not None
        and s.known_version is not None
        and s.response.version != s.known_version
    )


@sometimes("227-50")
def a_full_request_is_put_off(s: LongPolls):
    """It closed its session, and is answered neither with another one nor with anything else."""
    return (
        s.response is not None
        and s.response.error == Error.NONE
        and s.response.session_id == NO_SESSION
        and s.response.version is None
        and s.metadata.session_id != NO_SESSION
    )


@sometimes("227-38", "227-40")
def a_close_that_was_given_up_arrives(s: LongPolls):
    """A fetcher may give up the request that closes its session, and the leader get it still."""
    closing = s.request[Via.STRAY]
    return (
        closing is not None
        and closing.epoch == -1
        and closing.session_id != NO_SESSION
        and closing.session_id == s.metadata.session_id
        and not s.pending
        and s.disturbances == 1
    )
