"""What a fetcher sends: whether a behaviour of the model's fetcher sends this request.

A fetcher may at any time have lost a response, or have started again: both are tried, too. A seek
looks like records that came, so whether some came is left open (227-D39).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, NamedTuple

from lockstep_kafka.findings import Candidate
from lockstep_kafka.sessions.leader_cases import once
from lockstep_kafka.sessions.leader_lines import Epochs
from lockstep_kafka.sessions.session_model import (
    ANOTHER_SESSION,
    CONSUMER,
    OTHERS,
    PARTITION,
    REPLICA,
    SESSION,
    SessionModel,
)


class Holding(IntEnum):
    """The session that a fetcher has, beside the one that its request names."""

    NONE = 0
    SAME = 1
    ANOTHER = 2
    OPEN = 3


class Expectation(IntEnum):
    """The epoch that a fetcher sends next in its session, beside that of its request."""

    SAME = 0
    ANOTHER = 1
    FULL = 2
    """A full request is due: the session failed."""
    OPEN = 3


class HeadCase(NamedTuple):
    """The head of a request. `epoch` is -1, 0, or 1 for any positive one."""

    holding: Holding
    expectation: Expectation
    names_session: bool
    epoch: int


class Interest(IntEnum):
    """What a fetcher last asked of a partition, beside what its request lists."""

    ABSENT = 0
    SAME = 1
    DIFFERENT = 2
    OPEN = 3


class ListingCase(NamedTuple):
    """One partition of an incremental request."""

    before: Interest
    is_listed: bool
    is_forgotten: bool


_SMALL = Epochs(2, 3)
_EPOCH = 1
_SENDS = {-1: ("send_sessionless", "send_close"), 0: ("send_full",), 1: ("send_incremental",)}


@dataclass
class FetcherCases:
    """Puts requests to the model; each answer is kept."""

    model: SessionModel
    _heads: dict[HeadCase, bool] = field(default_factory=dict)
    _listings: dict[ListingCase, bool] = field(default_factory=dict)

    def explains_head(self, case: HeadCase) -> bool:
        """Whether a fetcher can send a request with this head."""
        if case not in self._heads:
            self._heads[case] = any(sent is None for sent in self._head_tries(case, _SMALL))
        return self._heads[case]

    def explains_listing(self, case: ListingCase) -> bool:
        """Whether a fetcher can send an incremental request that has the partition so."""
        if case not in self._listings:
            self._listings[case] = any(sent is None for sent in self._listing_tries(case))
        return self._listings[case]

    def head_refusals(self, case: HeadCase, epochs: Epochs) -> tuple[Candidate, ...] | None:
        """Why no fetcher sends a request with this head; None where one does."""
        tries = list(self._head_tries(case, epochs))
        return None if None in tries else once(filter(None, tries))

    def listing_refusals(self, case: ListingCase) -> tuple[Candidate, ...]:
        """Why no fetcher has the partition so in an incremental request."""
        return once(filter(None, self._listing_tries(case)))

    def _head_tries(self, case: HeadCase, epochs: Epochs) -> Iterator[Candidate | None]:
        """For every state and way of sending: None if it sends this head, else why not."""
        model = self.model
        wanted = {PARTITION: None, OTHERS: model.interest(0, is_new=False)}
        for state in self._heads_before(case, epochs, wanted):
            for action in _SENDS[case.epoch]:
                arguments = {"f": CONSUMER, "wanted": wanted}
                after = model.step(state, action, **arguments)
                if after is None:
                    yield model.refusal(state, action, **arguments)
                    continue
                request = after.request[CONSUMER]
                expected = (
                    SESSION if case.names_session else 0,
                    epochs.request if case.epoch > 0 else case.epoch,
                )
                if (request.session_id, request.epoch) == expected:
                    yield None
                else:
                    session = {0: "no session", SESSION: "this session"}
                    name = session.get(request.session_id, "another session")
                    epoch = f"epoch {request.epoch}"
                    yield Candidate(action, outcome=f"the request names {name} and {epoch}")

    def _heads_before(
        self, case: HeadCase, epochs: Epochs, wanted: dict[str, Any]
    ) -> Iterator[Any]:
        model = self.model
        fresh = model.metadata.FRESH
        if case.holding in (Holding.NONE, Holding.OPEN):
            yield model.state(metadata={CONSUMER: fresh, REPLICA: fresh})
        for holding, session in ((Holding.SAME, SESSION), (Holding.ANOTHER, ANOTHER_SESSION)):
            if case.holding not in (holding, Holding.OPEN):
                continue
            nexts = {
                Expectation.SAME: (epochs.request,),
                Expectation.ANOTHER: (epochs.expected,),
                Expectation.FULL: (0,),
            }.get(case.expectation, (epochs.request, epochs.expected, 0))
            for epoch in nexts:
                idle = self._following(session, epoch, wanted, is_pending=False)
                yield idle
                yield model.step(idle, "restart_fetcher", f=CONSUMER, arrives=False)
            waiting = self._following(session, epochs.request, wanted, is_pending=True)
            yield model.step(waiting, "disconnect", f=CONSUMER, arrives=False)

    def _following(
        self, session: int, epoch: int, wanted: dict[str, Any], *, is_pending: bool
    ) -> Any:
        model = self.model
        metadata = model.metadata.Metadata(session_id=session, epoch=epoch)
        nothing = {PARTITION: None, OTHERS: None}
        return model.state(
            metadata={CONSUMER: metadata, REPLICA: model.metadata.FRESH},
            pending={CONSUMER: is_pending, REPLICA: False},
            fetching={CONSUMER: wanted if epoch > 0 else nothing, REPLICA: nothing},
        )

    def _listing_tries(self, case: ListingCase) -> Iterator[Candidate | None]:
        model = self.model
        old, new = model.interest(0, is_new=False), model.interest(1, is_new=True)
        reported = model.partitions.Reported(high_watermark=0, log_start_offset=0, records=True)
        kept = {PARTITION: None, OTHERS: old}
        befores = {
            Interest.ABSENT: (None,),
            Interest.SAME: (new,),
            Interest.DIFFERENT: (old,),
        }.get(case.before, (None, new, old))
        for before in befores:
            state = model.state(
                metadata={
                    CONSUMER: model.metadata.Metadata(session_id=SESSION, epoch=_EPOCH),
                    REPLICA: model.metadata.FRESH,
                },
                fetching={CONSUMER: {**kept, PARTITION: before}, REPLICA: dict.fromkeys(kept)},
                reported={CONSUMER: dict.fromkeys(kept, reported), REPLICA: dict.fromkeys(kept)},
            )
            for wanted in (None, new):
                arguments = {"f": CONSUMER, "wanted": {**kept, PARTITION: wanted}}
                after = model.step(state, "send_incremental", **arguments)
                if after is None:
                    yield model.refusal(state, "send_incremental", **arguments)
                    continue
                request = after.request[CONSUMER]
                is_listed = request.partitions[PARTITION] is not None
                is_forgotten = PARTITION in request.forgotten
                if (is_listed, is_forgotten) == (case.is_listed, case.is_forgotten):
                    yield None
                else:
                    place = (
                        "lists the partition"
                        if is_listed
                        else "names it as removed"
                        if is_forgotten
                        else "does not name the partition"
                    )
                    yield Candidate("send_incremental", outcome=f"the request {place}")
