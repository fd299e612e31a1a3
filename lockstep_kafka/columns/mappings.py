"""Mappings of a `Broker` that check in what is looked up, so that nothing stale is read.

What the kernel works on is checked out of the objects in them. Plain Python need not know of that:
it looks things up as in any mapping.
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heapify, heappop, heappush
from typing import Any, TypeVar

from lockstep_kafka.columns.memory import Memory
from lockstep_kafka.files.lines import TopicPartition
from lockstep_kafka.sessions.broker import Recent
from lockstep_kafka.sessions.knowledge import Fetcher, LeaderSession
from lockstep_kafka.sessions.leader_logs import LeaderLog

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class InUse(Recent[_Key, _Value]):
    """Objects of which the kernel uses some, too: times of use say which is the oldest."""

    def __init__(
        self,
        memory: Memory,
        check_in: Callable[[_Key], None],
        row_used: Callable[[_Key], int],
    ) -> None:
        """`row_used` says when the kernel last used a key, as `judged` counts it."""
        super().__init__()
        self._memory = memory
        self._check_in = check_in
        self._row_used = row_used
        self._used: dict[_Key, int] = {}
        self._by_use: list[tuple[int, _Key]] | None = None

    def kept(self, key: _Key) -> _Value | None:
        """The object of a key as it lies here."""
        return super().get(key)

    def known(self, key: _Key) -> _Value:
        """The object of a key that is there, as it lies here."""
        return super().__getitem__(key)

    def get(self, key: _Key, default: Any = None) -> Any:
        self._check_in(key)
        return super().get(key, default)

    def __getitem__(self, key: _Key) -> _Value:
        self._check_in(key)
        return super().__getitem__(key)

    def __setitem__(self, key: _Key, value: _Value) -> None:
        super().__setitem__(key, value)
        self.move_to_end(key)
        if self._by_use is not None:
            heappush(self._by_use, (self._used[key], key))

    def pop(self, key: _Key, *default: Any) -> Any:
        self._check_in(key)
        self._used.pop(key, None)
        return super().pop(key, *default)

    def __delitem__(self, key: _Key) -> None:
        self._used.pop(key, None)
        super().__delitem__(key)

    def values(self) -> Any:
        """All objects, the one that was not used for longest first."""
        return [value for _, value in self.items()]

    def items(self) -> Any:
        """The keys with all objects, in the same order."""
        return [(key, self[key]) for key in sorted(self, key=self._last_use)]

    def move_to_end(self, key: _Key, last: bool = True) -> None:
        """The key is used now."""
        now = self._memory["judged"] = self._memory["judged"] + 1
        self._used[key] = now

    def oldest(self) -> _Key:
        if self._by_use is None:
            self._by_use = [(self._last_use(key), key) for key in self]
            heapify(self._by_use)
        while True:
            used, key = heappop(self._by_use)
            if key not in self:
                continue
            now = self._last_use(key)
            heappush(self._by_use, (now, key))
            if now == used:
                return key

    def _last_use(self, key: _Key) -> int:
        return max(self._used.get(key, 0), self._row_used(key))


class Fetchers(dict[int, "Fetcher | None"]):
    """Who has which session; a fetcher is checked in with its connection."""

    def __init__(self, check_in: Callable[[str], None], check_in_all: Callable[[], None]) -> None:
        super().__init__()
        self._check_in_connection = check_in
        self._check_in_all = check_in_all

    def settles(self, session: int, fetcher: Fetcher) -> bool:
        """Whether nothing changes when a fetcher has a session: it is known to, or several are."""
        return session in self and super().get(session) in (fetcher, None)

    def _check_in(self, fetcher: Fetcher | None) -> None:
        if fetcher is not None and fetcher.connection:
            self._check_in_connection(fetcher.connection)

    def get(self, session: int, default: Any = None) -> Any:
        fetcher = super().get(session, default)
        self._check_in(fetcher)
        return fetcher

    def __setitem__(self, session: int, fetcher: Fetcher | None) -> None:
        self._check_in(super().get(session))
        super().__setitem__(session, fetcher)

    def pop(self, session: int, *default: Any) -> Any:
        if session in self and super().get(session) is None:
            self._check_in_all()
        fetcher = super().pop(session, *default)
        self._check_in(fetcher)
        return fetcher


class Logs(dict[TopicPartition, LeaderLog]):
    """What was answered of partitions."""

    def __init__(
        self, check_in: Callable[[TopicPartition], None], forget_all: Callable[[], None]
    ) -> None:
        super().__init__()
        self._check_in = check_in
        self._forget_all = forget_all

    def kept(self, partition: TopicPartition) -> LeaderLog | None:
        """The object of a partition as it lies here."""
        return super().get(partition)

    def drop(self, partition: TopicPartition) -> None:
        """There is no object of a partition from now on."""
        super().pop(partition, None)

    def keep(self, partition: TopicPartition, log: LeaderLog) -> None:
        """Put an object here, and nowhere else."""
        super().__setitem__(partition, log)

    def get(self, partition: TopicPartition, default: Any = None) -> Any:
        self._check_in(partition)
        return super().get(partition, default)

    def __setitem__(self, partition: TopicPartition, log: LeaderLog) -> None:
        self._check_in(partition)
        super().__setitem__(partition, log)

    def pop(self, partition: TopicPartition, *default: Any) -> Any:
        self._check_in(partition)
        return super().pop(partition, *default)

    def clear(self) -> None:
        self._forget_all()
        super().clear()


class UpToDate(dict[TopicPartition, "set[LeaderSession]"]):
    """Of each partition the sessions that do not lag in it."""

    def __init__(
        self,
        check_in: Callable[[TopicPartition], None],
        check_in_session: Callable[[int], None],
    ) -> None:
        super().__init__()
        self._check_in = check_in
        self._check_in_session = check_in_session

    def taken(self, partition: TopicPartition) -> set[LeaderSession]:
        """The sessions of a partition, which are not here from now on."""
        return super().pop(partition, set())

    def keep(self, partition: TopicPartition, sessions: set[LeaderSession]) -> None:
        """Put sessions here, and nowhere else."""
        super().__setitem__(partition, sessions)

    def get(self, partition: TopicPartition, default: Any = None) -> Any:
        self._check_in(partition)
        return super().get(partition, default)

    def setdefault(self, partition: TopicPartition, default: Any = None) -> Any:
        self._check_in(partition)
        return super().setdefault(partition, default)

    def pop(self, partition: TopicPartition, *default: Any) -> Any:
        """The sessions of a partition; they are checked in, for who pops them changes them."""
        self._check_in(partition)
        sessions = super().pop(partition, *default)
        for session in sessions:
            self._check_in_session(session.number)
        return sessions
