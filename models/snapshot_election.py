"""KRaft elections and commitment while snapshots take the place of logs (KIP-595 with KIP-630).

The voters elect leaders, leaders append, followers fetch, and all of them make snapshots of what is
committed and drop the log below. A follower whose records the leader no longer has gets the
leader's snapshot instead: it is moved into place first and the log is reset later, and in between
the follower votes and asks for votes.

A record is the epoch of the leader that wrote it, for a leader writes one record at an offset; and
a value, where a scope looks for leaders that write two. A snapshot is the records that it stands
for.

There is no network: a request and its response are one step between two replicas, and what is
lost does not happen. What messages under way could add is harmless, or is here in other ways:

- A request for a vote says what stays true while its sender is a candidate. One that arrives when
  the sender is none any more gives a vote that nobody counts, and is worth no more than the news
  of its epoch: `learn_epoch`. A vote that arrives late is one whose candidate acts on it late.
- A fetch that arrives late acknowledges what its sender had when it was still in that epoch. The
  step takes the acknowledgement at that time, which commits no later and so claims more.
- A response to a fetch that arrives late is for a follower of the same epoch, which has not
  fetched since, so that its log is as it was.
- Where a scope cuts a replica off from all others, nothing is asked of it and it asks nothing;
  where it lets followers stall, they fetch and do not get on. That a leader hears of no majority is
  then all that there is of time.
- A download takes many requests. Until it is complete, nobody takes it for a snapshot: it stalls
  if it takes long. What may come in between is for snapshot_fetch.

The actions: those of elections and those of replication are files of their own.
"""

from models.snapshot_election_state import SnapshotElection

# Elections.
from models.snapshot_election_votes import time_out, grant, learn_epoch, become_leader, lose, resign

# Replication.
from models.snapshot_election_replication import (
    append_record,
    fetch,
    truncate,
    stall,
    fetch_in_vain,
    recover,
    notify,
)

# Snapshots.
from models.snapshot_election_replication import (
    receive_snapshot,
    reset_log,
    keep_log,
    generate_snapshot,
    advance_log_start,
)

# Failures.
from models.snapshot_election_votes import cut_off, heal
from models.snapshot_election_replication import restart, wipe
