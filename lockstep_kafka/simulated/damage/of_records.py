"""Damage to the records that a broker returns."""

from __future__ import annotations

from collections.abc import Iterator

from lockstep_kafka.simulated.damage.kind import (
    BROKER,
    CLIENT,
    Place,
    Shown,
    edited,
    sessions_of,
    without_answers,
)
from lockstep_kafka.simulated.damage.log import Log
from lockstep_kafka.simulated.damage.requests import Document, Fetch, Partition, is_plain_answer
from lockstep_kafka.simulated.damage.session import Run


def can_be_read(line: Fetch, place: tuple[Run, int] | None) -> bool:
    """Whether a partition that a consumer asks for surely has records for it.

    `place` is the line's run and its index there, where it has one.
    """
    interests, steady = line.interests, dict[Partition, Document]()
    if place is not None:
        run, index = place
        interests, steady = run.standings[index].interests, run.standings[index].steady
    end = "lastStableOffset" if line.isolation == 1 else "highWatermark"
    return any(
        interest is not None
        and answer is not None
        and answer["logStartOffset"] <= interest["fetchOffset"] < answer[end]
        for partition, interest in interests.items()
        for answer in (steady.get(partition), line.answers.get(partition))
    )


class RecordsWithheld:
    """A response carries no records at all, although a partition had some.

    The log shows it of consumers that are not throttled and name no rack, where a partition of
    the session, or of a request without one, was asked from an offset between a log start and a
    high watermark (with isolation level 1: a last stable offset) that were answered before, or
    are in this response. Answers with an error, or of another replica, may explain the loss.
    """

    name = "records-withheld"
    breaks = "a response has no records, although there are some to return"
    requirements: tuple[str, ...] = ("227-56",)

    def places(self, log: Log) -> Iterator[Place]:
        for line in log.fetches:
            if (
                line.is_plain_consumer
                and not line.is_throttled
                and line.error == 0
                and any(answer["recordsSizeInBytes"] for answer in line.answers.values())
                and all(map(is_plain_answer, line.answers.values()))
            ):
                yield Place(line.number)

    def apply(self, log: Log, place: Place) -> Log:
        line = log.by_number[place.line]
        told = self._told(log, line)
        unchanged = {
            partition
            for partition, answer in line.answers.items()
            if line.epoch > 0
            and partition in told
            and all(
                told[partition][offset] == answer[offset]
                for offset in ("highWatermark", "logStartOffset")
            )
        }

        def withhold(document: Document) -> None:
            without_answers(document, unchanged)
            for topic in document["response"]["responses"]:
                for answer in topic["partitions"]:
                    answer["recordsSizeInBytes"] = 0

        return log.with_documents({place.line: edited(line, withhold)})

    def shown(self, log: Log, damaged: Log, place: Place) -> Shown | None:
        line = damaged.by_number[place.line]
        if not can_be_read(line, log.places.get(place.line)):
            return None
        return Shown(place.line, sessions_of(line), BROKER, CLIENT)

    def _told(self, log: Log, line: Fetch) -> dict[Partition, Document]:
        if line.number not in log.places:
            return {}
        run, index = log.places[line.number]
        return run.standings[index].told
