"""`session_cache` on Kafka's own cache: `FetchManager` with as many slots as the scope has.

Kafka has no slots, only a number of sessions: which slot a session has is the model's choice, and
the slot of one that is evicted is known by the session that is gone. A tick of the scope is one ms.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from lockstep.drive.driver import Driver
from lockstep.errors import LockstepError
from lockstep_kafka.drive.jvm import Jvm
from lockstep_kafka.drive.leader import Leader
from lockstep_kafka.drive.messages import Answer, Interest, Messages


class KafkaSessionCache(Driver):
    """What drives `session_cache`; `make_leader` makes the leader, or one that differs."""

    models: ClassVar = ("session_cache",)
    outcomes: ClassVar = {"decide": ("create_by_evicting", "refuse")}
    decides: ClassVar = {"create_by_evicting": ("x",)}

    def __init__(self, release: str, make_leader: type[Leader] = Leader) -> None:
        self.software = f"Apache Kafka {release}"
        self._messages = Messages(Jvm(release))
        self._make_leader = make_leader

    def check(self, constants: Mapping[str, Any]) -> None:
        if constants["SECOND_SHARD"]:
            raise LockstepError(
                "kafka-session-cache drives a cache of one shard, and SECOND_SHARD has slots",
                cure="choose a scope in which SECOND_SHARD is empty",
            )

    def reset(self, constants: Mapping[str, Any]) -> None:
        self._constants = constants
        slots = [len(constants["SLOTS"])]
        self._leader = self._make_leader(self._messages, slots, constants["EVICTION_MS"])
        self._ids: dict[str, int] = {}
        """The session in each slot that is taken."""
        self._proposal: Any = None

    def do(self, action: str, arguments: Mapping[str, Any]) -> None:
        getattr(self, f"_do_{action}")(**arguments)

    def _do_tick(self) -> None:
        self._leader.now += 1

    def _do_propose(self, privileged: bool, size: int) -> None:
        request = self._messages.request(0, 0, _partitions(size), is_follower=privileged)
        self._proposal = self._leader.open(request)

    def _do_create_in_free_slot(self, x: str) -> None:
        self._do_decide(x)

    def _do_decide(self, x: str | None = None) -> None:
        number = self._leader.answer(self._proposal, _read).session_id
        self._ids = {x: one for x, one in self._ids.items() if self._leader.session(one)}
        if number:
            free = (slot for slot in self._constants["SLOTS"] if slot not in self._ids)
            self._ids[x or next(free)] = number

    def _do_use(self, x: str, size: int) -> None:
        session = self._leader.session(self._ids[x])
        assert session is not None
        wanted = _partitions(size)
        added = {p: asked for p, asked in wanted.items() if p not in session.partitions}
        removed = [p for p in session.partitions if p not in wanted]
        request = self._messages.request(session.id, session.epoch, added, removed)
        self._leader.serve(request, _read)

    def _do_close(self, x: str) -> None:
        self._leader.open(self._messages.request(self._ids.pop(x), -1, {}))

    def observe(self) -> Mapping[str, object]:
        """The sessions of the cache, and its metrics."""
        cache: dict[str, object] = dict.fromkeys(self._constants["SLOTS"])
        for x, number in self._ids.items():
            if session := self._leader.session(number):
                cache[x] = {
                    "privileged": session.is_privileged,
                    "size": len(session.partitions),
                    "created": session.created,
                    "last_used": session.last_used,
                }
        return {
            "cache": cache,
            "num_sessions": self._leader.size,
            "num_partitions_cached": self._leader.total_partitions,
            "evictions": self._leader.evictions % int(self._constants["METER"]),
        }


def _partitions(many: int) -> dict[str, Interest]:
    return {f"p{number}": Interest(0) for number in range(many)}


def _read(p: str, asked: Interest) -> tuple[Answer, bool]:
    return Answer(high_watermark=0, log_start_offset=0), False
