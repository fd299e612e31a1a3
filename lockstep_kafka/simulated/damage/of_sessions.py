"""Damages to the epochs and ids of sessions, and to the errors that speak of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from lockstep_kafka.simulated.damage.kind import BOTH, BROKER, CLIENT, Damage, Place, Shown, edited
from lockstep_kafka.simulated.damage.log import Log
from lockstep_kafka.simulated.damage.requests import Document, Fetch
from lockstep_kafka.simulated.damage.session import Run


class _OfRequest(Damage):
    """Damage to a request of a run that has its predecessor in it, or to the response."""

    def can_be(self, line: Fetch) -> bool:
        """Whether such a request can be damaged."""
        return True

    def places(self, log: Log) -> Iterator[Place]:
        for run in log.runs:
            for line in run.lines[1:]:
                if self.can_be(line):
                    yield Place(line.number)


def _previous(log: Log, place: Place) -> tuple[Fetch, Fetch, Run]:
    run, index = log.places[place.line]
    return run.lines[index - 1], run.lines[index], run


def _is_after_a_hole(log: Log, place: Place) -> bool:
    """Whether a correlation id is missing before a line, since the session's last request."""
    previous, line, _ = _previous(log, place)
    return log.hole(previous, line) > 0


def _goes_on(log: Log, place: Place) -> bool:
    """Whether the session has a line after this one."""
    run, index = log.places[place.line]
    return index + 1 < len(run.lines)


def _unused_id(log: Log) -> int:
    """An id that no session has: beside that of one, where none lies that is drawn by chance."""
    used = {session for fetch in log.fetches for session in (fetch.session, fetch.answered_session)}
    return next(
        session + 1 for session in sorted(used) if session and session + 1 not in {*used, 2**31}
    )


class EpochRepeated(_OfRequest):
    """A request has the epoch of the one before, and is served.

    The log shows it always: no number of lost requests leads back to an epoch already served.
    """

    name = "epoch-repeated"
    breaks = "a request has the epoch of the one before it, and is served"
    requirements = ("227-6", "227-31")
    sides = BOTH

    def can_be(self, line: Fetch) -> bool:
        return line.epoch > 1

    def change(self, document: Document, log: Log, place: Place) -> None:
        document["request"]["sessionEpoch"] -= 1


class EpochSkipped(_OfRequest):
    """From a line on, every epoch of a session is higher by one.

    The log shows it where no correlation id is missing before the line: else a request may have
    been lost, or gone to another broker.
    """

    name = "epoch-skipped"
    breaks = "the epochs of a session leave one out, and are served"
    requirements = ("227-6", "227-31")
    sides = BOTH

    def change(self, document: Document, log: Log, place: Place) -> None:
        document["request"]["sessionEpoch"] += 1

    def apply(self, log: Log, place: Place) -> Log:
        run, index = log.places[place.line]
        return log.with_documents(
            {
                line.number: edited(line, lambda copied: self.change(copied, log, place))
                for line in run.lines[index:]
            }
        )

    def shown(self, log: Log, damaged: Log, place: Place) -> Shown | None:
        return None if _is_after_a_hole(log, place) else super().shown(log, damaged, place)


class WrongIdInRequest(_OfRequest):
    """A request names a session that nobody has, and is served for the one that it should name.

    The broker's answer shows it always. Of the client it does not where so many correlation ids
    are missing that it may have opened the other session, and used it as often as it says.
    """

    name = "wrong-id-in-request"
    breaks = "a request names a session that nobody has, and is served"
    requirements = ("227-27", "227-29")

    def change(self, document: Document, log: Log, place: Place) -> None:
        document["request"]["sessionId"] = _unused_id(log)

    def shown(self, log: Log, damaged: Log, place: Place) -> Shown | None:
        previous, line, run = _previous(log, place)
        sessions = frozenset({run.session, damaged.by_number[place.line].session})
        is_sure = log.hole(previous, line) < line.epoch
        return Shown(place.line, sessions, BOTH if is_sure else BROKER)


class WrongIdInResponse(_OfRequest):
    """The response to an incremental request names another session.

    The log shows it always. The client goes on with its own session (227-D45).
    """

    name = "wrong-id-in-response"
    breaks = "the response to an incremental request names another session"
    requirements = ("227-4", "227-49")
    blameless = CLIENT

    def change(self, document: Document, log: Log, place: Place) -> None:
        document["response"]["sessionId"] = _unused_id(log)

    def shown(self, log: Log, damaged: Log, place: Place) -> Shown | None:
        both = (one.by_number[place.line].answered_session for one in (log, damaged))
        return Shown(place.line, frozenset(both), BROKER, CLIENT)


class NoIdInRequest(_OfRequest):
    """An incremental request names session 0, and is served.

    The log shows it always, of the client. What the broker should answer the protocol leaves open.
    """

    name = "id-0-in-request"
    breaks = "an incremental request names session 0"
    requirements = ("227-41",)

    def change(self, document: Document, log: Log, place: Place) -> None:
        document["request"]["sessionId"] = 0

    def shown(self, log: Log, damaged: Log, place: Place) -> Shown | None:
        return Shown(place.line, frozenset({log.by_number[place.line].session, 0}), CLIENT)


