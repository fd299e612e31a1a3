"""KIP-630 on one disk: a replica's log, its snapshots, and what a crash leaves of them.

Everything that a replica does to its files is an action of its own, so that a crash may come
between any two. A process that is killed loses its memory and no file. When the power fails, the
disk keeps what was flushed; of everything since, it keeps a part or nothing.

The quorum is only what it has committed: a list of records that grows, with the help of this
replica or without it. See 630-D6 to 630-D9, 630-D13, 630-D16 and 630-D34 to 630-D38 in `specs/`,
where Apache Kafka departs from the KIP's text or settles what it leaves open.

The actions: those of a replica that runs and those of one that crashes are files of their own.
"""

from models.snapshot_log_state import SnapshotLog

# The log.
from models.snapshot_log_running import (
    append_record,
    flush,
    commit,
    advance_high_watermark,
    truncate,
)

# A snapshot is written.
from models.snapshot_log_running import (
    begin_snapshot,
    begin_fetch,
    write_header,
    write_records,
    write_footer,
    flush_part,
    rename,
    flush_directory,
    give_up,
)

# A snapshot takes the place of the log.
from models.snapshot_log_running import (
    reset_to_snapshot,
    advance_log_start,
    delete_snapshot,
    delete_segments,
)

# A crash, and what the disk makes of it.
from models.snapshot_log_crash import (
    kill,
    lose_power,
    forget_records,
    forget_truncation,
    forget_rename,
    tear,
)

# Booting.
from models.snapshot_log_crash import boot, refuse_to_boot
