"""Mistakes of the fetchers in fetch sessions. Those with a source really happened."""

from lockstep import edit, fault, replace, require
from models import fetch_metadata, fetch_partitions
from models import fetch_session_fetcher as fetcher
from models.fetch_metadata import FINAL_EPOCH, FRESH, NO_SESSION, Metadata, is_full, next_epoch
from models.fetch_partitions import Interests, Partition, changed, dropped, learned
from models.fetch_session_fetcher import may_send, send_all
from models.fetch_session_state import Fetcher, FetchSession


@fault(breaks="undisturbed_fetcher_sees_no_epoch_error", source="KAFKA-8052")
@edit(fetcher.send_changes, "may_send(s, f)", "s.request[f] is None")
def sends_before_epoch_advances():
    """The next incremental request goes out when a response has arrived, before it was handled."""


@fault(breaks="pending_means_in_flight", source="KAFKA-8950")
@edit(fetcher.abandon, "False", "True")
def marks_pending_after_listener():
    """The disconnect was handled before the fetcher marked its request as pending."""


@fault(
    replaces=dropped,
    breaks="accepted_request_leaves_agreement",
    source="platformatic/kafka#321",
    constants={"PARTITIONS": ("p1", "p2"), "MAX_OFFSET": 0},
)
def never_sends_removed(old, wanted):
    """Partitions that the fetcher no longer wants are not named as removed."""
    return {p for p in Partition if p in dropped(old, wanted) and wanted[p] is not None}


@fault(
    replaces=changed,
    breaks="accepted_request_leaves_agreement",
    source="KAFKA-7280",
    scope="default",
)
def half_of_the_request_is_built(old, wanted):
    """Two threads work on the session at once. As we read it, the fetcher may then note a partition
    that it adds, and the request that goes out does not have it."""
    return {p: None if old[p] is None else changed(old, wanted)[p] for p in Partition}


@fault(breaks="a_session_is_to_be_closed_once_more")
@edit(
    fetcher.disconnect,
    "close_existing_attempt_new(s.metadata[f])",
    "FRESH if is_full(s.metadata[f].epoch) else close_existing_attempt_new(s.metadata[f])",
)
def lost_full_request_leaves_its_session():
    """A fetcher takes its session for closed as soon as it has asked for that."""


@fault(breaks="some_partitions_are_wanted_without_a_session", scope="partitions")
@edit(
    fetcher.send_sessionless,
    "any(wanted[p] is not None for p in Partition)",
    "all(wanted[p] is not None for p in Partition)",
)
def without_a_session_everything_is_asked():
    """Who wants no session asks for all partitions that there are."""


@fault(breaks="a_topic_created_again_is_asked_for", scope="topics")
@edit(
    fetcher.send_replacing,
    "send_changes(s, new, f, wanted, replaced)",
    "send_changes(s, new, f, wanted, replaced=set())",
)
def topic_created_again_is_never_sent():
    """A fetcher goes by a topic's name, and does not see that it has another id."""


@fault(breaks="incremental_requests_name_a_session")
@edit(
    fetcher.send,
    "metadata.session_id",
    "metadata.session_id if is_full(metadata.epoch) else NO_SESSION",
)
def session_is_named_by_full_requests_only():
    """An incremental request leaves out the id of its session."""


@fault(breaks="accepted_request_moves_the_epoch")
@edit(fetch_metadata.next_epoch, "FIRST_INCREMENTAL_EPOCH", "MAX_EPOCH")
def last_epoch_is_never_left():
    """The epoch does not wrap around, on either side."""


@fault(replaces=learned, breaks="what_is_answered_is_learned")
def log_start_is_read_once(reported, answer):
    """The fetcher takes a log start offset from the first answer only."""
    return replace(
        learned(reported, answer),
        log_start_offset=answer.log_start_offset if reported is None else reported.log_start_offset,
    )


@fault(breaks="response_says_whether_the_session_goes_on", unchanged=("fetching",))
@edit(
    fetcher.receive_session_closed,
    "start_over(new, f); settle(new, f, FRESH)",
    """
        new.reported[f] = reported_after(s, f, response.partitions)
        settle(new, f, replace(s.metadata[f], epoch=next_epoch(s.metadata[f].epoch)))
    """,
)
def goes_on_in_a_session_that_is_gone():
    """The fetcher does not look at the id of an incremental response."""


