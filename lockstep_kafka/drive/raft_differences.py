"""Voters that differ from Kafka's by one mistake each, to measure what driving finds.

Each changes what a real voter answers, or what is left of it by a crash.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lockstep_kafka.drive.raft_node import Api, RaftNode, partition_of

_NOT_FOUND, _OUT_OF_RANGE = 98, 99
"""Kafka's codes of two errors."""
_MUCH = 2**31 - 1
_OF_BOTH = "snapshot-of-the-wrong-size", "stale-log-start", "watermark-too-early"


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

    def drop(self, end: int) -> None:
        pass


class WrongPosition(RaftNode):
    """A leader sends the beginning of a snapshot, whatever position is asked for."""

    def ask(self, data: Any) -> Any:
        if data.apiKey() != Api.FETCH_SNAPSHOT:
            return super().ask(data)
        asked = partition_of(data)
        position = asked.position()
        asked.setPosition(0)
        response = super().ask(data)
        asked.setPosition(position)
        partition_of(response).setPosition(position)
        return response


class WrongId(RaftNode):
    """A leader names a snapshot by an epoch before that of its last record."""

    def ask(self, data: Any) -> Any:
        response = super().ask(data)
        if data.apiKey() == Api.FETCH:
            named = partition_of(response).snapshotId()
            named.setEpoch(max(named.epoch() - 1, min(named.epoch(), 0)))
        return response


class WrongError(RaftNode):
    """A leader reports a snapshot that it has deleted as a position that is out of range."""

    def ask(self, data: Any) -> Any:
        response = super().ask(data)
        if data.apiKey() == Api.FETCH_SNAPSHOT:
            snapshot = partition_of(response)
            if snapshot.errorCode() == _NOT_FOUND:
                snapshot.setErrorCode(self._jvm.short(_OUT_OF_RANGE))
        return response


class MaxBytesIgnored(RaftNode):
    """A leader sends all that is left of a snapshot, however little is asked for."""

    def ask(self, data: Any) -> Any:
        if data.apiKey() == Api.FETCH_SNAPSHOT:
            data.setMaxBytes(_MUCH)
        return super().ask(data)


class OldEpochServed(RaftNode):
    """A leader serves who takes it for the leader of an earlier epoch."""

    def ask(self, data: Any) -> Any:
        if data.apiKey() == Api.FETCH_SNAPSHOT:
            partition_of(data).setCurrentLeaderEpoch(self.seen.epoch)
        return super().ask(data)


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
"""Those of voters that elect and replicate, by name."""

OF_DOWNLOADS: Mapping[str, type[RaftNode]] = {
    **{name: OF_RAFT[name] for name in _OF_BOTH},
    "wrong-position": WrongPosition,
    "wrong-id": WrongId,
    "wrong-error": WrongError,
    "max-bytes-ignored": MaxBytesIgnored,
    "old-epoch-served": OldEpochServed,
}
"""Those of replicas that download, by name."""


class AsItIs(RaftNode):
    """Kafka's voter, with all steps offered: it departs from the model by its deviations."""

    leaves_out_deviations = False


VOTERS: Mapping[str, type[RaftNode]] = {"as-it-is": AsItIs, **OF_RAFT, **OF_DOWNLOADS}
"""What may stand behind the `+` of `kafka-raft`."""
