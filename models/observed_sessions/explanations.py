"""One place to ask whether the protocol explains something, and why it does not.

A departure is told only when the model says so twice: with small numbers in the order of those
seen, and with the numbers of the log in a model of Kafka's own widths.
"""

from __future__ import annotations

from functools import cached_property

from lockstep.conform.findings import Candidate, LoadModel
from models.observed_sessions.fetcher_cases import FetcherCases
from models.observed_sessions.leader_cases import Cached, LeaderCase, LeaderCases
from models.observed_sessions.leader_lines import LeaderLines
from models.observed_sessions.ranks import RankedCases, neighbours
from models.observed_sessions.session_model import NARROW, WIDE, SessionModel


class Explanations:
    """Explains what clients and brokers do; the model is loaded once for all sessions."""

    def __init__(self, load: LoadModel) -> None:
        self._load = load
        narrow = SessionModel(load, NARROW)
        self._ranked = RankedCases(LeaderCases(narrow))
        self.lines = LeaderLines(narrow)
        self.fetchers = FetcherCases(narrow)

    @cached_property
    def _wide(self) -> LeaderCases:
        return LeaderCases(SessionModel(self._load, WIDE))

    def leader(self, case: LeaderCase) -> Cached | None:
        """What all behaviours that explain the case agree on; None where there is none."""
        return self._ranked.explain(case)

    def leader_refusals(self, case: LeaderCase) -> tuple[Candidate, ...]:
        """Why no behaviour explains the case; empty where one does at Kafka's own widths."""
        values = neighbours(case, WIDE.offset)
        if self._wide.explain(case, values) is not None:
            return ()
        return self._wide.refusals(case, values)

    def next_epoch(self, epoch: int) -> int:
        """The epoch after one of a session, at Kafka's own width; the model's function says it."""
        return 1 if epoch == WIDE.epoch else epoch + 1
