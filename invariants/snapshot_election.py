"""What must hold of KRaft elections under snapshots, liveness, and what is possible. Ids are rows
of specs/kip_595.toml and specs/kip_630.toml."""

# Elections.
from invariants.snapshot_election_votes import (
    agrees,
    a_newer_epoch_ends_an_office,
    a_step_is_of_two_replicas,
    candidates_could_win,
    candidates_lose_to_leaders,
    candidates_stand_in_the_next_epoch,
    diverges,
    epochs_rest_while_a_leader_is_followed,
    epochs_never_go_back,
    failures_are_of_one_replica,
    goes_as_far,
    has_all,
    has_stalled,
    is_cut,
    is_surely_not_counted,
    leaders_have_written,
    leaders_load_no_snapshot,
    leaders_only_append,
    leaders_resign_only_without_a_majority,
    most,
    one_leader_an_epoch,
    state_machines_lead_once_all_before_is_committed,
    votes_go_to_candidates,
    votes_go_to_who_goes_as_far,
    votes_never_change,
    votes_that_count_were_given,
)

# Replication and snapshots.
from invariants.snapshot_election_replication import (
    a_majority_has_what_is_committed,
    a_reset_begins_at_the_snapshots_end,
    epochs_never_fall_along_a_log,
    followers_drop_only_what_the_leader_lacks,
    followers_learn_the_high_watermark,
    high_watermark_is_past_the_epochs_start,
    high_watermark_never_moves_back,
    later_leaders_have_what_is_committed,
    leaders_snapshots_agree_with_their_logs,
    a_log_starts_within_what_is_known_to_be_committed,
    log_start_is_in_a_snapshot,
    logs_agree,
    only_fetches_that_agree_count,
    only_leaders_know_what_others_have,
    records_come_from_the_log_of_a_leader,
    snapshots_hold_what_is_committed,
    what_a_majority_acknowledged_is_committed,
    what_counts_as_committed_is,
    what_is_committed_ends_in_a_record_of_that_epoch,
)
from lockstep import each, leads_to, sometimes
from models.snapshot_election_replication import (
    advance_log_start,
    fetch,
    fetch_in_vain,
    keep_log,
    notify,
    receive_snapshot,
    recover,
    reset_log,
    truncate,
)
from models.snapshot_election_state import (
    FETCH_RULE,
    MAX_SNAPSHOTS,
    NOTICES,
    VALUES,
    Role,
    SnapshotElection,
    Voter,
    history,
    log_end,
)
from models.snapshot_election_votes import become_leader, grant, heal, learn_epoch, lose, resign
from models.snapshot_id import MAX_EPOCH, MAX_OFFSET

# Liveness. In the last epoch of a scope no timeout disturbs it any more, and what the
# network keeps from happening need not happen.


APPLYING = (each(reset_log, "v"), each(keep_log, "v"))
"""A fetched snapshot does not wait for ever."""

COMING_TO_FETCH = (
    each(learn_epoch, "v"),
    each(lose, "c"),
    each(truncate, "v"),
    each(receive_snapshot, "v"),
    *APPLYING,
)
"""The steps by which a replica gets to where the leader has records for it."""

FOLLOWING = (*COMING_TO_FETCH, each(fetch, "v"))
"""A replica does not stop following a leader."""


def has_a_vote(s: SnapshotElection, v, c):
    """Whether a voter is in an earlier epoch than a candidate, or has not voted in its own."""
    return s.epoch[v] < s.epoch[c] or (s.epoch[v] == s.epoch[c] and s.voted[v] is None)


@leads_to("595-9", weak=(each(learn_epoch, "v"), heal))
def a_newer_epoch_is_heard_of(s: SnapshotElection, v: Voter):
    """Once somebody is in the last epoch, all are in it at last, if the network is whole again."""
    return any(s.epoch[w] == MAX_EPOCH for w in Voter), s.epoch[v] == MAX_EPOCH


def could_win(s: SnapshotElection, c):
    """Whether a candidate has room for its first record, and a majority that has given it a vote or
    may still do so."""
    return log_end(s, c) < MAX_OFFSET and most(
        {v for v in Voter if v in s.granted[c] or (has_a_vote(s, v, c) and goes_as_far(s, c, v))}
    )


