"""Mistakes of leaders and of those who fetch from them (KIP-630)."""

from lockstep import edit, fault, present, require
from models import snapshot_fetch_replication as replication
from models.snapshot_fetch_download import leads_epoch_of
from models.snapshot_fetch_replication import (
    agrees,
    end_of_epoch,
    fetch_diverging,
    fetch_nothing,
    is_below,
    may_fetch,
    next_high_watermark,
    on_a_majority,
)
from models.snapshot_fetch_snapshots import reached
from models.snapshot_fetch_state import (
    VOTERS,
    Progress,
    Replica,
    SnapshotFetch,
    epoch_before,
    latest,
    leader_of,
    log_end,
    log_end_id,
)
from models.snapshot_id import OffsetAndEpoch, is_newer

VOTERS_ALONE = {"REPLICAS": ("v1", "v2", "v3"), "VOTERS": ("v1", "v2", "v3")}
THREE_VOTERS = VOTERS_ALONE | {"MAX_EPOCH": 3, "MAX_DISTURBANCES": 0}
ONE_WIPED = THREE_VOTERS | {"MAX_WIPED": 1, "MAX_EPOCH": 2, "MAX_OFFSET": 1}


# Comparing a fetch with a log that starts late.


@fault(replaces=fetch_diverging, breaks="logs_agree", constants=THREE_VOTERS)
def diverging_log_is_added_to(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """A follower whose log diverges takes the leader's next record, and counts for nothing."""
    require(may_fetch(s, r))
    leader = present(leader_of(s, r))
    at = log_end_id(s, r)
    require(not is_below(s, leader, at) and not agrees(s, leader, at))
    require(log_end(s, r) < log_end(s, leader))
    record = s.log[leader][max(0, log_end(s, r) - s.log_start[leader])]
    new.log[r] = s.log[r] + (record,)


@fault(
    replaces=agrees,
    breaks="what_lies_below_the_high_watermark_is_committed",
    constants=THREE_VOTERS,
)
def epochs_below_the_log_are_taken_for_known(s: SnapshotFetch, leader, at):
    """A fetch from the log start on agrees if its epoch is older than all that the leader has."""
    start = s.log_start[leader]
    end = end_of_epoch(s, leader, at.epoch)
    return (
        at.end_offset >= start
        and end >= at.end_offset
        and (end == start or epoch_before(s, leader, end) == at.epoch)
    )


# The leader's log start and its snapshots.


def id_of_the_high_watermark(s: SnapshotFetch, leader):
    end = s.high_watermark[leader]
    return OffsetAndEpoch(end_offset=end, epoch=epoch_before(s, leader, end))


@fault(breaks="named_snapshot_exists")
@edit(
    replication.fetch_snapshot_id,
    "snapshot_id(s, leader, latest(s, leader))",
    "id_of_the_high_watermark(s, leader)",
)
def high_watermark_is_named():
    """The leader names the snapshot that it could generate."""


@fault(
    replaces=is_below,
    breaks="snapshot_is_named_only_if_the_log_cannot_serve",
    source="KafkaRaftClient.validateFetchOffsetAndEpoch, of a fetch from offset 0",
)
def snapshot_is_named_to_empty_logs(s: SnapshotFetch, leader, at):
    """A fetch from offset 0 is answered with a snapshot whenever there is one."""
    return is_below(s, leader, at) or (at.end_offset == 0 and latest(s, leader) > 0)


# The high watermark, votes.


@fault(breaks="a_majority_has_what_is_committed", scope="observer")
@edit(replication.counted, "return ...", "return {r for r in Replica if r not in s.wiped}")
def observers_count():
    """A leader counts all that fetch from it, observers, too."""


@fault(breaks="a_leader_commits_what_a_majority_fetched", scope="default")
@edit(replication.on_a_majority, "len(VOTERS)", "len(VOTERS) + 1")
def leader_waits_for_all_voters():
    """Two of three voters commit nothing: a leader waits for the last one."""


@fault(
    breaks="leaders_commit_up_to_a_record_of_their_epoch", constants=THREE_VOTERS | {"MAX_EPOCH": 4}
)
@edit(
    replication.next_high_watermark,
    "reached_by_most > ...",
    "reached_by_most >= end_of_epoch(s, leader, max(0, s.epoch[leader] - 1))",
)
def high_watermark_at_the_epochs_start():
    """A majority that has reached where the leader's epoch begins commits what is before it."""


@fault(
    replaces=next_high_watermark,
    breaks="high_watermark_never_moves_back",
    constants={"MAX_WIPED": 1},
)
def high_watermark_follows_a_wiped_disk(s: SnapshotFetch, leader, fetcher):
    """A leader takes the smaller offset of a follower that lost its disk for less committed."""
    reached_by_most = on_a_majority(s, leader, fetcher, {v for v in Replica if v in VOTERS})
    epoch_start = end_of_epoch(s, leader, max(0, s.epoch[leader] - 1))
    return reached_by_most if reached_by_most > epoch_start else s.high_watermark[leader]


@fault(
    breaks="leaders_commit_up_to_a_record_of_their_epoch",
    constants=THREE_VOTERS | {"MAX_EPOCH": 4, "MAX_OFFSET": 1},
)
@edit(replication.next_high_watermark, "end_of_epoch(s, leader, max(0, s.epoch[leader] - 1))", "0")
def earlier_epochs_are_committed_by_count():
    """A leader counts the replicas of records of earlier epochs, too."""


@fault(breaks="epochs_never_go_back", scope="elections")
@edit(replication.hear_of_epoch, "epoch > s.epoch[r]", "epoch != s.epoch[r]")
def earlier_leader_is_followed():
    """A replica takes the epoch of whichever leader it hears of."""


@fault(breaks="leaders_are_voted_for", constants=THREE_VOTERS)
@edit(replication.would_vote, "return ...", "return voter in VOTERS")
def any_candidate_is_voted_for():
    """A voter does not look at how far its own log goes."""


@fault(breaks="leaders_are_voted_for", constants=THREE_VOTERS)
@edit(replication.elect, "(s.leading - majority) | {r}", "{r}")
def election_ends_every_office():
    """An earlier leader knows of an election at once, though it had no part in it."""


@fault(breaks="an_office_ends_by_a_newer_epoch_or_a_failure", scope="default")
@edit(replication.restart_leader, "s.leading - {r}", "set()")
def restart_ends_every_office():
    """As a leader restarts, an earlier one, too, leads no more."""


@fault(breaks="a_lost_disk_leaves_nothing", scope="voters_disks", unchanged=("epoch",))
@edit(replication.lose_disk, "new.epoch[r] = 0", "")
def epoch_outlives_the_disk():
    """A replica that lost its disk still knows the epoch."""


@fault(replaces=replication.would_vote, breaks="leaders_are_voted_for", constants=ONE_WIPED)
def wiped_voter_votes(s: SnapshotFetch, voter, candidate):
    """A voter that lost its disk votes as if it had never had any records."""
    return voter in VOTERS and not is_newer(log_end_id(s, voter), log_end_id(s, candidate))


@fault(breaks="newest_leader_has_every_committed_record", constants=ONE_WIPED)
@edit(replication.counted, "v in VOTERS and v not in s.wiped", "v in VOTERS")
def wiped_voter_counts():
    """A leader counts the fetches of a voter that lost its disk, and with it what it promised to
    the leader of a later epoch."""


# Fetches.


@fault(breaks="high_watermark_lies_within_the_log", constants=THREE_VOTERS)
@edit(replication.fetch_diverging, "new.log[r] = ...", "new.log[r] = ()")
def diverging_log_is_cut_to_the_log_start():
    """A log that parts from the leader's is thrown away, committed records and all."""


@fault(
    replaces=fetch_diverging,
    breaks="only_what_diverges_is_truncated",
    scope="diverging",
    source="KIP-101",
)
def log_is_truncated_to_the_high_watermark(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """A follower takes back what it does not know to be committed, whatever its leader has."""
    require(may_fetch(s, r) and s.high_watermark[r] < log_end(s, r))
    new.log[r] = s.log[r][: max(0, s.high_watermark[r] - s.log_start[r])]


@fault(replaces=may_fetch, breaks="nothing_is_fetched_during_a_download")
def fetches_during_a_download(s: SnapshotFetch, r):
    """A replica goes on fetching the log while it downloads a snapshot."""
    return leads_epoch_of(s, r) and r not in s.leading


@fault(breaks="fetches_are_answered_by_leaders")
@edit(replication.may_fetch, "leader in s.leading", "leader != r")
def restarted_leader_answers_fetches():
    """Who led an epoch and restarted in it answers fetches as its leader."""


@fault(breaks="lagging_replica_catches_up", scope="diverging")
@edit(replication.fetch_diverging, "new.log[r] = ...", "new.log[r] = s.log[r]")
def diverging_log_stays():
    """A replica that is sent where its log parts from the leader's keeps it."""


@fault(
    replaces=may_fetch,
    breaks="lagging_replica_catches_up",
    source="KAFKA-12181",
    constants={"MAX_OFFSET": 1, "MAX_WIPED": 1},
)
def smaller_offset_is_refused(s: SnapshotFetch, r):
    """A leader does not answer a fetch from before the offset that it knows of the replica."""
    leader = leader_of(s, r)
    return may_fetch(s, r) and leader is not None and log_end(s, r) >= reached(s, leader, r)


@fault(breaks="what_counts_is_answered_with_the_next_record", scope="small")
@edit(replication.fetch_record, "s.log[r] + (record,)", "s.log[r]")
def records_are_kept_back():
    """A leader counts a fetch, and answers it as if it had nothing more."""


@fault(breaks="only_what_agrees_counts", scope="snapshot_first")
@edit(replication.is_below, "latest(s, leader) > 0", "latest(s, leader) > 1")
def small_snapshots_are_not_named():
    """Who has nothing gets no snapshot of one record, but the record."""


@fault(replaces=fetch_diverging, breaks="only_what_agrees_counts", scope="diverging")
def diverging_fetch_counts(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """A leader takes the offset of a fetch for replicated before it compares."""
    fetch_diverging(s, new, r)
    new.fetched[r] = Progress(offset=log_end(s, r), leader_epoch=s.epoch[r])


@fault(
    replaces=replication.known_high_watermark,
    breaks="what_leaders_committed_is_reported_to_followers",
    scope="elections",
)
def inherited_high_watermark_is_reported(s: SnapshotFetch, leader, fetcher):
    """A leader reports the high watermark that it knew as a follower."""
    return next_high_watermark(s, leader, fetcher)


@fault(replaces=fetch_nothing, breaks="followers_learn_the_high_watermark", scope="elections")
def high_watermark_comes_with_records_alone(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """A response without records is not looked at."""
    fetch_nothing(s, new, r)
    new.high_watermark[r] = s.high_watermark[r]


@fault(breaks="fetches_are_answered_by_leaders", scope="waiting")
def waiting_fetch_is_not_looked_at_again(s: SnapshotFetch, new: SnapshotFetch, r: Replica):
    """A fetch that waits is answered with the next record in the log, under any leader."""
    leader = present(leader_of(s, r))
    require(s.waiting[r] is not None and s.log_start[leader] <= log_end(s, r))
    require(log_end(s, r) < log_end(s, leader))
    new.log[r] = s.log[r] + (s.log[leader][max(0, log_end(s, r) - s.log_start[leader])],)
    new.waiting[r] = None


@fault(breaks="only_what_finds_nothing_new_waits", scope="waiting")
@edit(replication.wait_for_records, "log_end(s, r) == log_end(s, leader)", "True")
def every_fetch_that_agrees_waits():
    """A fetch waits although its leader has more."""


@fault(breaks="only_what_finds_nothing_new_waits", scope="waiting")
@edit(
    replication.known_high_watermark,
    "epoch_before(s, leader, high_watermark)",
    "epoch_before(s, leader, s.high_watermark[leader])",
)
def high_watermark_is_reported_a_fetch_late():
    """Whether a leader knows a high watermark is asked before it takes a fetch in: the fetch by
    which the first record of its epoch is committed is sent none."""


@fault(breaks="a_fetch_that_waits_where_nobody_leads_is_refused", scope="waiting")
@edit(replication.refuse_waiting, "leader not in s.leading or ...", "s.epoch[leader] != s.epoch[r]")
def restarted_leader_keeps_fetches_waiting():
    """Who led and restarted in its epoch refuses nothing that waits there."""
