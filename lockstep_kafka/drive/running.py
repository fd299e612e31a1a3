"""A broker that runs, with its logs, the connections to it, and the slots of its cache."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sized
from contextlib import ExitStack, closing

from lockstep.errors import LockstepError
from lockstep_kafka.drive.broker import (
    KFAKE,
    OVER_QUOTA,
    SHARDS,
    SLOTS_OF_A_SHARD,
    Broker,
    Connection,
    Logs,
)
from lockstep_kafka.drive.jvm import Jvm
from lockstep_kafka.drive.messages import Messages, Request, Response
from lockstep_kafka.jars import BROKER_JARS, NEWEST_BROKER

_IDS_OF_A_SHARD = (2**31 - 1) // SHARDS


class Running:
    """A broker of a release, its logs, and the connections to it, by name.

    `jvm` has the classes of its clients, which are of the newest release where it is kfake.
    """

    def __init__(self, release: str) -> None:
        self.release = release
        self.jvm = Jvm(NEWEST_BROKER if release == KFAKE else release, BROKER_JARS)
        with ExitStack() as opened:
            self._broker = opened.enter_context(closing(Broker(release)))
            self.software = self._broker.software
            self.logs = opened.enter_context(closing(Logs(self.jvm, self._broker.port)))
            self.connections: dict[str, Connection] = {}
            opened.callback(self._hang_up)
            for via in ("AWAITED", "STRAY"):
                self.cut(via)
            if release != KFAKE:
                self.logs.limit(OVER_QUOTA)
            self.close = opened.pop_all().close

    def _hang_up(self) -> None:
        for connection in self.connections.values():
            connection.close()

    def cut(self, via: str) -> None:
        """Cut a connection, if it is there, and connect again."""
        if via in self.connections:
            self.connections[via].close()
        client = (OVER_QUOTA,) if via == OVER_QUOTA else ()
        self.connections[via] = self.connected(*client)

    def connected(self, *client: str) -> Connection:
        """One more connection, of a client by its id; the caller closes it."""
        return Connection(self.jvm, self._broker.port, *client)

    def restart(self) -> None:
        """Restart the broker, and connect again."""
        self._broker.restart()
        for via in list(self.connections):
            self.cut(via)


def shard(number: int) -> int:
    """The shard of the cache that has a session; they have new sessions in turn."""
    return number // _IDS_OF_A_SHARD


def require_slots(ids: Sized) -> None:
    """`LockstepError` where a scope may have more sessions than are certain to find a slot."""
    if len(ids) > SLOTS_OF_A_SHARD:
        raise LockstepError(
            f"the broker has {SLOTS_OF_A_SHARD} sessions for certain, and the scope more ids",
            cure="choose another scope, or drive `kafka-sessions`",
        )


class Slots:
    """The slots of a broker's cache, as other clients take them; `ask` sends what they send."""

    def __init__(self, messages: Messages, ask: Callable[[Request], Response]) -> None:
        self._messages, self._ask = messages, ask

    def opened(self, *, is_follower: bool = False) -> int:
        """The id of a session that is asked for; 0 where there is none to be had."""
        request = self._messages.request(0, 0, {}, is_follower=is_follower)
        return self._ask(request).session_id

    def close(self, ids: Collection[int]) -> None:
        """Close sessions."""
        for number in ids:
            self._ask(self._messages.request(number, -1, {}))

    def fill(self) -> list[int]:
        """The sessions that consumers open until all slots are taken, in order."""
        taken, in_turn = list[int](), 0
        while in_turn < SHARDS:
            opened = self.opened()
            in_turn = 0 if opened else in_turn + 1
            taken += [opened] if opened else []
        return taken

    def evict(self, evicted: int, known: Collection[int]) -> bool:
        """Followers, for whom a consumer is evicted at once, take all slots of its shard.

        `known` are all sessions that are open. False, and nothing is done, where the broker would
        choose between two of them.
        """
        if [one for one in known if shard(one) == shard(evicted)] != [evicted]:
            return False
        taken, before = list[int](), -1
        while len(taken) < SLOTS_OF_A_SHARD:
            is_next = before >= 0 and (before + 1) % SHARDS == shard(evicted)
            opened = self.opened(is_follower=is_next)
            before = shard(opened) if opened else before
            if is_next:
                taken.append(opened)
            else:
                self.close([opened])
        self.close(taken)
        return True
