"""Mistakes in replication: what is committed, fetched, truncated and replaced by snapshots."""

from lockstep import edit, fault, require
from models import snapshot_election_replication as replication
from models import snapshot_election_state as state
from models.snapshot_election_replication import (
    acknowledged,
    answer,
    commits,
    fetch,
    follows,
    learned,
    reached,
    truncate,
    unflushed_from,
)
from models.snapshot_election_state import (
    Answer,
    Role,
    SnapshotElection,
    Voter,
    history,
    id_of,
    log_end,
    log_id,
)
from models.snapshot_id import Offset

# What is committed.


@fault(breaks="high_watermark_is_past_the_epochs_start", source="KAFKA-12619", scope="default")
@edit(
    replication.commits,
    "return ...",
    "return offset >= sum(1 for r in history(s, leader) if r.epoch < s.epoch[leader])",
)
def high_watermark_at_the_epochs_start():
    """A majority that has reached where the leader's epoch begins commits what is before it."""


@fault(breaks="high_watermark_is_past_the_epochs_start", scope="default")
@edit(replication.commits, "return ...", "return offset > 0")
def older_epochs_commit_directly():
    """A record is committed once a majority has it, in whatever epoch it was written."""


@fault(replaces=replication.advanced, breaks="high_watermark_never_moves_back", scope="wipes")
def high_watermark_follows_the_fetches(s: SnapshotElection, leader, fetched):
    """The high watermark goes back when a majority's fetches do."""
    offset = reached(s, leader, fetched)
    return offset if commits(s, leader, offset) else s.high_watermark[leader]


@fault(breaks="high_watermark_never_moves_back", scope="default")
@edit(replication.learned, "return ...", "return min(high_watermark, end)")
def high_watermark_is_what_the_leader_sends():
    """A follower takes a leader's high watermark although it knows a greater one: a new leader
    knows none."""


@fault(breaks="what_counts_as_committed_is")
@edit(replication.learned, "min(high_watermark, end)", "high_watermark")
def high_watermark_beyond_the_log():
    """A follower takes the leader's high watermark for its own, although its log ends before."""


@fault(replaces=unflushed_from, breaks="a_majority_has_what_is_committed", scope="restarts")
def follower_keeps_only_what_it_knows_to_be_committed(s: SnapshotElection, v):
    """A follower acknowledges records that are not on its disk. It knows of those that it
    acknowledged that they are committed, until it restarts: a second restart loses them."""
    known = max(s.high_watermark[v], s.log_start[v])
    return unflushed_from(s, v) if s.role[v] == Role.LEADER else known


@fault(replaces=unflushed_from, breaks="a_majority_has_what_is_committed", scope="restarts")
def counts_what_is_not_flushed(s: SnapshotElection, v):
    """A leader counts its own records as committed before they are on its disk."""
    return s.log_start[v] if s.role[v] == Role.LEADER else log_end(s, v)


@fault(replaces=reached, breaks="what_a_majority_acknowledged_is_committed")
def commits_what_all_have(s: SnapshotElection, leader, fetched):
    """A leader waits until all voters have a record, not only a majority."""
    return min(log_end(s, leader) if v == leader else fetched[v] for v in Voter)


@fault(replaces=learned, breaks="followers_learn_the_high_watermark")
def high_watermark_of_empty_responses_is_ignored(s: SnapshotElection, v, high_watermark, end):
    """A follower looks at the leader's high watermark only in a response with records."""
    if end == log_end(s, v):
        return s.high_watermark[v]
    return learned(s, v, high_watermark, end)


# Fetches.


@fault(replaces=truncate, breaks="only_fetches_that_agree_count", scope="default")
def counts_before_it_compares(s: SnapshotElection, new: SnapshotElection, v: Voter, leader: Voter):
    """A fetch counts as replicated up to its offset although the logs diverge below."""
    truncate(s, new, v, leader)
    new.fetched[leader] = acknowledged(s, v, leader)


