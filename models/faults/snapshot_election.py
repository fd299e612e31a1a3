"""Mistakes in elections and replication under snapshots."""

from lockstep import fault, require
from models.snapshot_election_replication import (
    advanced,
    answer,
    commits,
    follows,
    learned,
    reached,
    replaces,
    role_after_restart,
    unflushed_from,
    vote_after_restart,
)
from models.snapshot_election_state import (
    Answer,
    Role,
    SnapshotElection,
    Voter,
    history,
    id_of,
    last_epoch,
    log_end,
    log_id,
    newest,
)
from models.snapshot_election_votes import (
    become,
    goes_far_enough,
    has_won,
    high_watermark_in_office,
    is_ready,
    may_vote,
)
from models.snapshot_id import MAX_OFFSET, OffsetAndEpoch

# Votes.


@fault(
    replaces=newest,
    harmless="""\
A snapshot that was fetched stands for records that a majority had committed without this voter,
which acknowledges them only by the first fetch after the reset.""",
    scope="epochs",
)
def votes_by_its_log_before_the_reset(s: SnapshotElection, v):
    """A snapshot in place does not count in votes until the log is reset to it."""
    return log_id(s, v)


@fault(replaces=newest, breaks="later_leaders_have_what_is_committed", scope="records")
def empty_log_votes_with_epoch_zero(s: SnapshotElection, v):
    """A log without records votes with its end offset, and epoch 0."""
    if len(s.log[v]) == 0 and not s.unapplied[v]:
        return OffsetAndEpoch(end_offset=s.log_start[v], epoch=0)
    return newest(s, v)


@fault(replaces=newest, breaks="later_leaders_have_what_is_committed")
def empty_log_votes_as_if_there_were_nothing(s: SnapshotElection, v):
    """A log without records votes with offset 0 and epoch 0, whatever snapshot is below it."""
    return id_of(s.log[v]) if len(s.log[v]) == 0 and not s.unapplied[v] else newest(s, v)


@fault(replaces=newest, breaks="later_leaders_have_what_is_committed", scope="records")
def votes_with_inclusive_snapshot_id(s: SnapshotElection, v):
    """Where a snapshot is the newest, votes name the offset of its last record as its end."""
    snapshot = s.snapshot[v]
    if len(snapshot) >= log_end(s, v) and len(snapshot) > 0:
        return OffsetAndEpoch(end_offset=max(0, len(snapshot) - 1), epoch=last_epoch(snapshot))
    return newest(s, v)


@fault(replaces=has_won, breaks="a_candidate_that_could_win_does")
def every_vote_is_needed(s: SnapshotElection, c):
    """A candidate waits for the votes of all."""
    return len(s.granted[c]) == sum(1 for v in Voter)


@fault(replaces=vote_after_restart, breaks="votes_never_change", scope="default")
def vote_is_not_persisted(s: SnapshotElection, v):
    """A voter that restarts does not know whom it voted for."""
    return None


@fault(replaces=may_vote, breaks="votes_never_change")
def votes_twice(s: SnapshotElection, v, c):
    """A follower gives its vote to every candidate of its epoch."""
    return s.epoch[v] < s.epoch[c] or (s.epoch[v] == s.epoch[c] and s.role[v] == Role.FOLLOWER)


@fault(replaces=goes_far_enough, breaks="later_leaders_have_what_is_committed")
def votes_for_anybody(s: SnapshotElection, v, c):
    """A vote is given without a look at the candidate's log."""
    return s.epoch[v] <= s.epoch[c]


@fault(replaces=has_won, breaks="one_leader_an_epoch")
def own_vote_is_enough(s: SnapshotElection, c):
    """A candidate leads with its own vote."""
    return c in s.granted[c]


@fault(breaks="epochs_never_go_back")
def follows_an_older_leader(s: SnapshotElection, new: SnapshotElection, v: Voter, leader: Voter):
    """A replica takes the epoch of whoever says that it leads."""
    require(s.role[leader] == Role.LEADER and s.epoch[leader] < s.epoch[v])
    become(s, new, v, Role.FOLLOWER, s.epoch[leader], voted=None)


# Leaders.


