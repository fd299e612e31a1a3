"""What must hold of the earlier draft of KIP-227. Ids are rows of specs/kip_227_draft.toml."""

from lockstep import each, invariant, leads_to, present, sometimes, step_invariant, when
from models.fetch_partitions import MAX_OFFSET, Partition
from models.fetch_session_draft_fetcher import (
    receive_error,
    receive_full,
    receive_incremental,
    receive_last,
    send_incremental,
)
from models.fetch_session_draft_leader import (
    serve_denied,
    serve_full_altering,
    serve_full_creating,
    serve_full_declining,
    serve_incremental,
    serve_invalid,
    serve_repeated,
)
from models.fetch_session_draft_state import (
    FOLLOWERS,
    MAX_DISTURBANCES,
    MAX_SEQUENCE,
    NO_SESSION,
    Error,
    Fetcher,
    FetchSessionDraft,
    FetchType,
    LastDirty,
    OpenId,
    Via,
)

# What a step did, and how things are, in words of their own.


def came(s: FetchSessionDraft, f, via):
    return s.stray[f] if via == Via.STRAY else s.request[f]


def was_sent(s: FetchSessionDraft, new: FetchSessionDraft, f):
    """A request that is no repetition."""
    return s.unanswered[f] is None and new.unanswered[f] is not None


def was_served(s: FetchSessionDraft, new: FetchSessionDraft, f):
    return s.request[f] is not None and new.request[f] is None and new.response[f] is not None


def was_handled(s: FetchSessionDraft, new: FetchSessionDraft, f):
    return (
        s.response[f] is not None
        and new.response[f] is None
        and s.disturbances[f] == new.disturbances[f]
    )


def is_full(request):
    return request.fetch_type == FetchType.FULL_FETCH_REQUEST


def was_asked_in_full(s: FetchSessionDraft, new: FetchSessionDraft, f, via, i):
    """A full request that names session i was taken from the network."""
    request = came(s, f, via)
    return (
        request is not None
        and is_full(request)
        and request.session_id == i
        and came(new, f, via) is None
    )


def follows(sequence, earlier):
    return sequence == (1 if earlier == MAX_SEQUENCE else earlier + 1)


def knows_all(s: FetchSessionDraft, f, p):
    """The fetcher was told where the log of p starts, and where its high watermark is."""
    return (
        s.told[f][p] is not None
        and s.told[f][p].high_watermark == s.high_watermark[p]
        and s.told[f][p].log_start_offset == s.log_start[p]
    )


def is_readable(s: FetchSessionDraft, f, p):
    """There is a record where the fetcher wants to read."""
    end = s.log_end[p] if f in FOLLOWERS else s.high_watermark[p]
    return (
        s.fetching[f][p] is not None
        and s.log_start[p] <= s.fetching[f][p].fetch_offset
        and s.fetching[f][p].fetch_offset < end
    )


# Sessions and their numbers.


@invariant("227d-1", "227d-2")
def sessions_are_never_shared(s: FetchSessionDraft, i: OpenId):
    """An id belongs to one fetcher: no other holds it, whatever was evicted or created since."""
    when(s.sessions[i] is not None)
    return all(s.session_id[f] != i or s.sessions[i].client == f for f in Fetcher)


@invariant("227d-5", "227d-6")
def leader_is_at_most_one_request_ahead(s: FetchSessionDraft, f: Fetcher):
    """A session has the number of the last request whose response its fetcher has handled, or of
    the one that it waits for an answer to."""
    when(s.session_id[f] != NO_SESSION)
    session = present(s.sessions[s.session_id[f]])
    return session.sequence == s.sequence[f] or (
        s.unanswered[f] is not None and session.sequence == s.unanswered[f].sequence
    )


@step_invariant("227d-5", "227d-6")
def numbers_go_up_by_one(s: FetchSessionDraft, new: FetchSessionDraft, i: OpenId):
    """A session's number changes to the next one only."""
    before = present(s.sessions[i])
    after = present(new.sessions[i])
    when(before.sequence != after.sequence)
    return follows(after.sequence, before.sequence)