@fault(replaces=fetch, breaks="what_a_leader_writes_is_committed", scope="default")
def empty_fetch_after_a_snapshot_does_not_count(
    s: SnapshotElection, new: SnapshotElection, v: Voter, leader: Voter, end: Offset
):
    """A fetch that gets no records does not count if the log that it comes from starts at a
    snapshot."""
    require(s.log_start[v] == 0 or log_end(s, v) < end)
    fetch(s, new, v, leader, end)


@fault(replaces=truncate, breaks="logs_agree", scope="default")
def appends_what_does_not_go_on_from_its_log(
    s: SnapshotElection, new: SnapshotElection, v: Voter, leader: Voter
):
    """A fetch of a log that diverges is answered with records, although it does not count."""
    require(follows(s, v, leader) and answer(s, leader, log_id(s, v)) == Answer.DIVERGING)
    new.log[v] = s.log[v] + history(s, leader)[log_end(s, v) :]


@fault(breaks="records_come_from_the_log_of_a_leader")
@edit(replication.fetches_from, "hears(s, v, leader)", "True")
@edit(replication.fetches_from, "s.epoch[v] == s.epoch[leader]", "s.epoch[v] <= s.epoch[leader]")
def answers_fetches_of_older_epochs():
    """A leader does not look at the epoch of a fetch."""


@fault(breaks="followers_catch_up", source="KAFKA-12181", constants={"MAX_WIPES": 1})
@edit(
    replication.follows,
    "not s.unapplied[v]",
    "not s.unapplied[v] and log_end(s, v) >= s.fetched[leader][v]",
)
def refuses_smaller_offsets():
    """A leader takes a fetch for a mistake when the follower fetched from a greater offset before,
    although it may have lost its log."""


@fault(replaces=answer, breaks="a_majority_has_what_is_committed")
def never_finds_divergence(s: SnapshotElection, leader, fetcher):
    """A fetch is answered with records whenever the leader has them."""
    return Answer.SNAPSHOT if fetcher.end_offset < s.log_start[leader] else Answer.RECORDS


@fault(replaces=answer, breaks="records_come_from_the_log_of_a_leader")
def serves_what_it_has_dropped(s: SnapshotElection, leader, fetcher):
    """A fetch from below the log's start is answered with records, as if they were there."""
    if fetcher.end_offset < s.log_start[leader]:
        return Answer.RECORDS
    return answer(s, leader, fetcher)


@fault(replaces=replication.truncated, breaks="followers_catch_up", scope="default")
def truncates_nothing(s: SnapshotElection, v, diverging):
    """A follower that is sent where its log diverges keeps it."""
    return s.log[v]


@fault(replaces=replication.truncated, breaks="followers_catch_up", scope="epochs")
def truncates_to_the_leaders_end(s: SnapshotElection, v, diverging):
    """A follower truncates to the offset that it is sent, wherever its own epoch ends."""
    return s.log[v][: max(0, diverging.end_offset - s.log_start[v])]


@fault(
    replaces=replication.truncated,
    breaks="followers_drop_only_what_the_leader_lacks",
    scope="default",
)
def truncates_to_the_log_start(s: SnapshotElection, v, diverging):
    """A follower throws its whole log away, committed records, too."""
    return ()


@fault(replaces=answer, breaks="what_counts_as_committed_is")
def finds_no_divergence_below_its_log(s: SnapshotElection, leader, fetcher):
    """A fetch whose epoch is below all that the leader still has is answered with records."""
    start = id_of(history(s, leader)[: s.log_start[leader]])
    if fetcher.epoch < start.epoch and fetcher.end_offset >= start.end_offset:
        return Answer.RECORDS
    return answer(s, leader, fetcher)


# Snapshots.


@fault(breaks="snapshots_hold_what_is_committed")
def generates_up_to_the_logs_end(s: SnapshotElection, new: SnapshotElection, v: Voter):
    """A snapshot is made of everything in the log."""
    require(len(s.snapshot[v]) < log_end(s, v))
    new.snapshot[v] = history(s, v)


@fault(breaks="log_start_is_in_a_snapshot")
def drops_log_without_snapshot(s: SnapshotElection, new: SnapshotElection, v: Voter):
    """A log start moves up to the high watermark, with no snapshot that ends there."""
    end = s.high_watermark[v]
    require(not s.unapplied[v] and max(s.log_start[v], len(s.snapshot[v])) < end)
    new.log[v] = s.log[v][max(0, end - s.log_start[v]) :]
    new.log_start[v] = end


