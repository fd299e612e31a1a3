"""Whether `snapshot_election` explains that a replica answers so, and gives its vote so.

Epochs and ends of logs are only compared: small numbers in the same order stand for them.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from lockstep_kafka.findings import Candidate
from lockstep_kafka.quorum.models import ANOTHER, CANDIDATE, VOTER, QuorumModels
from lockstep_kafka.quorum.snapshot_cases import FENCED_LEADER_EPOCH

_KEPT = 4_096


class Hearing(NamedTuple):
    """A request that has its sender's epoch, and the answer of a replica."""

    known: int
    """The replica was in this epoch or in a later one before; 0 where nothing is known."""
    asked: int
    """The sender's epoch."""
    error: int
    answered: int
    """The replica's epoch in the answer."""


class Granting(NamedTuple):
    """A vote that is given."""

    known: int
    """As in a `Hearing`."""
    asked: int
    """The epoch in which the candidate stands."""
    has_voted: bool
    """Whether the replica gave its vote in this epoch to another one."""
    least: tuple[int, int]
    """The epoch and the offset that the replica's log reaches at least; 0 and 0 for nothing."""
    log: tuple[int, int]
    """The epoch and the offset that the candidate's log reaches."""


class ElectionCases:
    """Puts cases to the model; answers are kept."""

    def __init__(self, models: QuorumModels) -> None:
        self._models = models
        self.hears = lru_cache(_KEPT)(self._hears)
        """Whether a replica can answer so."""
        self.grants = lru_cache(_KEPT)(self._grants)
        """Whether a replica can give its vote so."""

    def refusal(self, granting: Granting) -> Candidate:
        """Why a replica does not give its vote."""
        model = self._models.election
        return model.refusal(self._before(granting), "grant", v=VOTER, c=CANDIDATE)

    def _hears(self, hearing: Hearing) -> bool:
        """A replica takes a newer epoch; it refuses what is of an older one (595-9, 595-10)."""
        model = self._models.election
        numbers = sorted({0, hearing.known, hearing.asked, hearing.answered})
        known, asked, answered = (numbers.index(hearing[place]) for place in (0, 1, 3))
        for before in range(known, len(numbers)):
            state = model.state(epoch={VOTER: before, CANDIDATE: asked, ANOTHER: 0})
            after: Any = model.step(state, "learn_epoch", v=VOTER, w=CANDIDATE) or state
            epoch = after.epoch[VOTER]
            is_refused = epoch > asked
            if epoch == answered and is_refused == (hearing.error == FENCED_LEADER_EPOCH):
                return True
        return False

    def _grants(self, granting: Granting) -> bool:
        after = self._models.election.step(self._before(granting), "grant", v=VOTER, c=CANDIDATE)
        return after is not None

    def _before(self, granting: Granting) -> Any:
        """The state in which the request came, as early and as short of records as it can be."""
        model = self._models.election
        states = model.model.universe.modules["models.snapshot_election_state"]
        logs = granting.least, granting.log
        epochs = sorted({0, granting.known, granting.asked, *(epoch for epoch, _ in logs)})
        offsets = sorted({0, *(offset for _, offset in logs)})

        def records(epoch: int, offset: int) -> tuple[Any, ...]:
            record = states.LogRecord(epoch=epochs.index(epoch), value=0)
            return (record,) * offsets.index(offset) if epoch else ()

        asked = epochs.index(granting.asked)
        epoch = asked if granting.has_voted else epochs.index(granting.known)
        return model.state(
            epoch={VOTER: epoch, CANDIDATE: asked, ANOTHER: asked},
            voted={
                VOTER: ANOTHER if granting.has_voted else None,
                CANDIDATE: CANDIDATE,
                ANOTHER: ANOTHER,
            },
            role={
                VOTER: states.Role.FOLLOWER,
                CANDIDATE: states.Role.CANDIDATE,
                ANOTHER: states.Role.CANDIDATE,
            },
            log={VOTER: records(*granting.least), CANDIDATE: records(*granting.log), ANOTHER: ()},
        )
