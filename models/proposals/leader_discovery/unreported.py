"""Clients with KIP-951 among brokers without it: the new fields are absent from every response."""

from lockstep import replaces
from models.leader_discovery import current_leader
from models.leader_discovery_state import LeaderDiscovery


@replaces(current_leader)
def nothing_reported(s: LeaderDiscovery, b):
    return None
