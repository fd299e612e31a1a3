"""Writes docs/mutants.md: `python -m bench.mutants` judges every mutant of every model."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from lockstep.pages.progress import TerminalWatch
from lockstep.report.mutants import COUNTED
from lockstep.verbs.mutants import MutantsOfModel, MutantsRequest, mutants
from lockstep.workspace import KAFKA, open_workspace

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "mutants.md"

HEAD = """\
# Mutants

What became of every small change that `lockstep mutants` makes, each model in its scope
`default`: `python -m bench.mutants` wrote this page on {date}. What the fates mean is in
[See whether anything would tell](how-to/mutants.md). *Settled* are those killed by a claim, equal
to the model, or up to the environment, in 100; the rest survives, and the reason for each stands
in `[mutants]` of `specs/MODEL.toml`. `lockstep mutants MODEL --json` prints every mutant.

| model | mutants | killed | equal | environment | survives | inconclusive | settled |
|---|---|---|---|---|---|---|---|
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
    lines = [HEAD.format(date=datetime.now(UTC).date()).rstrip("\n")]
    lines += [_row(model.name, [model]) for model in models]
    lines.append(_row("**all**", models))
    return "\n".join(lines) + "\n"


def _row(name: str, models: Sequence[MutantsOfModel]) -> str:
    counts = [sum(model.count(fate) for model in models) for fate in COUNTED]
    whole = sum(counts)
    settled = f"{100 * sum(counts[:3]) / whole:.1f}" if whole else ""
    return f"| {name} | {' | '.join(f'{count:,}' for count in (whole, *counts))} | {settled} |"


if __name__ == "__main__":
    sys.exit(main())
