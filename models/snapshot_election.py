"""KRaft elections and commitment while snapshots take the place of logs (KIP-595 with KIP-630).

The voters elect leaders, leaders append, followers fetch, and all of them make snapshots of what is
committed and drop the log below. A follower whose records the leader no longer has gets the
leader's snapshot instead: it is moved into place first and the log is reset later, and in between
the follower votes and asks for votes.

A record is the epoch of the leader that wrote it: a leader writes one record at an offset. A
snapshot is the records that it stands for.

There is no network: a request and its response are one step between two replicas, and what is
lost does not happen. What messages under way could add is harmless, or is here in other ways:

- A request for a vote says what stays true while its sender is a candidate. One that arrives when
  the sender is none any more gives a vote that nobody counts, and is worth no more than the news
  of its epoch: `learn_epoch`. A vote that arrives late is one whose candidate acts on it late.
- A fetch that arrives late acknowledges what its sender had when it was still in that epoch. The
  step takes the acknowledgement at that time, which commits no later and so claims more.
- A response to a fetch that arrives late is for a follower of the same epoch, which has not
  fetched since, so that its log is as it was.
- A download takes many requests. Until it is complete, nobody takes it for a snapshot; what may
  come in between is for snapshot_fetch.
"""

from enum import Enum

from lockstep import Constant, Map, OneOf, Range, Sequence, Set, State, action, require
from models.snapshot_id import MAX_EPOCH, MAX_OFFSET, Epoch, Offset, OffsetAndEpoch, is_newer, newer

VOTERS: Constant = ("v1", "v2", "v3")

MAX_RESTARTS: Constant = 1
"""How often a replica crashes and restarts in one behaviour."""

MAX_WIPES: Constant = 0
"""How often a follower loses its log and its snapshots in one behaviour."""

MAX_SNAPSHOTS: Constant = 1
"""How many snapshots are generated in one behaviour; copies by fetching are not counted."""

RESET: Constant = "always"
"""When a follower that fetched a snapshot resets its log: "always"; "newer", if the snapshot is
newer by epoch, then by offset, as in Apache Kafka; "offset", if it ends beyond the log; "both", if
it ends beyond the log and its epoch is no older (630-D17)."""

Voter = OneOf(VOTERS, interchangeable=True)
Records = Sequence[Epoch, MAX_OFFSET]


class Role(Enum):
    """Of a replica in its epoch. A leader that resigned is a follower of nobody."""

    FOLLOWER = 0
    CANDIDATE = 1
    LEADER = 2


class Answer(Enum):
    """What a leader has to say to a fetch."""

    RECORDS = 0
    DIVERGING = 1
    SNAPSHOT = 2


class SnapshotElection(State):
    # On the voters' disks.
    epoch: Map[Voter, Epoch] = {v: 0 for v in Voter}
    voted: Map[Voter, Voter | None] = {v: None for v in Voter}
    log_start: Map[Voter, Offset] = {v: 0 for v in Voter}
    log: Map[Voter, Records] = {v: () for v in Voter}
    # The records that the latest snapshot stands for; none without one.
    snapshot: Map[Voter, Records] = {v: () for v in Voter}
    # In the voters' memories.
    role: Map[Voter, Role] = {v: Role.FOLLOWER for v in Voter}
    # Whether the latest snapshot was fetched, and the log is not reset to it yet.
    unapplied: Map[Voter, bool] = {v: False for v in Voter}
    high_watermark: Map[Voter, Offset] = {v: 0 for v in Voter}
    # Who gave a candidate its vote.
    granted: Map[Voter, Set[Voter]] = {v: set() for v in Voter}
    # The fetch offsets that a leader knows of the others.
    fetched: Map[Voter, Map[Voter, Offset]] = {v: {w: 0 for w in Voter} for v in Voter}
    # Known to the reader only.
    committed: Records = ()
    snapshots: Range(0, MAX_SNAPSHOTS) = 0
    restarts: Range(0, MAX_RESTARTS) = 0
    wipes: Range(0, MAX_WIPES) = 0


# What a replica has.


def last_epoch(records):
    return records[-1] if len(records) > 0 else 0


