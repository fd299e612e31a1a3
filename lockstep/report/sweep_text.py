"""What `check --sweep` and `check --seeds` print: a row a check, and the sum at the end."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lockstep.campaign.task import Row, Task, shown_constant
from lockstep.report.columns import Columns
from lockstep.report.kept import rows_since_text
from lockstep.report.output import Output
from lockstep.results.verdict import Verdict
from lockstep.verbs.sweep import SweepPlan, SweepRun
from lockstep.words import indented, plural, shown_path

_NUMBERS = (("states", 10), ("transitions", 12), ("depth", 5), ("seconds", 7))


class SweepText:
    """Prints the row of a check as soon as it and those before it are there."""

    def __init__(self, output: Output, plan: SweepPlan) -> None:
        self._output = output
        self._plan = plan
        tasks = [task for task, _ in plan.tasks]
        cells = [self._cells(task) for task in tasks]
        headers = ("model", "scope", *plan.constants, *self._seed("seed"))
        widths = [max(map(len, column)) for column in zip(headers, *cells, strict=True)]
        texts = (*zip(headers, widths, strict=True), ("verdict", 12))
        self._columns = Columns(texts, _NUMBERS)
        output.line(self._columns.head, "bold")

    def add(self, row: Row) -> None:
        """Print the row of one check, and why it does not hold."""
        line = self._output.line
        numbers = (
            *(f"{count:,}" for count in (row.states, row.transitions, row.depth)),
            f"{row.seconds:.2f}",
        )
        line(self._columns.row((*self._cells(row), row.verdict), numbers), row.verdict)
        if row.error:
            line(indented(row.error, 2))
        elif row.because:
            line(f"  because  {row.because}")
        if row.trace is not None:
            line(f"  replay   {shown_path(Path(row.trace))}", "dim")

    def finish(self, run: SweepRun) -> None:
        """Print how many checks have which verdict, and what was not come to."""
        line = self._output.line
        if run.pending:
            line(f"interrupted; not done: {plural(len(run.pending), 'check')}", "inconclusive")
        if run.kept:
            line(rows_since_text(run.kept), "dim")
        verdicts = [row.verdict for row in run.results]
        counts = [f"{verdicts.count(one)} {one}" for one in Verdict if one in verdicts]
        line(f"{plural(len(verdicts), 'check')}: {', '.join(counts) or 'none done'}", "bold")

    def _cells(self, one: Task | Row) -> Sequence[str]:
        values = (shown_constant(one.constants[name]) for name in self._plan.constants)
        return (one.model, one.scope, *values, *self._seed(str(one.seed)))

    def _seed(self, cell: str) -> list[str]:
        """The cell of the seed, in a table that has a column of them."""
        return [cell] if any(task.seed is not None for task, _ in self._plan.tasks) else []