@fault(breaks="a_reset_begins_at_the_snapshots_end")
@edit(replication.reset_log, "max(s.high_watermark[v], len(s.snapshot[v]))", "s.high_watermark[v]")
def reset_knows_no_high_watermark():
    """A log begins again at the end of a snapshot, and the high watermark stays below it."""


@fault(breaks="a_log_starts_within_what_is_known_to_be_committed", scope="default")
@edit(replication.may_drop, "return ...", "return end <= log_end(s, v)")
def drops_records_of_its_own_for_anothers_snapshot():
    """A log that reaches beyond a fetched snapshot starts at its end at once, and keeps what is
    beyond, whether that goes on from the snapshot or not."""


@fault(breaks="a_log_starts_within_what_is_known_to_be_committed", scope="records")
@edit(replication.may_drop, "s.high_watermark[v]", "log_end(s, v)")
def drops_what_it_does_not_know_to_be_committed():
    """A log starts at the end of the latest snapshot although a restart made the replica forget the
    high watermark."""


@fault(breaks="later_leaders_have_what_is_committed", scope="epochs")
@edit(replication.replaces, "return ...", "return log.end_offset < snapshot.end_offset")
def keeps_a_log_that_ends_beyond():
    """The log is reset only to a snapshot that ends beyond it."""


@fault(replaces=replication.replaces, breaks="later_leaders_have_what_is_committed", scope="epochs")
def keeps_a_log_that_does_not_end_before(snapshot, log):
    """The log is reset only to a snapshot that it ends before, in offset and epoch."""
    return log.end_offset < snapshot.end_offset and log.epoch <= snapshot.epoch


@fault(replaces=replication.replaces, breaks="followers_catch_up", scope="epochs")
def keeps_a_log_that_ends_beyond_in_a_newer_epoch(snapshot, log):
    """The log is reset to a snapshot of a newer epoch, or one that ends beyond it."""
    return log.end_offset < snapshot.end_offset or log.epoch < snapshot.epoch


@fault(breaks="a_fetched_snapshot_is_applied", scope="cuts")
@edit(replication.reset_log, "s.unapplied[v]", "(s.unapplied[v] and s.cut != v)")
def waits_for_the_network_to_apply_a_snapshot():
    """A replica that is cut off does not apply the snapshot that it has fetched."""


@fault(breaks="what_a_snapshot_stands_for_is_dropped", scope="default")
@edit(replication.may_drop, "end <= s.high_watermark[v]", "end == s.high_watermark[v]")
def keeps_a_log_with_records_beyond_the_snapshot():
    """A log is dropped as a whole or not at all."""


@fault(breaks="a_follower_gets_on_again", scope="progress")
@edit(replication.recover, "s.stalled[v] == 1", "s.stalled[v] == 1 and s.cut is None")
def gets_on_only_with_all_others():
    """A follower does not get on while the network has cut anybody off."""


@fault(
    breaks="a_leader_learns_what_its_followers_have",
    scope="progress",
    unchanged=("committed", "committed_in", "fetched", "high_watermark"),
)
@edit(replication.fetch_in_vain, "acknowledge(s, new, v, leader, high_watermark)", "")
def what_stalled_followers_have_does_not_count():
    """A fetch that is answered in vain acknowledges nothing."""


@fault(breaks="snapshots_hold_what_is_committed", scope="restarts")
@edit(
    replication.restart,
    "is_newer(id_of(s.snapshot[v]), id_of(history(s, v)[:end]))",
    "not is_newer(id_of(history(s, v)[:end]), id_of(s.snapshot[v]))",
)
def resets_a_log_that_goes_as_far_when_it_restarts():
    """After a restart a log that ends where the latest snapshot does is to be reset, too: an empty
    one to no snapshot at all."""


@fault(breaks="leaders_load_no_snapshot", scope="stalled_epochs", unchanged=("stalled",))
@edit(state.become, "new.stalled[v] = 0", "")
def stalls_in_every_role():
    """Who does not get on as a follower stalls on when it stands and leads."""
