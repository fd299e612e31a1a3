"""The model `fetch_session`, cut down to what one line of a log says of one partition.

The model's actions treat partitions one by one, but for two questions that they ask of all: whether
a session has any partition, and whether a response has any records. So a line is explained
partition by partition: by one fetcher, the partition, and `others`, which stands for the rest. Its
cost does not depend on partitions that it does not name.

Offsets are only ever compared. A case is therefore put to the model with small numbers in the same
order (`lockstep_kafka.sessions.explanations`), and its answer is kept. A case that nothing explains
is put to the model once more with the very numbers of the log.
"""

from __future__ import annotations

from typing import Any

from lockstep_kafka.small_model import SmallModel
from lockstep_kafka.workspaces import LoadModel

CONSUMER, REPLICA = "consumer", "replica"
PARTITION, OTHERS = "partition", "others"
SESSION, ANOTHER_SESSION = 1, 2

HIGHEST_OFFSET = 2**63 - 1
HIGHEST_EPOCH = 2**31 - 1


class SessionModel(SmallModel):
    """The model at Kafka's own widths."""

    def __init__(self, load: LoadModel) -> None:
        model = load(
            {
                "PARTITIONS": (PARTITION, OTHERS),
                "SESSION_IDS": (SESSION, ANOTHER_SESSION),
                "FETCHERS": (CONSUMER, REPLICA),
                "FOLLOWERS": (REPLICA,),
                "MAX_EPOCH": HIGHEST_EPOCH,
                "MAX_OFFSET": HIGHEST_OFFSET,
                "MAX_BYTES": 1,
            }
        )
        super().__init__(model)
        modules = model.universe.modules
        self.partitions: Any = modules["models.fetch_partitions"]
        self.states: Any = modules["models.fetch_session_state"]
        self.metadata: Any = modules["models.fetch_metadata"]

    def interest(self, offset: int, *, is_new: bool) -> Any:
        """What is asked of a partition; its maximum of bytes marks what a request just asked."""
        return self.partitions.Interest(
            fetch_offset=offset,
            log_start_offset=-1,
            partition_max_bytes=int(is_new),
            current_leader_epoch=-1,
            last_fetched_epoch=-1,
        )
