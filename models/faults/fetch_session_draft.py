"""Mistakes in the earlier draft of fetch sessions. Those with a source are what a text says."""

from lockstep import Set, edit, fault, present, replace, require
from models import fetch_session_draft_fetcher as fetcher
from models import fetch_session_draft_leader as leader
from models import fetch_partitions
from models.fetch_partitions import Partition, nothing
from models.fetch_session_draft_fetcher import abandon, learn, settle
from models.fetch_session_draft_leader import (
    answer,
    fits,
    is_dirty,
    last_dirty_after,
    serve_denied,
    serve_incremental,
    session_of,
    undirtied,
)
from models.fetch_session_draft_state import (
    Error,
    FetchSessionDraft,
    Fetcher,
    LastDirty,
    NO_SESSION,
    OpenId,
    Via,
    next_number,
)

# What the texts say.


@fault(
    replaces=last_dirty_after,
    breaks="what_is_not_known_is_dirty",
    constants={"PARTITIONS": ("p1", "p2"), "MAX_DISTURBANCES": 0},
    source="KIP-227's earlier draft, Incremental Fetch Per-Partition Data",
)
def marked_only_when_it_changes(last_dirty, repeated, is_left_out):
    """A partition that the limit leaves out of a response is not dirty any more: see 227d-D1."""
    return last_dirty_after(last_dirty, repeated, False)


@fault(
    replaces=leader.due_partitions,
    breaks="records_are_never_withheld_from_all",
    source="KIP-227's earlier draft, Incremental Fetch Per-Partition Data",
)
def only_what_is_marked_is_answered(s: FetchSessionDraft, f, session, interests, repeated):
    """That there is data is no reason to answer: records that are asked for again are not returned
    (see 227d-D1)."""
    return {
        p
        for p in Partition
        if interests[p] is not None and is_dirty(session.partitions[p], repeated)
    }


@fault(
    replaces=leader.dirty_after_full,
    breaks="last_dirty_number_never_decreases",
    source="KIP-227's earlier draft, Fetch Type",
)
def repeated_full_request_starts_over(s: FetchSessionDraft, request):
    """A full response has all, so nothing is dirty after one, be it the answer to a late copy:
    see 227d-D3."""
    return undirtied()


@fault(breaks="invalid_session_error_is_deserved", source="KIP-227 as accepted, Fetch Epoch")
@edit(
    leader.is_valid,
    "return ...",
    "return session_of(s, request) is not None and is_next(s, request)",
)
def repetition_is_refused():
    """Only the next number is valid, so that a repeated request ends the session."""


# The fetcher's mistakes.


@fault(breaks="incremental_requests_have_a_session_and_a_number")
@edit(fetcher.send_incremental, "s.session_id[f] != NO_SESSION", "True")
def always_asks_incrementally():
    """A fetcher without a session sends what changed."""


@fault(replaces=fetcher.retransmit, breaks="repeated_request_is_the_same")
def repetition_is_sent_as_the_next(
    s: FetchSessionDraft, new: FetchSessionDraft, f: Fetcher, arrives: bool
):
    """A request that is sent again has another number."""
    request = present(s.unanswered[f])
    abandon(s, new, f, arrives)
    new.request[f] = replace(request, sequence=next_number(request.sequence))


@fault(breaks="unchanged_partitions_are_not_requested")
@edit(fetch_partitions.changed, "return ...", "return wanted")
def everything_is_requested():
    """Incremental requests list all partitions."""


@fault(breaks="leader_is_at_most_one_request_ahead", unchanged=("sequence",))
@edit(fetcher.settle, "new.sequence[f] = ...", "")
def response_is_not_counted():
    """The response is handled, and the next request has the same number."""


@fault(replaces=learn, breaks="what_is_answered_is_learned")
def left_out_is_forgotten(s: FetchSessionDraft, new: FetchSessionDraft, f, answers):
    """Of a partition that a response leaves out the fetcher knows nothing."""
    learn(s, new, f, answers)
    new.reported[f] = {p: None if answers[p] is None else s.reported[f][p] for p in Partition}


@fault(replaces=fetcher.start_over, breaks="error_is_of_all_partitions", unchanged=("reported",))
def knowledge_outlives_the_session(new: FetchSessionDraft, f):
    """What was answered in a session still counts after an error."""
    new.fetching[f] = nothing()
    settle(new, f, NO_SESSION, 0)


