"""Damage to what a broker returns: records, and clients' requests."""

from __future__ import annotations

from collections.abc import Iterator

from lockstep_kafka.simulated.damage.kind import (
    BROKER,
    CLIENT,
    Damage,
    Place,
    Shown,
    without_answers,
)
from lockstep_kafka.simulated.damage.log import Log
from lockstep_kafka.simulated.damage.requests import (
    Document,
    Fetch,
    Partition,
    is_plain_answer,
    topic_key,
    topic_of,
)
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


class RecordsWithheld(Damage):
    """A response carries no records at all, although a partition had some.

    The log shows it of consumers that are not throttled and name no rack, where a partition of
    the session, or of a request without one, was asked from an offset between a log start and a
    high watermark (with isolation level 1: a last stable offset) that were answered before, or
    are in this response. Answers with an error, or of another replica, may explain the loss.
    """

    name = "records-withheld"
    breaks = "a response has no records, although there are some to return"
    requirements = ("227-56",)
    blameless = CLIENT

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

    def change(self, document: Document, log: Log, place: Place) -> None:
        line = log.by_number[place.line]
        reported = self._reported(log, line)
        unchanged = {
            partition
            for partition, answer in line.answers.items()
            if line.epoch > 0
            and partition in reported
            and all(
                reported[partition][offset] == answer[offset]
                for offset in ("highWatermark", "logStartOffset")
            )
        }
        without_answers(document, unchanged)
        for topic in document["response"]["responses"]:
            for answer in topic["partitions"]:
                answer["recordsSizeInBytes"] = 0

    def shown(self, log: Log, damaged: Log, place: Place) -> Shown | None:
        is_shown = can_be_read(damaged.by_number[place.line], log.places.get(place.line))
        return super().shown(log, damaged, place) if is_shown else None

    def _reported(self, log: Log, line: Fetch) -> dict[Partition, Document]:
        if line.number not in log.places:
            return {}
        run, index = log.places[line.number]
        return run.standings[index].reported


_NEVER_ASKED = 4711
_LAST_WITH_NAMES = 12


class _Forgotten(Damage):
    """A request removes a partition that is not there."""

    requirements = ("227-67",)
    sides, blameless = CLIENT, BROKER

    def change(self, document: Document, log: Log, place: Place) -> None:
        topic, partition = place.named_partition()
        topics = document["request"].setdefault("forgottenTopicsData", [])
        key = topic_key(log.by_number[place.line])
        topics.append({key: topic, "partitions": [partition]})


class ForgottenInFull(_Forgotten):
    """A full request removes a partition, one that it does not name.

    The log shows it always: there is nothing yet that it could be removed from.
    """

    name = "forgotten-in-full-request"
    breaks = "a full request removes a partition"

    def places(self, log: Log) -> Iterator[Place]:
        for line in log.fetches:
            if (
                line.epoch <= 0
                and line.interests
                and "forgottenTopicsData" in (line.document["request"])
            ):
                yield Place(line.number, (next(iter(line.interests))[0], _NEVER_ASKED))

    def shown(self, log: Log, damaged: Log, place: Place) -> Shown | None:
        line = log.by_number[place.line]
        return Shown(place.line, frozenset({line.session, line.answered_session}), CLIENT, BROKER)


class UnchangedListed(Damage):
    """A request of a session lists a partition as it was listed last.

    The log shows it, as it shows every request since the partition was listed, but in version 12:
    a client that knows topic ids lists a recreated topic again, and this version has its name only.
    """

    name = "unchanged-partition-listed"
    breaks = "a request lists a partition as it was listed last"
    requirements = ("227-42",)
    sides, blameless = CLIENT, BROKER

    def places(self, log: Log) -> Iterator[Place]:
        for run in log.runs:
            for line, before in zip(run.lines[1:], run.standings, strict=False):
                if line.version == _LAST_WITH_NAMES:
                    continue
                for partition, interest in before.interests.items():
                    if (
                        interest is not None
                        and partition not in line.interests
                        and partition not in line.forgotten
                    ):
                        yield Place(line.number, partition)

    def change(self, document: Document, log: Log, place: Place) -> None:
        run, index = log.places[place.line]
        partition = place.named_partition()
        interest = run.standings[index - 1].interests[partition]
        topics = document["request"]["topics"]
        same = next((topic for topic in topics if topic_of(topic) == partition[0]), None)
        if same is None:
            key = topic_key(run.lines[index])
            topics.append({key: partition[0], "partitions": [interest]})
        else:
            same["partitions"].append(interest)


class StrangerForgotten(_Forgotten):
    """A request of a session removes a partition that the session does not have.

    The log shows it of one that was removed before, and of one that was never asked for where it
    shows the session from its beginning.
    """

    name = "stranger-forgotten"
    breaks = "a request removes a partition that its session does not have"

    def places(self, log: Log) -> Iterator[Place]:
        for run in log.runs:
            for line, before in zip(run.lines[1:], run.standings, strict=False):
                for partition in before.gone:
                    if partition not in line.interests and partition not in line.forgotten:
                        yield Place(line.number, partition)
                if run.is_whole and before.interests:
                    topic = next(iter(before.interests))[0]
                    yield Place(line.number, (topic, _NEVER_ASKED))


OF_CLIENTS = (ForgottenInFull(), UnchangedListed(), StrangerForgotten())
