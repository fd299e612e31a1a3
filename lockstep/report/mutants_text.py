"""What `check --mutants` prints: a line a model, and each mutant that nothing tells."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from lockstep.mutants.fate import SILENCE, Fate
from lockstep.report.columns import Columns
from lockstep.report.kept import rows_since_text
from lockstep.report.output import Output
from lockstep.verbs.mutant_row import MutantRow
from lockstep.verbs.mutants import MutantsRun
from lockstep.verbs.mutants_of_model import MutantsOfModel
from lockstep.words import plural

COUNTED = (Fate.KILLED, Fate.EQUAL, Fate.ENVIRONMENT, Fate.SURVIVES, Fate.INCONCLUSIVE)
"""The fates that are counted, in the order of the columns."""
COLUMNS = Columns(
    (("model", 24),),
    (("mutants", 7), *((str(fate), len(fate)) for fate in COUNTED)),
)


class MutantsText:
    """Prints the mutants of a model as soon as they were judged, and the sum at the end."""

    def __init__(self, output: Output) -> None:
        self._output = output
        output.line(COLUMNS.head, "dim")

    def add(self, model: MutantsOfModel) -> None:
        """Print how many mutants of one model have which fate, and those that nothing tells."""
        line = self._output.line
        style = "violated" if model.unexplained or model.stale or model.errors else None
        line(_row(model.name, [model]), style)
        for mutant in model.open:
            self._mutant(mutant, model.reasons.get(mutant.name))
        for name in model.stale:
            line(f"  stale in specs/{model.name}.toml: it does not survive", "violated")
            line(f"    {name}", "dim")
        for error in model.errors:
            line(f"error: {error}", "violated")

    def finish(self, run: MutantsRun) -> None:
        """Print the sum."""
        line = self._output.line
        if len(run.results) > 1:
            line(_row("all", run.results))
        if run.kept:
            line(rows_since_text(run.kept), "dim")
        line(_sum(run.results))
        if run.interrupted:
            line("interrupted: what is above is not all", "inconclusive")

    def _mutant(self, mutant: MutantRow, reason: str | None) -> None:
        details, line = mutant.details, self._output.line
        style = "dim" if reason else "violated" if mutant.fate is Fate.SURVIVES else "inconclusive"
        line(f"  {mutant.fate} {details.file}:{details.line}", style)
        line(f"    {mutant.name}", "dim")  # on one line, to be copied
        if mutant.row.because:
            self._wrapped(mutant.row.because)
        if reason:
            self._wrapped(f"explained: {reason}")

    def _wrapped(self, text: str) -> None:
        for part in textwrap.wrap(text, 76, break_long_words=False, break_on_hyphens=False):
            self._output.line(f"    {part}", "dim")


def _row(name: str, models: Sequence[MutantsOfModel]) -> str:
    counts = [sum(model.count(fate) for model in models) for fate in COUNTED]
    return COLUMNS.row([name], [f"{count:,}" for count in (sum(counts), *counts)])


def _sum(models: Sequence[MutantsOfModel]) -> str:
    every = [mutant for model in models for mutant in model.mutants]
    counted = [mutant for mutant in every if mutant.fate is not Fate.VOID]
    silent = sum(mutant.row.violated == SILENCE for mutant in counted)
    unexplained = sum(len(model.unexplained) for model in models)
    stale = sum(len(model.stale) for model in models)
    lines = [f"{plural(len(counted), 'mutant')}, {unexplained} not explained"]
    lines += [f"{stale} explained that do not survive"] * bool(stale)
    lines += [f"{silent} killed by silence alone"] * bool(silent)
    void = len(every) - len(counted)
    lines += [f"{void} not counted, for they do not load or change nothing"] * bool(void)
    return "; ".join(lines) + "."
