"""Mappings of a `Broker` that check in what is looked up, so that nothing stale is read.

What the kernel works on is checked out of the objects in them. Plain Python need not know of that:
it looks things up as in any mapping.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from heapq import heapify, heappop, heappush
from typing import Any, TypeVar

from lockstep_kafka.columns.memory import Memory
from lockstep_kafka.sessions.broker import Recent
from lockstep_kafka.sessions.knowledge import Fetcher, LeaderSession

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class InUse(Recent[_Key, _Value]):
    """Objects of which the kernel uses some, too: times of use say which is the oldest."""

    def __init__(
        self,
        memory: Memory,
        check_in: Callable[..., None],
        row_used: Callable[[_Key], int],
    ) -> None:
        """`check_in` is given a key, and whether it is leaving.

        `row_used` says when the kernel last used a key, as `judged` counts it.
        """
        super().__init__()
        self._memory = memory
        self._check_in = check_in
        self._row_used = row_used
        self._used: dict[_Key, int] = {}
        self._by_use: list[tuple[int, _Key]] | None = None

    def kept(self, key: _Key) -> _Value | None:
        """The object of a key as it lies here."""
        return super().get(key)

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

    def by_use(self) -> list[_Key]:
        return sorted(self, key=self._last_use)

    def leaving(self, key: _Key) -> _Value | None:
        self._check_in(key, is_leaving=True)
        return super().get(key)

    def values(self) -> Any:
        """All objects, the one that was not used for longest first."""
        return [value for _, value in self.items()]

    def items(self) -> Any:
        """The keys with all objects, in the same order."""
        return [(key, self[key]) for key in self.by_use()]

    def move_to_end(self, key: _Key, last: bool = True) -> None:
        """The key is used now."""
        now = self._memory["judged"] = self._memory["judged"] + 1
        self._used[key] = now

    def note_use(self, key: _Key, used: int) -> None:
        """The kernel used the key then, and says so no more."""
        self._used[key] = max(self._used[key], used)

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


class Sessions(InUse[int, LeaderSession]):
    """The sessions, which the tables take up before the kernel goes on."""

    def __init__(
        self,
        memory: Memory,
        check_in: Callable[..., None],
        row_used: Callable[[int], int],
    ) -> None:
        super().__init__(memory, check_in, row_used)
        self._looked_up: dict[int, None] = {}

    def take_up(self) -> Iterator[LeaderSession]:
        """Those that were put here or looked up since this was asked last."""
        for number in self._looked_up:
            session = self.kept(number)
            if session is not None:
                yield session
        self._looked_up.clear()

    def get(self, key: int, default: Any = None) -> Any:
        self._looked_up[key] = None
        return super().get(key, default)

    def __getitem__(self, key: int) -> LeaderSession:
        self._looked_up[key] = None
        return super().__getitem__(key)

    def __setitem__(self, key: int, value: LeaderSession) -> None:
        self._looked_up[key] = None
        super().__setitem__(key, value)


class Fetchers(dict[int, "Fetcher | None"]):
    """Who has which session; a fetcher is checked in with its connection."""

    def __init__(self, check_in: Callable[[str], None], unsettle: Callable[[int], None]) -> None:
        """`unsettle` is given a session that nobody is known to have any more."""
        super().__init__()
        self._check_in_connection = check_in
        self._unsettle = unsettle

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
            self._unsettle(session)
        fetcher = super().pop(session, *default)
        self._check_in(fetcher)
        return fetcher
