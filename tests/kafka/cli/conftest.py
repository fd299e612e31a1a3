"""The desk at which the other verbs are tried."""

from tests.cli.conftest import desk

__all__ = ["desk"]
