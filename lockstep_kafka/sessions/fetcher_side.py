"""Judges the client: whether a fetcher, as far as the log shows it, may send a request."""

from __future__ import annotations

from collections.abc import Iterator

from lockstep.words import plural
from lockstep_kafka.files.lines import FetchLine, TopicPartition
from lockstep_kafka.findings import Place, Remark, Verdict
from lockstep_kafka.sessions.explanations import Explanations
from lockstep_kafka.sessions.fetcher_cases import (
    Expectation,
    HeadCase,
    Holding,
    Interest,
    ListingCase,
)
from lockstep_kafka.sessions.knowledge import (
    FIRST_WITH_TOPIC_IDS,
    FULL_DUE,
    NO_SESSION,
    Fetcher,
    epochs_between,
)
from lockstep_kafka.sessions.leader_case import OPEN
from lockstep_kafka.sessions.leader_lines import Epochs
from lockstep_kafka.sessions.step import Step

_LAST_WITH_NAMES = 12
"""A fetcher that knows topic ids lists a topic that was made anew again (227-D42), but up to this
version a request does not show the id; nor did earlier ones show all epochs."""

_RENEWED = (
    "{} is listed, though nothing about it changed that this version shows: the topic may have "
    "another id than before, or the client may have learnt it, or a leader epoch"
)
_BOTH = "{} is both listed and named as removed, of which the protocol says nothing (227-D10)"


