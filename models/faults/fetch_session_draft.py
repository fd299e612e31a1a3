"""Mistakes in the earlier draft of fetch sessions. Those with a source are what a text says."""

from lockstep import Set, fault, present, replace, require
from models.fetch_partitions import Answer, Interests, Partition, changed, nothing, still_told
from models.fetch_session_draft_fetcher import (
    abandon,
    full_request_number,
    learn,
    may_send_incremental,
    receive_error,
    receive_last,
    retransmit,
    send,
    send_full,
    settle,
    start_over,
)
from models.fetch_session_draft_leader import (
    answer,
    dirty_after_full,
    due_partitions,
    fits,
    full_answers,
    interests_after,
    is_dirty,
    is_next,
    is_unused,
    is_valid,
    last_dirty_after,
    mark_dirty,
    respond,
    respond_error,
    serve_denied,
    serve_incremental,
    session_of,
    undirtied,
)
from models.fetch_session_draft_state import (
    NO_SESSION,
    Error,
    Fetcher,
    FetchSessionDraft,
    FetchType,
    LastDirty,
    OpenId,
    Response,
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
    replaces=due_partitions,
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
    replaces=dirty_after_full,
    breaks="last_dirty_number_never_decreases",
    source="KIP-227's earlier draft, Fetch Type",
)
def repeated_full_request_starts_anew(s: FetchSessionDraft, request):
    """A full response tells all, so nothing is dirty after one, be it the answer to a late copy:
    see 227d-D3."""
    return undirtied()


@fault(
    replaces=is_valid,
    breaks="invalid_session_error_is_deserved",
    source="KIP-227 as accepted, Fetch Epoch",
)
def repetition_is_refused(s: FetchSessionDraft, request):
    """Only the next number is valid, so that a repeated request ends the session."""
    return session_of(s, request) is not None and is_next(s, request)


# The fetcher's mistakes.


@fault(
    replaces=may_send_incremental,
    breaks="incremental_requests_have_a_session_and_a_number",
)
def always_asks_incrementally(s: FetchSessionDraft, f):
    """A fetcher without a session sends what changed."""
    return True


@fault(replaces=retransmit, breaks="repeated_request_is_the_same")
def repetition_is_sent_as_the_next(
    s: FetchSessionDraft, new: FetchSessionDraft, f: Fetcher, arrives: bool
):
    """A request that is sent again has another number."""
    request = present(s.unanswered[f])
    abandon(s, new, f, arrives)
    new.request[f] = replace(request, sequence=next_number(request.sequence))


@fault(replaces=changed, breaks="unchanged_partitions_are_not_requested")
def everything_is_requested(old, wanted):
    """Incremental requests list all partitions."""
    return wanted


@fault(
    replaces=settle,
    breaks="leader_is_at_most_one_request_ahead",
    unchanged=("sequence",),
)
def response_is_not_counted(new: FetchSessionDraft, f, session_id, sequence):
    """The response is handled, and the next request has the same number."""
    new.response[f] = None
    new.unanswered[f] = None
    new.session_id[f] = session_id


@fault(replaces=learn, breaks="what_is_answered_is_learned")
def left_out_is_forgotten(s: FetchSessionDraft, new: FetchSessionDraft, f, answers):
    """Of a partition that a response leaves out the fetcher knows nothing."""
    learn(s, new, f, answers)
    new.told[f] = {p: None if answers[p] is None else s.told[f][p] for p in Partition}


@fault(replaces=start_over, breaks="error_is_of_all_partitions", unchanged=("told",))
def knowledge_outlives_the_session(new: FetchSessionDraft, f):
    """What was told in a session still counts after an error."""
    new.fetching[f] = nothing()
    settle(new, f, NO_SESSION, 0)


@fault(
    replaces=receive_error,
    breaks="waiting_ends",
    unchanged=("unanswered", "session_id", "sequence", "fetching"),
)
def error_is_no_answer(s: FetchSessionDraft, new: FetchSessionDraft, f: Fetcher):
    """What was answered with an error is asked again, until it is answered without."""
    response = present(s.response[f])
    require(response.error != Error.NONE)
    new.response[f] = None
    new.request[f] = s.unanswered[f]
    new.told[f] = nothing()


@fault(replaces=receive_last, breaks="flag_ends_incremental_requests", unchanged=("fetching",))
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
    replaces=is_unused,
    breaks="sessions_are_never_shared",
    constants={"FETCHERS": ("c1", "c2"), "MAX_DISTURBANCES": 0, "MAX_OFFSET": 0},
)
def id_is_drawn_again_too_soon(s: FetchSessionDraft, i):
    """An evicted session's id is drawn while its client has it."""
    return s.sessions[i] is None


@fault(replaces=is_next, breaks="numbers_go_up_by_one")
def any_number_is_the_next(s: FetchSessionDraft, request):
    """A session takes any number but its own for the next."""
    return (
        session_of(s, request) is not None and request.sequence != session_of(s, request).sequence
    )


