"""Stretches of a session of which a log shows every request, and what it fixes there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from lockstep_kafka.simulated.damage.requests import Fetch, Partition, Request


@dataclass
class Standing:
    """What the log fixes of a session when a request of it has arrived, before the answer."""

    is_whole: bool
    """Whether the log shows the session from its beginning."""
    interests: dict[Partition, Any] = field(default_factory=dict)
    """The partitions that are surely in the session; None where the log does not show the rest."""
    reported: dict[Partition, Any] = field(default_factory=dict)
    """The last answer for each partition since it is in the session."""
    steady: dict[Partition, Any] = field(default_factory=dict)
    """The same, but only answers without an error and of the same leader epoch."""
    due: set[Partition] = field(default_factory=set)
    """Partitions to be answered at once: added since, or last answered with an error."""
    gone: dict[Partition, Any] = field(default_factory=dict)
    """Partitions that were removed and not added again, with their last answer or None."""

    def copy(self) -> Standing:
        return Standing(
            self.is_whole,
            dict(self.interests),
            dict(self.reported),
            dict(self.steady),
            set(self.due),
            dict(self.gone),
        )

    def ask(self, fetch: Fetch) -> None:
        """Take in what a request changes."""
        for partition, interest in fetch.interests.items():
            before = self.interests.get(partition)
            if partition not in self.interests and (self.is_whole or partition in self.gone):
                self.due.add(partition)
            self.gone.pop(partition, None)
            if before is None or _leader_epoch(before) != _leader_epoch(interest):
                self.steady.pop(partition, None)
            self.interests[partition] = interest
        for partition in fetch.forgotten:
            self.interests.pop(partition, None)
            self.steady.pop(partition, None)
            self.due.discard(partition)
            self.gone[partition] = self.reported.pop(partition, None)

    def learn(self, fetch: Fetch) -> None:
        """Take in what a response reports."""
        for partition, answer in fetch.answers.items():
            interest = self.interests.setdefault(partition, None)
            self.reported[partition] = answer
            self.due.discard(partition)
            if answer["errorCode"] != 0:
                self.steady.pop(partition, None)
                self.due.add(partition)
            elif interest is not None and _leader_epoch(interest) >= 0:
                self.steady[partition] = answer


def _leader_epoch(interest: Any) -> int:
    return int(interest.get("currentLeaderEpoch", -1))


@dataclass(frozen=True, eq=False)
class Run:
    """Requests of one session with consecutive epochs, on one connection, accepted and answered.

    `is_whole` says that the first one is the full request that opened the session.
    """

    session: int
    lines: tuple[Fetch, ...]
    is_whole: bool

    @cached_property
    def standings(self) -> tuple[Standing, ...]:
        """For each line, what stands fixed between its request and its response."""
        standing = Standing(self.is_whole)
        standings = []
        for fetch in self.lines:
            standing.ask(fetch)
            standings.append(standing.copy())
            standing.learn(fetch)
        return tuple(standings)


def runs_of(requests: Sequence[Request]) -> Iterator[Run]:
    """The runs of a connection, whose requests are given in their order."""
    lines: list[Any] = []
    session, is_whole = 0, False
    for fetch in (request for request in requests if request.is_fetch):
        line: Any = fetch
        opens = line.epoch == 0 and line.error == 0 and line.answered_session != 0
        accepted = line.epoch > 0 and line.error == 0 and line.answered_session == line.session
        goes_on = (
            accepted and lines and line.session == session and line.epoch == lines[-1].epoch + 1
        )
        if not goes_on:
            if lines:
                yield Run(session, tuple(lines), is_whole)
            lines = []
            session, is_whole = line.answered_session, opens
        if opens or accepted:
            lines.append(line)
    if lines:
        yield Run(session, tuple(lines), is_whole)