@leads_to(
    "595-7",
    "595-8",
    weak=(each(grant, "v"), each(become_leader, "c"), *APPLYING),
)
def a_candidate_that_could_win_does(s: SnapshotElection, c: Voter):
    """A candidate of the last epoch that goes far enough for a majority leads, or else the others
    gave their votes away, or wrote more."""
    stands = s.role[c] == Role.CANDIDATE and s.epoch[c] == MAX_EPOCH
    return stands and could_win(s, c), not stands or not could_win(s, c) or s.cut is not None


def is_owed_a_vote(s: SnapshotElection, v, c):
    """A voter hears of a candidate of the last epoch, has its vote left, and goes no further."""
    stands = s.role[c] == Role.CANDIDATE and s.epoch[c] == MAX_EPOCH
    return stands and s.cut != v and s.cut != c and has_a_vote(s, v, c) and goes_as_far(s, c, v)


@leads_to("595-7", "630-31", "630-32", weak=(each(grant, "v"),))
def a_vote_is_given_to_who_goes_as_far(s: SnapshotElection, v: Voter, c: Voter):
    """A candidate gets the vote that it is owed, with a fetched snapshot still to apply, too; or
    the voter gives it away, or the candidate stands no longer."""
    return is_owed_a_vote(s, v, c), not is_owed_a_vote(s, v, c)


@leads_to("595-19", "595-21", "630-28", weak=FOLLOWING)
def followers_catch_up(s: SnapshotElection, v: Voter, leader: Voter):
    """While a leader of the last epoch lives, all others get what it has, if they get on."""
    leads = s.role[leader] == Role.LEADER and s.epoch[leader] == MAX_EPOCH
    needs_nothing = s.stalled[v] == 1 or has_all(s, v, leader)
    return leads, not leads or needs_nothing or s.cut == v or s.cut == leader


@leads_to("630-28", weak=APPLYING)
def a_fetched_snapshot_is_applied(s: SnapshotElection, v: Voter):
    """A fetched snapshot does not wait for ever: the log gives way to it, or is kept."""
    return s.epoch[v] > 0, not s.unapplied[v]


@leads_to("630-13", weak=(each(advance_log_start, "v"), *APPLYING))
def what_a_snapshot_stands_for_is_dropped(s: SnapshotElection, v: Voter):
    """A log does not keep for ever what is in the latest snapshot, once it is known to be
    committed."""
    known = len(s.snapshot[v]) <= s.high_watermark[v]
    return s.epoch[v] > 0, not known or s.log_start[v] == len(s.snapshot[v])


@leads_to("595-29", weak=each(recover, "v"))
def a_follower_gets_on_again(s: SnapshotElection, v: Voter):
    """Who stalls may get on again: that a leader commits nothing meanwhile is no end."""
    return s.epoch[v] > 0, s.stalled[v] == 0


@leads_to(
    "595-13",
    weak=COMING_TO_FETCH,
    strong=(each(fetch, "v"), each(fetch_in_vain, "v")),
)
def a_leader_learns_what_its_followers_have(s: SnapshotElection, v: Voter, leader: Voter):
    """A leader of the last epoch knows of all that another one has, if their logs agree, though
    that stalls."""
    leads = v != leader and s.role[leader] == Role.LEADER and s.epoch[leader] == MAX_EPOCH
    is_known = s.fetched[leader][v] == log_end(s, v)
    return leads, not leads or is_known or not agrees(s, v, leader) or is_cut(s, v, leader)


def somebody_stalls(s: SnapshotElection):
    return any(s.stalled[v] == 1 for v in Voter)


@leads_to("595-13", weak=FOLLOWING)
def what_a_leader_writes_is_committed(s: SnapshotElection, leader: Voter):
    """While a leader of the last epoch lives, and all get on, all that it has is at last
    committed."""
    leads = s.role[leader] == Role.LEADER and s.epoch[leader] == MAX_EPOCH
    is_committed = s.high_watermark[leader] == log_end(s, leader)
    return leads, not leads or is_committed or somebody_stalls(s) or s.cut == leader


@leads_to("595-28", weak=(each(notify, "leader"), *FOLLOWING))
def a_leaders_state_machine_is_notified(s: SnapshotElection, leader: Voter):
    """While a leader of the last epoch lives, its state machine is notified in the end,
    where state machines are notified at all."""
    leads = s.role[leader] == Role.LEADER and s.epoch[leader] == MAX_EPOCH
    comes = not NOTICES or s.notice[leader] == 1
    return leads, not leads or comes or somebody_stalls(s) or s.cut == leader