class FetcherSide:
    """Judges requests by the model's fetcher."""

    def __init__(self, explanations: Explanations) -> None:
        self._explanations = explanations
        self._cases = explanations.fetchers
        self._next_epoch = explanations.next_epoch

    def explains_head(self, fetcher: Fetcher, line: FetchLine) -> bool:
        """Whether the fetcher can send a request with this session id and epoch now."""
        return self._cases.explains_head(self._head(fetcher, line))

    def judge(self, step: Step) -> Iterator[Remark]:
        """What is to be said of a request."""
        line, fetcher, at = step.line, step.fetcher, step.at
        session, epoch = line.session_id, line.session_epoch
        if (session < 0 and epoch > 0) or epoch < -1:
            yield Remark(
                Verdict.DEPARTS,
                at,
                f"no request has session id {session} and epoch {epoch}",
                ("227-30", "227-41"),
            )
            return
        if session < 0:
            because = f"a full request names session {session}, of which the protocol says nothing"
            yield Remark(Verdict.UNKNOWN, at, because)
            return
        if epoch > 0 and fetcher.is_waiting(line):
            yield Remark(
                Verdict.UNKNOWN,
                at,
                f"the request ({session}, {epoch}) is sent while an earlier one is under way: a "
                "fetcher that does not wait is outside the model",
            )
            return
        uses_topic_ids = line.version >= FIRST_WITH_TOPIC_IDS
        if fetcher.uses_topic_ids is not uses_topic_ids:
            # A name and an id cannot be held against each other.
            fetcher.uses_topic_ids = uses_topic_ids
            fetcher.forget()
        # What it was told on another connection, and when, no line of this one says.
        is_elsewhere = fetcher.connection not in ("", line.connection)
        if is_elsewhere:
            fetcher.forget()
        head = self._head(fetcher, line)
        if not self._cases.explains_head(head):
            lost = self._lost(fetcher, line, step.missing, at)
            expected = fetcher.epoch if fetcher.session == session and fetcher.epoch > 0 else None
            is_open = is_elsewhere or step.is_shared() or step.may_come_later(expected)
            if lost is None and is_open:
                fetcher.forget_all()
                return
            yield lost or self._explanations.departure(
                at,
                _why_not_sent(fetcher, session, epoch),
                _requirements_of(head),
                self._cases.head_refusals(head, Epochs.of(epoch, fetcher.epoch)),
            )
            return
        if epoch > 0:
            if fetcher.session == session:
                yield from self._listings(fetcher, line, at)
        elif line.forgotten:
            yield Remark(
                Verdict.DEPARTS,
                at,
                f"a full request names {_some(line.forgotten)} as removed",
                ("227-67",),
                self._cases.listing_refusals(ListingCase(Interest.ABSENT, False, True)),
            )

    def _head(self, fetcher: Fetcher, line: FetchLine) -> HeadCase:
        session, epoch = line.session_id, line.session_epoch
        if fetcher.session == OPEN:
            holding = Holding.OPEN
        elif fetcher.session == session != NO_SESSION or (
            epoch <= 0 and _may_hold(fetcher, session)
        ):
            holding = Holding.SAME
        elif fetcher.session == NO_SESSION:
            holding = Holding.NONE
        else:
            holding = Holding.ANOTHER
        if fetcher.epoch == OPEN:
            expectation = Expectation.OPEN
        elif fetcher.epoch == FULL_DUE:
            expectation = Expectation.FULL
        else:
            expectation = Expectation.SAME if fetcher.epoch == epoch else Expectation.ANOTHER
        sign = 1 if epoch > 0 else epoch
        return HeadCase(holding, expectation, session != NO_SESSION, sign)

    def _lost(
        self, fetcher: Fetcher, line: FetchLine, missing: int | None, at: Place
    ) -> Remark | None:
        """That lines of the log are missing, where that explains the request."""
        epoch = min(line.session_epoch, 1)
        anyone = HeadCase(Holding.OPEN, Expectation.OPEN, line.session_id != NO_SESSION, epoch)
        if missing == 0 or not self._cases.explains_head(anyone):
            return None
        if fetcher.session == line.session_id and line.session_epoch > 0:
            if fetcher.epoch == FULL_DUE:
                return None
            needed = epochs_between(fetcher.epoch, line.session_epoch)
        else:
            # The session was opened, and its epochs before this one were sent.
            needed = max(line.session_epoch, 1)
        if needed <= 0 or (missing is not None and needed > missing):
            return None
        hole = (
            "the connection is new"
            if missing is None
            else f"a hole of {missing} in the correlation ids of the connection"
        )
        lost = f"{plural(needed, 'request')} of session {line.session_id}"
        because = f"{lost} may be missing from the log before this line: {hole}"
        return Remark(Verdict.UNKNOWN, at, because)

    def _listings(self, fetcher: Fetcher, line: FetchLine, at: Place) -> Iterator[Remark]:
        forgotten = set(line.forgotten)
        fetching = fetcher.fetching
        unlisted = Interest.ABSENT if fetcher.is_whole else Interest.OPEN
        for partition, wanted in line.partitions.items():
            before = fetching.get(partition)
            if before is None:
                interest = unlisted
            else:
                interest = Interest.SAME if before == wanted else Interest.DIFFERENT
            case = ListingCase(interest, True, partition in forgotten)
            if self._cases.explains_listing(case):
                continue
            if case.is_forgotten:
                yield Remark(Verdict.UNKNOWN, at, _BOTH.format(partition))
            elif interest is Interest.SAME and line.version <= _LAST_WITH_NAMES:
                yield Remark(Verdict.UNKNOWN, at, _RENEWED.format(partition))
            else:
                yield self._departure(at, case, partition)
        for partition in line.forgotten:
            if partition in line.partitions:
                continue
            interest = Interest.DIFFERENT if partition in fetching else unlisted
            case = ListingCase(interest, False, True)
            if not self._cases.explains_listing(case):
                yield self._departure(at, case, partition)

    def _departure(self, at: Place, case: ListingCase, partition: TopicPartition) -> Remark:
        if case.is_listed:
            because, requirement = (
                f"{partition} is listed, though nothing about it changed",
                "227-42",
            )
        else:
            because = f"{partition} is named as removed, but the fetcher does not have it"
            requirement = "227-67"
        candidates = self._cases.listing_refusals(case)
        return Remark(Verdict.DEPARTS, at, because, (requirement,), candidates)

    def sent(self, fetcher: Fetcher, line: FetchLine) -> None:
        """Take a request in: what the fetcher wants from now on."""
        fetcher.connection, fetcher.completion_ms = line.connection, line.time_ms
        if not line.asks_for_all:
            fetcher.fetching.update(line.partitions)
            for partition in line.forgotten:
                fetcher.fetching.pop(partition, None)
            return
        fetcher.former = line.session_id
        fetcher.fetching = dict(line.partitions)
        fetcher.is_whole = True

    def received(self, fetcher: Fetcher, line: FetchLine, at: Place) -> None:
        """Take the response of a line that stands there in: what the fetcher sends next."""
        if line.error_code != 0:
            fetcher.starts_over(line.session_id, at)
        elif line.response_session_id == NO_SESSION:
            if line.session_epoch > 0:
                fetcher.starts_over(line.session_id, at)
            else:
                fetcher.starts_over(NO_SESSION, at)
        else:
            epoch = line.session_epoch
            following = self._next_epoch(epoch) if epoch > 0 else 1
            fetcher.holds(line.response_session_id, following, at)


def _may_hold(fetcher: Fetcher, session: int) -> bool:
    """Whether the fetcher may still have a session that its last full request named.

    It has that one until it sees the answer.
    """
    return session == fetcher.former != NO_SESSION


def _why_not_sent(fetcher: Fetcher, session: int, epoch: int) -> str:
    request = f"it sent ({session}, {epoch})"
    since = "" if fetcher.since is None else f" since {fetcher.since}"
    if session == NO_SESSION:
        return f"an incremental request names a session; {request}"
    if fetcher.session == NO_SESSION:
        return f"the fetcher has no session{since}, but {request}"
    if fetcher.epoch == FULL_DUE:
        return f"the fetcher can only send a full request{since}, but {request}"
    if fetcher.session != session:
        return f"the fetcher has session {fetcher.session}{since}, but {request}"
    return (
        f"the fetcher's next request is ({fetcher.session}, {fetcher.epoch}){since}, but {request}"
    )


def _requirements_of(head: HeadCase) -> tuple[str, ...]:
    if not head.names_session:
        return ("227-41",)
    if head.holding is Holding.SAME and head.expectation is Expectation.ANOTHER:
        return ("227-31",)
    return ("227-29",)


def _some(partitions: tuple[TopicPartition, ...]) -> str:
    names = sorted(str(partition) for partition in partitions)
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(names[:3]) + more
