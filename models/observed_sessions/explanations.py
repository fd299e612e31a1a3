"""One place to ask whether the protocol explains something, and why it does not.

A departure is told only when the model says so twice: with small numbers in the order of those
seen, and with the numbers of the log in a model of Kafka's own widths.
"""

from __future__ import annotations

from collections.abc import Callable

from lockstep.conform.findings import Candidate, LoadModel, Place, Remark, Verdict
from models.observed_sessions.fetcher_cases import FetcherCases
from models.observed_sessions.leader_cases import Cached, LeaderCase, LeaderCases
from models.observed_sessions.leader_lines import LeaderLines
from models.observed_sessions.ranks import RankedCases, neighbours
from models.observed_sessions.session_model import NARROW, WIDE, SessionModel


class Explanations:
    """Explains what clients and brokers do; the model is loaded once for all sessions."""

    def __init__(self, load: LoadModel) -> None:
        narrow, wide = SessionModel(load, NARROW), SessionModel(load, WIDE)
        self._ranked = RankedCases(LeaderCases(narrow))
        self._wide = LeaderCases(wide)
        self.lines = LeaderLines(narrow)
        self.fetchers = FetcherCases(narrow)
        self.wide_lines = LeaderLines(wide)
        self.wide_fetchers = FetcherCases(wide)
        self.next_epoch: Callable[[int], int] = wide.metadata.next_epoch
        """The epoch after one of a session, as the model has it at Kafka's own width."""

    @staticmethod
    def departure(
        at: Place, because: str, requirements: tuple[str, ...], candidates: tuple[Candidate, ...]
    ) -> Remark:
        """That nothing explains what stands at a line, unless the wide model knows better."""
        if candidates:
            return Remark(Verdict.DEPARTS, at, because, requirements, candidates)
        return Remark(Verdict.UNKNOWN, at, f"only at Kafka's own widths it is explained: {because}")

    def leader(self, case: LeaderCase) -> Cached | None:
        """What all behaviours that explain the case agree on; None where there is none."""
        return self._ranked.explain(case)

    def leader_refusals(self, case: LeaderCase) -> tuple[Candidate, ...]:
        """Why no behaviour explains the case; empty where one does at Kafka's own widths."""
        values = neighbours(case, WIDE.offset)
        if self._wide.explain(case, values) is not None:
            return ()
        return self._wide.refusals(case, values)
