"""What `twin` prints for a reader: a row a comparison, and below it how the two differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lockstep.report.output import Output
from lockstep.results.verdict import Verdict, verdict_without
from lockstep.trace.render import render_trace
from lockstep.twin.findings import TlcRun
from lockstep.twin.states import render_tlc_trace
from lockstep.twin.twin import TwinResult
from lockstep.verbs.twin import Compared, Plan, Request, Task, Uncompared
from lockstep.words import indented, plural

COLUMNS = ("states", "transitions", "depth", "seconds")
WIDTHS = (11, 12, 6, 9)


class TextReport:
    """Prints each result as soon as it is there, and the sum of them at the end."""

    def __init__(self, output: Output, plan: Plan, request: Request) -> None:
        self._output = output
        self._plan = plan
        self._request = request
        self._name_width = max(len(name) for name in ("model", *(t.model for t in plan.tasks)))
        scopes = (task.scope.name for task in plan.tasks)
        self._scope_width = max(len(name) for name in ("scope", *scopes))
        output.line(self._row("model", "scope", "compare", "verdict", COLUMNS), "bold")

    def add(self, found: Compared | Uncompared) -> None:
        """Print one result."""
        task = found.task
        if isinstance(found, Uncompared):
            verdict = verdict_without(found.error)
            self._output.line(self._task_row(task, verdict, ()), str(verdict))
            self._output.line(indented(f"not compared: {found.error}", 2))
        else:
            result, explored = found.result, found.result.explored
            counts = (explored.states, explored.transitions, explored.depth)
            numbers = (*(f"{count:,}" for count in counts), f"{result.seconds:.2f}")
            row = self._task_row(task, result.verdict, numbers)
            self._output.line(row, str(result.verdict))
            for line in _explanation(result):
                self._output.line(f"  {line}" if line else "")
        if found.exit_code:
            again = self._request.again(task.model, task.scope.name)
            self._output.line(f"  reproduce with  {again}")

    def finish(self, results: Sequence[Compared | Uncompared], left: Sequence[Task]) -> None:
        """Print the last lines; `left` are the comparisons that Ctrl-C prevented."""
        verdicts = [
            found.result.verdict if isinstance(found, Compared) else verdict_without(found.error)
            for found in results
        ]
        told = [f"{verdicts.count(which)} {which}" for which in Verdict if which in verdicts]
        if len(results) > 1:
            self._output.line(f"{plural(len(results), 'comparison')}: {', '.join(told)}", "bold")
        if self._plan.without_twin:
            self._output.line(f"no twin: {', '.join(self._plan.without_twin)}", "dim")
        if left:
            told_left = ", ".join(map(str, left))
            self._output.line(f"interrupted; not compared: {told_left}", "inconclusive")

    def _task_row(self, task: Task, verdict: Verdict, numbers: Sequence[str]) -> str:
        return self._row(task.model, task.scope.name, task.scope.compare, verdict, numbers)

    def _row(
        self, name: str, scope: str, compare: str, verdict: str, numbers: Sequence[str]
    ) -> str:
        cells = (number.rjust(width) for number, width in zip(numbers, WIDTHS, strict=False))
        start = (
            f"{name:<{self._name_width}}  {scope:<{self._scope_width}}  {compare:<7}  {verdict:<12}"
        )
        return "  ".join((start, *cells)).rstrip()


def _explanation(result: TwinResult) -> Iterator[str]:
    if result.because:
        yield f"because  {result.because}"
    if result.unchecked:
        named = ", ".join(result.unchecked)
        yield f"TLC was not asked for liveness ({named}): --liveness does, and takes long"
    if result.difference is not None:
        difference = result.difference
        yield from (f"  {line}" for line in difference.details)
        yield ""
        count = len(difference.trace.steps)
        yield f"  the two part first after {plural(count, 'step')}, which both can take:"
        yield ""
        yield from (f"    {line}" for line in render_trace(result.model, difference.trace))
        yield ""
    if result.refuting is not None:
        yield "  TLC's behaviour:"
        yield ""
        yield from (f"    {line}" for line in render_tlc_trace(result.model, result.refuting.trace))
        yield from (f"    {line}" for line in after_the_last(result.refuting))
        yield ""


def after_the_last(run: TlcRun) -> Iterator[str]:
    """How a behaviour that breaks a liveness property goes on."""
    if run.loops_to is None:
        return
    stays = run.loops_to == len(run.trace) - 1
    yield "and nothing happens any more" if stays else f"and on as after step {run.loops_to}"
