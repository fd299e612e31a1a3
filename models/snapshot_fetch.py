"""KIP-630 FetchSnapshot: replicas that fall behind the leader's log download a snapshot instead.

One partition, its voters and observers. Elections are a bounded disturbance: a voter whose latest
(epoch, offset) is no older than that of a majority leads the next epoch, and the others hear of it
later, an earlier leader too. A fetch is one step with its answer; the answer to a FetchSnapshot
request is a message of its own that may be late, lost, repeated or damaged.

The actions: those of replication, of snapshots and of the download are files of their own.
"""

from models.snapshot_fetch_state import SnapshotFetch

# Leaders.
from models.snapshot_fetch_replication import elect, hear_of_epoch, restart_leader, write_record

# Snapshots.
from models.snapshot_fetch_snapshots import generate_snapshot, age, advance_log_start

# A leader answers a fetch: with records, a diverging epoch, or a snapshot id.
from models.snapshot_fetch_replication import (
    fetch_record,
    fetch_nothing,
    wait_for_records,
    wait_in_vain,
    refuse_waiting,
    lose_fetch,
    fetch_diverging,
    fetch_snapshot_id,
)

# A replica asks for a chunk of a snapshot, and its leader answers.
from models.snapshot_fetch_download import (
    answer_chunk,
    answer_snapshot_not_found,
    answer_fenced,
    answer_unknown_epoch,
    answer_not_leader,
)

# What follows an answer.
from models.snapshot_fetch_download import (
    receive_chunk,
    receive_last_chunk,
    receive_damaged,
    receive_error,
    receive_fenced,
    ignore_response,
)

# What goes wrong.
from models.snapshot_fetch_download import lose_response, damage_chunk, restart_follower
from models.snapshot_fetch_replication import lose_disk
