"""Twins as a page: a row a comparison, and how the two differ."""

from __future__ import annotations

from lockstep.report.ci.problems import Problems
from lockstep.report.ci.problems_page import problems_page
from lockstep.report.page import Page, Row, Table
from lockstep.results.verdict import Verdict
from lockstep.verbs.twin import Comparison, TwinRun, Uncompared
from lockstep.words import plural

_HEADERS = ("model", "scope", "compare", "verdict", "states", "depth", "seconds")


def twin_page(run: TwinRun, problems: Problems) -> Page:
    """The whole page of a run that has ended; `problems` are those of the same run."""
    verdicts = [comparison.verdict for comparison in run.results]
    counts = [f"{verdicts.count(one)} {one}" for one in Verdict if one in verdicts]
    summary = f"{plural(len(verdicts), 'comparison')}: {', '.join(counts) or 'none made'}"
    table = Table(_HEADERS, tuple(map(_row, run.results)))
    return problems_page("lockstep twin", summary, table, problems)


def _row(comparison: Comparison) -> Row:
    scope = comparison.task.scope
    words = (comparison.task.model, scope.name, scope.compare, str(comparison.verdict))
    if isinstance(comparison, Uncompared):
        return Row((*words, "", "", ""), note=comparison.error.message.partition("\n")[0])
    result, explored = comparison.result, comparison.result.explored
    numbers = (f"{explored.states:,}", f"{explored.depth:,}", f"{result.seconds:.2f}")
    return Row((*words, *numbers), note=result.because)
