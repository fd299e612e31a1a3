"""What must hold of partitions of KIP-227 fetch sessions: what is asked and reported of each."""

from invariants.fetch_knowledge import is_learned
from invariants.fetch_session_steps import (
    is_readable,
    is_up_to_date,
    knows_all,
    was_accepted,
    was_answered,
    was_handled,
    was_sent,
    was_served,
)
from lockstep import invariant, present, step_invariant, when
from models.fetch_metadata import NO_SESSION, Error
from models.fetch_partitions import DIVERGING_EPOCHS, EMPTY, Partition
from models.fetch_session_state import (
    ANSWERS_ANY_CHANGE,
    SEEKS,
    TOPIC_IDS,
    Fetcher,
    FetchSession,
    Via,
)

# Leader and fetcher agree.


@invariant("227-1", "227-2", "227-9", "227-10", "227-11", "227-32", "227-43", "227-44")
def accepted_request_leaves_agreement(s: FetchSession, f: Fetcher, p: Partition):
    """While a session's response is under way, the leader has cached exactly the partitions that
    the fetcher wants, with the fields it last sent (227-D6)."""
    when(s.request[f] is None)
    response = present(s.response[f])
    when(response.error == Error.NONE and response.session_id != NO_SESSION)
    session = present(s.sessions[response.session_id])
    cached = session.partitions[p]
    return (
        s.fetching[f][p] is None
        if cached is None
        else s.fetching[f][p] is not None and cached.interest == s.fetching[f][p]
    )


@step_invariant("227-1", "227-10", "227-12", "227-13")
def learns_what_a_full_fetch_would_tell(
    s: FetchSession, new: FetchSession, f: Fetcher, p: Partition
):
    """After a response the fetcher knows of each partition that it wants how that is at this
    moment, as after a full one: the session is only an optimisation (227-D9)."""
    when(was_answered(s, new, f) and s.fetching[f][p] is not None)
    answer = new.response[f].partitions[p]
    return (
        knows_all(s, f, p)
        if answer is None
        else is_up_to_date(s, p, answer.high_watermark, answer.log_start_offset)
    )


@step_invariant("227-12", "227-13")
def changes_are_reported(s: FetchSession, new: FetchSession, f: Fetcher, p: Partition):
    """A partition is in the response if it is not as it was reported, or, by the letter of one
    of two sentences (227-D3), if the fetcher changed what it asks of it."""
    when(was_answered(s, new, f) and s.fetching[f][p] is not None)
    when(not knows_all(s, f, p) or (ANSWERS_ANY_CHANGE and s.request[f].partitions[p] is not None))
    return new.response[f].partitions[p] is not None


@step_invariant("227-13")
def errors_are_reported(s: FetchSession, new: FetchSession, f: Fetcher, p: Partition):
    """A partition that cannot be read is in each response, with its error, and no other has one
    (227-D4); one that its fetcher has to truncate first is in each response, too (227-D8)."""
    when(was_answered(s, new, f) and s.fetching[f][p] is not None)
    answer = new.response[f].partitions[p]
    return (p in s.failing) == (answer is not None and answer.failed) and (
        s.fetching[f][p].last_fetched_epoch not in DIVERGING_EPOCHS or answer is not None
    )


@step_invariant("227-13", "227-56")
def records_are_the_leaders(s: FetchSession, new: FetchSession, f: Fetcher, p: Partition):
    """Records come only where the fetcher wants to read, and only those that it may see."""
    when(was_served(s, new, f, Via.AWAITED))
    answer = present(new.response[f].partitions[p])
    when(answer.records)
    return is_readable(s, f, p)


@step_invariant("227-13", "227-56")
def records_are_never_withheld_from_all(s: FetchSession, new: FetchSession, f: Fetcher):
    """If there is anything to read in any partition, the response carries records of one."""
    when(was_answered(s, new, f) and any(is_readable(s, f, p) for p in Partition))
    answers = new.response[f].partitions
    return any(answers[p] is not None and answers[p].records for p in Partition)


@step_invariant("227-34", "227-36", "227-38", "227-40", "227-66")
def full_response_answers_every_partition(
    s: FetchSession, new: FetchSession, f: Fetcher, p: Partition
):
    """A full response has every partition that was asked for, and no other (227-D23)."""
    when(was_served(s, new, f, Via.AWAITED) and s.request[f].epoch <= 0)
    return (new.response[f].partitions[p] is None) == (s.request[f].partitions[p] is None)


@step_invariant("227-44", "227-52")
def only_what_is_wanted_is_answered(s: FetchSession, new: FetchSession, f: Fetcher, p: Partition):
    """No response has a partition that its fetcher does not want, so that a fetcher which looks for
    one finds none (227-D23)."""
    when(was_served(s, new, f, Via.AWAITED))
    return new.response[f].partitions[p] is None or s.fetching[f][p] is not None


