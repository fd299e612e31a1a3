"""KIP-951 as it is written: no backoff if the response to the request told a newer leader.

The model follows Apache Kafka, whose producer skips it for any newer leader that it has come to
know (951-D3).
"""

from lockstep import Constant, replaces
from models.leader_discovery import (
    attempt_to_the_leader,
    current_leader,
    may_skip_backoff,
    take_leader,
)
from models.leader_discovery_state import LeaderDiscovery

TELLS: Constant = True
"""Whether brokers tell the leader."""


class LeaderDiscoveryByTheLetter(LeaderDiscovery):
    # The response to the latest request told a newer leader.
    told: bool = False


@replaces(current_leader)
def leader_told(s: LeaderDiscoveryByTheLetter, b):
    return current_leader(s, b) if TELLS else None


@replaces(take_leader)
def take_leader_told(s: LeaderDiscoveryByTheLetter, new: LeaderDiscoveryByTheLetter, hint):
    take_leader(s, new, hint)
    new.told = True


@replaces(attempt_to_the_leader)
def attempt_as_told(s: LeaderDiscoveryByTheLetter, new: LeaderDiscoveryByTheLetter):
    attempt_to_the_leader(s, new)
    new.told = False


@replaces(may_skip_backoff)
def may_skip_backoff_if_told(s: LeaderDiscoveryByTheLetter):
    return s.told and may_skip_backoff(s)
