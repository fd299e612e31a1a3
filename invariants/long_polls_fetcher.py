"""What a fetcher whose polls wait does, and that it agrees with its leader."""

from lockstep import each, invariant, leads_to, present, step_invariant, when
from models.fetch_metadata import MAX_EPOCH, NO_SESSION, Error, Metadata
from models.long_polls import (
    LongPolls,
    Via,
    accept_full,
    accept_incremental,
    answer_after_its_session,
    answer_incremental,
    answer_overtaken,
    answer_without_session,
    receive_error,
    receive_full,
    receive_incremental,
    refuse_unknown_session,
    refuse_wrong_epoch,
)


def follows(epoch, earlier):
    return epoch == (1 if earlier == MAX_EPOCH else earlier + 1)


# Leader and fetcher agree.


@invariant("227-2", "227-30", "227-31", "227-51")
def epochs_agree(s: LongPolls):
    """A session expects the epoch that its fetcher would send next: after a poll that waits or was
    answered the one after it, and else that of the request itself."""
    when(s.metadata.epoch > 0)
    session = present(s.sessions[s.metadata.session_id])
    when(s.response is None or s.response.error == Error.NONE)
    is_counted = s.waiting[Via.AWAITED] is not None or s.response is not None
    when(is_counted or not s.pending)
    when(s.waiting[Via.AWAITED] is None or not s.waiting[Via.AWAITED].overtaken)
    return (
        follows(session.epoch, s.metadata.epoch)
        if is_counted
        else session.epoch == s.metadata.epoch
    )


@step_invariant("227-29", "227-31", "227-38", "227-40")
def requests_go_on_in_order(s: LongPolls, new: LongPolls):
    """A request names its fetcher's session, with the epoch whose turn it is or to close it. What
    was answered counts on, until everything is asked for again."""
    request = present(new.request[Via.AWAITED])
    when(s.request[Via.AWAITED] is None)
    is_next = (
        follows(request.epoch, s.metadata.epoch) if s.pending else request.epoch == s.metadata.epoch
    )
    return (
        request.session_id == s.metadata.session_id
        and (is_next or request.epoch == -1)
        and new.metadata == request
        and new.known_version == (s.known_version if request.epoch > 0 else None)
    )


@step_invariant("227-31", "227-50", "227-51", "227-53")
def answers_are_taken_in(s: LongPolls, new: LongPolls):
    """After an answer the next request is the session's next one, the first of a new session, or a
    full one. A session that the leader does not have is not named again."""
    response = present(s.response)
    when(new.response is None and new.disturbances == s.disturbances)
    starts_again = Metadata(
        session_id=NO_SESSION
        if response.error == Error.FETCH_SESSION_ID_NOT_FOUND
        else s.metadata.session_id,
        epoch=0,
    )
    begins = Metadata(
        session_id=response.session_id, epoch=0 if response.session_id == NO_SESSION else 1
    )
    goes_on = (
        new.metadata.session_id == s.metadata.session_id
        and follows(new.metadata.epoch, s.metadata.epoch)
        and new.known_version == (s.known_version if response.version is None else response.version)
    )
    has_begun = new.metadata == begins and new.known_version == (
        None if response.session_id == NO_SESSION else response.version
    )
    in_session = goes_on if s.metadata.epoch > 0 else has_begun
    return in_session if response.error == Error.NONE else new.metadata == starts_again


@step_invariant("227-32", "227-38")
def what_is_given_up_goes_on(s: LongPolls, new: LongPolls):
    """A poll that its fetcher gives up waits on, and a request may still arrive. The fetcher closes
    its session by the next request, and counts nothing as answered."""
    when(s.pending and not new.pending and new.disturbances != s.disturbances)
    return (
        new.metadata == Metadata(session_id=s.metadata.session_id, epoch=0)
        and new.known_version is None
        and new.request[Via.AWAITED] is None
        and (
            new.request[Via.STRAY] == s.request[Via.STRAY]
            or new.request[Via.STRAY] == s.request[Via.AWAITED]
        )
        and new.waiting[Via.AWAITED] is None
        and new.waiting[Via.STRAY]
        == (s.waiting[Via.STRAY] if s.waiting[Via.AWAITED] is None else s.waiting[Via.AWAITED])
    )


@step_invariant("227-48")
def after_an_error_everything_is_asked_again(s: LongPolls, new: LongPolls):
    """What was answered in a session counts no more after an error, and the next request is a full
    one."""
    when(s.response is not None and new.response is None and s.response.error != Error.NONE)
    return new.metadata.epoch == 0 and new.known_version is None


@invariant("227-51")
def pending_means_under_way(s: LongPolls):
    """A fetcher waits exactly while its request is under way, waits itself, or was answered."""
    return s.pending == (
        s.request[Via.AWAITED] is not None
        or s.waiting[Via.AWAITED] is not None
        or s.response is not None
    )


@leads_to(
    "227-51",
    weak=(
        each(accept_full, "via"),
        each(accept_incremental, "via"),
        each(refuse_unknown_session, "via"),
        each(refuse_wrong_epoch, "via"),
        each(answer_without_session, "via"),
        each(answer_incremental, "via"),
        each(answer_after_its_session, "via"),
        each(answer_overtaken, "via"),
        receive_full,
        receive_incremental,
        receive_error,
    ),
)
def every_poll_ends(s: LongPolls):
    """A request is accepted, answered and handled in the end, if no poll waits for ever."""
    return s.pending, not s.pending
