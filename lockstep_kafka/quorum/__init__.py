"""Requests of the metadata quorum: elections, and snapshots that replicas fetch."""
