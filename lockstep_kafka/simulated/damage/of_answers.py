"""Damages to what a broker answers for partitions."""

from __future__ import annotations

from collections.abc import Iterator

from lockstep_kafka.simulated.damage.kind import (
    CLIENT,
    Damage,
    Place,
    Shown,
    with_answer,
    without_answers,
)
from lockstep_kafka.simulated.damage.log import Log
from lockstep_kafka.simulated.damage.requests import Document, Partition, is_plain_answer
from lockstep_kafka.simulated.damage.session import Run

_NEVER_ASKED = 4711
"""The index of a partition that no topic here has."""


def _change_answer(document: Document, log: Log, place: Place, changes: Document) -> None:
    """Put other values into the answer for a partition."""
    for topic in document["response"]["responses"]:
        for answer in topic["partitions"]:
            if answer == log.by_number[place.line].answers[place.named_partition()]:
                answer.update(changes)


class WatermarkLeftOut(Damage):
    """The answer for a partition whose high watermark changed is taken out of a response.

    The log shows it at once where the partition was just added, or was in error. Else it shows it
    at the first line of the session, this one or a later one, before which another fetcher surely
    had been answered a higher watermark than the session, while the session still is not; of
    topics named by id, for one that is known by name only may have been recreated.
    """

    name = "changed-watermark-left-out"
    breaks = "a partition whose high watermark changed is not answered"
    requirements = ("227-13", "227-52")

    def places(self, log: Log) -> Iterator[Place]:
        for run in log.runs:
            for index, (line, standing) in enumerate(zip(run.lines, run.standings, strict=True)):
                if index == 0 or line.is_throttled:
                    continue
                for partition, answer in line.answers.items():
                    reported = standing.reported.get(partition)
                    if is_plain_answer(answer) and (
                        partition in standing.due
                        or (
                            reported is not None
                            and reported["highWatermark"] != answer["highWatermark"]
                        )
                    ):
                        yield Place(line.number, partition)

    def change(self, document: Document, log: Log, place: Place) -> None:
        without_answers(document, {place.named_partition()})

    def shown(self, log: Log, damaged: Log, place: Place) -> Shown | None:
        run, index = log.places[place.line]
        partition = place.named_partition()
        is_due = partition in run.standings[index].due
        is_shown = is_due or self._is_proved(damaged, run, index, partition)
        return super().shown(log, damaged, place) if is_shown else None

    def _is_proved(self, damaged: Log, run: Run, index: int, partition: Partition) -> bool:
        """Whether what another fetcher was sent forbids a line to leave the partition out."""
        steady = run.standings[index].steady.get(partition)
        if steady is None:
            return False
        for later, line in enumerate(run.lines[index:], index):
            is_answered = later > index and partition in line.answers
            if is_answered or partition not in run.standings[later].interests:
                return False
            reported = damaged.reported_to_others(partition, line, "highWatermark")
            if not line.is_throttled and reported > steady["highWatermark"]:
                return True
        return False


class UnchangedAdded(Damage):
    """A partition is answered again as it was answered last, without records.

    The log shows it always, as it shows every response since the partition was answered.
    """

    name = "unchanged-partition-added"
    breaks = "a partition is answered again without records or a change"
    requirements = ("227-52",)
    blameless = CLIENT

    def places(self, log: Log) -> Iterator[Place]:
        for run in log.runs:
            for line, standing in zip(run.lines[1:], run.standings[1:], strict=True):
                if line.is_throttled:
                    continue
                for partition, reported in standing.reported.items():
                    if (
                        partition not in line.answers
                        and partition in standing.interests
                        and partition not in standing.due
                        and is_plain_answer(reported)
                    ):
                        yield Place(line.number, partition)

    def change(self, document: Document, log: Log, place: Place) -> None:
        run, index = log.places[place.line]
        partition = place.named_partition()
        with_answer(document, run.lines[index], partition, run.standings[index].reported[partition])


class StrangerAnswered(Damage):
    """A partition is answered that the client removed, or that it never asked for.

    The log shows a removed one from its removal on, one that was never asked for where it shows
    the session from its beginning.
    """

    name = "stranger-answered"
    breaks = "a partition is answered that was removed, or never asked for"
    requirements = ("227-9",)

    def places(self, log: Log) -> Iterator[Place]:
        for run in log.runs:
            for line, standing in zip(run.lines, run.standings, strict=True):
                if line.is_throttled:
                    continue
                for partition in standing.gone:
                    if partition not in line.answers:
                        yield Place(line.number, partition)
                if run.is_whole and line.answers:
                    topic = next(iter(line.answers))[0]
                    yield Place(line.number, (topic, _NEVER_ASKED))

    def change(self, document: Document, log: Log, place: Place) -> None:
        run, index = log.places[place.line]
        line, standing = run.lines[index], run.standings[index]
        partition = place.named_partition()
        likeness: Document = standing.gone.get(partition) or {}
        if not is_plain_answer(likeness):
            likeness = {
                "partitionIndex": partition[1],
                "errorCode": 0,
                "highWatermark": 1,
                "lastStableOffset": 1,
                "logStartOffset": 0,
                "abortedTransactions": None,
                "preferredReadReplica": -1,
            }
        with_answer(document, line, partition, likeness)