@invariant("227d-7", "227d-22")
def incremental_requests_have_a_session_and_a_number(s: FetchSessionDraft, f: Fetcher):
    """No incremental request has the id 0 or the number 0."""
    return all(
        came(s, f, via) is None
        or is_full(came(s, f, via))
        or (came(s, f, via).session_id != NO_SESSION and came(s, f, via).sequence > 0)
        for via in Via
    )


@step_invariant("227d-19", "227d-26")
def created_session_is_named(s: FetchSessionDraft, new: FetchSessionDraft, f: Fetcher, i: OpenId):
    """A response has the id of the session that was created for it, and no id that is nobody's."""
    when(was_served(s, new, f) and s.sessions[i] is None)
    return (new.response[f].session_id == i) == (new.sessions[i] is not None)


@step_invariant("227d-19", "227d-22", "227d-26", "227d-27")
def session_is_entered_by_a_full_response(s: FetchSessionDraft, new: FetchSessionDraft, f: Fetcher):
    """A fetcher has a session after a full response with its id that allows incremental
    requests."""
    when(new.session_id[f] != NO_SESSION and new.session_id[f] != s.session_id[f])
    return (
        s.response[f] is not None
        and not s.response[f].incremental
        and s.response[f].incremental_ok
        and s.response[f].session_id == new.session_id[f]
    )


@step_invariant("227d-27")
def flag_ends_incremental_requests(s: FetchSessionDraft, new: FetchSessionDraft, f: Fetcher):
    """After a response that allows no incremental request, the next one is full and of no
    session."""
    when(was_handled(s, new, f))
    when(s.response[f].error == Error.NONE and not s.response[f].incremental_ok)
    return new.session_id[f] == NO_SESSION


@step_invariant("227d-20")
def response_is_of_the_requests_type(s: FetchSessionDraft, new: FetchSessionDraft, f: Fetcher):
    """A full request is answered in full, and an incremental one incrementally."""
    when(was_served(s, new, f))
    return new.response[f].incremental == (not is_full(s.request[f]))


@step_invariant("227d-17")
def invalid_session_error_is_deserved(s: FetchSessionDraft, new: FetchSessionDraft, f: Fetcher):
    """InvalidFetchSessionException answers who names a session that is not there, or a number that
    is neither the session's own nor the next."""
    when(was_served(s, new, f) and s.request[f].session_id != NO_SESSION)
    session = s.sessions[s.request[f].session_id]
    return (new.response[f].error == Error.INVALID_FETCH_SESSION) == (
        session is None
        or (
            s.request[f].sequence > 0
            and s.request[f].sequence != session.sequence
            and not follows(s.request[f].sequence, session.sequence)
        )
    )


@invariant("227d-17")
def error_comes_of_a_lost_session(s: FetchSessionDraft, f: Fetcher):
    """A fetcher that is told InvalidFetchSessionException has lost its session: retransmission
    mends all that the network does."""
    when(s.response[f] is not None and s.response[f].error == Error.INVALID_FETCH_SESSION)
    return s.sessions[s.session_id[f]] is None


@step_invariant("227d-18")
def denied_are_incremental_requests(s: FetchSessionDraft, new: FetchSessionDraft, f: Fetcher):
    """IncrementalFetchDenied answers incremental requests, and leaves no session."""
    when(was_served(s, new, f) and new.response[f].error == Error.INCREMENTAL_FETCH_DENIED)
    return not is_full(s.request[f]) and new.sessions[s.request[f].session_id] is None


@step_invariant("227d-25")
def error_is_of_all_partitions(s: FetchSessionDraft, new: FetchSessionDraft, f: Fetcher):
    """A response with an error has no partition, and after it nothing that was told counts any
    more."""
    when(was_handled(s, new, f) and s.response[f].error != Error.NONE)
    return all(s.response[f].partitions[p] is None and new.told[f][p] is None for p in Partition)


# What a session has of its partitions.


