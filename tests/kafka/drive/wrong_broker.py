"""Brokers that are wrong, or looked at more closely than their models allow."""

from __future__ import annotations

from collections.abc import Mapping

from lockstep_kafka.drive.kafka_broker import KafkaBroker
from lockstep_kafka.drive.kafka_polls import KafkaPolls
from lockstep_kafka.drive.messages import Request, Response
from lockstep_kafka.drive.running import Running, Slots
from lockstep_kafka.jars import NEWEST_BROKER


class TakesTwice(KafkaBroker):
    """It takes each incremental request twice, as if the network had repeated it."""

    def __init__(self) -> None:
        super().__init__(Running(NEWEST_BROKER))

    def _ask(self, via: str, request: Request) -> Response:
        if request.epoch > 0:
            super()._ask(via, request)
        return super()._ask(via, request)


class _NeverFull(Slots):
    def fill(self) -> list[int]:
        return []


class HasRoom(KafkaPolls):
    """Its cache is never full, and what its fetcher knows is always observed."""

    def __init__(self) -> None:
        super().__init__(Running(NEWEST_BROKER))
        self._slots = _NeverFull(self._messages, self._ask)

    def observe(self) -> Mapping[str, object]:
        return {**super().observe(), "known_version": self._known}
