"""Clients and brokers before KIP-951: a refusal names no leader, and every retry waits.

The client refreshes its metadata, and tries again after the backoff.
"""

from lockstep import replaces
from models.leader_discovery import current_leader, may_skip_backoff
from models.leader_discovery_state import LeaderDiscovery


@replaces(current_leader)
def nothing_reported(s: LeaderDiscovery, b):
    return None


@replaces(may_skip_backoff)
def never_skips_backoff(s: LeaderDiscovery, r):
    return False