@invariant("227d-8", "227d-24", "227d-33")
def leader_has_what_is_wanted(s: FetchSessionDraft, f: Fetcher, p: Partition):
    """Between requests a session has exactly the partitions that its fetcher wants, with the fields
    that it last sent."""
    when(s.unanswered[f] is None and s.session_id[f] != NO_SESSION)
    session = present(s.sessions[s.session_id[f]])
    cached = session.partitions[p]
    return (
        s.fetching[f][p] is None
        if cached is None
        else s.fetching[f][p] is not None and cached.interest == s.fetching[f][p]
    )


@step_invariant("227d-9")
def changes_make_partitions_dirty(
    s: FetchSessionDraft, new: FetchSessionDraft, p: Partition, i: OpenId
):
    """A partition whose log changes is dirty for the upcoming request of each session."""
    when(
        s.log_start[p] != new.log_start[p]
        or s.high_watermark[p] != new.high_watermark[p]
        or s.log_end[p] != new.log_end[p]
    )
    session = present(new.sessions[i])
    cached = present(session.partitions[p])
    return cached.last_dirty == LastDirty.UPCOMING


@invariant("227d-10", "227d-13")
def what_is_not_known_is_dirty(s: FetchSessionDraft, f: Fetcher, p: Partition):
    """A partition that is not as its fetcher was told is dirty for the fetcher's next request, or
    for the one that it repeats: no change is forgotten."""
    when(s.response[f] is None and s.session_id[f] != NO_SESSION)
    when(s.unanswered[f] is None or not is_full(s.unanswered[f]))
    session = present(s.sessions[s.session_id[f]])
    cached = present(session.partitions[p])
    repeats = s.unanswered[f] is not None and s.unanswered[f].sequence == session.sequence
    return (
        knows_all(s, f, p)
        or cached.last_dirty == LastDirty.UPCOMING
        or (repeats and cached.last_dirty == LastDirty.LATEST)
    )


@step_invariant("227d-11")
def last_dirty_number_never_decreases(
    s: FetchSessionDraft, new: FetchSessionDraft, i: OpenId, p: Partition
):
    """Of a partition that a session keeps the last dirty number is no lower after a step, but one
    that answers a full request with the next number."""
    before = present(s.sessions[i])
    after = present(new.sessions[i])
    old = present(before.partitions[p])
    young = present(after.partitions[p])
    when(old.last_dirty != LastDirty.BEFORE and young.last_dirty != LastDirty.UPCOMING)
    return (
        young.last_dirty == old.last_dirty
        if before.sequence == after.sequence
        else old.last_dirty == LastDirty.LATEST
        or young.last_dirty == LastDirty.LATEST
        or any(was_asked_in_full(s, new, f, via, i) for f in Fetcher for via in Via)
    )


# What is asked and answered of partitions.


@step_invariant("227d-13")
def repeated_request_is_the_same(s: FetchSessionDraft, new: FetchSessionDraft, f: Fetcher):
    """Until a request is answered, no other is sent."""
    when(s.unanswered[f] is not None and new.request[f] is not None)
    return new.request[f] == s.unanswered[f]


@step_invariant("227d-21", "227d-33")
def unchanged_partitions_are_not_requested(
    s: FetchSessionDraft, new: FetchSessionDraft, f: Fetcher, p: Partition
):
    """An incremental request lists the partitions of the session that the fetcher alters."""
    when(was_sent(s, new, f) and not is_full(new.request[f]))
    listed = new.request[f].partitions[p]
    return (listed is not None) == (s.fetching[f][p] != new.fetching[f][p]) and (
        (s.fetching[f][p] is None) == (new.fetching[f][p] is None)
    )


@step_invariant("227d-23")
def full_response_answers_every_partition(
    s: FetchSessionDraft, new: FetchSessionDraft, f: Fetcher, p: Partition
):
    """A full response tells of every partition that was asked for, and of no other."""
    when(was_served(s, new, f) and is_full(s.request[f]))
    when(new.response[f].error == Error.NONE)
    return (new.response[f].partitions[p] is None) == (s.request[f].partitions[p] is None)