def id_of(records):
    return OffsetAndEpoch(end_offset=len(records), epoch=last_epoch(records))


def log_end(s, v):
    return s.log_start[v] + len(s.log[v])


def history(s, v):
    """All records of a replica: below the log's start, those of the snapshot."""
    return s.snapshot[v][: s.log_start[v]] + s.log[v]


def log_id(s, v):
    """How far the log goes; an empty one goes as far as the snapshot that it starts from."""
    return id_of(history(s, v))


def newest(s, v):
    """What a replica votes and asks for votes with: the newest of its log and its snapshots."""
    return newer(id_of(s.snapshot[v]), log_id(s, v))


# Elections.


def become(s, new, v, role, epoch, voted):
    """A replica takes a role in an epoch, with nothing known of the others."""
    new.role[v] = role
    new.epoch[v] = epoch
    new.voted[v] = voted
    new.granted[v] = {v} if role == Role.CANDIDATE else set()
    new.fetched[v] = {w: 0 for w in Voter}


@action
def time_out(s, new, v: Voter):
    """A replica that hears of no leader, or a leader that resigned, becomes a candidate in the next
    epoch."""
    require(s.epoch[v] < MAX_EPOCH)
    become(s, new, v, Role.CANDIDATE, s.epoch[v] + 1, v)


def may_vote(s, v, c):
    """Whether a voter has a vote left for a candidate."""
    return s.epoch[v] < s.epoch[c] or (s.epoch[v] == s.epoch[c] and s.voted[v] is None)


def goes_far_enough(s, v, c):
    return not is_newer(newest(s, v), newest(s, c))


@action
def grant(s, new, v: Voter, c: Voter):
    """A voter gives its vote to a candidate that goes at least as far as itself."""
    require(s.role[c] == Role.CANDIDATE and may_vote(s, v, c))
    require(goes_far_enough(s, v, c))
    become(s, new, v, Role.FOLLOWER, s.epoch[c], c)
    new.granted[c] = s.granted[c] | {v}


@action
def learn_epoch(s, new, v: Voter, w: Voter):
    """A replica hears of a newer epoch: by a request that it refuses, or by a response."""
    require(s.epoch[v] < s.epoch[w])
    become(s, new, v, Role.FOLLOWER, s.epoch[w], None)


def is_majority(voters):
    return 2 * len(voters) > sum(1 for v in Voter)


def has_won(s, c):
    return is_majority(s.granted[c])


def is_ready(s, c):
    """Whether a candidate that won can lead: its log has to be reset by then."""
    return not s.unapplied[c]


def high_watermark_in_office(s, c):
    """None yet: what a new leader knew as a follower may be less than others told before it."""
    return 0


@action
def become_leader(s, new, c: Voter):
    """A candidate with a majority's votes appends the first record of its epoch."""
    require(s.role[c] == Role.CANDIDATE and has_won(s, c) and is_ready(s, c))
    require(log_end(s, c) < MAX_OFFSET)
    become(s, new, c, Role.LEADER, s.epoch[c], c)
    new.high_watermark[c] = high_watermark_in_office(s, c)
    new.log[c] = s.log[c] + (s.epoch[c],)


@action
def lose(s, new, c: Voter, leader: Voter):
    """A candidate hears that another leads its epoch, and follows it."""
    require(s.role[c] == Role.CANDIDATE)
    require(s.role[leader] == Role.LEADER and s.epoch[c] == s.epoch[leader])
    become(s, new, c, Role.FOLLOWER, s.epoch[c], c)


# Replication.


@action
def append_record(s, new, leader: Voter):
    """A leader writes a record."""
    require(s.role[leader] == Role.LEADER and log_end(s, leader) < MAX_OFFSET)
    new.log[leader] = s.log[leader] + (s.epoch[leader],)


def follows(s, v, leader):
    """Whether a replica fetches from a leader; not while a snapshot waits to be applied."""
    return (
        s.role[leader] == Role.LEADER
        and s.role[v] == Role.FOLLOWER
        and s.epoch[v] == s.epoch[leader]
        and not s.unapplied[v]
    )


