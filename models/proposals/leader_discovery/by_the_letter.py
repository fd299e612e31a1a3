"""KIP-951 as it is written: no backoff if the response to the request reported a newer leader.

The model follows Apache Kafka, whose producer skips it for any newer leader that it has come to
know (951-D3).
"""

from lockstep import Constant, Map, replaces
from models.leader_discovery import (
    advances,
    attempt_to_the_leader,
    current_leader,
    may_skip_backoff,
    take_error,
)
from models.leader_discovery_state import LeaderDiscovery, Slot

NAMES_LEADERS: Constant = True
"""Whether brokers tell the leader."""


class LeaderDiscoveryByTheLetter(LeaderDiscovery):
    # The response to a request reported a newer leader.
    reported: Map[Slot, bool] = {r: False for r in Slot}


@replaces(current_leader)
def leader_reported(s: LeaderDiscoveryByTheLetter, b):
    return current_leader(s, b) if NAMES_LEADERS else None


@replaces(take_error)
def take_error_as_reported(s: LeaderDiscoveryByTheLetter, new: LeaderDiscoveryByTheLetter, r):
    take_error(s, new, r)
    new.reported[r] = advances(s, s.response[r].current_leader, r)


@replaces(attempt_to_the_leader)
def attempt_as_reported(s: LeaderDiscoveryByTheLetter, new: LeaderDiscoveryByTheLetter, r):
    attempt_to_the_leader(s, new, r)
    new.reported[r] = False


@replaces(may_skip_backoff)
def may_skip_backoff_if_reported(s: LeaderDiscoveryByTheLetter, r):
    return s.reported[r] and may_skip_backoff(s, r)
