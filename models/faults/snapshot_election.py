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
    truncated,
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
    become_leader,
    goes_far_enough,
    has_won,
    high_watermark_in_office,
    is_ready,
    may_vote,
)
from models.snapshot_id import MAX_OFFSET, OffsetAndEpoch, is_newer

# Votes.


@fault(
    replaces=newest,
    harmless="""\
A snapshot that was fetched stands for records that a majority had committed without this voter: of
three voters, both others have them, and neither stands for election with less.""",
    scope="epochs",
)
def votes_by_its_log_before_the_reset(s: SnapshotElection, v):
    """A snapshot in place does not count in votes until the log is reset to it."""
    return log_id(s, v)


@fault(replaces=newest, breaks="votes_go_to_who_goes_as_far", scope="default")
def empty_log_votes_with_epoch_zero(s: SnapshotElection, v):
    """A log without records votes with its end offset, and epoch 0."""
    if len(s.log[v]) == 0 and not s.unapplied[v]:
        return OffsetAndEpoch(end_offset=s.log_start[v], epoch=0)
    return newest(s, v)


@fault(replaces=goes_far_enough, breaks="a_candidate_that_could_win_does", scope="default")
def empty_log_asks_with_epoch_zero(s: SnapshotElection, v, c):
    """A candidate without records in its log asks with its end offset, and epoch 0."""
    asked = OffsetAndEpoch(end_offset=s.log_start[c], epoch=0)
    return not is_newer(newest(s, v), asked if len(s.log[c]) == 0 else newest(s, c))


@fault(replaces=newest, breaks="votes_go_to_who_goes_as_far")
def empty_log_votes_as_if_there_were_nothing(s: SnapshotElection, v):
    """A log without records votes with offset 0 and epoch 0, whatever snapshot is below it."""
    return id_of(s.log[v]) if len(s.log[v]) == 0 and not s.unapplied[v] else newest(s, v)


@fault(replaces=newest, breaks="votes_go_to_who_goes_as_far", scope="default")
def votes_with_inclusive_snapshot_id(s: SnapshotElection, v):
    """Where a snapshot is the newest, votes name the offset of its last record as its end."""
    snapshot = s.snapshot[v]
    if len(snapshot) >= log_end(s, v) and len(snapshot) > 0:
        return OffsetAndEpoch(end_offset=max(0, len(snapshot) - 1), epoch=last_epoch(snapshot))
    return newest(s, v)


@fault(replaces=has_won, breaks="a_candidate_that_could_win_does", scope="default")
def every_vote_is_needed_once_there_are_records(s: SnapshotElection, c):
    """A candidate that has any records waits for the votes of all."""
    return has_won(s, c) and (log_end(s, c) == 0 or all(v in s.granted[c] for v in Voter))


@fault(replaces=vote_after_restart, breaks="votes_never_change", scope="restarts")
def vote_is_not_persisted(s: SnapshotElection, v):
    """A voter that restarts does not know whom it voted for."""
    return None


@fault(replaces=may_vote, breaks="votes_never_change")
def votes_twice(s: SnapshotElection, v, c):
    """A follower gives its vote to every candidate of its epoch."""
    return s.epoch[v] < s.epoch[c] or (s.epoch[v] == s.epoch[c] and s.role[v] == Role.FOLLOWER)


@fault(replaces=goes_far_enough, breaks="votes_go_to_who_goes_as_far")
def votes_for_anybody(s: SnapshotElection, v, c):
    """A vote is given without a look at the candidate's log."""
    return s.epoch[v] <= s.epoch[c]


@fault(replaces=has_won, breaks="one_leader_an_epoch")
def own_vote_is_enough(s: SnapshotElection, c):
    """A candidate leads with its own vote."""
    return c in s.granted[c]


@fault(breaks="candidates_lose_to_leaders")
def gives_up_to_another_candidate(s: SnapshotElection, new: SnapshotElection, c: Voter, d: Voter):
    """A candidate follows another one of its epoch before that one has won."""
    require(s.role[c] == Role.CANDIDATE and s.role[d] == Role.CANDIDATE and c != d)
    require(s.epoch[c] == s.epoch[d])
    become(s, new, c, Role.FOLLOWER, s.epoch[c], c)


@fault(breaks="epochs_never_go_back")
def follows_an_older_leader(s: SnapshotElection, new: SnapshotElection, v: Voter, leader: Voter):
    """A replica takes the epoch of whoever says that it leads."""
    require(s.role[leader] == Role.LEADER and s.epoch[leader] < s.epoch[v])
    become(s, new, v, Role.FOLLOWER, s.epoch[leader], voted=None)


