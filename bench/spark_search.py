"""`python -m bench.spark_search`: the search on Spark beside the one-machine engine and TLC.

The first table is one large scope by all three, one after the other: whole processes, the start of
Spark included. The second is the same model in larger and larger scopes, by both engines, and what
a state costs in each.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.bench import Bench
from bench.cases import load_case
from bench.growth import GROWTH
from bench.machine import this_machine
from bench.process import Run, measure
from bench.rows import Row, Status
from bench.table import machine_text
from bench.tools import tlc

_HEAD = ("what", "states", "transitions", "depth", "wall s", "CPU s", "us a state", "x one machine")


def main() -> int:
    """Measure, print both tables, and keep them."""
    root = Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(prog="python -m bench.spark_search", description=__doc__)
    parser.add_argument("--model", default="fetch_response")
    parser.add_argument("--scope", default="large")
    parser.add_argument("--master", default="local[2]")
    parser.add_argument("--most", type=int, default=2 * 10**7, help="leave out scopes beyond")
    parser.add_argument("--limit", type=float, default=600.0, help="seconds for each")
    parser.add_argument("--results", type=Path, default=root / "bench" / "results")
    options = parser.parse_args()
    machine = this_machine(root)
    table = _Table()
    lines = [f"## {options.model}, scope {options.scope}", "", *table.head()]
    command = ["check", options.model, "--scope", options.scope]
    lines += _both(table, command, options.master, root, options.limit)
    with tempfile.TemporaryDirectory() as scratch:
        case = load_case(root, options.model, options.scope)
        folder = Path(scratch)
        bench = Bench(folder, folder, limit=options.limit, repeats=1)
        lines += [table.of_tlc(row, case.states) for row in tlc.rows(case, bench)]
    print(lines[-1], flush=True)
    lines += ["", "## session_cache in larger and larger scopes", "", *table.head()]
    for growth in GROWTH:
        if growth.about <= options.most:
            command = ["check", "session_cache", *growth.settings]
            lines += _both(table, command, options.master, root, options.limit)
    title = "# The search on Spark, beside the one-machine engine and TLC"
    text = "\n".join([title, "", machine_text(machine), "", *lines, ""])
    options.results.mkdir(parents=True, exist_ok=True)
    file = options.results / f"{machine.date}-spark-search.md"
    file.write_text(text, "utf-8")
    print(f"kept in {file}")
    return 0


def _both(
    table: _Table, command: Sequence[str], master: str, root: Path, limit: float
) -> list[str]:
    """A row of the one-machine engine, and one of Spark's."""
    lines = []
    for engine in (["compiled"], ["spark", "--master", master]):
        run = measure(
            [
                sys.executable,
                "-m",
                "lockstep",
                *command,
                "--engine",
                *engine,
                "--json",
                "--no-cache",
            ],
            root,
            limit=limit,
        )
        lines.append(table.of_lockstep(" ".join(engine), run))
        print(lines[-1], flush=True)
    return lines


class _Table:
    """Rows that are compared with the last one of the one-machine engine."""

    def __init__(self) -> None:
        self._reference = 0.0

    def head(self) -> list[str]:
        """The head of a table."""
        return [f"| {' | '.join(_HEAD)} |", "|" + "---|" * len(_HEAD)]

    def of_lockstep(self, engine: str, run: Run) -> str:
        """A row of one of lockstep's engines."""
        try:
            result = json.loads(run.output[run.output.index("{") :])["results"][0]
            counts = [result[name] for name in ("states", "transitions", "depth")]
        except (ValueError, LookupError, TypeError):
            return f"| {engine} | {run.last_words} |" + " |" * (len(_HEAD) - 2)
        if engine == "compiled":
            self._reference = run.seconds
        cells = [f"{number:,}" for number in counts]
        return self._line([engine, *cells], run, counts[0])

    def of_tlc(self, row: Row, states: int) -> str:
        """TLC's row; where it did not finish, the time that all states would take at its pace."""
        if row.run is None or not row.counts.states:
            return f"| TLC | {row.because} |" + " |" * (len(_HEAD) - 2)
        finished = row.status is Status.MEASURED
        name = "TLC" if finished else f"TLC, stopped of {states:,} states"
        cells = [f"{row.counts.states:,}", "", ""]
        share = states / row.counts.states
        return self._line([name, *cells], row.run, row.counts.states, share)

    def _line(self, cells: list[str], run: Run, states: int, share: float = 1.0) -> str:
        times = f"{run.seconds * share / self._reference:.1f}" if self._reference else ""
        cost = f"{1e6 * run.seconds / max(1, states):.2f}"
        cells += [f"{run.seconds:.1f}", f"{run.cpu_seconds:.1f}", cost, times]
        return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    sys.exit(main())