@fault(breaks="waiting_ends", unchanged=("response", "pending"))
@edit(
    fetcher.receive_incremental,
    "settle(new, f, replace(s.metadata[f], epoch=next_epoch(s.metadata[f].epoch)))",
    "new.metadata[f] = replace(s.metadata[f], epoch=next_epoch(s.metadata[f].epoch))",
)
def response_is_counted_and_kept():
    """The fetcher raises its epoch for a response, and has it in hand again."""


@fault(breaks="epochs_agree_when_idle", source="redpanda#27749")
@edit(fetcher.receive_wrong_epoch, "close_existing_attempt_new(s.metadata[f])", "s.metadata[f]")
def epoch_error_keeps_session():
    """After an epoch error the fetcher tries the same session and epoch again, for ever."""


@fault(
    replaces=fetch_metadata.after_full_response,
    breaks="one_session_per_undisturbed_fetcher",
    source="IBM/sarama#1644",
    constants={"SESSION_IDS": (1, 2)},
)
def always_asks_for_a_session(session_id):
    """Every request is (0, 0): each opens a session, and none is ever used."""
    return FRESH


@fault(breaks="after_an_error_everything_is_asked_again", unchanged=("reported",))
@edit(fetcher.start_over, "new.reported[f] = ...", "")
def knowledge_outlives_the_session():
    """What was reported to a fetcher in a session is still believed when the session has ended."""


@fault(breaks="unchanged_partitions_are_not_requested")
@edit(fetch_partitions.changed, "return ...", "return wanted")
def requests_everything():
    """Incremental requests list every partition."""


def after_one_that_was_handled(metadata):
    if is_full(metadata.epoch):
        return metadata
    return replace(metadata, epoch=next_epoch(metadata.epoch))


@fault(breaks="epochs_agree_when_idle")
@edit(fetcher.disconnect, "close_existing_attempt_new", "after_one_that_was_handled")
def carries_on_after_disconnect():
    """A lost request or response is taken for one that was handled."""


@fault(replaces=fetcher.send_close, breaks="requests_name_the_session_at_hand")
def leaves_its_session_unsaid(s: FetchSession, new: FetchSession, f: Fetcher, wanted: Interests):
    """A fetcher that wants no session any more sends (0, -1), and its session stays behind."""
    require(may_send(s, f) and s.metadata[f].session_id != NO_SESSION)
    require(any(wanted[p] is not None for p in Partition))
    send_all(new, f, Metadata(session_id=NO_SESSION, epoch=FINAL_EPOCH), wanted)


@fault(breaks="full_requests_ask_for_something")
@edit(fetcher.send_full, "require(any(wanted[p] is not None for p in Partition))", "")
def asks_for_a_session_of_nothing():
    """A fetcher opens a session before it knows what to fetch."""


@fault(breaks="full_fetch_starts_from_nothing", unchanged=("reported",))
@edit(fetcher.send_all, "new.reported[f] = ...", "")
def what_was_reported_outlives_the_session():
    """Who closes its session goes on believing what was reported there."""


@fault(replaces=fetch_partitions.still_reported, breaks="asking_changes_nothing_that_was_reported")
def records_count_for_every_move(old, wanted, reported):
    """Records that the fetcher has moved past let it move on once more."""
    return None if old is None or wanted is None else reported


@fault(replaces=fetch_partitions.keeps_its_place, breaks="fetch_offset_moves_past_records_only")
def reads_on_whatever_came(old, wanted, reported):
    """An answer without records moves the fetch offset as one with records does."""
    return wanted.fetch_offset <= old.fetch_offset or reported is not None


@fault(breaks="late_request_is_a_copy")
@edit(
    fetcher.duplicate,
    "new.stray[f] = s.request[f]",
    "new.stray[f] = replace(s.request[f], epoch=FINAL_EPOCH)",
)
def a_copy_closes_the_session():
    """What the network repeats is not what was sent."""


@fault(breaks="without_a_session_none_is_named")
@edit(fetcher.receive_session_closed, "FRESH", "close_existing_attempt_new(s.metadata[f])")
def closes_what_is_closed():
    """A fetcher that hears that its session is gone has it closed by its next request."""