@step_invariant("227-1", "227-51")
def what_is_answered_is_learned(s: FetchSession, new: FetchSession, f: Fetcher, p: Partition):
    """Within a session the fetcher knows what the response says, and of what it leaves out it knows
    what it knew."""
    when(was_handled(s, new, f))
    when(s.response[f].error == Error.NONE and s.response[f].session_id != NO_SESSION)
    return is_learned(s.response[f].partitions[p], s.reported[f][p], new.reported[f][p])


@step_invariant("227-36", "227-38", "227-40")
def full_fetch_starts_from_nothing(s: FetchSession, new: FetchSession, f: Fetcher):
    """Who asks in full relies on nothing that was reported before."""
    when(was_sent(s, new, f) and new.request[f].epoch <= 0)
    return all(new.reported[f][p] is None for p in Partition)


@step_invariant("227-1", "227-11")
def asking_changes_nothing_that_was_reported(
    s: FetchSession, new: FetchSession, f: Fetcher, p: Partition
):
    """By an incremental request a fetcher forgets only what it asks no more, or did not before, or
    of a topic made again; the records that came count until the fetch offset moves."""
    when(was_sent(s, new, f) and new.request[f].epoch > 0)
    when(s.fetching[f][p] is not None and new.fetching[f][p] is not None)
    before = None if p in new.request[f].forgotten else s.reported[f][p]
    after = new.reported[f][p]
    moves = s.fetching[f][p].fetch_offset != new.fetching[f][p].fetch_offset
    return (
        after is None
        if before is None
        else after is not None
        and after.high_watermark == before.high_watermark
        and after.log_start_offset == before.log_start_offset
        and after.records == (before.records and not moves)
    )


@step_invariant("227-42")
def fetch_offset_moves_past_records_only(
    s: FetchSession, new: FetchSession, f: Fetcher, p: Partition
):
    """As the model has it, and not the KIP (227-D39): in a session a fetch offset moves forward
    only past records that came, and of a log that stays empty nobody asks for a later one than the
    first."""
    when(was_sent(s, new, f))
    wanted = present(new.fetching[f][p])
    asked = new.request[f].partitions[p]
    is_new = new.request[f].epoch <= 0 or s.fetching[f][p] is None or p in new.request[f].forgotten
    return (
        asked is None or asked.fetch_offset == 0
        if p in EMPTY
        else SEEKS
        or is_new
        or wanted.fetch_offset <= s.fetching[f][p].fetch_offset
        or (s.reported[f][p] is not None and s.reported[f][p].records)
    )


@step_invariant("227-13", "227-34", "227-47")
def only_requests_in_order_are_put_off(s: FetchSession, new: FetchSession, f: Fetcher):
    """Nothing is put off but an incremental request that its session expects, which counts; all
    that there is to report is then reported later (227-D18)."""
    when(was_served(s, new, f, Via.AWAITED) and new.response[f].throttled)
    return was_accepted(s, new, f) and all(new.response[f].partitions[p] is None for p in Partition)


# Nothing needless is sent.


@step_invariant("227-42", "227-44", "227-45", "227-67", "227-69")
def unchanged_partitions_are_not_requested(
    s: FetchSession, new: FetchSession, f: Fetcher, p: Partition
):
    """An incremental request lists a partition only to add or alter it, and names it as removed
    only if it was there."""
    when(was_sent(s, new, f) and new.request[f].epoch > 0)
    request = new.request[f]
    return (
        request.partitions[p] is None
        or request.partitions[p] != s.fetching[f][p]
        or (TOPIC_IDS and p in request.forgotten)
    ) and (p not in request.forgotten or s.fetching[f][p] is not None)


@step_invariant("227-52", "227-53", "227-69")
def nothing_unchanged_is_sent(s: FetchSession, new: FetchSession, f: Fetcher, p: Partition):
    """An incremental response includes a partition only for records, an error, a place to truncate
    to (227-D8), or a high watermark or log start offset that is news to the fetcher; by the letter
    of another sentence, also if the request names it (227-D3)."""
    when(was_accepted(s, new, f))
    sent = present(new.response[f].partitions[p])
    return (
        (ANSWERS_ANY_CHANGE and s.request[f].partitions[p] is not None)
        or sent.records
        or sent.failed
        or s.fetching[f][p].last_fetched_epoch in DIVERGING_EPOCHS
        or s.reported[f][p] is None
        or s.reported[f][p].high_watermark != sent.high_watermark
        or s.reported[f][p].log_start_offset != sent.log_start_offset
    )
