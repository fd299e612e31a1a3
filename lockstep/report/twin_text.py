"""What `twin` prints for a reader: a row a comparison, and below it how the two differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lockstep.report.columns import Columns
from lockstep.report.kept import since_text
from lockstep.report.output import Output
from lockstep.results.verdict import Verdict
from lockstep.trace.render import render_trace
from lockstep.twin.findings import TlcRun
from lockstep.twin.states import render_tlc_trace
from lockstep.twin.twin_result import TwinResult
from lockstep.verbs.twin import Comparison, Task, TwinRun, Uncompared
from lockstep.words import indented, plural

NUMBERS = (("states", 10), ("depth", 5), ("seconds", 7))


class TwinText:
    """Prints a row as soon as its result is there, how the two differ, and the sum at the end."""

    def __init__(self, output: Output, tasks: Sequence[Task]) -> None:
        """`tasks` are what is to be compared."""
        self._output = output
        models = max((len(task.model) for task in tasks), default=0)
        scopes = max((len(task.scope.name) for task in tasks), default=0)
        texts = (("model", models), ("scope", scopes), ("compare", 7), ("verdict", 12))
        self._columns = Columns(texts, NUMBERS)
        output.line(self._columns.head, "bold")

    def add(self, comparison: Comparison) -> None:
        """Print one result."""
        line, verdict = self._output.line, str(comparison.verdict)
        scope = comparison.task.scope
        texts = (comparison.task.model, scope.name, scope.compare, verdict)
        if isinstance(comparison, Uncompared):
            line(self._columns.row(texts), verdict)
            line(indented(f"not compared: {comparison.error}", 2))
        else:
            result, explored = comparison.result, comparison.result.explored
            numbers = (f"{explored.states:,}", f"{explored.depth:,}", f"{result.seconds:.2f}")
            line(self._columns.row(texts, numbers), verdict)
            if comparison.since is not None:
                line(f"  {since_text(comparison.since).removeprefix(', ')}", "dim")
            for text in _explanation(result):
                line(f"  {text}" if text else "")
        if comparison.exit_code:
            line(f"  reproduce with  {comparison.task.again}")

    def finish(self, run: TwinRun) -> None:
        """Print the last lines."""
        line = self._output.line
        verdicts = [comparison.verdict for comparison in run.results]
        if run.without_twin:
            line(f"no twin: {', '.join(run.without_twin)}", "dim")
        if run.pending:
            line(f"interrupted; not compared: {', '.join(map(str, run.pending))}", "inconclusive")
        if len(verdicts) > 1:
            counts = [f"{verdicts.count(one)} {one}" for one in Verdict if one in verdicts]
            line(f"{plural(len(verdicts), 'comparison')}: {', '.join(counts)}", "bold")


def _explanation(result: TwinResult) -> Iterator[str]:
    if result.because:
        yield f"because  {result.because}"
    yield from result.left_out
    if result.refinement is not None:
        refinement = result.refinement
        states, seconds = f"{refinement.run.distinct:,}", f"{refinement.run.seconds:.2f}"
        yield f"refines {refinement.abstract}: {refinement.verdict}, {states} states, {seconds} s"
    if result.difference is not None:
        difference = result.difference
        yield from (f"  {line}" for line in difference.details)
        yield ""
        count = len(difference.trace.steps)
        yield f"  the two part first after {plural(count, 'step')}, which both can take:"
        yield ""
        yield from (f"    {line}" for line in render_trace(result.model, difference.trace))
        yield ""
    for run in (result.refuting, None if result.refinement is None else result.refinement.run):
        if run is not None and run.trace:
            yield "  TLC's behaviour:"
            yield ""
            yield from (f"    {line}" for line in render_tlc_trace(result.model, run.trace))
            yield from (f"    {line}" for line in after_the_last(run))
            yield ""


def after_the_last(run: TlcRun) -> Iterator[str]:
    """How a behaviour that breaks a liveness property goes on."""
    if run.loops_to is None:
        return
    stays = run.loops_to == len(run.trace) - 1
    yield "and nothing happens any more" if stays else f"and on as after step {run.loops_to}"
