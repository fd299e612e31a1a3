"""Faults as a page: a row a model, and what is wrong with its faults."""

from __future__ import annotations

from lockstep.report.ci.problems import Problems
from lockstep.report.ci.problems_page import problems_page
from lockstep.report.faults_text import faults_sum
from lockstep.report.page import Page, Row, Table
from lockstep.verbs.faults import FaultsRun
from lockstep.verbs.faults_of_model import FaultsOfModel

_HEADERS = ("model", "faults", "caught as named", "harmless", "invariants", "broken by a fault")


def faults_page(run: FaultsRun, problems: Problems) -> Page:
    """The whole page of a run that has ended; `problems` are those of the same run."""
    table = Table(_HEADERS, tuple(map(_row, run.results)))
    return problems_page("lockstep check --faults", faults_sum(run.results), table, problems)


def _row(model: FaultsOfModel) -> Row:
    numbers = (
        len(model.runs),
        sum(fault.is_caught_as_named for fault in model.runs),
        sum(fault.is_harmless for fault in model.runs),
        len(model.invariants),
        sum(map(bool, model.invariants.values())),
    )
    return Row((model.name, *map(str, numbers)))
