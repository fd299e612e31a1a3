"""Mistakes in elections: epochs, votes and the first steps of leaders."""

from lockstep import edit, fault, require
from models import snapshot_election_replication as replication
from models import snapshot_election_votes as votes
from models.snapshot_election_replication import may_be_notified, restart
from models.snapshot_election_state import (
    LogRecord,
    Role,
    SnapshotElection,
    Voter,
    become,
    history,
    id_of,
    last_epoch,
    log_end,
    newest,
    next_record,
)
from models.snapshot_election_votes import grant, has_won, learn_epoch, may_vote, time_out
from models.snapshot_id import MAX_OFFSET, Offset, OffsetAndEpoch, is_newer

# Votes.


@fault(
    harmless="""\
A snapshot that was fetched stands for records that a majority had committed without this voter: of
three voters, both others have them, and neither stands for election with less.""",
    scope="epochs",
)
@edit(votes.grant, "newest(s, v)", "log_id(s, v)")
def votes_by_its_log_before_the_reset():
    """A voter's snapshot in place does not count until the log is reset to it."""


@fault(breaks="a_vote_is_given_to_who_goes_as_far", scope="default")
@edit(votes.grant, "newest(s, c)", "log_id(s, c)")
def asks_with_its_log_before_the_reset():
    """A candidate asks with the end of its log, although it has a newer snapshot in place."""


@fault(replaces=newest, breaks="votes_go_to_who_goes_as_far", scope="default")
def empty_log_votes_with_epoch_zero(s: SnapshotElection, v):
    """A log without records votes with its end offset, and epoch 0."""
    if len(s.log[v]) == 0 and not s.unapplied[v]:
        return OffsetAndEpoch(end_offset=s.log_start[v], epoch=0)
    return newest(s, v)


@fault(breaks="a_candidate_that_could_win_does", scope="default")
@edit(
    votes.grant,
    "require(not is_newer(newest(s, v), newest(s, c)))",
    """
    asked = OffsetAndEpoch(end_offset=s.log_start[c], epoch=0)
    require(not is_newer(newest(s, v), asked if len(s.log[c]) == 0 else newest(s, c)))
    """,
)
def empty_log_asks_with_epoch_zero():
    """A candidate without records in its log asks with its end offset, and epoch 0."""


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


@fault(breaks="votes_never_change", scope="restarts")
@edit(replication.restart, "s.voted[v]", "None")
def vote_is_not_persisted():
    """A voter that restarts does not know whom it voted for."""


@fault(breaks="votes_never_change")
@edit(votes.may_vote, "s.voted[v] is None", "s.role[v] == Role.FOLLOWER")
def votes_twice():
    """A follower gives its vote to every candidate of its epoch."""


@fault(breaks="candidates_could_win", scope="pre_votes")
@edit(votes.would_vote, "not is_newer(newest(s, v), newest(s, c))", "asked")
def pre_votes_for_anybody():
    """A pre-vote is granted without a look at the log of who asks."""


@fault(breaks="epochs_rest_while_a_leader_is_followed", scope="pre_votes")
@edit(
    votes.would_vote,
    "not has_a_leader(s, v)",
    "Role.LEADER not in (s.role[v], s.role[c]) and log_id(s, v).epoch == s.epoch[v]",
)
def followers_grant_pre_votes():
    """A voter that hears of a leader and has fetched its records grants a pre-vote nevertheless."""


@fault(breaks="votes_go_to_who_goes_as_far")
@edit(votes.grant, "not is_newer(newest(s, v), newest(s, c))", "s.epoch[v] <= s.epoch[c]")
def votes_for_anybody():
    """A vote is given without a look at the candidate's log."""


@fault(breaks="one_leader_an_epoch")
@edit(votes.has_won, "return ...", "return c in s.granted[c]")
def own_vote_is_enough():
    """A candidate leads with its own vote."""


@fault(breaks="candidates_lose_to_leaders")
def gives_up_to_another_candidate(s: SnapshotElection, new: SnapshotElection, c: Voter, d: Voter):
    """A candidate follows another one of its epoch before that one has won."""
    require(s.role[c] == Role.CANDIDATE and s.role[d] == Role.CANDIDATE and c != d)
    require(s.epoch[c] == s.epoch[d])
    become(s, new, c, Role.FOLLOWER, s.epoch[c], c)