class NoIdInResponse(_OfRequest):
    """The response to an incremental request names session 0, without an error.

    That is how a broker closes a session left without partitions, and how it may answer a
    consumer over its quota. The log shows the damage where the session surely has a partition, or
    goes on afterwards, and nothing is throttled.
    """

    name = "id-0-in-response"
    breaks = "a session that has partitions is closed without an error"
    requirements = ("227-4", "227-50")

    def can_be(self, line: Fetch) -> bool:
        return not line.is_throttled

    def change(self, document: Document, log: Log, place: Place) -> None:
        document["response"]["sessionId"] = 0

    def shown(self, log: Log, damaged: Log, place: Place) -> Shown | None:
        run, index = log.places[place.line]
        is_there = run.standings[index].interests or _goes_on(log, place)
        return super().shown(log, damaged, place) if is_there else None


class _Error(_OfRequest):
    """An error answers a request that none should."""

    code: ClassVar[int]

    def can_be(self, line: Fetch) -> bool:
        return not line.is_throttled

    def change(self, document: Document, log: Log, place: Place) -> None:
        document["response"].update(errorCode=self.code, sessionId=0, responses=[])


class NotFoundUndeserved(_Error):
    """FETCH_SESSION_ID_NOT_FOUND answers a request of a session that is there.

    The log shows it where the session goes on afterwards: else it may have been evicted.
    """

    name = "70-undeserved"
    breaks = "FETCH_SESSION_ID_NOT_FOUND for a session that goes on afterwards"
    requirements = ("227-27",)
    code = 70

    def shown(self, log: Log, damaged: Log, place: Place) -> Shown | None:
        return super().shown(log, damaged, place) if _goes_on(log, place) else None


class EpochErrorUndeserved(_Error):
    """INVALID_FETCH_SESSION_EPOCH answers a request with the epoch that the session expects.

    The log shows it where no correlation id is missing since the session's last request: else a
    request that was lost may have moved the epoch.
    """

    name = "71-undeserved"
    breaks = "INVALID_FETCH_SESSION_EPOCH for the epoch that is expected"
    requirements = ("227-28",)
    code = 71

    def shown(self, log: Log, damaged: Log, place: Place) -> Shown | None:
        return None if _is_after_a_hole(log, place) else super().shown(log, damaged, place)


class OneIdTwice(Damage):
    """A second session has the id of a first one, from its first line to its last.

    The log shows it where a request of the second one was served between two of the first one, and
    sessions that live one after another cannot have served them all, whatever the order of those
    that overlapped.
    """

    name = "one-id-alive-twice"
    breaks = "two sessions that are alive at one time have one id"
    requirements = ("227-3",)

    def places(self, log: Log) -> Iterator[Place]:
        for second in log.runs:
            for first in log.runs:
                if first.session != second.session and first.lines[0].connection != (
                    second.lines[0].connection
                ):
                    yield Place(second.lines[0].number, other_line=first.lines[0].number)

    def apply(self, log: Log, place: Place) -> Log:
        renamed, given = self._ids(log, place)

        def rename(document: Document) -> None:
            for part in ("request", "response"):
                if document[part].get("sessionId") == renamed:
                    document[part]["sessionId"] = given

        return log.with_documents(
            {
                fetch.number: edited(fetch, rename)
                for fetch in log.fetches
                if renamed in (fetch.session, fetch.answered_session)
            }
        )

    def shown(self, log: Log, damaged: Log, place: Place) -> Shown | None:
        renamed, given = self._ids(log, place)
        first, _ = log.places[place.other_line]
        runs = [run for run in log.runs if run.session == renamed]
        second = [line for run in runs for line in run.lines]
        if not (first.is_whole and runs[0].is_whole and _one_serves(log, (), second)):
            return None
        begin, end = first.lines[0], first.lines[-1]
        if not any(
            log.is_surely_before(begin, line) and log.is_surely_before(line, end) for line in second
        ) or _one_serves(log, first.lines, second):
            return None
        since = min(
            fetch.number
            for fetch in log.fetches
            if renamed in (fetch.session, fetch.answered_session)
        )
        return Shown(since, frozenset({given}), BROKER)

    def _ids(self, log: Log, place: Place) -> tuple[int, int]:
        """The id that is replaced, and the one that is put there."""
        return log.places[place.line][0].session, log.places[place.other_line][0].session


def _one_serves(log: Log, first: Sequence[Fetch], second: Sequence[Fetch]) -> bool:
    """Whether one session after another may have served all of them, in an order that can be.

    Each of the two has its requests in their order. A full request opens a new session, and any
    other one has the epoch after that of the request served before it.
    """
    reached: set[tuple[int, int, int | None]] = {(0, 0, None)}
    waiting = list(reached)
    while waiting:
        ones, others, epoch = waiting.pop()
        for line, rest, served in (
            (first[ones : ones + 1], second[others : others + 1], (ones + 1, others)),
            (second[others : others + 1], first[ones : ones + 1], (ones, others + 1)),
        ):
            if not line or (rest and log.is_surely_before(rest[0], line[0])):
                continue
            if line[0].epoch == 0 or epoch is None or line[0].epoch == epoch + 1:
                new = (*served, line[0].epoch)
                waiting += [new] if new not in reached else []
                reached.add(new)
    return any(served[:2] == (len(first), len(second)) for served in reached)


OF_SESSIONS = (
    EpochRepeated(),
    EpochSkipped(),
    WrongIdInRequest(),
    WrongIdInResponse(),
    NoIdInRequest(),
    NoIdInResponse(),
    NotFoundUndeserved(),
    EpochErrorUndeserved(),
    OneIdTwice(),
)