@step_invariant("227d-12", "227d-28")
def answers_are_the_leaders(s: FetchSessionDraft, new: FetchSessionDraft, f: Fetcher, p: Partition):
    """A response has wanted partitions only, as they are, and records where the fetcher reads."""
    when(was_served(s, new, f))
    answer = present(new.response[f].partitions[p])
    return (
        s.fetching[f][p] is not None
        and answer.high_watermark == s.high_watermark[p]
        and answer.log_start_offset == s.log_start[p]
        and (not answer.records or is_readable(s, f, p))
    )


@step_invariant("227d-12", "227d-28")
def only_dirty_partitions_are_answered(
    s: FetchSessionDraft, new: FetchSessionDraft, f: Fetcher, p: Partition
):
    """An incremental response has no partition without records that is not dirty for its
    request."""
    when(was_served(s, new, f) and not is_full(s.request[f]))
    answer = present(new.response[f].partitions[p])
    session = present(s.sessions[s.request[f].session_id])
    cached = present(session.partitions[p])
    repeats = s.request[f].sequence == session.sequence
    return (
        answer.records
        or cached.last_dirty == LastDirty.UPCOMING
        or (repeats and cached.last_dirty == LastDirty.LATEST)
    )


@step_invariant("227d-12", "227d-13")
def dirty_partitions_make_way_for_records_only(
    s: FetchSessionDraft, new: FetchSessionDraft, f: Fetcher, p: Partition
):
    """A partition that is dirty for an incremental request is in its response, unless the response
    has records of another one."""
    when(was_served(s, new, f) and not is_full(s.request[f]))
    when(new.response[f].error == Error.NONE)
    session = present(s.sessions[s.request[f].session_id])
    cached = present(session.partitions[p])
    repeats = s.request[f].sequence == session.sequence
    when(
        cached.last_dirty == LastDirty.UPCOMING
        or (repeats and cached.last_dirty == LastDirty.LATEST)
    )
    answers = new.response[f].partitions
    return answers[p] is not None or any(
        answers[q] is not None and answers[q].records for q in Partition
    )


@step_invariant("227d-28", "227d-29")
def records_are_never_withheld_from_all(s: FetchSessionDraft, new: FetchSessionDraft, f: Fetcher):
    """If there is anything to read in any partition, the response carries records of one."""
    when(was_served(s, new, f) and new.response[f].error == Error.NONE)
    when(any(is_readable(s, f, p) for p in Partition))
    answers = new.response[f].partitions
    return any(answers[p] is not None and answers[p].records for p in Partition)


@step_invariant("227d-13", "227d-28")
def what_is_answered_is_learned(
    s: FetchSessionDraft, new: FetchSessionDraft, f: Fetcher, p: Partition
):
    """Within a session the fetcher knows what the response says, and of what it leaves out it knows
    what it knew."""
    when(was_handled(s, new, f) and s.response[f].incremental_ok)
    answer = s.response[f].partitions[p]
    told = s.told[f][p]
    return (
        new.told[f][p] == told
        if answer is None
        else new.told[f][p] is not None
        and new.told[f][p].high_watermark == answer.high_watermark
        and new.told[f][p].log_start_offset == answer.log_start_offset
        and new.told[f][p].records == (answer.records or (told is not None and told.records))
    )


@step_invariant("227d-12")
def what_is_answered_is_clean(
    s: FetchSessionDraft, new: FetchSessionDraft, f: Fetcher, p: Partition
):
    """What the response to the next number has is not told again to the number after that."""
    when(was_served(s, new, f) and not is_full(s.request[f]))
    before = present(s.sessions[s.request[f].session_id])
    after = present(new.sessions[s.request[f].session_id])
    when(before.sequence != after.sequence and new.response[f].partitions[p] is not None)
    cached = present(after.partitions[p])
    return cached.last_dirty != LastDirty.UPCOMING


# What must come to pass.

SERVED_AND_HANDLED = (
    each(serve_full_creating, "f", "via"),
    each(serve_full_declining, "f", "via"),
    each(serve_full_altering, "f", "via"),
    each(serve_repeated, "f", "via"),
    each(serve_invalid, "f", "via"),
    each(serve_denied, "f", "via"),
    each(receive_full, "f"),
    each(receive_incremental, "f"),
    each(receive_last, "f"),
    each(receive_error, "f"),
)
"""What is served and handled in the end, whatever becomes of the next incremental request."""


