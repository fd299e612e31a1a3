"""A broker that takes each incremental request twice, as if the network had repeated it."""

from __future__ import annotations

from lockstep_kafka.drive.broker import NEWEST_BROKER
from lockstep_kafka.drive.kafka_broker import KafkaBroker
from lockstep_kafka.drive.messages import Request, Response
from lockstep_kafka.drive.running import Running


class TakesTwice(KafkaBroker):
    def __init__(self) -> None:
        super().__init__(Running(NEWEST_BROKER))

    def _ask(self, via: str, request: Request) -> Response:
        if request.epoch > 0:
            super()._ask(via, request)
        return super()._ask(via, request)
