"""Writes docs/mutants.md: `python -m bench.mutants` judges every mutant of every model."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from lockstep.mutants.fate import Fate, Killer
from lockstep.pages.progress import TerminalWatch
from lockstep.report.mutants import COUNTED, killed_by
from lockstep.verbs.mutants import MutantsOfModel, MutantsRequest, mutants
from lockstep.workspace import KAFKA, open_workspace

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "mutants.md"

HEAD = """\
# Mutants

What became of every small change that `lockstep mutants` makes, each in scope `default`, or where
that does not run what changed, in the smallest scope that does: `python -m bench.mutants` wrote
this page on {date}. What the fates mean is in
[See whether anything would notice](how-to/mutants.md).
*Killed* are counted by what kills them. *Caught* are those in 100 of what is killed, survives or is
inconclusive; the reason for each that survives stands in `[mutants]` of `specs/MODEL.toml`.
`lockstep mutants MODEL --json` prints every mutant.

| model | {columns} | caught |
|{rules}|
"""


def main() -> int:
    """Judge all mutants that no earlier run has judged, and write the page."""
    argparse.ArgumentParser(prog="python -m bench.mutants", description=__doc__).parse_args()
    run = mutants(MutantsRequest(workspace=open_workspace(KAFKA)), watch=TerminalWatch())
    if run.interrupted or run.pending:
        return run.exit_code
    PAGE.write_text(page(run.results), encoding="utf-8")
    return run.exit_code


def page(models: Sequence[MutantsOfModel]) -> str:
    """The page: a row a model, and one for all."""
    columns = ["mutants", *map(str, Killer), *map(str, COUNTED[1:])]
    head = HEAD.format(
        date=datetime.now(UTC).date(),
        columns=" | ".join(columns),
        rules="|".join(["---"] * (len(columns) + 2)),
    )
    lines = [head.rstrip("\n")]
    lines += [_row(model.name, [model]) for model in models]
    lines.append(_row("**all**", models))
    return "\n".join(lines) + "\n"


def _row(name: str, models: Sequence[MutantsOfModel]) -> str:
    counts = {fate: sum(model.count(fate) for model in models) for fate in COUNTED}
    open_ones = counts[Fate.KILLED] + counts[Fate.SURVIVES] + counts[Fate.INCONCLUSIVE]
    caught = f"{100 * counts[Fate.KILLED] / open_ones:.1f}" if open_ones else ""
    cells = [sum(counts.values()), *killed_by(models).values(), *list(counts.values())[1:]]
    return f"| {name} | {' | '.join(f'{cell:,}' for cell in cells)} | {caught} |"


if __name__ == "__main__":
    sys.exit(main())
