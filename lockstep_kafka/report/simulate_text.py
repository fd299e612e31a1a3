"""What `simulate` prints, for a reader and as JSON (docs/reference/json.md)."""

from __future__ import annotations

from collections.abc import Sequence

from lockstep.errors import ExitCode
from lockstep.report.json import document
from lockstep.report.output import Output
from lockstep.words import plural
from lockstep_kafka.simulated.simulation import DepartureKind
from lockstep_kafka.verbs.simulate import SimulateResult


def print_kinds(output: Output, kinds: Sequence[DepartureKind]) -> None:
    """Print the kinds of departures, and what each breaks."""
    rows = [(kind.name, kind.breaks, ", ".join(kind.requirements)) for kind in kinds]
    output.table(("kind", "breaks", "requirements"), rows)


def kinds_json(kinds: Sequence[DepartureKind]) -> dict[str, object]:
    """The kinds of departures as a document."""
    results = [
        {"name": kind.name, "breaks": kind.breaks, "requirements": list(kind.requirements)}
        for kind in kinds
    ]
    return document(results, {"exit_code": int(ExitCode.HOLDS)})


def print_simulated(output: Output, result: SimulateResult) -> None:
    """Print what was written."""
    files = sum(broker.files for broker in result.brokers)
    output.line(
        f"{result.log}: {plural(result.lines, 'line')} of {plural(len(result.brokers), 'broker')}"
        f" in {plural(files, 'file')}, {plural(result.departures.total(), 'departure')}"
    )
    for kind, count in sorted(result.departures.items()):
        output.line(f"  {count:,} {kind}")


def simulated_json(result: SimulateResult) -> dict[str, object]:
    """What was written, as a document."""
    results = [
        {
            "broker": broker.broker,
            "lines": broker.lines,
            "files": broker.files,
            "departures": broker.departures,
        }
        for broker in result.brokers
    ]
    summary = {
        "model": result.model,
        "log": str(result.log),
        "lines": result.lines,
        "departures": dict(sorted(result.departures.items())),
        "exit_code": result.exit_code,
    }
    return document(results, summary)
