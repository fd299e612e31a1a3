"""Mistakes in fetch sessions. Those with a source really happened.

Here are those of the leader's responses; those of requests are files of their own.
"""

from lockstep import edit, fault, replace
from models import fetch_session_leader as leader
from models import fetch_partitions, fetch_session_logs
from models.fetch_metadata import Error
from models.fetch_partitions import Answer, Cached, Partition, UNKNOWN, answered, must_answer
from models.fetch_session_leader import (
    accept,
    answer,
    incoming,
    respond,
    serve_incremental_throttled,
    session_after,
)
from models.fetch_session_state import FetchSession, Fetcher, Via

# The fetchers' mistakes.
from models.faults.fetch_session_fetcher import (
    sends_before_epoch_advances,
    marks_pending_after_listener,
    never_sends_removed,
    half_of_the_request_is_built,
    lost_full_request_leaves_its_session,
    without_a_session_everything_is_asked,
    topic_created_again_is_never_sent,
    session_is_named_by_full_requests_only,
    last_epoch_is_never_left,
    log_start_is_read_once,
    goes_on_in_a_session_that_is_gone,
    response_is_counted_and_kept,
    epoch_error_keeps_session,
    always_asks_for_a_session,
    knowledge_outlives_the_session,
    requests_everything,
    carries_on_after_disconnect,
    leaves_its_session_unsaid,
    asks_for_a_session_of_nothing,
    what_was_reported_outlives_the_session,
    records_count_for_every_move,
    reads_on_whatever_came,
    closes_what_is_closed,
    a_copy_closes_the_session,
)

# The leader's mistakes with requests, and with its cache.
from models.faults.fetch_session_leader import (
    epoch_not_checked,
    expects_the_epoch_after,
    epoch_not_advanced,
    merges_before_checking,
    leader_epoch_not_cached,
    last_fetched_epoch_not_cached,
    altered_partition_ignored,
    topic_created_again_is_taken_for_the_old,
    seek_past_the_watermark_is_ignored,
    session_found_only_once,
    topic_id_error_counts,
    removal_alone_is_not_understood,
    old_session_stays,
    late_close_closes_nothing,
    full_request_closes_every_session,
    late_request_ends_the_session,
    emptied_session_lives_on,
    new_session_expects_epoch_two,
    sessionless_request_is_cached,
    closing_unknown_session_fails,
    id_drawn_again_too_soon,
)

# The leader's mistakes with responses.


@fault(breaks="answered_with_its_session", source="KAFKA-6946")
@edit(
    leader.serve_incremental_throttled,
    "respond(s, new, f, via, Error.NONE, request.session_id, nothing(), throttled=True)",
    "respond(s, new, f, via, Error.NONE, NO_SESSION, nothing(), throttled=True)",
)
def throttled_response_without_session():
    """A throttled response has session id 0, although the session lives on."""


@fault(breaks="a_session_of_some_partitions_is_put_off", scope="partitions")
@edit(
    leader.serve_incremental_throttled,
    "any(cached[p] is not None for p in Partition)",
    "all(cached[p] is not None for p in Partition)",
)
def only_whole_sessions_are_put_off():
    """A session is put off only while it has every partition."""


@fault(breaks="a_partition_that_failed_is_answered_without_an_error", scope="failures")
@edit(fetch_session_logs.recover_partition, "s.failing - {p}", "s.failing")
def failed_partition_stays_failed():
    """A partition that failed is answered with an error for good."""


@fault(replaces=serve_incremental_throttled, breaks="learns_what_a_full_fetch_would_tell")
def throttled_response_counts_as_reported(s: FetchSession, new: FetchSession, f: Fetcher, via: Via):
    """The session takes what a throttled response left out for what was reported to the fetcher."""
    serve_incremental_throttled(s, new, f, via)
    request = incoming(s, f, via)
    cached = session_after(s, request)
    partitions = {
        p: None if cached[p] is None else answered(cached[p], answer(s, p, records=False))
        for p in Partition
    }
    accept(s, new, f, request, partitions)


@fault(replaces=serve_incremental_throttled, breaks="only_requests_in_order_are_put_off")
def put_off_response_has_partitions(s: FetchSession, new: FetchSession, f: Fetcher, via: Via):
    """A throttled response has all that is new, and the session takes it for not reported."""
    serve_incremental_throttled(s, new, f, via)
    request = incoming(s, f, via)
    cached = session_after(s, request)
    partitions = {p: None if cached[p] is None else answer(s, p, records=False) for p in Partition}
    respond(s, new, f, via, Error.NONE, request.session_id, partitions, throttled=True)