@fault(breaks="epochs_never_go_back")
def follows_an_older_leader(s: SnapshotElection, new: SnapshotElection, v: Voter, leader: Voter):
    """A replica takes the epoch of any replica that says that it leads."""
    require(s.role[leader] == Role.LEADER and s.epoch[leader] < s.epoch[v])
    become(s, new, v, Role.FOLLOWER, s.epoch[leader], voted=None)


@fault(breaks="candidates_stand_in_the_next_epoch")
def stands_in_the_epoch_that_it_knows(s: SnapshotElection, new: SnapshotElection, v: Voter):
    """A replica that has its vote left asks for votes in the epoch that it is in."""
    require(s.role[v] == Role.FOLLOWER and s.voted[v] is None)
    become(s, new, v, Role.CANDIDATE, s.epoch[v], v)


@fault(replaces=votes.grant, breaks="votes_go_to_candidates")
def votes_for_who_asked_before(s: SnapshotElection, new: SnapshotElection, v: Voter, c: Voter):
    """A vote is given although its candidate has given up, or is only about to stand."""
    require(may_vote(s, v, c) and not is_newer(newest(s, v), newest(s, c)))
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


@fault(replaces=votes.grant, breaks="a_step_is_of_two_replicas")
def a_vote_takes_what_older_leaders_know(
    s: SnapshotElection, new: SnapshotElection, v: Voter, c: Voter
):
    """When a vote is given, the leaders of older epochs forget what others have fetched."""
    grant(s, new, v, c)
    new.fetched = {w: {x: 0 for x in Voter} for w in Voter}


@fault(replaces=learn_epoch, breaks="votes_that_count_were_given")
def a_newer_epoch_ends_all_elections(
    s: SnapshotElection, new: SnapshotElection, v: Voter, w: Voter
):
    """The news of an epoch that reaches one replica takes the votes of all candidates."""
    learn_epoch(s, new, v, w)
    new.granted = {c: set() for c in Voter}


@fault(replaces=learn_epoch, breaks="a_newer_epoch_is_heard_of")
def hears_of_leaders_only(s: SnapshotElection, new: SnapshotElection, v: Voter, w: Voter):
    """A replica takes a newer epoch from the leader of it and from nobody else."""
    require(s.role[w] == Role.LEADER)
    learn_epoch(s, new, v, w)


# Leaders.


@fault(breaks="leaders_have_written")
@edit(votes.become_leader, "new.log[c] = ...", "new.log[c] = s.log[c]")
def leads_without_a_record():
    """A leader begins without a record of its own."""


@fault(breaks="leaders_only_append", source="KAFKA-10527", scope="restarts")
@edit(
    replication.restart,
    "Role.CANDIDATE if s.role[v] == Role.CANDIDATE else Role.FOLLOWER",
    "s.role[v]",
)
def restarts_as_leader():
    """A leader that restarts leads its epoch again."""


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


@fault(replaces=restart, breaks="failures_are_of_one_replica", scope="restarts")
def a_crash_is_everybodys(s: SnapshotElection, new: SnapshotElection, v: Voter, end: Offset):
    """When a replica restarts, leaders forget what others have fetched."""
    restart(s, new, v, end)
    new.fetched = {w: {x: 0 for x in Voter} for w in Voter}


@fault(breaks="a_leader_without_a_majority_resigns", source="KAFKA-15489", scope="cuts")
@edit(votes.has_a_majority, "return ...", "return True")
def never_resigns():
    """A leader does not look at who fetches from it."""


@fault(breaks="leaders_resign_only_without_a_majority", source="KAFKA-16144", scope="cuts")
@edit(
    votes.has_a_majority,
    "v == leader or is_heard_of(s, v, leader)",
    "v != leader and is_heard_of(s, v, leader)",
)
def does_not_count_itself():
    """A leader waits for the fetches of a majority of others, as one did that was the only voter
    and had nobody to wait for."""


@fault(
    breaks="leaders_resign_only_without_a_majority",
    scope="stalls",
)
@edit(votes.counts, "return downloads(s, v, leader) or ...", "return gets_records")
def downloads_keep_nobody_in_office():
    """A leader counts who fetches records from it, and not who downloads its snapshot."""


