"""What `check --faults` prints: each fault, what catches it, and what each invariant catches."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from lockstep.report.affected import print_affected, skipped_text
from lockstep.report.columns import Columns
from lockstep.report.kept import rows_since_text
from lockstep.report.output import Output
from lockstep.verbs.fault_row import FaultRow
from lockstep.verbs.faults import FaultsRun
from lockstep.verbs.faults_of_model import FaultsOfModel
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
            line(COLUMNS.row(*_row(run)), "violated" if run.details.problem else None)
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
        print_affected(self._output, run.affected)
        for error in run.errors:
            line(f"error: {error}", "violated")
        for problem in (problem for model in run.results for problem in model.problems):
            line(f"wrong: {problem}", "violated")
        if run.kept:
            line(rows_since_text(run.kept), "dim")
        line(faults_sum(run.results))
        if skipped := skipped_text(run.affected):
            line(skipped, "bold")
        if run.interrupted:
            line("interrupted: what is above is not all", "inconclusive")

    def _wrapped(self, text: str) -> None:
        for part in textwrap.wrap(text, 76, break_long_words=False, break_on_hyphens=False):
            self._output.line(f"  {part}", "dim")


def _row(fault: FaultRow) -> tuple[Sequence[str], Sequence[str]]:
    row = fault.row
    numbers = (steps_text(fault), f"{row.states:,}", f"{row.seconds:.2f}")
    return (fault.name, row.scope), numbers


def steps_text(fault: FaultRow) -> str:
    """How long the trace is: `3`, or `3 + 2` with two steps that are then taken for ever."""
    count, loop = fault.row.length, fault.details.loop
    if count is None:
        return "-"
    return str(count) if loop is None else f"{loop} + {count - loop}"


def _answer(fault: FaultRow) -> list[str]:
    """What catches a fault, or why it is harmless, and where it comes from."""
    details, lines = fault.details, []
    if details.caught_by:
        together = len(details.caught_by) - 1
        others = f" (+{together})" if together else ""
        lines.append(f"caught by {fault.row.violated}{others}")
    elif details.harmless:
        lines += textwrap.wrap(_harmless(fault), 76)
    if details.by_constants:
        lines.append("its constants alone break the model")
    if details.source:
        lines.append(f"source {details.source}")
    return lines


def _harmless(fault: FaultRow) -> str:
    row, details = fault.row, fault.details
    explored = f"{plural(row.states, 'state')} of scope {row.scope}"
    but = f" (not checked: {', '.join(details.unchecked)})" if details.unchecked else ""
    return f"harmless in all {explored}{but}: {' '.join((details.harmless or '').split())}"


def faults_sum(models: Sequence[FaultsOfModel]) -> str:
    """How many faults there are, and what becomes of them, in one line."""
    runs = [run for model in models for run in model.runs]
    harmless = sum(run.is_harmless for run in runs)
    invariants = [faults for model in models for faults in model.invariants.values()]
    caught = sum(run.is_caught_as_named for run in runs)
    is_one_harmless = any(run.details.harmless for run in runs)
    unharmful = f", {harmless} harmless" if is_one_harmless else ""
    return (
        f"{plural(len(runs), 'fault')}, {caught} caught as named{unharmful}; "
        f"{plural(len(invariants), 'invariant')}, {sum(map(bool, invariants))} "
        "broken first by a fault."
    )
