"""Mistakes of the fetchers in fetch sessions. Those with a source really happened."""

from lockstep import fault, present, replace, require
from models.fetch_metadata import (
    FINAL_EPOCH,
    FRESH,
    INITIAL_EPOCH,
    MAX_EPOCH,
    NO_SESSION,
    Error,
    Metadata,
    after_full_response,
    is_full,
    next_epoch,
)
from models.fetch_partitions import (
    Interests,
    Partition,
    changed,
    dropped,
    learned,
    nothing,
    still_told,
)
from models.fetch_session_fetcher import (
    abandon,
    after_disconnect,
    after_wrong_epoch,
    may_send,
    receive_incremental,
    receive_session_closed,
    send,
    send_all,
    send_close,
    send_full,
    settle,
    start_over,
    told_after,
)
from models.fetch_session_state import Fetcher, FetchSession, Request


@fault(
    replaces=may_send,
    breaks="epochs_agree_when_idle",
    source="KAFKA-8052",
)
def sends_before_epoch_advances(s: FetchSession, f):
    """The next incremental request goes out when a response has arrived, before it was handled."""
    return may_send(s, f) or (s.request[f] is None and not is_full(s.metadata[f].epoch))


@fault(replaces=abandon, breaks="pending_means_in_flight", source="KAFKA-8950")
def marks_pending_after_listener(s: FetchSession, new: FetchSession, f, arrives):
    """The disconnect was handled before the fetcher marked its request as pending."""
    abandon(s, new, f, arrives)
    new.pending[f] = True


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
    """Two threads work on the session at once: the fetcher notes a partition that it adds, and the
    request that goes out does not have it."""
    return {p: None if old[p] is None else changed(old, wanted)[p] for p in Partition}


@fault(
    replaces=dropped,
    breaks="accepted_request_leaves_agreement",
    source="KAFKA-13079",
    scope="default",
)
def removal_alone_is_not_understood(old, wanted):
    """A request that lists no partition names those that it removes so that nobody knows them."""
    return {
        p
        for p in dropped(old, wanted)
        if any(changed(old, wanted)[other] is not None for other in Partition)
    }


@fault(replaces=send, breaks="incremental_requests_name_a_session")
def session_is_named_by_full_requests_only(new: FetchSession, f, metadata, partitions, forgotten):
    """An incremental request leaves out the id of its session."""
    send(new, f, metadata, partitions, forgotten)
    new.request[f] = Request(
        session_id=metadata.session_id if is_full(metadata.epoch) else NO_SESSION,
        epoch=metadata.epoch,
        partitions=partitions,
        forgotten=forgotten,
    )


@fault(replaces=next_epoch, breaks="accepted_request_moves_the_epoch")
def last_epoch_is_never_left(epoch):
    """The epoch does not wrap around, on either side."""
    return MAX_EPOCH if epoch == MAX_EPOCH else epoch + 1


@fault(replaces=learned, breaks="what_is_answered_is_learned")
def log_start_is_read_once(told, answer):
    """The fetcher takes a log start offset from the first answer only."""
    return replace(
        learned(told, answer),
        log_start_offset=answer.log_start_offset if told is None else told.log_start_offset,
    )


@fault(
    replaces=receive_session_closed,
    breaks="response_says_whether_the_session_goes_on",
    unchanged=("fetching",),
)
def goes_on_in_a_session_that_is_gone(s: FetchSession, new: FetchSession, f: Fetcher):
    """The fetcher does not look at the id of an incremental response."""
    response = present(s.response[f])
    require(not is_full(s.metadata[f].epoch))
    require(response.error == Error.NONE and response.session_id == NO_SESSION)
    new.told[f] = told_after(s, f, response.partitions)
    settle(new, f, replace(s.metadata[f], epoch=next_epoch(s.metadata[f].epoch)))


@fault(replaces=receive_incremental, breaks="waiting_ends", unchanged=("response", "pending"))
def response_is_counted_and_kept(s: FetchSession, new: FetchSession, f: Fetcher):
    """The fetcher raises its epoch for a response, and has it in hand again."""
    response = present(s.response[f])
    require(not is_full(s.metadata[f].epoch))
    require(response.error == Error.NONE and response.session_id != NO_SESSION)
    new.told[f] = told_after(s, f, response.partitions)
    new.metadata[f] = replace(s.metadata[f], epoch=next_epoch(s.metadata[f].epoch))


@fault(replaces=after_wrong_epoch, breaks="epochs_agree_when_idle", source="redpanda#27749")
def epoch_error_keeps_session(metadata):
    """After an epoch error the fetcher tries the same session and epoch again, for ever."""
    return metadata


@fault(
    replaces=after_full_response,
    breaks="one_session_per_undisturbed_fetcher",
    source="IBM/sarama#1644",
    constants={"SESSION_IDS": (1, 2)},
)
def always_asks_for_a_session(session_id):
    """Every request is (0, 0): each opens a session, and none is ever used."""
    return FRESH


@fault(
    replaces=start_over,
    breaks="after_an_error_everything_is_asked_again",
    unchanged=("told",),
)
def knowledge_outlives_the_session(new: FetchSession, f):
    """What a fetcher was told in a session is still believed when the session has ended."""
    new.fetching[f] = nothing()


@fault(replaces=changed, breaks="unchanged_partitions_are_not_requested")
def requests_everything(old, wanted):
    """Incremental requests list every partition."""
    return wanted


@fault(replaces=after_disconnect, breaks="epochs_agree_when_idle")
def carries_on_after_disconnect(metadata):
    """A lost request or response is taken for one that was handled."""
    if is_full(metadata.epoch):
        return metadata
    return replace(metadata, epoch=next_epoch(metadata.epoch))


@fault(replaces=send_close, breaks="requests_name_the_session_at_hand")
def leaves_its_session_unsaid(s: FetchSession, new: FetchSession, f: Fetcher, wanted: Interests):
    """A fetcher that wants no session any more sends (0, -1), and its session stays behind."""
    require(may_send(s, f) and s.metadata[f].session_id != NO_SESSION)
    require(any(wanted[p] is not None for p in Partition))
    send_all(new, f, Metadata(session_id=NO_SESSION, epoch=FINAL_EPOCH), wanted)


@fault(replaces=send_full, breaks="full_requests_ask_for_something")
def asks_for_a_session_of_nothing(
    s: FetchSession, new: FetchSession, f: Fetcher, wanted: Interests
):
    """A fetcher opens a session before it knows what to fetch."""
    require(may_send(s, f) and s.metadata[f].epoch == INITIAL_EPOCH)
    send_all(new, f, s.metadata[f], wanted)


@fault(replaces=send_all, breaks="full_fetch_starts_from_nothing", unchanged=("told",))
def what_was_told_outlives_the_session(new: FetchSession, f, metadata, wanted):
    """Whoever closes its session goes on believing what it was told there."""
    new.metadata[f] = metadata
    new.fetching[f] = wanted
    send(new, f, metadata, wanted, forgotten=set())


@fault(replaces=still_told, breaks="asking_changes_nothing_that_was_told")
def records_count_for_every_move(old, wanted, told):
    """Records that the fetcher has moved past let it move on once more."""
    return None if old is None or wanted is None else told