@leads_to("227d-13", "227d-25", weak=(*SERVED_AND_HANDLED, each(serve_incremental, "f", "via")))
def waiting_ends(s: FetchSessionDraft, f: Fetcher):
    """A request is served, and its response handled, in the end."""
    return s.unanswered[f] is not None, s.unanswered[f] is None


@leads_to(
    "227d-10",
    "227d-32",
    weak=(*SERVED_AND_HANDLED, each(send_incremental, "f")),
    strong=each(serve_incremental, "f", "via", "sent"),
)
def changes_come_to_be_known(s: FetchSessionDraft, f: Fetcher, p: Partition):
    """A fetcher that keeps asking comes to know how a partition of its session is, if each choice
    of partitions that fit has its turn; or it wants the partition no more, or asks everything
    again."""
    wants = s.fetching[f][p] is not None
    return wants and not knows_all(s, f, p), not wants or knows_all(s, f, p)


# The scope reaches what it is about.


@sometimes("227d-5")
def reaches_the_last_number(s: FetchSessionDraft):
    return any(s.sessions[i] is not None and s.sessions[i].sequence == MAX_SEQUENCE for i in OpenId)


@sometimes("227d-13")
def an_answered_request_is_repeated(s: FetchSessionDraft):
    """A session has the number of a request that is under way, where any is disturbed."""
    return MAX_DISTURBANCES == 0 or any(
        s.request[f] is not None
        and s.request[f].sequence > 0
        and s.sessions[s.request[f].session_id] is not None
        and s.sessions[s.request[f].session_id].sequence == s.request[f].sequence
        for f in Fetcher
    )


@sometimes("227d-10", "227d-28")
def an_unchanged_partition_is_answered(s: FetchSessionDraft):
    """An incremental response has a partition without records that is as its fetcher was told:
    what is new is the log's end, of which a response says nothing. So it is where there are
    records."""
    return MAX_OFFSET == 0 or any(
        s.response[f] is not None
        and s.response[f].incremental
        and s.response[f].partitions[p] is not None
        and not s.response[f].partitions[p].records
        and s.told[f][p] is not None
        and s.told[f][p].high_watermark == s.response[f].partitions[p].high_watermark
        and s.told[f][p].log_start_offset == s.response[f].partitions[p].log_start_offset
        for f in Fetcher
        for p in Partition
    )


@sometimes("227d-17", "227d-24")
def a_full_request_is_refused(s: FetchSessionDraft):
    """A fetcher that asks for everything gets an error, since the session that it names is gone."""
    return any(
        s.response[f] is not None
        and s.response[f].error == Error.INVALID_FETCH_SESSION
        and not s.response[f].incremental
        for f in Fetcher
    )


@sometimes("227d-18")
def a_fetcher_is_denied(s: FetchSessionDraft):
    return any(
        s.response[f] is not None and s.response[f].error == Error.INCREMENTAL_FETCH_DENIED
        for f in Fetcher
    )


@sometimes("227d-21")
def an_incremental_request_says_nothing(s: FetchSessionDraft):
    return any(
        s.request[f] is not None
        and not is_full(s.request[f])
        and all(s.request[f].partitions[p] is None for p in Partition)
        for f in Fetcher
    )


@sometimes("227d-28")
def an_incremental_response_says_nothing(s: FetchSessionDraft):
    return any(
        s.response[f] is not None
        and s.response[f].incremental_ok
        and all(s.response[f].partitions[p] is None for p in Partition)
        for f in Fetcher
    )


@sometimes("227d-19")
def a_leader_declines(s: FetchSessionDraft):
    """A full request that names no session is answered in full, and gets none."""
    return any(
        s.response[f] is not None
        and s.response[f].error == Error.NONE
        and not s.response[f].incremental
        and s.response[f].session_id == NO_SESSION
        for f in Fetcher
    )


@sometimes("227d-24")
def a_full_request_names_a_session(s: FetchSessionDraft):
    return any(
        s.request[f] is not None and is_full(s.request[f]) and s.request[f].session_id != NO_SESSION
        for f in Fetcher
    )
