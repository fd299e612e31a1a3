"""Reads a broker's log in columns to say which connections belong together."""

from __future__ import annotations

import numpy as np

from lockstep_kafka.columns.exchange import Exchange
from lockstep_kafka.columns.follower import ColumnFollower
from lockstep_kafka.columns.kernels.layout import A_FETCH, ANOTHER_REQUEST, NO_ROOM
from lockstep_kafka.columns.memory import Memory
from lockstep_kafka.columns.requests import Requests
from lockstep_kafka.files.lines import Request
from lockstep_kafka.sessions.explanations import Explanations
from lockstep_kafka.sessions.shares import Groups

_ROOM = 1 << 21
"""Words of pairs that are taken up at a time."""

_LEAST = 1 << 32
_BITS = 34
"""What a pair names lies between the negative of this, and has so many bits in all."""


class _Added(Requests):
    """Requests that Python read are added to groups."""

    def __init__(self, memory: Memory, exchange: Exchange, groups: Groups) -> None:
        super().__init__(memory, exchange)
        self._groups = groups

    def enter(self, request: Request, position: int) -> None:
        self._groups.add(request)


class Scout(ColumnFollower):
    """Judges nothing: what lines name is added to groups."""

    def __init__(self, broker: str, explanations: Explanations, prefix: str) -> None:
        super().__init__(broker, explanations, prefix=prefix)
        self.groups = Groups()
        self.requests = _Added(self._memory, self._exchange, self.groups)
        memory = self._memory
        memory.put("edges", np.zeros(_ROOM, np.int64))
        memory["edges_room"], memory["is_scouting"] = _ROOM, 1

    def go_on(self) -> int:
        memory = self._memory
        while (code := memory.run()) == NO_ROOM:
            if memory["edges_end"]:
                self.take_up()
            else:
                memory.make_room()
        return code

    def take_up(self) -> None:
        """Add what the kernel noted."""
        memory, numbers = self._memory, self._exchange.numbers
        pairs = memory.tables["edges"][: memory["edges_end"]].reshape(-1, 2)
        packed, counts = np.unique(
            (pairs[:, 0] << _BITS) + pairs[:, 1] + _LEAST, return_counts=True
        )
        memory["edges_end"] = 0
        named = (packed & ((1 << _BITS) - 1)) - _LEAST
        for number, what, count in zip(
            (packed >> _BITS).tolist(), named.tolist(), counts.tolist(), strict=True
        ):
            connection = numbers.text(number)
            if what in (A_FETCH, ANOTHER_REQUEST):
                self.groups.add_lines(connection, count if what == A_FETCH else 0)
            elif what & 1:
                self.groups.join(what >> 1, connection)
            else:
                self.groups.join(numbers.partition(what >> 1), connection)
