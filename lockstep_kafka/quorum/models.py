"""The models of the metadata quorum, cut down to what one line of a log says.

`fetch_snapshot_response` takes the very numbers of a log. `snapshot_fetch` and `snapshot_election`
only compare numbers, so small ones in the same order stand for them. A model is loaded when the
first line needs it.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from pathlib import Path

from lockstep.language.model import load_model
from lockstep_kafka.small_model import SmallModel

PARTITION = "partition"
FOLLOWER, LEADER = "follower", "leader"
VOTER, CANDIDATE, ANOTHER = "voter", "candidate", "another"

HIGHEST_SIZE = 2**63 - 1
HIGHEST_BYTES = 2**31 - 1

BLOCK = 2
"""Units of a file in one answer of the small model: a file has two at least, a record's and the
footer."""
_BLOCKS = 3
_RANKS = 7
"""More than a vote has different epochs, or different ends of logs."""

_NAMES = ("fetch_snapshot_response", "snapshot_fetch", "snapshot_election")
_MOST_LIMITS = 64
"""How many pairs of limits have a model at a time: requests have one limit, or few."""


class QuorumModels:
    """The models of the workspace at `root`."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self.are_there = all((root / "models" / f"{name}.py").is_file() for name in _NAMES)
        """Whether the workspace has them: without them nothing of the quorum is followed."""
        self.answers = lru_cache(_MOST_LIMITS)(self._answers)
        """An answer to FetchSnapshot, by the most bytes of the request and of the leader."""

    def _answers(self, request_max_bytes: int, leader_max_bytes: int) -> SmallModel:
        constants = {
            "PARTITIONS": (PARTITION,),
            "ANY_REQUEST": True,
            "MAX_EPOCH": 2**31,
            "MAX_SIZE": HIGHEST_SIZE,
            "REQUEST_MAX_BYTES": request_max_bytes,
            "LEADER_MAX_BYTES": leader_max_bytes,
        }
        return SmallModel(load_model(self._root, "fetch_snapshot_response", constants))

    @cached_property
    def download(self) -> SmallModel:
        """A follower that fetches a snapshot of up to three blocks from a leader."""
        constants = {
            "REPLICAS": (LEADER, FOLLOWER),
            "VOTERS": (LEADER, FOLLOWER),
            "GENERATORS": (LEADER,),
            "MAX_BYTES": BLOCK,
            "MAX_OFFSET": BLOCK * _BLOCKS,
            "MAX_EPOCH": 1,
        }
        return SmallModel(load_model(self._root, "snapshot_fetch", constants))

    @cached_property
    def election(self) -> SmallModel:
        """A voter, a candidate that asks it, and one that it may have voted for before."""
        constants = {
            "VOTERS": (VOTER, CANDIDATE, ANOTHER),
            "MAX_OFFSET": _RANKS,
            "MAX_EPOCH": _RANKS,
        }
        return SmallModel(load_model(self._root, "snapshot_election", constants))
