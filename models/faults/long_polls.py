"""Mistakes with polls that wait."""

from lockstep import edit, fault, replace
from models import long_polls as polls
from models.fetch_metadata import close_existing_attempt_new, is_full, next_epoch

# The leader's.


@fault(breaks="an_accepted_request_counts_at_once")
@edit(polls.accept_incremental, "next_epoch(request.epoch)", "request.epoch")
@edit(
    polls.answer_incremental,
    "replace(session, sent=s.version)",
    "replace(session, sent=s.version, epoch=next_epoch(poll.epoch))",
)
def counts_when_it_answers():
    """The session expects the next request when the last one was answered: a copy of a poll that
    waits is accepted, too."""


@fault(breaks="a_session_moves_on_by_accepting")
@edit(
    polls.answer_incremental,
    "replace(session, sent=s.version)",
    "replace(session, sent=s.version, epoch=next_epoch(session.epoch))",
)
def counts_twice():
    """A request moves the epoch on when it is accepted, and once more when it is answered."""


@fault(breaks="refusals_are_deserved")
@edit(
    polls.refuse_wrong_epoch,
    "new.request[via] = None",
    "new.request[via] = None; new.sessions[request.session_id] = None",
)
def refusal_ends_the_session():
    """A request with an epoch that the session does not expect has it closed."""


@fault(breaks="answers_end_no_session")
@edit(
    polls.refuse_wrong_epoch,
    "new.request[via] = None",
    """
    new.request[via] = None
    new.sessions[request.session_id] = None if via == Via.STRAY else session_of(s, request)
    """,
)
def refused_copy_ends_the_session():
    """A copy that comes while its poll waits has the session closed."""


@fault(breaks="a_full_request_closes_at_once", unchanged=("sessions",))
@edit(polls.accept_full, "new.sessions = ...", "")
def named_session_stays():
    """A full request is answered, and the session that it names stays."""


@fault(breaks="answers_end_no_session")
@edit(
    polls.answer_without_session,
    "new.waiting[via] = None",
    "new.waiting[via] = None; new.sessions = {i: None for i in OpenId}",
)
def answer_without_session_empties_the_cache():
    """To have no room for a session is to make room."""


@fault(breaks="sessions_begin_with_an_answer")
@edit(polls.answer_creating, "FIRST_INCREMENTAL_EPOCH", "next_epoch(FIRST_INCREMENTAL_EPOCH)")
def new_session_expects_epoch_two():
    """The request that created the session is counted as one of its own."""


@fault(breaks="polls_tell_what_is_new")
@edit(
    polls.answer_incremental,
    "None if session.sent == s.version else s.version",
    "None",
)
def answers_nothing_when_the_wait_is_over():
    """A poll whose time is over is answered with nothing, and what changed counts as sent."""


@fault(breaks="polls_tell_nothing_twice")
@edit(polls.answer_incremental, "None if session.sent == s.version else s.version", "s.version")
def answers_everything_after_the_wait():
    """A poll whose time is over is answered with all that there is."""


@fault(breaks="full_polls_are_answered_in_full")
@edit(
    polls.answer_creating,
    "respond(s, new, via, Error.NONE, i, s.version)",
    "respond(s, new, via, Error.NONE, i, None)",
)
def throttled_full_request_gets_a_session():
    """A fetcher over its quota gets a session, and nothing of what it asked for."""


@fault(breaks="an_overtaken_poll_gets_an_error")
@edit(
    polls.answer_incremental,
    "respond(s, new, via, Error.NONE, poll.session_id, changed)",
    "respond(s, new, via, Error.NONE, NO_SESSION, changed)",
)
def poll_is_answered_without_a_session():
    """What has waited is answered as if there had never been a session."""


@fault(breaks="an_overtaken_poll_takes_nothing", scope="racing")
@edit(
    polls.answer_overtaken,
    "new.waiting[via] = None",
    """
    new.waiting[via] = None
    new.sessions = {
        i: replace(s.sessions[i], sent=s.version)
        if i == poll.session_id and s.sessions[i] is not None
        else s.sessions[i]
        for i in OpenId
    }
    """,
)
def error_counts_as_sent():
    """A poll that its session went on without gets an error, and what is new counts as sent."""