@fault(replaces=interests_after, breaks="leader_has_what_is_wanted")
def altered_partition_is_ignored(session, request):
    """Incremental requests are not looked at for what they list."""
    return {
        p: None if session.partitions[p] is None else session.partitions[p].interest
        for p in Partition
    }


@fault(replaces=mark_dirty, breaks="changes_make_partitions_dirty")
def changes_go_unmarked(s: FetchSessionDraft, new: FetchSessionDraft, p):
    """A log changes, and sessions do not hear of it."""
    new.sessions = s.sessions


@fault(replaces=due_partitions, breaks="only_dirty_partitions_are_answered")
def everything_is_answered(s: FetchSessionDraft, f, session, interests, repeated):
    """An incremental response has all partitions of the session."""
    return {p for p in Partition if interests[p] is not None}


@fault(replaces=is_dirty, breaks="dirty_partitions_make_way_for_records_only")
def repetition_is_answered_with_news_only(cached, repeated):
    """A repeated request is told what has become dirty since the first one."""
    return cached.last_dirty == LastDirty.UPCOMING


@fault(replaces=last_dirty_after, breaks="what_is_answered_is_clean")
def dirty_for_ever(last_dirty, repeated, is_left_out):
    """A partition that has become dirty is told in each response from then on."""
    return last_dirty


@fault(replaces=last_dirty_after, breaks="last_dirty_number_never_decreases")
def answered_is_confirmed(last_dirty, repeated, is_left_out):
    """A response counts as told when it is sent."""
    if is_left_out:
        return LastDirty.UPCOMING
    return last_dirty if repeated else LastDirty.BEFORE


@fault(replaces=last_dirty_after, breaks="last_dirty_number_never_decreases")
def repetition_confirms(last_dirty, repeated, is_left_out):
    """The answer to a repeated request, which may be lost as well, counts as told."""
    return last_dirty_after(last_dirty, False, is_left_out)


@fault(replaces=fits, breaks="dirty_partitions_make_way_for_records_only")
def limit_may_leave_all_out(sent, due, readable):
    """The first message has to fit as well."""
    return sent <= due


@fault(
    replaces=fits,
    breaks="changes_come_to_be_known",
    constants={"PARTITIONS": ("p1", "p2"), "MAX_DISTURBANCES": 0},
)
def data_goes_first(sent, due, readable):
    """Where there are records, partitions without any wait."""
    return fits(sent, due, readable) and (sent <= readable or len(due & readable) == 0)


@fault(replaces=respond, breaks="created_session_is_named")
def id_is_kept_back(s: FetchSessionDraft, new: FetchSessionDraft, f, via, response):
    """No response has the id of a session."""
    respond(s, new, f, via, replace(response, session_id=NO_SESSION))


@fault(replaces=answer, breaks="answers_are_the_leaders")
def log_end_is_told_for_the_watermark(s: FetchSessionDraft, p, records):
    """Consumers are told of records that are not committed."""
    return Answer(
        failed=False,
        high_watermark=s.log_end[p],
        log_start_offset=s.log_start[p],
        records=records,
    )


@fault(replaces=full_answers, breaks="full_response_answers_every_partition")
def full_response_leaves_out_the_empty(s: FetchSessionDraft, wanted, filled):
    """A full response has the partitions with records."""
    return {p: answer(s, p, True) if p in filled else None for p in Partition}


@fault(replaces=respond_error, breaks="response_is_of_the_requests_type")
def error_is_always_a_full_response(s: FetchSessionDraft, new: FetchSessionDraft, f, via, error):
    """The flag of an incremental response is forgotten where there is an error."""
    response = Response(
        error=error,
        session_id=NO_SESSION,
        incremental=False,
        incremental_ok=False,
        partitions={p: None for p in Partition},
    )
    respond(s, new, f, via, response)


@fault(replaces=serve_denied, breaks="denied_are_incremental_requests")
def denied_session_stays(s: FetchSessionDraft, new: FetchSessionDraft, f: Fetcher, via: Via):
    """A client is denied, and its session keeps its slot."""
    serve_denied(s, new, f, via)
    new.sessions = s.sessions


@fault(replaces=last_dirty_after, breaks="last_dirty_number_rises_with_changes_only")
def answered_counts_as_dirty(last_dirty, repeated, is_left_out):
    """Each response makes all partitions of the session dirty for a repetition."""
    if repeated or is_left_out:
        return last_dirty_after(last_dirty, repeated, is_left_out)
    return LastDirty.LATEST


@fault(replaces=still_told, breaks="only_full_requests_forget")
def records_are_read_twice(old, wanted, told):
    """Records that the fetcher has moved past count as new."""
    return None if old is None or wanted is None else told


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


@fault(replaces=send_full, breaks="full_requests_ask_for_something")
def nothing_is_asked_in_full(
    s: FetchSessionDraft, new: FetchSessionDraft, f: Fetcher, wanted: Interests
):
    """A session begins without a partition."""
    send(s, new, f, FetchType.FULL_FETCH_REQUEST, full_request_number(s, f), wanted, wanted)
    new.told[f] = nothing()
