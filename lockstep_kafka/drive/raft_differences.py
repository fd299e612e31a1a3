"""Voters that differ from Kafka's by one mistake each, to measure what driving finds.

Each changes what a real voter answers, or what is left of it by a crash.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lockstep_kafka.drive.raft_node import Api, RaftNode, partition_of


class _Grants(RaftNode):
    """Gives a vote that Kafka refuses to a candidate of its epoch."""

    has_voted: bool

    def ask(self, data: Any) -> Any:
        response = super().ask(data)
        if data.apiKey() == Api.VOTE:
            given = partition_of(response)
            is_mistaken = not given.errorCode() and self.has_voted == (self.seen.voted is not None)
            given.setVoteGranted(bool(given.voteGranted()) or is_mistaken)
        return response


class VotesTwice(_Grants):
    """A voter that has given its vote gives it again to another candidate."""

    has_voted = True


class VotesForAnOlderLog(_Grants):
    """A voter that has a vote left gives it to a candidate whose log is older than its own."""

    has_voted = False


class NeverVotes(RaftNode):
    """A voter refuses its vote to every candidate."""

    def ask(self, data: Any) -> Any:
        response = super().ask(data)
        if data.apiKey() == Api.VOTE:
            partition_of(response).setVoteGranted(False)
        return response


class VoteLost(RaftNode):
    """A crash leaves a voter nothing of its epoch and its vote."""

    def restart(self, end: int) -> None:
        self.forget_vote()
        super().restart(end)


class WatermarkTooEarly(RaftNode):
    """A leader reports the end of its log as committed."""

    def ask(self, data: Any) -> Any:
        response = super().ask(data)
        if data.apiKey() == Api.FETCH and self.seen.state == "Leader":
            partition_of(response).setHighWatermark(self.seen.log_end)
        return response


class DivergenceLeftOut(RaftNode):
    """A leader does not report where a log parts from its own."""

    def ask(self, data: Any) -> Any:
        response = super().ask(data)
        if data.apiKey() == Api.FETCH:
            partition = partition_of(response)
            partition.setDivergingEpoch(type(partition.divergingEpoch())())
        return response


class SnapshotOfTheWrongSize(RaftNode):
    """A leader reports a snapshot as larger by one byte than it is."""

    def ask(self, data: Any) -> Any:
        response = super().ask(data)
        if data.apiKey() == Api.FETCH_SNAPSHOT:
            snapshot = partition_of(response)
            snapshot.setSize(snapshot.size() + 1)
        return response


class StaleLogStart(RaftNode):
    """A log starts where it did although a snapshot has taken the place of its records."""

    def drop(self) -> None:
        pass


OF_RAFT: Mapping[str, type[RaftNode]] = {
    "vote-given-twice": VotesTwice,
    "vote-for-an-older-log": VotesForAnOlderLog,
    "never-votes": NeverVotes,
    "vote-lost-by-a-crash": VoteLost,
    "watermark-too-early": WatermarkTooEarly,
    "divergence-left-out": DivergenceLeftOut,
    "snapshot-of-the-wrong-size": SnapshotOfTheWrongSize,
    "stale-log-start": StaleLogStart,
}
"""Those of `kafka-raft`, by name."""


class AsItIs(RaftNode):
    """Kafka's voter, with all steps offered: it departs from the model by its deviations."""

    leaves_out_deviations = False


VOTERS: Mapping[str, type[RaftNode]] = {"as-it-is": AsItIs, **OF_RAFT}
"""What may stand behind the `+` of `kafka-raft`."""
