"""What must hold of the partitions of KIP-227's earlier draft: what is dirty, asked, reported."""

from invariants.fetch_knowledge import is_learned
from invariants.fetch_session_draft_steps import (
    came,
    is_full,
    is_readable,
    knows_all,
    was_asked_in_full,
    was_handled,
    was_sent,
    was_served,
)
from lockstep import invariant, present, step_invariant, when
from models.fetch_partitions import EMPTY, Partition
from models.fetch_session_draft_state import (
    NO_SESSION,
    Error,
    Fetcher,
    FetchSessionDraft,
    LastDirty,
    OpenId,
    Via,
)

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
    """A partition that is not as its fetcher heard last is dirty for the fetcher's next request, or
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


def is_left_out(s: FetchSessionDraft, new: FetchSessionDraft, f, via, i, p):
    """A request of session i was taken from the network, and what is to be said of p is not in the
    response, as far as that can be seen: what answers a late request is gone."""
    if came(s, f, via) is None or came(new, f, via) is not None or came(s, f, via).session_id != i:
        return False
    if via == Via.STRAY or new.response[f] is None or new.response[f].partitions[p] is None:
        return True
    return is_readable(s, f, p) and not new.response[f].partitions[p].records


@step_invariant("227d-11")
def last_dirty_number_rises_with_changes_only(
    s: FetchSessionDraft, new: FetchSessionDraft, i: OpenId, p: Partition
):
    """The last dirty number of a partition that does not change is no higher after a step, unless
    a response leaves the partition out (227d-D1)."""
    before = present(s.sessions[i])
    after = present(new.sessions[i])
    old = present(before.partitions[p])
    young = present(after.partitions[p])
    when(
        s.log_start[p] == new.log_start[p]
        and s.high_watermark[p] == new.high_watermark[p]
        and s.log_end[p] == new.log_end[p]
    )
    highest = (
        old.last_dirty
        if before.sequence == after.sequence
        else LastDirty.LATEST
        if old.last_dirty == LastDirty.UPCOMING
        else LastDirty.BEFORE
    )
    return (
        young.last_dirty == LastDirty.BEFORE
        or young.last_dirty == highest
        or highest == LastDirty.UPCOMING
        or any(is_left_out(s, new, f, via, i, p) for f in Fetcher for via in Via)
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
    """A full response has every partition that was asked for, and no other."""
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
        and not answer.failed
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
    return is_learned(s.response[f].partitions[p], s.reported[f][p], new.reported[f][p])


@step_invariant("227d-12")
def what_is_answered_is_clean(
    s: FetchSessionDraft, new: FetchSessionDraft, f: Fetcher, p: Partition
):
    """What the response to the next number has is not reported again to the number after that."""
    when(was_served(s, new, f) and not is_full(s.request[f]))
    before = present(s.sessions[s.request[f].session_id])
    after = present(new.sessions[s.request[f].session_id])
    when(before.sequence != after.sequence and new.response[f].partitions[p] is not None)
    cached = present(after.partitions[p])
    return cached.last_dirty != LastDirty.UPCOMING


@step_invariant("227d-21", "227d-23")
def only_full_requests_forget(
    s: FetchSessionDraft, new: FetchSessionDraft, f: Fetcher, p: Partition
):
    """Who asks in full relies on nothing reported before; by an incremental request nothing is
    forgotten, but records count only until the fetch offset moves."""
    when(was_sent(s, new, f))
    reported = s.reported[f][p]
    after = new.reported[f][p]
    moves = s.fetching[f][p] is not None and (
        new.fetching[f][p] is None
        or s.fetching[f][p].fetch_offset != new.fetching[f][p].fetch_offset
    )
    return (
        after is None
        if reported is None or is_full(new.request[f])
        else after is not None
        and after.high_watermark == reported.high_watermark
        and after.log_start_offset == reported.log_start_offset
        and after.records == (reported.records and not moves)
    )


@step_invariant("227d-33")
def fetch_offset_moves_past_records_only(
    s: FetchSessionDraft, new: FetchSessionDraft, f: Fetcher, p: Partition
):
    """As the model has it, and not the text: by an incremental request a fetch offset moves
    forward only past records that came, and of a log that stays empty nobody asks for a later one
    than the first."""
    when(was_sent(s, new, f))
    wanted = present(new.fetching[f][p])
    return (
        wanted.fetch_offset == 0
        if p in EMPTY
        else is_full(new.request[f])
        or s.fetching[f][p] is None
        or wanted.fetch_offset <= s.fetching[f][p].fetch_offset
        or (s.reported[f][p] is not None and s.reported[f][p].records)
    )