@fault(replaces=must_answer, breaks="learns_what_a_full_fetch_would_tell")
def watermark_alone_is_not_news(cached, answer):
    """A changed high watermark is sent only along with records."""
    return must_answer(cached, replace(answer, high_watermark=cached.high_watermark))


@fault(replaces=must_answer, breaks="learns_what_a_full_fetch_would_tell")
def log_start_alone_is_not_news(cached, answer):
    """A changed log start offset is sent only along with records."""
    return must_answer(cached, replace(answer, log_start_offset=cached.log_start_offset))


@fault(
    replaces=fetch_partitions.remember,
    breaks="learns_what_a_full_fetch_would_tell",
    scope="default",
)
def added_partition_counts_as_reported(interest):
    """A partition that joins a session is taken for one that was answered, when it was empty."""
    return Cached(interest=interest, high_watermark=0, log_start_offset=0)


@fault(replaces=must_answer, breaks="errors_are_reported", scope="failures")
def failed_partition_is_answered_once(cached, answer):
    """An error that lasts is no news."""
    return must_answer(cached, replace(answer, failed=False))


@fault(
    replaces=must_answer,
    breaks="errors_are_reported",
    source="apache/kafka pull request 9567",
    scope="diverging",
)
def divergence_is_no_news(cached, answer):
    """Where to truncate is reported only along with something else."""
    agreeing = replace(cached.interest, last_fetched_epoch=UNKNOWN)
    return must_answer(replace(cached, interest=agreeing), answer)


@fault(replaces=answer, breaks="learns_what_a_full_fetch_would_tell")
def log_end_is_reported_for_the_watermark(s: FetchSession, p, records):
    """Answers tell where the leader's log ends, not what is committed."""
    return Answer(
        failed=p in s.failing,
        high_watermark=UNKNOWN if p in s.failing else s.log_end[p],
        log_start_offset=UNKNOWN if p in s.failing else s.log_start[p],
        records=records and p not in s.failing,
    )


@fault(replaces=leader.has_records, breaks="records_are_the_leaders")
def consumers_read_what_is_not_committed(s: FetchSession, f, p, interest):
    """Every fetcher reads up to the log's end."""
    return (
        p not in s.failing
        and s.log_start[p] <= interest.fetch_offset
        and interest.fetch_offset < s.log_end[p]
    )


@fault(breaks="nothing_unchanged_is_sent")
@edit(leader.was_altered, "return ...", "return request.partitions[p] is not None")
def answers_what_was_asked():
    """A partition that the request names is answered, as 227-D3 has it by one of two sentences."""


@fault(breaks="changes_are_reported", constants={"ANSWERS_ANY_CHANGE": True})
@edit(leader.was_altered, "return ...", "return False")
def answers_only_changes_of_its_own():
    """By the letter of the other sentence, what the leader does breaks it."""


@fault(breaks="changes_come_to_be_known")
@edit(
    leader.serve_incremental,
    "require(any(cached[p] is not None for p in Partition))",
    """
    require(any(cached[p] is not None for p in Partition))
    unread = {p: answer(s, p, records=False) for p in Partition}
    has_news = any(cached[p] is not None and must_answer(cached[p], unread[p]) for p in Partition)
    require(len(filled) > 0 or not has_news)
    """,
)
def waits_for_records_for_ever():
    """A change of offsets alone has no request answered."""


@fault(breaks="nothing_unchanged_is_sent")
@edit(fetch_partitions.must_answer, "return ...", "return cached.high_watermark >= UNKNOWN")
def answers_everything():
    """Incremental responses include every partition."""


@fault(replaces=leader.fits_the_limit, breaks="records_are_never_withheld_from_all")
def no_room_for_any_records(s: FetchSession, f, interests, filled):
    """The size limit may leave out the records of every partition."""
    return len(filled) == 0


@fault(breaks="records_are_never_withheld_from_all")
@edit(leader.full_answers, "answer(s, p, p in filled)", "answer(s, p, records=False)")
def full_responses_carry_no_records():
    """Records come in incremental responses only."""


@fault(breaks="records_are_the_leaders")
@edit(leader.full_answers, "answer(s, p, p in filled)", "answer(s, p, records=True)")
def full_responses_invent_records():
    """Full responses carry records of every partition, whether there are any or not."""


@fault(breaks="full_response_answers_every_partition")
@edit(leader.full_answers, "return ...", "return {p: answer(s, p, p in filled) for p in Partition}")
def answers_more_than_was_asked():
    """Full responses tell of all partitions of the leader."""