def up_to(s, v, epoch):
    """A replica's records of this epoch and those before it, with all that its log starts from."""
    records = history(s, v)
    return records[: max(s.log_start[v], sum(1 for e in records if e <= epoch))]


def answer(s, leader, fetcher):
    """What a leader answers a fetch from the end of a log."""
    start = id_of(history(s, leader)[: s.log_start[leader]])
    agreed = id_of(up_to(s, leader, fetcher.epoch))
    return (
        Answer.SNAPSHOT
        if start.end_offset > fetcher.end_offset
        or start.epoch > fetcher.epoch
        or (start.end_offset == fetcher.end_offset and start.epoch != fetcher.epoch)
        else Answer.RECORDS
        if agreed.epoch == fetcher.epoch and agreed.end_offset >= fetcher.end_offset
        else Answer.DIVERGING
    )


def reached(s, leader, fetched):
    """The greatest offset that a majority has, the leader included."""
    return max(
        o
        for o in Offset
        if is_majority(
            {v for v in Voter if (log_end(s, leader) if v == leader else fetched[v]) >= o}
        )
    )


def commits(s, leader, offset):
    """Whether a majority at this offset commits what is before it: not unless that ends in a record
    of the leader's own epoch."""
    return offset > 0 and history(s, leader)[:offset][-1] == s.epoch[leader]


def advanced(s, leader, fetched):
    """A leader's high watermark when the others are known to have fetched so far."""
    offset = reached(s, leader, fetched)
    return (
        offset
        if offset > s.high_watermark[leader] and commits(s, leader, offset)
        else s.high_watermark[leader]
    )


def learned(s, v, told, end):
    """A follower's high watermark when the leader tells its own, and the follower's log goes up to
    `end`."""
    return max(s.high_watermark[v], min(told, end))


@action
def fetch(s, new, v: Voter, leader: Voter, end: Offset):
    """A follower fetches from its log's end, which acknowledges what is before it, and appends the
    records up to `end`."""
    require(follows(s, v, leader) and answer(s, leader, log_id(s, v)) == Answer.RECORDS)
    require(log_end(s, v) <= end <= log_end(s, leader))
    fetched = {w: log_end(s, v) if w == v else s.fetched[leader][w] for w in Voter}
    high_watermark = advanced(s, leader, fetched)
    records = history(s, leader)
    new.fetched[leader] = fetched
    new.high_watermark[leader] = high_watermark
    new.log[v] = s.log[v] + records[log_end(s, v) : end]
    new.high_watermark[v] = learned(s, v, high_watermark, end)
    new.committed = s.committed + records[len(s.committed) : high_watermark]


def truncated(s, v, diverging):
    """What is left of a follower's log when the leader's diverges from it."""
    own = id_of(up_to(s, v, diverging.epoch))
    end = (
        min(own.end_offset, diverging.end_offset)
        if own.epoch == diverging.epoch
        else own.end_offset
    )
    return s.log[v][: max(0, end - s.log_start[v])]


@action
def truncate(s, new, v: Voter, leader: Voter):
    """A follower is told where its log diverges from the leader's."""
    require(follows(s, v, leader) and answer(s, leader, log_id(s, v)) == Answer.DIVERGING)
    new.log[v] = truncated(s, v, id_of(up_to(s, leader, last_epoch(history(s, v)))))


# Snapshots.


@action
def receive_snapshot(s, new, v: Voter, leader: Voter):
    """A follower that the leader has no records for fetches its latest snapshot, and has moved it
    into place."""
    require(follows(s, v, leader) and answer(s, leader, log_id(s, v)) == Answer.SNAPSHOT)
    new.snapshot[v] = s.snapshot[leader]
    new.unapplied[v] = True


def ends_before(log, snapshot):
    """What KIP-630 takes for granted of the log and a snapshot that was fetched (630-30)."""
    return log.end_offset < snapshot.end_offset and log.epoch <= snapshot.epoch


