"""The instance of `fetch_session` that a behaviour is walked in, and what its actions are given."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lockstep.language.model import Model


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
    """Whether a request may arrive after its fetcher connected again."""
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


_STRIDE = 4
"""How many records arrive at once, at most."""

_SHARE_OF_ALL_FILLED = 0.7
"""How often the size limit leaves no records for later."""

_SHARE_OF_FETCHED = 0.75
"""How many of the partitions a fetcher asks for."""

_SHARE_OF_SEEKS = 0.04
_SHARE_OF_CHANGES = 0.04
"""How often a partition is added, removed, or asked for with another limit."""

_SHARE_OF_ODD_OFFSETS = 0.05
"""How often a fetcher begins anywhere, and not within the leader's log."""

_SHARE_OF_LOST_SESSIONS = 0.9
"""How often one of the sessions that nobody uses is evicted, where there is one."""


class Arguments:
    """Draws the arguments of actions in a scope."""

    def __init__(self, model: Model, scope: Scope, chance: random.Random) -> None:
        modules = model.universe.modules
        self._leader: Any = modules["models.fetch_session_leader"]
        self._partitions: Any = modules["models.fetch_partitions"]
        self._scope = scope
        self._random = chance

    def of_leader(self, name: str, state: Any) -> Mapping[str, Any] | None:
        """For what the leader does of its own; None where it can do nothing of that name."""
        if name == "evict":
            i = self._evicted(state)
            return None if i is None else {"i": i}
        if name == "restart_broker":
            return {}
        p = self._random.choice(self._scope.partitions)
        if name in ("fail_partition", "recover_partition"):
            return {"p": p}
        log_start, high_watermark = state.log_start[p], state.high_watermark[p]
        log_end = state.log_end[p]
        least, most = {
            "append": (log_end, min(log_end + _STRIDE, self._scope.max_offset)),
            "advance_high_watermark": (high_watermark, log_end),
            "advance_log_start": (log_start, high_watermark),
        }[name]
        if least >= most:
            return None
        return {"p": p, "end" if name == "append" else "to": self._random.randint(least + 1, most)}

    def _evicted(self, state: Any) -> int | None:
        there_are: list[int] = [i for i, session in state.sessions.items() if session is not None]
        held = {metadata.session_id for metadata in state.metadata.values()}
        lost: list[int] = [i for i in there_are if i not in held]
        if lost and self._random.random() < _SHARE_OF_LOST_SESSIONS:
            return self._random.choice(lost)
        return self._random.choice(there_are) if there_are else None

    def of_serving(self, state: Any, f: str, via: Any) -> Mapping[str, Any]:
        """For any action that serves a request of a fetcher."""
        request = self._leader.incoming(state, f, via)
        free = [i for i, session in state.sessions.items() if session is None]
        return {
            "f": f,
            "via": via,
            "filled": self._filled(state, f, request),
            "i": self._random.choice(free or self._scope.session_ids),
        }

    def _filled(self, state: Any, f: str, request: Any) -> set[str]:
        """Partitions whose records a response has: all, or some that the size limit leaves."""
        session = self._leader.session_of(state, request) if request.epoch > 0 else None
        interests = dict(request.partitions.items())
        if session is not None:
            interests = {
                p: None if cached is None else cached.interest
                for p, cached in self._leader.session_after(state, request).items()
            }
        readable = [
            p
            for p, interest in interests.items()
            if interest is not None and self._leader.has_records(state, f, p, interest)
        ]
        if len(readable) < 2 or self._random.random() < _SHARE_OF_ALL_FILLED:
            return set(readable)
        return set(self._random.sample(readable, self._random.randint(1, len(readable))))

    def wanted(self, state: Any, f: str, *, is_incremental: bool) -> dict[str, Any]:
        """What a fetcher asks for next: as before where it goes on, or anything."""
        fetching, reported = state.fetching[f], state.reported[f]
        return {
            p: self._next(state, f, p, fetching[p], reported[p])
            if is_incremental
            else self._begun(state, p)
            for p in self._scope.partitions
        }

    def _next(self, state: Any, f: str, p: str, old: Any, reported: Any) -> Any:
        chance = self._random.random
        if chance() < _SHARE_OF_CHANGES:
            return self._begun(state, p) if old is None else self._changed(old)
        if old is None:
            return None
        if reported is not None and reported.records:
            is_follower = f in self._scope.followers
            end = state.log_end[p] if is_follower else reported.high_watermark
            if end > old.fetch_offset:
                return self._interest(
                    self._random.randint(old.fetch_offset + 1, end), old.partition_max_bytes
                )
        if chance() < _SHARE_OF_SEEKS:
            return self._interest(
                self._random.randint(0, old.fetch_offset), old.partition_max_bytes
            )
        return old

    def _changed(self, old: Any) -> Any:
        if self._random.random() < 0.5:
            return None
        return self._interest(old.fetch_offset, self._random.randint(0, self._scope.max_bytes))

    def _begun(self, state: Any, p: str) -> Any:
        """A partition that is asked for again, mostly from within the leader's log."""
        if self._random.random() > _SHARE_OF_FETCHED:
            return None
        if self._random.random() < _SHARE_OF_ODD_OFFSETS:
            offset = self._random.randint(
                0, min(state.log_end[p] + _STRIDE, self._scope.max_offset)
            )
        else:
            offset = self._random.randint(state.log_start[p], state.log_end[p])
        return self._interest(offset, self._random.randint(0, self._scope.max_bytes))

    def _interest(self, offset: int, size: int) -> Any:
        return self._partitions.Interest(
            fetch_offset=offset,
            log_start_offset=-1,
            partition_max_bytes=size,
            current_leader_epoch=-1,
            last_fetched_epoch=-1,
        )
