"""How `simulate` is shown, and as JSON (docs/reference/json.md)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lockstep.answers.answer import Answer
from lockstep.errors import ExitCode
from lockstep.pages.blocks import Paragraph, Row, Table
from lockstep.pages.output import document
from lockstep.words import plural
from lockstep_kafka.simulated.damage.kind import Damage
from lockstep_kafka.verbs.simulate import SimulateResult


def kinds_table(kinds: Sequence[Damage]) -> Table:
    """The kinds of departures, and what each breaks."""
    rows = (Row((kind.name, kind.breaks, ", ".join(kind.requirements))) for kind in kinds)
    return Table(("kind", "breaks", "requirements"), tuple(rows)).fitted()


def kinds_json(kinds: Sequence[Damage]) -> dict[str, object]:
    """The kinds of departures as a document."""
    results = [
        {"name": kind.name, "breaks": kind.breaks, "requirements": list(kind.requirements)}
        for kind in kinds
    ]
    return document(results, {"exit_code": int(ExitCode.HOLDS)})


def simulated_blocks(result: SimulateResult) -> Iterator[Paragraph]:
    """What was written."""
    files = sum(broker.files for broker in result.brokers)
    yield Paragraph(
        f"{result.log}: {plural(result.lines, 'line')} of {plural(len(result.brokers), 'broker')}"
        f" in {plural(files, 'file')}, {plural(result.departures.total(), 'departure')}"
    )
    for kind, count in sorted(result.departures.items()):
        yield Paragraph(f"  {count:,} {kind}")


def simulated_json(result: SimulateResult) -> dict[str, object]:
    """What was written, as a document."""
    results = [
        Answer(kind="simulate", model=result.model, scope="", seed=result.seed, details=broker)
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
