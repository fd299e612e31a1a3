"""Faults as a page: what is wrong with them, and a row a model."""

from __future__ import annotations

from collections.abc import Iterator

from lockstep.report.check_page import unknown, word_of
from lockstep.report.ci.problems import Problems
from lockstep.report.faults_text import faults_sum
from lockstep.report.page import Block, Page, Row, Section, Table
from lockstep.verbs.faults import FaultsRun
from lockstep.verbs.faults_of_model import FaultsOfModel

_HEADERS = ("model", "faults", "caught as named", "harmless", "invariants", "broken by a fault")


def faults_page(run: FaultsRun, problems: Problems) -> Page:
    """The whole page of a run that has ended; `problems` are those of the same run."""
    return Page(
        title="lockstep check --faults",
        verdict=word_of(run.exit_code, is_anything_checked=bool(run.results)),
        summary=faults_sum(run.results),
        blocks=tuple(_blocks(run, problems)),
    )


def _blocks(run: FaultsRun, problems: Problems) -> Iterator[Block]:
    if run.results:
        yield Table(_HEADERS, tuple(map(_row, run.results)))
    wrong = tuple(Row((one.subject, one.message)) for one in problems.problems)
    if wrong:
        yield Section(text="What is wrong", blocks=(Table(("what", "why"), wrong),))
    yield from unknown(problems)


def _row(model: FaultsOfModel) -> Row:
    numbers = (
        len(model.runs),
        sum(fault.is_caught_as_named for fault in model.runs),
        sum(fault.is_harmless for fault in model.runs),
        len(model.invariants),
        sum(map(bool, model.invariants.values())),
    )
    return Row((model.name, *map(str, numbers)))
