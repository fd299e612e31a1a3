"""Proofs as a page: a row a proof, what is refuted, and what is not proved."""

from __future__ import annotations

from lockstep.report.ci.problems import Problems
from lockstep.report.ci.problems_page import problems_page
from lockstep.report.page import Page, Row, Table
from lockstep.results.verdict import verdict_without
from lockstep.verbs.prove import ProveRun, Result
from lockstep.verbs.prove_result import Proved, Unproved

_HEADERS = ("model", "proof", "verdict", "proved", "seconds")


def prove_page(run: ProveRun, problems: Problems) -> Page:
    """The whole page of a run that has ended; `problems` are those of the same run."""
    proofs = [
        proof
        for result in run.results
        if isinstance(result, Proved)
        for proof in result.induction.proofs
    ]
    summary = f"{sum(proof.proved for proof in proofs)} of {len(proofs)} properties proved"
    table = Table(_HEADERS, tuple(map(_row, run.results)))
    return problems_page("lockstep prove", summary, table, problems)


def _row(result: Result) -> Row:
    if isinstance(result, Unproved):
        verdict = str(verdict_without(result.error))
        note = result.error.message.partition("\n")[0]
        return Row((result.name, result.proof, verdict, "", ""), note=note)
    proofs, subject = result.induction.proofs, result.subject
    cells = (
        subject.name,
        subject.scope or subject.proof.name,
        str(result.verdict),
        f"{sum(proof.proved for proof in proofs)} of {len(proofs)}",
        f"{result.seconds:.1f}",
    )
    return Row(cells, note=result.because)