@fault(
    replaces=role_after_restart,
    breaks="leaders_only_append",
    source="KAFKA-10527",
    scope="default",
)
def restarts_as_leader(s: SnapshotElection, v):
    """A leader that restarts leads its epoch again."""
    return s.role[v]


@fault(replaces=is_ready, breaks="leaders_load_no_snapshot")
def leads_before_the_reset(s: SnapshotElection, c):
    """A candidate that won leads at once, with a fetched snapshot still to apply."""
    return has_won(s, c)


@fault(
    replaces=high_watermark_in_office,
    breaks="high_watermark_covers_earlier_epochs",
    scope="records",
    constants={"MAX_OFFSET": 3, "MAX_RESTARTS": 0},
)
def new_leader_keeps_its_high_watermark(s: SnapshotElection, c):
    """A leader tells what it knew to be committed as a follower."""
    return s.high_watermark[c]


@fault(
    replaces=commits,
    breaks="later_leaders_have_what_is_committed",
    source="KAFKA-12619",
    scope="epochs",
)
def high_watermark_at_the_epochs_start(s: SnapshotElection, leader, offset):
    """A majority that has reached where the leader's epoch begins commits what is before it."""
    return offset >= sum(1 for e in history(s, leader) if e < s.epoch[leader])


@fault(replaces=commits, breaks="later_leaders_have_what_is_committed", scope="epochs")
def older_epochs_commit_directly(s: SnapshotElection, leader, offset):
    """A record is committed once a majority has it, whoever wrote it."""
    return offset > 0


@fault(replaces=advanced, breaks="high_watermark_never_moves_back", scope="wipes")
def high_watermark_follows_the_fetches(s: SnapshotElection, leader, fetched):
    """The high watermark goes back when a majority's fetches do."""
    offset = reached(s, leader, fetched)
    return offset if commits(s, leader, offset) else s.high_watermark[leader]


@fault(replaces=learned, breaks="what_counts_as_committed_is")
def high_watermark_beyond_the_log(s: SnapshotElection, v, high_watermark, end):
    """A follower takes the leader's high watermark for its own, although its log ends before."""
    return max(s.high_watermark[v], high_watermark)


@fault(replaces=unflushed_from, breaks="a_majority_has_what_is_committed", scope="default")
def counts_what_is_not_flushed(s: SnapshotElection, v):
    """A leader counts its own records as committed before they are on its disk."""
    return s.log_start[v] if s.role[v] == Role.LEADER else log_end(s, v)


@fault(breaks="logs_agree", scope="records")
def follower_appends(s: SnapshotElection, new: SnapshotElection, v: Voter):
    """A replica that hears of a newer epoch appends records of it, as if it led."""
    require(s.role[v] == Role.FOLLOWER and s.voted[v] is None)
    require(log_end(s, v) < MAX_OFFSET)
    new.log[v] = s.log[v] + (s.epoch[v],)


# Fetches.


@fault(
    replaces=follows,
    breaks="followers_catch_up",
    source="KAFKA-12181",
    constants={"MAX_WIPES": 1},
)
def refuses_smaller_offsets(s: SnapshotElection, v, leader):
    """A leader takes a fetch for a mistake when the follower fetched from a greater offset before,
    although it may have lost its log."""
    return follows(s, v, leader) and log_end(s, v) >= s.fetched[leader][v]


@fault(replaces=answer, breaks="a_majority_has_what_is_committed")
def never_finds_divergence(s: SnapshotElection, leader, fetcher):
    """A fetch is answered with records whenever the leader has them."""
    return Answer.SNAPSHOT if fetcher.end_offset < s.log_start[leader] else Answer.RECORDS


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


@fault(
    replaces=replaces,
    breaks="later_leaders_have_what_is_committed",
    scope="epochs",
    constants={"RESET": "offset"},
)
def keeps_a_log_that_ends_beyond(snapshot, log):
    """The log is reset only to a snapshot that ends beyond it: see RESET."""
    return replaces(snapshot, log)


@fault(
    replaces=replaces,
    breaks="leaders_snapshots_agree_with_their_logs",
    scope="epochs",
    constants={"RESET": "both"},
)
def keeps_a_log_that_does_not_end_before(snapshot, log):
    """The log is reset only to a snapshot that it ends before, in offset and epoch: see RESET."""
    return replaces(snapshot, log)
