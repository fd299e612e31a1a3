"""What a part of a level comes to: what was counted, and what went wrong.

It goes from task to task as JSON.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
import numpy as np

from lockstep.machine.search.crew import Totals
from lockstep.machine.search.interface import REPORT
from lockstep.machine.search.judge import Findings
from lockstep.machine.search.workers import ProgramShape, Worker


class Account(msgspec.Struct, frozen=True):
    """Counts over some work, and of each kind of failure the first one, as `Findings` has them."""

    totals: Totals
    noted: list[list[int]]

    @classmethod
    def none(cls, shape: ProgramShape) -> Account:
        """The account of no work."""
        totals = Totals([0] * shape.actions, [0] * shape.properties, [0] * REPORT)
        return cls(totals, _packed(Findings.none(shape.words)))

    @classmethod
    def of(cls, worker: Worker) -> Account:
        """The account of what a worker has done."""
        totals = Totals(worker.fired.tolist(), worker.marks.tolist(), worker.report.tolist())
        return cls(totals, _packed(worker.findings))

    def findings(self, words: int) -> Findings:
        """What went wrong, in states of so many words."""
        findings = Findings.none(words)
        for finding, packed in zip(vars(findings).values(), self.noted, strict=True):
            finding.packed[:] = np.array(packed, np.uint64)
        return findings


def together(accounts: Iterable[Account]) -> Account:
    """The account of all the work: it does not depend on how the work was shared out."""
    parts = list(accounts)
    totals = Totals(
        np.sum([part.totals.fired for part in parts], axis=0).tolist(),
        np.max([part.totals.marks for part in parts], axis=0).tolist(),
        np.sum([part.totals.report for part in parts], axis=0).tolist(),
    )
    # Where nothing is noted stands what is larger than any rank.
    return Account(
        totals, [min(kind) for kind in zip(*(part.noted for part in parts), strict=True)]
    )


def _packed(findings: Findings) -> list[list[int]]:
    return [finding.packed.tolist() for finding in vars(findings).values()]