def replaces(snapshot, log):
    """Whether a snapshot that was fetched takes the place of the log."""
    return (
        RESET == "always"
        or (RESET == "newer" and is_newer(snapshot, log))
        or (RESET == "offset" and log.end_offset < snapshot.end_offset)
        or (RESET == "both" and ends_before(log, snapshot))
    )


def apply(s, new, v):
    """The log begins anew at the end of the snapshot that was fetched."""
    new.unapplied[v] = False
    new.log_start[v] = len(s.snapshot[v])
    new.log[v] = ()
    new.high_watermark[v] = max(s.high_watermark[v], len(s.snapshot[v]))


@action
def reset_log(s, new, v: Voter):
    """The log ends before the snapshot that was fetched, and gives way to it."""
    require(s.unapplied[v] and ends_before(log_id(s, v), id_of(s.snapshot[v])))
    apply(s, new, v)


@action
def reset_longer_log(s, new, v: Voter):
    """The log goes further than the snapshot that was fetched, in offset or epoch, and gives way to
    it all the same."""
    require(s.unapplied[v] and not ends_before(log_id(s, v), id_of(s.snapshot[v])))
    require(replaces(id_of(s.snapshot[v]), log_id(s, v)))
    apply(s, new, v)


@action
def keep_log(s, new, v: Voter):
    """The log goes further than the snapshot that was fetched, and stays as it is."""
    require(s.unapplied[v] and not replaces(id_of(s.snapshot[v]), log_id(s, v)))
    new.unapplied[v] = False


@action
def generate_snapshot(s, new, v: Voter, end: Offset):
    """A replica makes a snapshot of committed records, more of them than in its latest."""
    require(s.snapshots < MAX_SNAPSHOTS)
    require(len(s.snapshot[v]) < end <= s.high_watermark[v])
    new.snapshot[v] = history(s, v)[:end]
    new.snapshots = s.snapshots + 1


@action
def advance_log_start(s, new, v: Voter):
    """A replica drops what is in its latest snapshot from its log, whoever else has it by then."""
    end = len(s.snapshot[v])
    require(not s.unapplied[v] and s.log_start[v] < end <= log_end(s, v))
    new.log[v] = s.log[v][max(0, end - s.log_start[v]) :]
    new.log_start[v] = end


# Failures.


def unflushed_from(s, v):
    """The offset from which on a replica may lose records by a crash: a leader's own ones, as long
    as it has not counted them as committed."""
    return (
        max(s.high_watermark[v], s.log_start[v], sum(1 for e in history(s, v) if e < s.epoch[v]))
        if s.role[v] == Role.LEADER
        else log_end(s, v)
    )


def role_after_restart(s, v):
    """A candidate is one again in its epoch; a leader comes back as resigned."""
    return Role.CANDIDATE if s.role[v] == Role.CANDIDATE else Role.FOLLOWER


def vote_after_restart(s, v):
    return s.voted[v]


@action
def restart(s, new, v: Voter, end: Offset):
    """A replica crashes and starts again with what was on its disk: its log ends at `end`. If its
    latest snapshot is newer, the log is to be reset to it."""
    require(s.restarts < MAX_RESTARTS)
    require(unflushed_from(s, v) <= end <= log_end(s, v))
    become(s, new, v, role_after_restart(s, v), s.epoch[v], vote_after_restart(s, v))
    new.granted[v] = s.granted[v]
    new.log[v] = s.log[v][: max(0, end - s.log_start[v])]
    new.high_watermark[v] = s.log_start[v]
    new.unapplied[v] = is_newer(id_of(s.snapshot[v]), id_of(history(s, v)[:end]))
    new.restarts = s.restarts + 1


@action
def wipe(s, new, v: Voter):
    """A follower's log and snapshots are lost, its epoch and vote are not. What is committed stands
    that only while all others have it."""
    require(s.wipes < MAX_WIPES and s.role[v] == Role.FOLLOWER and log_end(s, v) > 0)
    require(all(history(s, w)[: len(s.committed)] == s.committed for w in Voter if w != v))
    new.log_start[v] = 0
    new.log[v] = ()
    new.snapshot[v] = ()
    new.unapplied[v] = False
    new.high_watermark[v] = 0
    new.wipes = s.wipes + 1
