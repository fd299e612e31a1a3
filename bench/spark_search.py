"""`python -m bench.spark_search`: the search on Spark beside the one-machine engine and TLC.

The first tables are large scopes by all three or by both engines, one after the other and each to
its end: whole processes, the start of Spark included. The last is one model in larger and larger
scopes, by both engines, and what a state costs in each.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from bench.bench import Bench
from bench.cases import Case, check_command, load_case
from bench.growth import GROWTH
from bench.machine import Machine, this_machine
from bench.process import Run, measure
from bench.rows import Status
from bench.spark_search_watch import SearchWatch
from bench.table import machine_text
from bench.tools import tlc

_HEAD = (
    "what",
    "states",
    "transitions",
    "depth",
    "wall s",
    "CPU s",
    "us a state",
    "CPU us a state",
    "x one machine",
    "longest level",
    "disk, B a state",
    "disk at most, MB",
    "load",
)
_CASE = "models and scopes, such as fetch_response:large"
_REMARK = """\
Each row is a whole process, its start included, one after the other. `x one machine` compares the
wall's time. `CPU s` are the seconds of all its processes. No liveness is checked. `longest level`
are seconds and new states. `disk` is what the search's runs take at the end; `at most` is with what
is being merged and with Spark's own blocks. `load` is the mean of the one-minute load average while
it ran: two of it are the row's own."""


def main() -> int:
    """Measure, print each row, and keep both tables after each."""
    root = Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(prog="python -m bench.spark_search", description=__doc__)
    parser.add_argument("--cases", nargs="*", default=["fetch_response:large"], help=_CASE)
    parser.add_argument("--tlc", nargs="*", default=["fetch_response:large"], help=_CASE)
    parser.add_argument("--master", default="local[2]")
    parser.add_argument("--least", type=int, default=10**6, help="leave out smaller scopes")
    parser.add_argument("--most", type=int, default=2 * 10**7, help="leave out scopes beyond")
    parser.add_argument("--limit", type=float, default=600.0, help="seconds for each")
    parser.add_argument("--results", type=Path, default=root / "bench" / "results")
    options = parser.parse_args()
    machine = this_machine(root)
    options.results.mkdir(parents=True, exist_ok=True)
    results = _Results(machine, options.results / f"{machine.date}-spark-search.md")
    with tempfile.TemporaryDirectory(prefix="lockstep-bench-") as scratch:
        engines = _Engines(root, options.master, Path(scratch), options.limit)
        for name in options.cases:
            model, _, scope = name.partition(":")
            results.begin(f"{model}, scope {scope}")
            results.add(engines.rows(model, "--scope", scope))
            if name in options.tlc:
                results.add([engines.row_of_tlc(load_case(root, model, scope))])
        results.begin("session_cache in larger and larger scopes")
        for growth in GROWTH:
            if options.least <= growth.about <= options.most:
                results.add(engines.rows("session_cache", *growth.settings))
    print(f"kept in {results.file}")
    return 0


@dataclass
class _Results:
    """The tables so far, in a file."""

    machine: Machine
    file: Path
    lines: list[str] = field(default_factory=list)

    def begin(self, title: str) -> None:
        """Begin a table."""
        self.lines += ["", f"## {title}", "", f"| {' | '.join(_HEAD)} |", "|" + "---|" * len(_HEAD)]

    def add(self, rows: Iterable[str]) -> None:
        """Add rows, each as soon as it is there."""
        title = "# The search on Spark, beside the one-machine engine and TLC"
        for row in rows:
            print(row, flush=True)
            self.lines.append(row)
            text = "\n".join([title, "", machine_text(self.machine), "", _REMARK, *self.lines, ""])
            self.file.write_text(text, "utf-8")


@dataclass
class _Engines:
    """Runs searches in a workspace; rows are compared with the last one of one machine."""

    root: Path
    master: str
    scratch: Path
    limit: float
    reference: float = 0.0

    def rows(self, model: str, *options: str) -> Iterable[str]:
        """A row of the one-machine engine, and one of Spark's."""
        whole = [sys.executable, *check_command(self.root, model, *options)]
        with SearchWatch() as watch:
            run = measure([*whole, "--engine", "compiled"], self.root, limit=self.limit)
        self.reference = run.seconds
        yield self._row("compiled", run, watch)
        with (
            tempfile.TemporaryDirectory(dir=self.scratch) as folder,
            SearchWatch(Path(folder, "search"), Path(folder, "blocks")) as watch,
        ):
            place = ["--engine", "spark", "--master", self.master]
            place += ["--checkpoint", f"{watch.checkpoint}"]
            local = {"SPARK_LOCAL_DIRS": f"{watch.blocks}"}
            run = measure([*whole, *place], self.root, environment=local, limit=self.limit)
        yield self._row(f"spark --master {self.master}", run, watch)

    def row_of_tlc(self, case: Case) -> str:
        """TLC's row; where it did not finish, the time that all states would take at its pace."""
        with SearchWatch() as watch:
            (row,) = tlc.rows(case, Bench(self.scratch, self.scratch, self.limit, repeats=1))
        if row.run is None or not row.counts.states:
            return _unmeasured("TLC", row.because)
        finished = row.status is Status.MEASURED
        name = "TLC" if finished else f"TLC, {row.because}"
        counts = [f"{row.counts.states:,}", f"{row.counts.transitions:,}", ""]
        share = case.states / row.counts.states
        return self._line([name, *counts], row.run, row.counts.states, watch, share)

    def _row(self, engine: str, run: Run, watch: SearchWatch) -> str:
        try:
            result = json.loads(run.output[run.output.index("{") :])["results"][0]
            counts = [result[name] for name in ("states", "transitions", "depth")]
        except (ValueError, LookupError, TypeError):
            why = f"stopped after {run.seconds:.0f} s" if run.ran_out_of_time else run.last_words
            return _unmeasured(engine, why)
        cells = [f"{number:,}" for number in counts]
        return self._line([engine, *cells], run, counts[0], watch)

    def _line(
        self, cells: list[str], run: Run, states: int, watch: SearchWatch, share: float = 1.0
    ) -> str:
        cells += [f"{run.seconds:.1f}", f"{run.cpu_seconds:.1f}"]
        cells.append(f"{1e6 * run.seconds / states:.2f}")
        cells.append(f"{1e6 * run.cpu_seconds / states:.2f}")
        cells.append(f"{run.seconds * share / self.reference:.1f}")
        level = watch.longest_level
        cells.append("" if level is None else f"{level[0]:.1f} s, {level[1]:,}")
        on_disk = watch.checkpoint is not None
        cells.append(f"{watch.last_bytes / states:.1f}" if on_disk else "")
        cells.append(f"{watch.peak_bytes / 1e6:,.0f}" if on_disk else "")
        return f"| {' | '.join([*cells, f'{watch.load:.1f}'])} |"


def _unmeasured(what: str, why: str) -> str:
    return f"| {what} | {why} |" + " |" * (len(_HEAD) - 2)


if __name__ == "__main__":
    sys.exit(main())
