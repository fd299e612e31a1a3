"""lockstep: `lockstep check`, and its compiled engine with fewer checks for comparison."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator

from bench.bench import Bench
from bench.cases import Case, check_command
from bench.process import Run, measure
from bench.rows import Checks, Counts, Entrant, Recipe, Row, printed_counts

NAME = "lockstep"
WARM = "lockstep, warm"
COLD = "lockstep, cold"

_REMARKS = {
    Checks.ALL: "all invariants of states and steps, goals, deadlock, vacuity, actions that "
    "never fire; no liveness; keeps what it needs to show a shortest behaviour",
    Checks.STATES: "invariants of states, goals, deadlock",
    Checks.NONE: "deadlock only",
}


def rows(case: Case, bench: Bench) -> Iterator[Row]:
    """Cold, where everything is compiled, then warm, for each set of checks."""
    for checks in Checks:
        command = _command(case, checks)
        shown = (" ".join(["python", *command]),)
        with tempfile.TemporaryDirectory(dir=bench.scratch) as caches:

            def once(command: list[str] = command, caches: str = caches) -> Run:
                return measure(
                    [sys.executable, *command],
                    case.root,
                    environment={"LOCKSTEP_CACHE": caches},
                    limit=bench.limit,
                )

            for name, runs in ((COLD, [once()]), (WARM, bench.runs(once))):
                entrant = Entrant(name, checks, _REMARKS[checks])
                counts = _counts(runs[0], checks)
                yield entrant.row(case, runs, counts, recipe=Recipe(shown))


def _command(case: Case, checks: Checks) -> list[str]:
    if checks is Checks.ALL:
        return check_command(case.root, case.model, "--scope", case.scope)
    return ["-m", "bench.search", case.model, case.scope, str(checks)]


def _counts(run: Run, checks: Checks) -> Counts:
    if checks is not Checks.ALL:
        return printed_counts(run.output)
    try:
        result = json.loads(run.output)["results"][0]
        return Counts(result["states"], result["transitions"], result["depth"])
    except (ValueError, LookupError, TypeError):
        return Counts()