@fault(
    breaks="a_leader_without_a_majority_resigns",
    scope="stalls",
    constants={"MAX_EPOCH": 2},
)
@edit(
    votes.counts,
    "answer(s, leader, log_id(s, v)) == Answer.RECORDS",
    "answer(s, leader, log_id(s, v)) != Answer.SNAPSHOT",
)
def fetches_that_diverge_keep_it_in_office():
    """A leader counts a fetch whatever it answers, as long as its sender follows it."""


@fault(
    breaks="leaders_resign_only_without_a_majority",
    scope="fetches",
    constants={"MAX_EPOCH": 2, "MAX_SNAPSHOTS": 0},
)
@edit(
    votes.counts, "not downloads(s, v, leader)", "answer(s, leader, log_id(s, v)) == Answer.RECORDS"
)
def only_fetches_that_agree_keep_it_in_office():
    """A leader that counts any fetch does not count one that finds logs diverging."""


@fault(breaks="leaders_resign_only_without_a_majority", scope="progress")
@edit(votes.counts, 'CHECK_QUORUM == "served" or has_all', 'CHECK_QUORUM == "served"')
def idle_followers_are_no_progress():
    """A leader that asks for progress does not count who has all that there is."""


@fault(breaks="a_leader_with_whom_no_majority_gets_on_resigns", scope="progress")
@edit(votes.counts, 'CHECK_QUORUM == "served" or has_all', "gets_records")
def an_empty_fetch_is_progress():
    """A leader that asks for progress counts a fetch from the offset of the one before it, too."""


@fault(
    replaces=may_be_notified,
    breaks="state_machines_lead_once_all_before_is_committed",
    source="KAFKA-15345",
    scope="notices",
)
def notifies_at_once_where_the_log_was_empty(s: SnapshotElection, leader):
    """A state machine is notified at once if there was no record before the epoch."""
    is_first = s.log_start[leader] == 0 and all(
        r.epoch == s.epoch[leader] for r in history(s, leader)
    )
    return may_be_notified(s, leader) or (s.role[leader] == Role.LEADER and is_first)


@fault(
    replaces=may_be_notified,
    breaks="state_machines_lead_once_all_before_is_committed",
    source="KAFKA-17333",
    scope="notices",
    constants={"MAX_RESTARTS": 1},
)
def notifies_one_that_has_resigned(s: SnapshotElection, leader):
    """The state machine of a leader that restarted, and so resigned, is notified that it leads."""
    return may_be_notified(s, leader) or (
        s.role[leader] == Role.FOLLOWER and s.voted[leader] == leader and s.restarts > 0
    )


@fault(breaks="leaders_load_no_snapshot")
@edit(votes.become_leader, "not s.unapplied[c]", "has_won(s, c)")
def leads_before_the_reset():
    """A candidate that won leads at once, with a fetched snapshot still to apply."""


@fault(breaks="high_watermark_is_past_the_epochs_start", scope="default")
@edit(votes.become_leader, "0", "s.high_watermark[c]")
def new_leader_keeps_its_high_watermark():
    """A leader reports what it knew to be committed as a follower."""


@fault(breaks="records_come_from_the_log_of_a_leader", scope="default")
def appends_before_it_has_won(s: SnapshotElection, new: SnapshotElection, c: Voter):
    """A candidate appends records of its epoch, as if it led."""
    require(s.role[c] == Role.CANDIDATE and log_end(s, c) < MAX_OFFSET)
    new.log[c] = s.log[c] + (next_record(s, c),)


@fault(replaces=replication.append_record, breaks="leaders_only_append", scope="default")
def writes_in_the_epoch_before(s: SnapshotElection, new: SnapshotElection, leader: Voter):
    """A leader's second record bears the epoch of what was in its log when it was elected."""
    require(s.role[leader] == Role.LEADER and log_end(s, leader) < MAX_OFFSET)
    new.log[leader] = s.log[leader] + (LogRecord(epoch=max(0, s.epoch[leader] - 1), value=0),)


@fault(replaces=may_be_notified, breaks="a_leaders_state_machine_is_notified", scope="notices")
def notifies_leaders_of_the_first_epoch_alone(s: SnapshotElection, leader):
    """The state machine of a leader is notified if it is the first one that there is."""
    return may_be_notified(s, leader) and s.epoch[leader] == 1
