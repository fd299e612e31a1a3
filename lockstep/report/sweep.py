"""How many checks of the same models are shown: a row a check, and the sum at the end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from lockstep.answers.answer import Answer
from lockstep.campaign.task import Task, shown_constant
from lockstep.pages.blocks import Block, Paragraph, Row, Table
from lockstep.pages.output import document as json_document
from lockstep.pages.output import verdicts
from lockstep.report.counterexample import rows_since_text
from lockstep.report.view import View, counted
from lockstep.verbs.sweep import SweepPlan, SweepRun
from lockstep.words import plural, shown_path

_NUMBERS = ("states", "transitions", "depth", "seconds")


class SweepView(View[Answer, SweepRun]):
    """Checks, each as soon as it and those before it are done."""

    title = "lockstep sweep"

    def __init__(self, plan: SweepPlan) -> None:
        self._plan = plan
        cells = [self._cells(task) for task, _ in plan.tasks]
        headers = ("model", "scope", *plan.request.sweeps, *self._seed("seed"))
        widths = [max(map(len, column)) for column in zip(headers, *cells, strict=True)]
        columns = (*headers, "verdict", *_NUMBERS)
        self._table = Table(columns, numbers=_NUMBERS, widths=(*widths, 12, 10, 12, 5, 7))

    def opening(self) -> Iterator[Block]:
        yield self._table

    def result(self, result: Answer) -> Iterator[Block]:
        counts = (f"{count:,}" for count in (result.states, result.transitions, result.depth))
        cells = (*self._cells(result), result.verdict, *counts, f"{result.seconds:.2f}")
        remarks = [Paragraph(result.error)] * bool(result.error)
        if result.trace is not None:
            remarks.append(Paragraph(shown_path(Path(result.trace)), "dim", "replay"))
        because = "" if result.error else result.because
        yield self._table.of(Row(cells, result.verdict, because, tuple(remarks)))

    def closing(self, run: SweepRun) -> Iterator[Block]:
        if run.pending:
            text = f"interrupted; not done: {plural(len(run.pending), 'check')}"
            yield Paragraph(text, "inconclusive")
        if run.kept:
            yield Paragraph(rows_since_text(run.kept), "dim")
        yield Paragraph(self.summary(run), "bold")

    def summary(self, run: SweepRun) -> str:
        return counted("check", (row.verdict for row in run.results), none="none done")

    def document(self, run: SweepRun) -> Mapping[str, object]:
        rows = run.results
        return json_document(
            rows,
            {
                "checks": len(rows),
                **verdicts(rows),
                "kept": len(run.kept),
                "not_done": len(run.pending),
                "exit_code": run.exit_code,
            },
        )

    def _cells(self, one: Task | Answer) -> tuple[str, ...]:
        values = (shown_constant(one.constants[name]) for name in self._plan.request.sweeps)
        return (one.model, one.scope, *values, *self._seed(str(one.seed)))

    def _seed(self, cell: str) -> tuple[str, ...]:
        """The cell of the seed, in a table that has a column of them."""
        return (cell,) if any(task.seed is not None for task, _ in self._plan.tasks) else ()
