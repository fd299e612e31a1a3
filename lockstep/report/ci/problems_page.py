"""Any run as a page: a row a result, what is wrong, and what is not known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lockstep.errors import ExitCode
from lockstep.report.ci.problems import Problem, Problems
from lockstep.report.page import Block, Lines, Page, Row, Section, Table
from lockstep.results.exits import INTERRUPTED
from lockstep.trace.render import Line

_ENDS = {
    int(ExitCode.HOLDS): "holds",
    int(ExitCode.VIOLATED): "violated",
    int(ExitCode.INCONCLUSIVE): "inconclusive",
    int(ExitCode.DIFFERS): "differs",
    INTERRUPTED: "interrupted",
}
"""The word for how a run ends; any other end is an error."""


def problems_page(
    title: str, summary: str, table: Table, problems: Problems, sections: Sequence[Section] = ()
) -> Page:
    """The whole page of a run that has ended.

    `sections` show what is wrong where a verb has a way of its own; else it is told as it is.
    """
    wrong = sections or tuple(map(_problem, problems.problems))
    return Page(
        title,
        verdict=_verdict(problems.exit_code, is_anything_checked=bool(table.rows)),
        summary=summary,
        blocks=(*(table,) * bool(table.rows), *wrong, *_unknown(problems)),
    )


def _verdict(exit_code: int, *, is_anything_checked: bool) -> str:
    if exit_code == ExitCode.HOLDS and not is_anything_checked:
        return "nothing checked"
    return _ENDS.get(exit_code, "error")


def _problem(problem: Problem) -> Section:
    lines = tuple(map(Line, problem.message.split("\n")))
    return Section(text=problem.subject, blocks=(Lines(lines),))


def _unknown(problems: Problems) -> Iterator[Block]:
    """What a run says nothing of."""
    rows = tuple(Row((str(gap.unknown), gap.message)) for gap in problems.gaps)
    if rows:
        yield Section(text="What this does not say", blocks=(Table(("kind", "what"), rows),))
