"""Followers that are saved, and others that go on from there."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from lockstep_kafka.files.lines import Request
from lockstep_kafka.findings import Finding, LineCounts
from lockstep_kafka.sessions.broker_follower import BrokerFollower
from lockstep_kafka.sessions.explanations import Explanations

BROKER = "kafka-1"


@dataclass
class Following:
    """What came of some requests, and how large the largest state was."""

    findings: list[Finding] = field(default_factory=list)
    counts: list[LineCounts] = field(default_factory=list)
    followed: int = 0
    others: int = 0
    largest_state: int = field(default=0, compare=False)


def follow(
    model: Explanations,
    requests: Iterable[Request],
    is_saved: Callable[[int], bool] = lambda position: False,
) -> Following:
    """Follow requests; after some positions another follower takes over from the first."""
    following = Following()
    follower = BrokerFollower(BROKER, model)
    for position, request in enumerate(requests):
        following.findings += follower.follow(request, position)
        if is_saved(position):
            state = follower.save()
            following.largest_state = max(following.largest_state, len(state))
            follower.close()
            follower = BrokerFollower(BROKER, model, state)
    following.findings += follower.close()
    following.counts = follower.take_counts()
    following.followed, following.others = follower.followed, follower.others
    return following
