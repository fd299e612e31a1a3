"""What a part of a level comes to: what was counted, and what went wrong.

It goes from task to task and into the manifest as JSON.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from lockstep.machine.search.crew import Totals
from lockstep.machine.search.interface import REPORT
from lockstep.machine.search.judge import Findings, first
from lockstep.machine.search.workers import ProgramShape, Worker

_KINDS = ("broken_step", "broken_state", "failed_step", "failed_state")


@dataclass(frozen=True)
class Account:
    """Counts over some work, and of each kind of failure the first one."""

    totals: Totals
    findings: Findings

    @classmethod
    def none(cls, shape: ProgramShape) -> Account:
        """The account of no work."""
        totals = Totals([0] * shape.actions, [0] * shape.properties, [0] * REPORT)
        return cls(totals, Findings.none(shape.words))

    @classmethod
    def of(cls, worker: Worker) -> Account:
        """The account of what a worker has done."""
        totals = Totals(worker.fired.tolist(), worker.marks.tolist(), worker.report.tolist())
        return cls(totals, worker.findings)

    @classmethod
    def read(cls, document: Mapping[str, Any], shape: ProgramShape) -> Account:
        """The account that a document describes."""
        findings = Findings.none(shape.words)
        for kind in _KINDS:
            getattr(findings, kind).packed[:] = np.array(document[kind], np.uint64)
        return cls(Totals(document["fired"], document["marks"], document["report"]), findings)

    @property
    def document(self) -> dict[str, Any]:
        """This account in numbers."""
        noted = {kind: getattr(self.findings, kind).packed.tolist() for kind in _KINDS}
        return vars(self.totals) | noted


def together(accounts: Iterable[Account], shape: ProgramShape) -> Account:
    """The account of all the work: it does not depend on how the work was shared out."""
    parts = [Account.none(shape), *accounts]
    totals = Totals(
        np.sum([part.totals.fired for part in parts], axis=0).tolist(),
        np.max([part.totals.marks for part in parts], axis=0).tolist(),
        np.sum([part.totals.report for part in parts], axis=0).tolist(),
    )
    findings = Findings.none(shape.words)
    for kind in _KINDS:
        finding = first([getattr(part.findings, kind) for part in parts])
        if finding is not None:
            getattr(findings, kind).packed[:] = finding.packed
    return Account(totals, findings)