@leads_to("595-27", weak=(each(resign, "leader"),))
def a_leader_without_a_majority_resigns(s: SnapshotElection, leader: Voter):
    """A leader does not lead as long as those that count and it are no majority."""
    leads = s.role[leader] == Role.LEADER
    has_one = most({v for v in Voter if v == leader or not is_surely_not_counted(s, v, leader)})
    return leads, not leads or has_one


def gets_on(s: SnapshotElection, v, leader):
    """Whether a voter has or gets what its leader has, or downloads a snapshot."""
    lacks_records = agrees(s, v, leader) and not has_all(s, v, leader)
    in_vain = has_stalled(s, v, leader) and (lacks_records or diverges(s, v, leader))
    return not is_cut(s, v, leader) and not in_vain


@leads_to("595-29", weak=(each(resign, "leader"),))
def a_leader_with_whom_no_majority_gets_on_resigns(s: SnapshotElection, leader: Voter):
    """A leader does not lead as long as those that get on and it are no majority: it could commit
    no record that they lack. Where such followers keep it in office (595-D5), this does not
    hold."""
    leads = s.role[leader] == Role.LEADER
    has_one = most({v for v in Voter if v == leader or gets_on(s, v, leader)})
    return leads, not leads or has_one


@sometimes("595-11")
def a_leader_writes_on(s: SnapshotElection):
    """A leader has written more than the first record of its epoch, where there is room for two,
    and has them in its log."""
    return MAX_OFFSET < 2 or any(
        s.role[v] == Role.LEADER and sum(1 for r in s.log[v] if r.epoch == s.epoch[v]) > 1
        for v in Voter
    )


@sometimes("595-13")
def a_log_is_committed_in_the_first_epoch(s: SnapshotElection):
    """The first leader commits as many records as a log may have."""
    return len(s.committed) == MAX_OFFSET and s.committed_in == 1


@sometimes("595-3")
def a_record_is_written_after_a_crash(s: SnapshotElection):
    """A record was written after a crash, where that is distinguished."""
    return not VALUES or any(r.value > 0 for v in Voter for r in history(s, v))


@sometimes("630-12")
def a_snapshot_stands_for_all_that_is_committed(s: SnapshotElection):
    """A replica has a snapshot that ends at the high watermark, where there are any."""
    return MAX_SNAPSHOTS == 0 or any(len(s.snapshot[v]) == len(s.committed) > 0 for v in Voter)


@sometimes("630-13")
def a_leader_keeps_no_record_in_its_log(s: SnapshotElection):
    """A leader's snapshot has taken the place of all of its log, where there are any."""
    return MAX_SNAPSHOTS == 0 or any(s.role[v] == Role.LEADER and len(s.log[v]) == 0 for v in Voter)


@sometimes("630-30")
def a_fetched_snapshot_ends_no_later_than_the_log(s: SnapshotElection):
    """A follower has fetched a snapshot, and its log goes as far in offset or further. Where a
    snapshot is sent for an offset alone (630-D20), and in the first epoch, none does."""
    return (MAX_SNAPSHOTS == 0 or FETCH_RULE != "earliest" or MAX_EPOCH == 1) or any(
        s.unapplied[v] and s.restarts == 0 and log_end(s, v) >= len(s.snapshot[v]) for v in Voter
    )


@sometimes("630-33")
def a_whole_log_has_a_snapshot_beyond_the_high_watermark(s: SnapshotElection):
    """A follower that lacks nothing below its log has fetched a snapshot of records that it does
    not know to be committed."""
    return MAX_SNAPSHOTS == 0 or any(
        s.log_start[v] == 0 and s.high_watermark[v] < len(s.snapshot[v]) for v in Voter
    )


@sometimes("630-31", "630-32")
def a_voter_caught_between_votes(s: SnapshotElection):
    """A follower votes after it got a snapshot and before it reset its log, in a later epoch."""
    return (MAX_SNAPSHOTS == 0 or MAX_EPOCH == 1) or any(
        s.role[c] == Role.CANDIDATE and s.unapplied[v] and v != c
        for c in Voter
        for v in s.granted[c]
    )
