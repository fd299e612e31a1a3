"""Judges the client: whether a fetcher, as far as the log shows it, may send a request."""

from __future__ import annotations

from collections.abc import Iterator

from lockstep_kafka.files.lines import FetchLine, TopicPartition
from lockstep_kafka.findings import Place, Remark
from lockstep_kafka.rules import Rule
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
from lockstep_kafka.sessions.turns import Step

_LAST_WITH_NAMES = 12
"""A fetcher that knows topic ids lists a recreated topic again (227-D42), but up to this
version a request does not show the id; nor did earlier ones show all epochs."""


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
            yield Remark(Rule.IMPOSSIBLE_HEAD, at, {"session": session, "epoch": epoch})
            return
        if session < 0:
            yield Remark(Rule.NEGATIVE_ID, at, {"session": session})
            return
        may_be_sent = self._cases.explains_head(_of_anyone(line))
        if epoch > 0 and may_be_sent and fetcher.is_waiting(line):
            yield Remark(Rule.NOT_WAITING, at, {"session": session, "epoch": epoch})
            return
        uses_topic_ids = line.version >= FIRST_WITH_TOPIC_IDS
        if fetcher.uses_topic_ids is not uses_topic_ids:
            # A name and an id cannot be compared.
            fetcher.uses_topic_ids = uses_topic_ids
            fetcher.forget()
        # What was sent to it on another connection, and when, no line of this one says.
        is_elsewhere = fetcher.connection not in ("", line.connection)
        if is_elsewhere:
            fetcher.forget()
        head = self._head(fetcher, line)
        if not self._cases.explains_head(head):
            lost = self._lost(fetcher, line, step.missing, at)
            expected = fetcher.epoch if fetcher.session == session and fetcher.epoch > 0 else None
            is_open = is_elsewhere or step.is_shared() or step.may_come_later(expected)
            if lost is None and is_open and may_be_sent:
                fetcher.forget_all()
                return
            yield lost or self._explanations.departure(
                _not_sent(fetcher, line, at),
                self._cases.head_refusals(head, Epochs.of(epoch, fetcher.epoch)),
            )
            return
        if epoch > 0:
            if fetcher.session == session:
                yield from self._listings(fetcher, line, at)
        elif line.forgotten:
            yield Remark(
                Rule.REMOVED_IN_FULL,
                at,
                {"partitions": _some(line.forgotten)},
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
        if missing == 0 or not self._cases.explains_head(_of_anyone(line)):
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
        lost = {"session": line.session_id, "needed": needed}
        if missing is None:
            return Remark(Rule.NEW_CONNECTION, at, lost)
        return Remark(Rule.HOLE, at, lost | {"missing": missing})

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
                yield Remark(Rule.LISTED_AND_REMOVED, at, {"partition": str(partition)})
            elif interest is Interest.SAME and line.version <= _LAST_WITH_NAMES:
                yield Remark(Rule.LISTED_RENEWED, at, {"partition": str(partition)})
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
        rule = Rule.LISTED_UNCHANGED if case.is_listed else Rule.STRANGER_REMOVED
        candidates = self._cases.listing_refusals(case)
        return Remark(rule, at, {"partition": str(partition)}, candidates)

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

    def received(self, step: Step) -> None:
        """Take the response of a line in: what the fetcher sends next."""
        fetcher, line, at = step.fetcher, step.line, step.at
        session, epoch = line.session_id, line.session_epoch
        if epoch > 0 and session not in (NO_SESSION, fetcher.session) and step.client_departs():
            session = OPEN  # its own session, or the one that it named
        if line.error_code != 0:
            fetcher.starts_over(session, at)
        elif line.response_session_id == NO_SESSION:
            fetcher.starts_over(session if epoch > 0 else NO_SESSION, at)
        elif epoch <= 0:
            fetcher.holds(line.response_session_id, 1, at)
        elif session == OPEN:
            fetcher.forget_all()
        else:  # whatever session the response names (227-D45)
            fetcher.holds(session, self._next_epoch(epoch), at)


def _of_anyone(line: FetchLine) -> HeadCase:
    """The head of a request of a fetcher of which nothing is known."""
    sign = min(line.session_epoch, 1)
    return HeadCase(Holding.OPEN, Expectation.OPEN, line.session_id != NO_SESSION, sign)


def _may_hold(fetcher: Fetcher, session: int) -> bool:
    """Whether the fetcher may still have a session that its last full request named.

    It has that one until it sees the answer.
    """
    return session == fetcher.former != NO_SESSION


def _not_sent(fetcher: Fetcher, line: FetchLine, at: Place) -> Remark:
    """That the fetcher cannot send a request, for what it has in place of its session and epoch."""
    arguments: dict[str, int | Place] = {"session": line.session_id, "epoch": line.session_epoch}
    if line.session_id == NO_SESSION:
        return Remark(Rule.ID_MISSING, at, arguments)
    if fetcher.since is not None:
        arguments["since"] = fetcher.since
    if fetcher.session == NO_SESSION:
        return Remark(Rule.NO_SESSION, at, arguments)
    if fetcher.epoch == FULL_DUE:
        return Remark(Rule.FULL_EXPECTED, at, arguments)
    if fetcher.session != line.session_id:
        return Remark(Rule.OTHER_SESSION_EXPECTED, at, arguments | {"held": fetcher.session})
    return Remark(Rule.EPOCH_EXPECTED, at, arguments | {"expected": fetcher.epoch})


def _some(partitions: tuple[TopicPartition, ...]) -> str:
    names = sorted(str(partition) for partition in partitions)
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(names[:3]) + more
