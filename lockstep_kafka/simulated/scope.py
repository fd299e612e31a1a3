"""The instance of `fetch_session` that a behaviour is walked in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Scope:
    """An instance of the model, and what the network does in it."""

    partitions: tuple[str, ...] = ("p1", "p2")
    fetchers: tuple[str, ...] = ("c", "r")
    followers: tuple[str, ...] = ("r",)
    max_epoch: int = 2**31 - 1
    max_offset: int = 3
    max_bytes: int = 1
    disturbances: int = 3
    failures: int = 2
    session_ids: tuple[int, ...] = (1, 2, 3)
    has_strays: bool = True
    """Whether a request may arrive after its fetcher connected anew."""
    has_nameless_strays: bool = True
    """Whether a log may leave open whose such a request is: one that closes its session, or the
    first one of its connection."""
    idles: bool = True
    """Whether connections that are idle for some time are closed."""

    @property
    def constants(self) -> Mapping[str, object]:
        """The model's constants."""
        return {
            "PARTITIONS": self.partitions,
            "SESSION_IDS": self.session_ids,
            "FETCHERS": self.fetchers,
            "FOLLOWERS": self.followers,
            "MAX_EPOCH": self.max_epoch,
            "MAX_OFFSET": self.max_offset,
            "MAX_BYTES": self.max_bytes,
            "MAX_DISTURBANCES": self.disturbances,
            "MAX_FAILURES": self.failures,
        }
