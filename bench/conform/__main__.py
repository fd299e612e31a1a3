"""`python -m bench.conform`: what conform costs, for a line, a connection and a partition.

Every figure is the median of several runs, each in a process of its own. With --before, the runs
alternate with those of an earlier version of lockstep on the same files.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench.conform.logs import (
    fetches,
    is_fetch,
    lengthened,
    lines_of,
    of_connections,
    of_partitions,
)
from bench.conform.stages import COLUMNS, JSON, STAGES
from bench.machine import this_machine
from bench.process import Run, measure
from bench.table import machine_text

LOGS = ("busy", "size-limits", "static-members")
_STAGES = (
    "log",
    "lines",
    "Fetch lines",
    *(f"{stage}, us" for stage in STAGES),
    "json.loads, us a line",
    "line by line, us a line",
    "x json.loads",
    "in columns, us a line",
    "x json.loads",
    "Fetch lines/s",
    "lines/s",
    "lines/s by the clock",
)
_FIGURES = ("wall s", "CPU s", "peak MiB")
_WHOLE = ("log", "lines", *_FIGURES)
_BEFORE = (*(f"before: {figure}" for figure in _FIGURES), "verdict before", "x CPU")


@dataclass(frozen=True)
class Log:
    """A log to measure with, as it lies in the scratch folder."""

    name: str
    path: Path
    lines: int
    fetches: int


@dataclass(frozen=True)
class Measurement:
    """How things are measured: in which folder, how often, and against which earlier version.

    `limit` is how many seconds that version has for each log.
    """

    root: Path
    scratch: Path
    repeats: int
    before: Path | None
    limit: float

    def write(self, name: str, lines: Iterable[bytes]) -> Log:
        """A log of these lines."""
        path = self.scratch / f"{name.replace(' ', '-')}.log"
        count = fetch_count = 0
        # Not held in memory: a process counts what its parent had as its own.
        with path.open("wb") as file:
            for line in lines:
                file.write(line)
                count += 1
                fetch_count += is_fetch(line)
        return Log(name, path, count, fetch_count)

    def stages(self, log: Log) -> str:
        """A row: microseconds a Fetch line by stage, and how many lines there are a second.

        `json.loads` of the same lines is measured in turns with the stages.
        """
        taken: dict[str, list[dict[str, float]]] = {stage: [] for stage in (COLUMNS, JSON, *STAGES)}
        for _ in range(self.repeats):
            for stage, runs in taken.items():
                command = [sys.executable, "-m", "bench.conform.stages", stage, str(log.path)]
                runs.append(json.loads(_checked(measure(command, self.root)).output))
        columns, loads, *cpu = (
            median(run["cpu_seconds"] for run in runs) for runs in taken.values()
        )
        wall = median(run["seconds"] for run in taken["following"])
        parts = [later - earlier for earlier, later in zip([0.0, *cpu], cpu, strict=False)]
        return _row(
            log.name,
            f"{log.lines:,}",
            f"{log.fetches:,}",
            *(f"{part / log.fetches * 1e6:.1f}" for part in parts),
            f"{loads / log.lines * 1e6:.1f}",
            f"{cpu[-1] / log.lines * 1e6:.1f}",
            f"{cpu[-1] / loads:.1f}",
            f"{columns / log.lines * 1e6:.1f}",
            f"{columns / loads:.2f}",
            f"{log.fetches / cpu[-1]:,.0f}",
            f"{log.lines / cpu[-1]:,.0f}",
            f"{log.lines / wall:,.0f}",
        )

    def whole(self, log: Log) -> str:
        """A row: what `lockstep conform` takes for a log, now and before."""
        now: list[Run] = []
        before: list[Run] = []
        for _ in range(self.repeats):
            now.append(_checked(self._conform(self.root, Path(sys.executable), log, None)))
            if self.before is not None and not any(run.ran_out_of_time for run in before):
                python = self.before / ".venv" / "bin" / "python"
                before.append(self._conform(self.before, python, log, self.limit))
        cells = _figures(now)
        if before:
            ratio = f"{_more(before)}{_median_cpu(before) / _median_cpu(now):.1f}"
            cells += [*_figures(before), _verdict(before[-1]), ratio]
        return _row(log.name, f"{log.lines:,}", *cells)

    def _conform(self, root: Path, python: Path, log: Log, limit: float | None) -> Run:
        command = [str(python), "-m", "lockstep", "conform", str(log.path), "--json"]
        return measure(command, root, limit=limit)


def main() -> int:
    """Measure as the command line says."""
    root = Path(__file__).resolve().parents[2]
    parser = argparse.ArgumentParser(prog="python -m bench.conform", description=__doc__)
    parser.add_argument("--repeats", type=int, default=5, help="how often each run is made")
    parser.add_argument("--before", type=Path, help="a checkout of an earlier version, with .venv")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds that it has for a log")
    parser.add_argument("--results", type=Path, default=root / "bench" / "results")
    options = parser.parse_args()
    if options.before is not None and not (options.before / ".venv/bin/python").exists():
        parser.error(f"{options.before} has no .venv/bin/python: make its environment first")
    machine = this_machine(root)
    lines = ["# conform", "", machine_text(machine), ""]
    with tempfile.TemporaryDirectory(prefix="lockstep-bench-") as scratch:
        measurement = Measurement(
            root, Path(scratch), options.repeats, options.before, options.limit
        )
        for line in _tables(measurement):
            print(line, flush=True)
            lines.append(line)
    options.results.mkdir(parents=True, exist_ok=True)
    file = options.results / f"{machine.date}-conform.md"
    file.write_text("\n".join([*lines, ""]), "utf-8")
    print(f"kept in {file}")
    return 0


def _tables(measurement: Measurement) -> Iterator[str]:
    folder = measurement.root / "tests" / "data" / "request-log" / "fresh"
    real = {name: lines_of(folder / f"{name}.log.gz") for name in LOGS}
    yield from _heading(_STAGES)
    for name, lines in real.items():
        yield measurement.stages(measurement.write(f"{name} x10", lengthened(lines, 10)))
        alone = lengthened(list(fetches(lines)), 10)
        yield measurement.stages(measurement.write(f"{name} x10, Fetch alone", alone))
    yield ""
    yield from _heading(_WHOLE if measurement.before is None else (*_WHOLE, *_BEFORE))
    for log in _whole_logs(measurement, real):
        yield measurement.whole(log)


def _whole_logs(measurement: Measurement, real: dict[str, list[bytes]]) -> Iterator[Log]:
    busy = real["busy"]
    yield measurement.write("one line", list(fetches(busy))[:1])
    for name, lines in real.items():
        yield measurement.write(name, lines)
    for times in (10, 100):
        yield measurement.write(f"busy x{times}", lengthened(busy, times))
    for connections in (1_000, 10_000):
        name = f"{connections:,} connections of 5 lines"
        yield measurement.write(name, of_connections(busy, connections, 5))
    for partitions in (10, 100, 1_000, 10_000):
        for length in (1, 2_001):
            name = f"{partitions:,} partitions and {length - 1:,} lines"
            yield measurement.write(name, of_partitions(busy, partitions, length))


def _heading(names: Sequence[str]) -> list[str]:
    return [_row(*names), "|---|" + "---:|" * (len(names) - 1)]


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _figures(runs: Sequence[Run]) -> list[str]:
    return [
        f"{_more(runs)}{median(run.seconds for run in runs):.2f}",
        f"{_more(runs)}{_median_cpu(runs):.2f}",
        f"{median(run.peak_bytes for run in runs) / 2**20:.0f}",
    ]


def _more(runs: Sequence[Run]) -> str:
    return ">" if any(run.ran_out_of_time for run in runs) else ""


def _median_cpu(runs: Sequence[Run]) -> float:
    return median(run.cpu_seconds for run in runs)


def _verdict(run: Run) -> str:
    if run.ran_out_of_time:
        return "not finished"
    return {0: "conforms", 1: "departs", 3: "unknown"}.get(run.exit_code, "fails")


def _checked(run: Run) -> Run:
    if run.exit_code:
        raise SystemExit(f"exit code {run.exit_code}: {run.last_words}")
    return run


if __name__ == "__main__":
    raise SystemExit(main())