def _steady_answers(log: Log) -> Iterator[tuple[Place, Document | None]]:
    """Every answer without an error in a session, and what was sent before at one leader epoch."""
    for run in log.runs:
        for line, standing in zip(run.lines, run.standings, strict=True):
            for partition, answer in line.answers.items():
                if is_plain_answer(answer):
                    yield Place(line.number, partition), standing.steady.get(partition)


class LogStartBack(Damage):
    """An answer has a log start below one that was answered before.

    The log shows it where the session was sent the higher one at the same leader epoch, or
    another fetcher surely was before the request was sent; of topics named by id, for one that
    is known by name only may have been deleted and recreated.
    """

    name = "log-start-back"
    breaks = "the start of a partition's log moves back"
    requirements = ("227-12",)
    blameless = CLIENT

    def places(self, log: Log) -> Iterator[Place]:
        for place, steady in _steady_answers(log):
            is_anew = log.may_be_anew(place.named_partition())
            if not is_anew and self._highest(log, place, steady) > 0:
                yield place

    def change(self, document: Document, log: Log, place: Place) -> None:
        run, index = log.places[place.line]
        steady = run.standings[index].steady.get(place.named_partition())
        log_start = self._highest(log, place, steady) - 1
        _change_answer(document, log, place, {"logStartOffset": log_start})

    def _highest(self, log: Log, place: Place, steady: Document | None) -> int:
        partition, line = place.named_partition(), log.by_number[place.line]
        session = -1 if steady is None else int(steady["logStartOffset"])
        return max(session, log.reported_to_others(partition, line, "logStartOffset"))


def _change_watermark(document: Document, log: Log, place: Place, watermark: int) -> None:
    answer = log.by_number[place.line].answers[place.named_partition()]
    stable = min(answer["lastStableOffset"], watermark)
    changes = {"highWatermark": watermark, "lastStableOffset": stable}
    _change_answer(document, log, place, changes)


class WatermarkBack(Damage):
    """An answer has a high watermark below the one that the session was sent before.

    The log shows it where both stand at the same leader epoch, of topics named by id: one that
    is known by name only may have been deleted and recreated.
    """

    name = "watermark-back-in-session"
    breaks = "a session is sent a lower high watermark than before"
    requirements = ("227-12",)
    blameless = CLIENT

    def places(self, log: Log) -> Iterator[Place]:
        for place, steady in _steady_answers(log):
            is_anew = log.may_be_anew(place.named_partition())
            if not is_anew and steady and steady["highWatermark"] > steady["logStartOffset"]:
                yield place

    def change(self, document: Document, log: Log, place: Place) -> None:
        run, index = log.places[place.line]
        steady = run.standings[index].steady[place.named_partition()]
        _change_watermark(document, log, place, steady["highWatermark"] - 1)


class WatermarkBackAcross(Damage):
    """An answer has a high watermark below one that another fetcher was sent, not the session.

    The log shows it where the other one surely was sent before the request was sent, in a log
    that names one leader epoch of the partition, and its topic by id.
    """

    name = "watermark-back-across-fetchers"
    breaks = "a fetcher is sent a lower high watermark than another one before"
    requirements = ("227-12",)
    blameless = CLIENT

    def places(self, log: Log) -> Iterator[Place]:
        for place, steady in _steady_answers(log):
            reported = -1 if steady is None else steady["highWatermark"]
            watermark = self._to_others(log, place) - 1
            start = log.by_number[place.line].answers[place.named_partition()]["logStartOffset"]
            if watermark >= max(reported, start, 0):
                yield place

    def change(self, document: Document, log: Log, place: Place) -> None:
        _change_watermark(document, log, place, self._to_others(log, place) - 1)

    def _to_others(self, log: Log, place: Place) -> int:
        line = log.by_number[place.line]
        return log.reported_to_others(place.named_partition(), line, "highWatermark")


OF_ANSWERS = (
    WatermarkLeftOut(),
    UnchangedAdded(),
    StrangerAnswered(),
    LogStartBack(),
    WatermarkBack(),
    WatermarkBackAcross(),
)