# Leaders.


@fault(replaces=become_leader, breaks="leaders_have_written")
def leads_without_a_record(s: SnapshotElection, new: SnapshotElection, c: Voter):
    """A leader begins without a record of its own."""
    become_leader(s, new, c)
    new.log[c] = s.log[c]


@fault(
    replaces=role_after_restart,
    breaks="leaders_only_append",
    source="KAFKA-10527",
    scope="restarts",
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
    breaks="high_watermark_is_past_the_epochs_start",
    scope="default",
)
def new_leader_keeps_its_high_watermark(s: SnapshotElection, c):
    """A leader tells what it knew to be committed as a follower."""
    return s.high_watermark[c]


@fault(
    replaces=commits,
    breaks="high_watermark_is_past_the_epochs_start",
    source="KAFKA-12619",
    scope="default",
)
def high_watermark_at_the_epochs_start(s: SnapshotElection, leader, offset):
    """A majority that has reached where the leader's epoch begins commits what is before it."""
    return offset >= sum(1 for e in history(s, leader) if e < s.epoch[leader])


@fault(replaces=commits, breaks="high_watermark_is_past_the_epochs_start", scope="default")
def older_epochs_commit_directly(s: SnapshotElection, leader, offset):
    """A record is committed once a majority has it, whoever wrote it."""
    return offset > 0


@fault(replaces=advanced, breaks="high_watermark_never_moves_back", scope="wipes")
def high_watermark_follows_the_fetches(s: SnapshotElection, leader, fetched):
    """The high watermark goes back when a majority's fetches do."""
    offset = reached(s, leader, fetched)
    return offset if commits(s, leader, offset) else s.high_watermark[leader]


@fault(replaces=learned, breaks="high_watermark_never_moves_back", scope="default")
def high_watermark_is_what_the_leader_tells(s: SnapshotElection, v, high_watermark, end):
    """A follower takes a leader's high watermark although it knows a greater one: a new leader
    knows none."""
    return min(high_watermark, end)


@fault(replaces=learned, breaks="what_counts_as_committed_is")
def high_watermark_beyond_the_log(s: SnapshotElection, v, high_watermark, end):
    """A follower takes the leader's high watermark for its own, although its log ends before."""
    return max(s.high_watermark[v], high_watermark)


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


@fault(breaks="logs_agree", scope="default")
def appends_before_it_has_won(s: SnapshotElection, new: SnapshotElection, c: Voter):
    """A candidate appends records of its epoch, as if it led."""
    require(s.role[c] == Role.CANDIDATE and log_end(s, c) < MAX_OFFSET)
    new.log[c] = s.log[c] + (s.epoch[c],)


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


@fault(replaces=answer, breaks="records_come_from_the_log_of_a_leader")
def serves_what_it_has_dropped(s: SnapshotElection, leader, fetcher):
    """A fetch from below the log's start is answered with records, as if they were there."""
    if fetcher.end_offset < s.log_start[leader]:
        return Answer.RECORDS
    return answer(s, leader, fetcher)


@fault(replaces=truncated, breaks="followers_catch_up", scope="default")
def truncates_nothing(s: SnapshotElection, v, diverging):
    """A follower that is told where its log diverges keeps it."""
    return s.log[v]


@fault(replaces=truncated, breaks="followers_catch_up", scope="epochs")
def truncates_to_the_leaders_end(s: SnapshotElection, v, diverging):
    """A follower truncates to the offset that it is told, wherever its own epoch ends."""
    return s.log[v][: max(0, diverging.end_offset - s.log_start[v])]


@fault(replaces=truncated, breaks="what_counts_as_committed_is", scope="default")
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


@fault(
    replaces=replaces,
    breaks="followers_catch_up",
    scope="epochs",
    constants={"RESET": "newer"},
)
def keeps_a_log_that_is_newer(snapshot, log):
    """The log is reset only to a snapshot that is newer, as in Apache Kafka: see RESET."""
    return replaces(snapshot, log)


@fault(
    replaces=replaces,
    breaks="followers_catch_up",
    scope="epochs",
    constants={"RESET": "either"},
)
def keeps_a_log_that_ends_beyond_in_a_newer_epoch(snapshot, log):
    """The log is reset to a snapshot of a newer epoch, or one that ends beyond it: see RESET."""
    return replaces(snapshot, log)