@fault(breaks="only_its_session_overtakes_a_poll", scope="racing")
@edit(polls.overtaken_by, "replace(poll, overtaken=True)", "poll")
def overtaken_poll_is_answered():
    """A poll that its session went on without is answered as if it were the latest."""


@fault(breaks="every_poll_ends")
@edit(
    polls.answer_incremental,
    "require(not is_full(poll.epoch) and not poll.overtaken)",
    """
    require(not is_full(poll.epoch) and not poll.overtaken)
    require(s.sessions[poll.session_id] is None or s.sessions[poll.session_id].sent != s.version)
    """,
)
def poll_waits_for_news_alone():
    """No time is too long for a poll of which nothing is new."""


@fault(breaks="deadlock")
@edit(
    polls.answer_after_its_session,
    "s.sessions[poll.session_id] is None",
    "s.sessions[poll.session_id] is None and via == Via.STRAY",
)
def evicted_session_is_never_answered():
    """A poll whose session was evicted is forgotten with it."""


@fault(breaks="a_session_changes_by_its_requests")
@edit(
    polls.accept_incremental,
    "replace(session_of(s, request), epoch=next_epoch(request.epoch))",
    "replace(session_of(s, request), epoch=next_epoch(request.epoch), sent=s.version)",
)
def counts_as_sent_when_it_is_accepted():
    """What a poll is to be answered counts as sent before it is answered."""


@fault(breaks="only_its_session_overtakes_a_poll")
@edit(
    polls.overtaken_by,
    "poll is None or is_full(request.epoch) or poll.session_id != request.session_id",
    "poll is None or is_full(request.epoch)",
)
def any_request_overtakes_a_poll():
    """A poll that waits is overtaken by a request of another session."""


# The fetcher's.


@fault(breaks="requests_go_on_in_order")
@edit(polls.send_final, "s.metadata.session_id", "NO_SESSION")
def closes_no_session():
    """A fetcher that ends does not name its session, which stays until it is evicted."""


@fault(breaks="answers_are_taken_in")
@edit(
    polls.receive_error,
    "FRESH if is_gone else close_existing_attempt_new(s.metadata)",
    "close_existing_attempt_new(s.metadata)",
)
def names_the_session_that_is_gone():
    """A fetcher asks to close a session of which it heard that the leader does not have it."""


@fault(breaks="what_is_given_up_goes_on")
@edit(polls.give_up, "new.waiting = ...", "new.waiting[Via.AWAITED] = None")
def what_is_given_up_is_over():
    """With the fetcher the leader gives up, too: no poll is left waiting."""


def after_one_that_was_answered(metadata):
    if is_full(metadata.epoch):
        return close_existing_attempt_new(metadata)
    return replace(metadata, epoch=next_epoch(metadata.epoch))


@fault(breaks="epochs_agree")
@edit(
    polls.give_up,
    "close_existing_attempt_new(s.metadata)",
    "after_one_that_was_answered(s.metadata)",
)
def goes_on_after_giving_up():
    """A poll that was given up is taken for one that was answered."""


@fault(breaks="after_an_error_everything_is_asked_again")
@edit(polls.receive_error, "close_existing_attempt_new(s.metadata)", "s.metadata")
def error_keeps_the_session():
    """After an epoch error the fetcher polls again as it did."""


@fault(breaks="pending_means_under_way")
@edit(polls.send, "True", "is_full(metadata.epoch)")
def waits_for_full_answers_only():
    """The fetcher does not note that it awaits the answer to a poll."""


# What disturbs it.


@fault(breaks="a_stray_is_a_copy")
@edit(
    polls.repeat,
    "new.request[Via.STRAY] = s.request[Via.AWAITED]",
    "new.request[Via.STRAY] = replace(s.request[Via.AWAITED], epoch=FINAL_EPOCH)",
)
def a_copy_closes_the_session():
    """What arrives a second time is not what was sent."""


@fault(breaks="what_there_is_to_tell_grows_by_itself")
@edit(
    polls.change,
    "new.version = s.version + 1",
    "new.version = s.version + 1; new.sessions = {i: None for i in OpenId}",
)
def news_end_all_sessions():
    """What is new is answered to no session that was there before."""
