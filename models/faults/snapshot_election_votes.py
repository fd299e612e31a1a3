"""Mistakes in elections: epochs, votes and the first steps of leaders."""

from lockstep import fault, require
from models.snapshot_election_replication import (
    append_record,
    may_be_told,
    restart,
    role_after_restart,
    vote_after_restart,
)
from models.snapshot_election_state import (
    LogRecord,
    Role,
    SnapshotElection,
    Voter,
    hears,
    history,
    id_of,
    last_epoch,
    log_end,
    log_id,
    newest,
    next_record,
)
from models.snapshot_election_votes import (
    become,
    become_leader,
    goes_far_enough,
    grant,
    has_a_majority,
    has_won,
    high_watermark_in_office,
    is_majority,
    is_ready,
    learn_epoch,
    may_vote,
    time_out,
)
from models.snapshot_id import MAX_OFFSET, Offset, OffsetAndEpoch, is_newer

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


@fault(breaks="candidates_stand_in_the_next_epoch")
def stands_in_the_epoch_that_it_knows(s: SnapshotElection, new: SnapshotElection, v: Voter):
    """A replica that has its vote left asks for votes in the epoch that it is in."""
    require(s.role[v] == Role.FOLLOWER and s.voted[v] is None)
    become(s, new, v, Role.CANDIDATE, s.epoch[v], v)


@fault(replaces=grant, breaks="votes_go_to_candidates")
def votes_for_who_asked_before(s: SnapshotElection, new: SnapshotElection, v: Voter, c: Voter):
    """A vote is given although its candidate has given up, or is only about to stand."""
    require(may_vote(s, v, c) and goes_far_enough(s, v, c))
    become(s, new, v, Role.FOLLOWER, s.epoch[c], c)


@fault(replaces=time_out, breaks="votes_that_count_were_given")
def keeps_the_votes_of_the_last_epoch(s: SnapshotElection, new: SnapshotElection, v: Voter):
    """A candidate that did not win takes its votes along into the next epoch."""
    time_out(s, new, v)
    new.granted[v] = s.granted[v] | {v}


@fault(replaces=learn_epoch, breaks="a_newer_epoch_ends_an_office")
def keeps_its_office(s: SnapshotElection, new: SnapshotElection, v: Voter, w: Voter):
    """A replica takes a newer epoch and goes on as what it was in its old one."""
    learn_epoch(s, new, v, w)
    new.role[v] = s.role[v]


@fault(replaces=learn_epoch, breaks="only_leaders_know_what_others_have")
def remembers_the_fetches_of_its_epoch(
    s: SnapshotElection, new: SnapshotElection, v: Voter, w: Voter
):
    """Who led keeps the fetch offsets that it knew of the others."""
    learn_epoch(s, new, v, w)
    new.fetched[v] = s.fetched[v]


@fault(replaces=learn_epoch, breaks="a_newer_epoch_is_heard_of")
def hears_of_leaders_only(s: SnapshotElection, new: SnapshotElection, v: Voter, w: Voter):
    """A replica takes a newer epoch from the leader of it and from nobody else."""
    require(s.role[w] == Role.LEADER)
    learn_epoch(s, new, v, w)


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


@fault(
    replaces=restart,
    harmless="""\
What it wrote in its epoch is all there, and it writes on from there. Nobody else leads the epoch,
and it knows no high watermark until others fetch from it again.""",
    scope="values",
)
def restarts_as_leader_with_all_that_it_wrote(
    s: SnapshotElection, new: SnapshotElection, v: Voter, end: Offset
):
    """A leader whose log was on its disk to the end leads its epoch again when it restarts."""
    require(s.role[v] != Role.LEADER or end == log_end(s, v))
    restart(s, new, v, end)
    new.role[v] = s.role[v]
    new.high_watermark[v] = 0 if s.role[v] == Role.LEADER else s.log_start[v]


@fault(
    replaces=has_a_majority,
    breaks="a_leader_without_a_majority_resigns",
    source="KAFKA-15489",
    scope="cuts",
)
def never_resigns(s: SnapshotElection, leader):
    """A leader does not look at who fetches from it."""
    return True


@fault(
    replaces=has_a_majority,
    breaks="leaders_resign_only_without_a_majority",
    source="KAFKA-16144",
    scope="cuts",
)
def does_not_count_itself(s: SnapshotElection, leader):
    """A leader waits for the fetches of a majority of others, as one did that was the only voter
    and had nobody to wait for."""
    return is_majority({v for v in Voter if v != leader and hears(s, v, leader)})


@fault(
    replaces=may_be_told,
    breaks="state_machines_lead_once_all_before_is_committed",
    source="KAFKA-15345",
    scope="notices",
)
def tells_at_once_where_the_log_was_empty(s: SnapshotElection, leader):
    """A state machine is told at once that it leads, if there was no record before the epoch."""
    is_first = s.log_start[leader] == 0 and all(
        r.epoch == s.epoch[leader] for r in history(s, leader)
    )
    return may_be_told(s, leader) or (s.role[leader] == Role.LEADER and is_first)


@fault(
    replaces=may_be_told,
    breaks="state_machines_lead_once_all_before_is_committed",
    source="KAFKA-17333",
    scope="notices",
    constants={"MAX_RESTARTS": 1},
)
def tells_one_that_has_resigned(s: SnapshotElection, leader):
    """The state machine of a leader that restarted, and so resigned, is told that it leads."""
    return may_be_told(s, leader) or (
        s.role[leader] == Role.FOLLOWER and s.voted[leader] == leader and s.restarts > 0
    )


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


@fault(breaks="records_come_from_the_log_of_a_leader", scope="default")
def appends_before_it_has_won(s: SnapshotElection, new: SnapshotElection, c: Voter):
    """A candidate appends records of its epoch, as if it led."""
    require(s.role[c] == Role.CANDIDATE and log_end(s, c) < MAX_OFFSET)
    new.log[c] = s.log[c] + (next_record(s, c),)


@fault(replaces=append_record, breaks="leaders_only_append", scope="default")
def writes_in_the_epoch_before(s: SnapshotElection, new: SnapshotElection, leader: Voter):
    """A leader's second record bears the epoch of what was in its log when it was elected."""
    require(s.role[leader] == Role.LEADER and log_end(s, leader) < MAX_OFFSET)
    new.log[leader] = s.log[leader] + (LogRecord(epoch=max(0, s.epoch[leader] - 1), value=0),)


@fault(replaces=may_be_told, breaks="a_leaders_state_machine_is_told", scope="notices")
def tells_leaders_of_the_first_epoch_alone(s: SnapshotElection, leader):
    """The state machine of a leader is told if it is the first one that there is."""
    return may_be_told(s, leader) and s.epoch[leader] == 1