@fault(breaks="waiting_ends", unchanged=("unanswered", "session_id", "sequence", "fetching"))
@edit(
    fetcher.receive_error,
    "start_over(new, f)",
    """
        new.response[f] = None
        new.request[f] = s.unanswered[f]
        new.reported[f] = nothing()
    """,
)
def error_is_no_answer():
    """What was answered with an error is asked again, until it is answered without."""


@fault(
    replaces=fetcher.receive_last, breaks="flag_ends_incremental_requests", unchanged=("fetching",)
)
def flag_is_not_looked_at(s: FetchSessionDraft, new: FetchSessionDraft, f: Fetcher):
    """The fetcher goes on in its session although INCREMENTAL_FETCH_OK is cleared."""
    response = present(s.response[f])
    require(response.error == Error.NONE and not response.incremental_ok)
    learn(s, new, f, response.partitions)
    settle(new, f, s.session_id[f], s.unanswered[f].sequence)


@fault(breaks="session_is_entered_by_a_full_response")
def id_is_guessed(s: FetchSessionDraft, new: FetchSessionDraft, f: Fetcher, i: OpenId):
    """A client takes an id that nobody gave it."""
    require(s.unanswered[f] is None and s.session_id[f] == NO_SESSION)
    new.session_id[f] = i


# The leader's mistakes.


@fault(
    breaks="sessions_are_never_shared",
    constants={"FETCHERS": ("c1", "c2"), "MAX_DISTURBANCES": 0, "MAX_OFFSET": 0},
)
@edit(leader.is_unused, "return ...", "return s.sessions[i] is None")
def id_is_drawn_again_too_soon():
    """An evicted session's id is drawn while its client has it."""


@fault(replaces=leader.is_next, breaks="numbers_go_up_by_one")
def any_number_is_the_next(s: FetchSessionDraft, request):
    """A session takes any number but its own for the next."""
    return (
        session_of(s, request) is not None and request.sequence != session_of(s, request).sequence
    )


@fault(replaces=leader.interests_after, breaks="leader_has_what_is_wanted")
def altered_partition_is_ignored(session, request):
    """Incremental requests are not looked at for what they list."""
    return {
        p: None if session.partitions[p] is None else session.partitions[p].interest
        for p in Partition
    }


@fault(breaks="changes_make_partitions_dirty")
@edit(leader.mark_dirty, "new.sessions = ...", "new.sessions = s.sessions")
def changes_go_unmarked():
    """A log changes, and sessions do not hear of it."""


@fault(replaces=leader.due_partitions, breaks="only_dirty_partitions_are_answered")
def everything_is_answered(s: FetchSessionDraft, f, session, interests, repeated):
    """An incremental response has all partitions of the session."""
    return {p for p in Partition if interests[p] is not None}


@fault(breaks="dirty_partitions_make_way_for_records_only")
@edit(leader.is_dirty, "return ...", "return cached.last_dirty == LastDirty.UPCOMING")
def repetition_is_answered_with_news_only():
    """A repeated request gets what has become dirty since the first one."""


@fault(replaces=last_dirty_after, breaks="what_is_answered_is_clean")
def dirty_for_ever(last_dirty, repeated, is_left_out):
    """A partition that has become dirty is reported in each response from then on."""
    return last_dirty


@fault(replaces=last_dirty_after, breaks="last_dirty_number_never_decreases")
def answered_is_confirmed(last_dirty, repeated, is_left_out):
    """A response counts as reported when it is sent."""
    if is_left_out:
        return LastDirty.UPCOMING
    return last_dirty if repeated else LastDirty.BEFORE


@fault(replaces=last_dirty_after, breaks="last_dirty_number_never_decreases")
def repetition_confirms(last_dirty, repeated, is_left_out):
    """The answer to a repeated request, which may be lost as well, counts as reported."""
    return last_dirty_after(last_dirty, False, is_left_out)


@fault(breaks="dirty_partitions_make_way_for_records_only")
@edit(leader.fits, "return ...", "return sent <= due")
def limit_may_leave_all_out():
    """The first message has to fit as well."""


@fault(
    replaces=fits,
    breaks="changes_come_to_be_known",
    constants={"PARTITIONS": ("p1", "p2"), "MAX_DISTURBANCES": 0},
)
def data_goes_first(sent, due, readable):
    """Where there are records, partitions without any wait."""
    return fits(sent, due, readable) and (sent <= readable or len(due & readable) == 0)


