"""What `check --faults` prints: each fault, what catches it, and what each invariant catches."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from lockstep.report.columns import Columns
from lockstep.report.output import Output
from lockstep.verbs.fault_run import FaultRun, FaultsOfModel
from lockstep.verbs.faults import FaultsRun
from lockstep.words import plural

COLUMNS = Columns((("fault", 42), ("scope", 9)), (("steps", 7), ("states", 11), ("seconds", 7)))


class FaultsText:
    """Prints the faults of a model as soon as they were run, and the sum at the end."""

    def __init__(self, output: Output) -> None:
        self._output = output

    def add(self, model: FaultsOfModel) -> None:
        """Print the faults of one model and what each of its invariants catches."""
        line = self._output.line
        line(model.name, "bold")
        if model.runs:
            line(COLUMNS.head, "dim")
        for run in model.runs:
            line(COLUMNS.row(*_row(run)), "violated" if run.problem else None)
            for text in _answer(run):
                line(f"  {text}", "dim")
        if model.invariants:
            line()
            line("invariant, and the faults that it catches first", "dim")
        for name, faults in model.invariants.items():
            line(name, None if faults else "inconclusive")
            self._wrapped(", ".join(faults) or "-")
        for error in model.errors:
            line(f"error: {error}", "violated")
        line()

    def finish(self, run: FaultsRun) -> None:
        """Print what is wrong, and the sum."""
        line = self._output.line
        for error in run.errors:
            line(f"error: {error}", "violated")
        for problem in (problem for model in run.results for problem in model.problems):
            line(f"wrong: {problem}", "violated")
        line(_sum(run.results))
        if run.interrupted:
            line("interrupted: what is above is not all", "inconclusive")

    def _wrapped(self, text: str) -> None:
        for part in textwrap.wrap(text, 76, break_long_words=False, break_on_hyphens=False):
            self._output.line(f"  {part}", "dim")


def _row(run: FaultRun) -> tuple[Sequence[str], Sequence[str]]:
    numbers = (_steps(run), f"{run.result.states:,}", f"{run.result.seconds:.2f}")
    return (run.name, run.scope.name), numbers


def _steps(run: FaultRun) -> str:
    """How long the trace is: `3`, or `3 + 2` with two steps that are then taken for ever."""
    if run.trace is None:
        return "-"
    count, loop = len(run.trace.steps), run.trace.loop
    return str(count) if loop is None else f"{loop} + {count - loop}"


def _answer(run: FaultRun) -> list[str]:
    """What catches a fault, or why it is harmless, and where it comes from."""
    lines = []
    if run.caught_by:
        together = len(run.caught_by) - 1
        lines.append(f"caught by {run.first}" + (f" (+{together})" if together else ""))
    elif run.mark.harmless:
        lines += textwrap.wrap(_harmless(run), 76)
    if run.by_constants:
        lines.append("its constants alone break the model")
    if run.mark.source:
        lines.append(f"source {run.mark.source}")
    return lines


def _harmless(run: FaultRun) -> str:
    explored = f"{plural(run.result.states, 'state')} of scope {run.scope.name}"
    but = f" (not checked: {', '.join(run.result.unchecked)})" if run.result.unchecked else ""
    return f"harmless in all {explored}{but}: {' '.join((run.mark.harmless or '').split())}"


def _sum(models: Sequence[FaultsOfModel]) -> str:
    runs = [run for model in models for run in model.runs]
    harmless = [run for run in runs if run.mark.harmless and run.problem is None]
    invariants = [faults for model in models for faults in model.invariants.values()]
    caught = sum(run.mark.breaks is not None and run.problem is None for run in runs)
    unharmful = f", {len(harmless)} harmless" if any(run.mark.harmless for run in runs) else ""
    return (
        f"{plural(len(runs), 'fault')}, {caught} caught as named{unharmful}; "
        f"{plural(len(invariants), 'invariant')}, {sum(map(bool, invariants))} "
        "broken first by a fault."
    )
