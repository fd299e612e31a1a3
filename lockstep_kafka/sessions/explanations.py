"""One place to ask whether the protocol explains something, and why it does not.

A departure is told only when the model says so twice: with small numbers in the order of those
seen, and with the numbers of the log.
"""

from __future__ import annotations

from collections.abc import Callable

from lockstep_kafka.findings.findings import Candidate, Place, Remark, Verdict
from lockstep_kafka.sessions.fetcher_cases import FetcherCases
from lockstep_kafka.sessions.leader_case import Cached, LeaderCase
from lockstep_kafka.sessions.leader_cases import LeaderCases
from lockstep_kafka.sessions.leader_lines import LeaderLines
from lockstep_kafka.sessions.ranks import RankedCases, neighbours
from lockstep_kafka.sessions.session_model import HIGHEST_OFFSET, SessionModel
from lockstep_kafka.workspaces import LoadModel


class Explanations:
    """Explains what clients and brokers do; the model is loaded once for all sessions."""

    def __init__(self, load: LoadModel) -> None:
        model = SessionModel(load)
        self._cases = LeaderCases(model)
        self._ranked = RankedCases(self._cases)
        self.lines = LeaderLines(model)
        self.fetchers = FetcherCases(model)
        self.next_epoch: Callable[[int], int] = model.metadata.next_epoch
        """The epoch after one of a session, as the model has it."""

    @staticmethod
    def departure(
        at: Place,
        because: str,
        requirements: tuple[str, ...],
        candidates: tuple[Candidate, ...] | None,
    ) -> Remark:
        """That nothing explains what stands at a line, unless its own numbers say otherwise."""
        if candidates is not None:
            return Remark(Verdict.DEPARTS, at, because, requirements, candidates)
        return Remark(Verdict.UNKNOWN, at, f"with its own numbers alone it is explained: {because}")

    def leader(self, case: LeaderCase) -> Cached | None:
        """What all behaviours that explain the case agree on; None where there is none."""
        return self._ranked.explain(case)

    def leader_refusals(self, case: LeaderCase) -> tuple[Candidate, ...] | None:
        """Why no behaviour explains the case; None where one does with its own offsets."""
        values = neighbours(case, HIGHEST_OFFSET)
        if self._cases.explain(case, values) is not None:
            return None
        return self._cases.refusals(case, values)