@fault(breaks="created_session_is_named")
@edit(leader.respond, "response", "replace(response, session_id=NO_SESSION)")
def id_is_kept_back():
    """No response has the id of a session."""


@fault(breaks="answers_are_the_leaders")
@edit(leader.answer, "s.high_watermark", "s.log_end")
def log_end_is_reported_for_the_watermark():
    """Consumers hear of records that are not committed."""


@fault(replaces=leader.full_answers, breaks="full_response_answers_every_partition")
def full_response_leaves_out_the_empty(s: FetchSessionDraft, wanted, filled):
    """A full response has the partitions with records."""
    return {p: answer(s, p, True) if p in filled else None for p in Partition}


@fault(breaks="response_is_of_the_requests_type")
@edit(
    leader.respond_error,
    "incoming(s, f, via).fetch_type == FetchType.INCREMENTAL_FETCH_REQUEST",
    "False",
)
@edit(leader.respond_error, "nothing()", "{p: None for p in Partition}")
def error_is_always_a_full_response():
    """The flag of an incremental response is forgotten where there is an error."""


@fault(replaces=serve_denied, breaks="denied_are_incremental_requests")
def denied_session_stays(s: FetchSessionDraft, new: FetchSessionDraft, f: Fetcher, via: Via):
    """A client is denied, and its session keeps its slot."""
    serve_denied(s, new, f, via)
    new.sessions = s.sessions


@fault(breaks="only_its_own_fetcher_loses_a_session", constants={"SESSION_IDS": (1, 2)})
@edit(leader.serve_full, "session if j == i else s.sessions[j]", "session if j == i else None")
def full_request_closes_every_session():
    """A session takes the place of all others, which no other has asked for."""


@fault(replaces=last_dirty_after, breaks="last_dirty_number_rises_with_changes_only")
def answered_counts_as_dirty(last_dirty, repeated, is_left_out):
    """Each response makes all partitions of the session dirty for a repetition."""
    if repeated or is_left_out:
        return last_dirty_after(last_dirty, repeated, is_left_out)
    return LastDirty.LATEST


@fault(replaces=fetch_partitions.still_reported, breaks="only_full_requests_forget")
def records_are_read_twice(old, wanted, reported):
    """Records that the fetcher has moved past count as new."""
    return None if old is None or wanted is None else reported


@fault(replaces=serve_incremental, breaks="allowed_session_is_kept")
def allowed_session_is_dropped(
    s: FetchSessionDraft,
    new: FetchSessionDraft,
    f: Fetcher,
    via: Via,
    sent: Set[Partition],
    goes_on: bool,
):
    """The leader allows further requests, and gives the session's slot to another."""
    serve_incremental(s, new, f, via, sent, goes_on)
    new.sessions = {i: None for i in OpenId}


@fault(breaks="full_requests_ask_for_something")
@edit(fetcher.send_full, "require(any(wanted[p] is not None for p in Partition))", "")
def nothing_is_asked_in_full():
    """A session begins without a partition."""


@fault(replaces=fetch_partitions.keeps_its_place, breaks="fetch_offset_moves_past_records_only")
def reads_on_whatever_came(old, wanted, reported):
    """An answer without records moves the fetch offset as one with records does."""
    return wanted.fetch_offset <= old.fetch_offset or reported is not None


@fault(breaks="late_request_is_a_copy")
@edit(
    fetcher.abandon,
    "s.request[f] if arrives else s.stray[f]",
    "s.request[f] if arrives else s.unanswered[f]",
)
def what_was_answered_arrives_again():
    """What the fetcher repeats is under way twice, though it gave nothing up."""


@fault(breaks="numbers_begin_with_a_session")
@edit(fetcher.start_over, "NO_REQUEST", "NO_REQUEST + 1")
def a_fetcher_begins_with_one():
    """Who gave up its session has sent one request in the next already."""


@fault(breaks="full_request_is_answered_with_its_session")
@edit(
    leader.serve_full_altering,
    "serve_full(s, new, f, via, filled, request.session_id, sequence, dirty)",
    "serve_full(s, new, f, via, filled, NO_SESSION, sequence, dirty)",
)
def altering_request_is_answered_without_its_session():
    """A session that is to have other partitions is left as it was, and not gone on in."""
