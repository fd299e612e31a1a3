"""`python -m bench.fleet`: logs of many brokers, followed in one process and on Spark.

Each row is a whole process. The JSON rows read the same files and do nothing with what they read.
With `--departures 0` a departure that is found is a false alarm, and ends the measurement. With
`--hot 0.9` broker 1 has nine tenths of the lines. With `--captured` the logs are not simulated:
each broker has a capture of a real one, again and again. The last row of a size is of the tasks
that follow brokers, by Spark's event log.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.conform.logs import write_captured
from bench.fleet.events import events_in, logged, tasks_in
from bench.machine import this_machine
from bench.process import Run, measure
from bench.table import machine_text

_HEAD = ("lines", "what", "wall s", "CPU s", "peak MiB", "lines/s", "x its JSON")
_VERDICTS = (0, 1, 3)
"""What `conform` ends with where it came to its end."""
_NO_DEPARTURE = (0, 3)
"""What it ends with where nothing departs."""


def main() -> int:
    """Measure as the command line says."""
    root = Path(__file__).resolve().parents[2]
    parser = argparse.ArgumentParser(prog="python -m bench.fleet", description=__doc__)
    parser.add_argument("--lines", type=int, nargs="+", default=[100_000, 1_000_000, 10_000_000])
    parser.add_argument("--brokers", type=int, default=8)
    parser.add_argument("--hot", type=float, metavar="SHARE", help="what broker 1 has of the lines")
    parser.add_argument("--captured", action="store_true", help="lines of real brokers")
    parser.add_argument("--departures", default="0.0001")
    parser.add_argument("--logs", type=Path, help="logs that are there, of --lines")
    parser.add_argument("--master", default="local[2]")
    parser.add_argument("--results", type=Path, default=root / "bench" / "results")
    options = parser.parse_args()
    machine = this_machine(root)
    table = ["# A fleet's logs", "", machine_text(machine), ""]
    table += [_row(_HEAD), "|---:|---|" + "---:|" * (len(_HEAD) - 2)]
    print(*table, sep="\n", flush=True)
    with tempfile.TemporaryDirectory(prefix="lockstep-bench-") as scratch:
        for lines in options.lines:
            for row in _rows(root, Path(scratch) / str(lines), lines, options):
                print(row, flush=True)
                table.append(row)
    options.results.mkdir(parents=True, exist_ok=True)
    file = options.results / f"{machine.date}-fleet.md"
    file.write_text("\n".join([*table, ""]), "utf-8")
    print(f"kept in {file}")
    return 0


def _rows(root: Path, folder: Path, lines: int, options: argparse.Namespace) -> Iterator[str]:
    folder.mkdir()
    lockstep = [sys.executable, "-m", "lockstep"]
    logs = options.logs or folder / "logs"
    if options.captured:
        write_captured(root, logs, lines, options.brokers)
    elif options.logs is None:
        rest, hot = lines, round(lines * (options.hot or 0))
        if hot:  # of as many lines for all, those of broker 1 are replaced
            rest = (lines - hot) * options.brokers // (options.brokers - 1)
        for out, count, brokers in ((logs, rest, options.brokers), (folder / "hot", hot, 1)):
            if count:
                size = ["--lines", str(count), "--brokers", str(brokers)]
                seeded = ["--departures", options.departures]
                simulate = [*lockstep, "simulate", "--log", str(out), *size, *seeded]
                written = _checked(measure(simulate, root), (0,))
                yield _row((f"{count:,}", "`simulate --log`", *_figures(written, count), ""))
        if hot:
            shutil.rmtree(logs / "broker-1")
            folder.joinpath("hot", "broker-1").rename(logs / "broker-1")
    folders = sorted(str(path) for path in logs.iterdir() if path.is_dir())
    files = sorted(str(path) for name in folders for path in Path(name).iterdir())
    python, environment = [sys.executable, "-m"], logged(folder / "events")
    spark = ["--engine", "spark", "--master", options.master, "--out", str(folder / "tables")]
    pairs: Sequence[tuple[str, Sequence[str], str, Sequence[str]]] = (
        (
            "`json.loads`",
            [*python, "bench.fleet.json_alone", *files],
            "`conform`",
            [*lockstep, "conform", *folders],
        ),
        (
            f"Spark's JSON, {options.master}",
            [*python, "bench.fleet.spark_json", options.master, *files],
            f"`conform --engine spark`, {options.master}",
            [*lockstep, "conform", *spark, *folders],
        ),
    )
    for json_name, json_command, name, command in pairs:
        bare = _checked(measure(json_command, root), (0,))
        yield _row((f"{lines:,}", json_name, *_figures(bare, lines), "1"))
        clean = float(options.departures) == 0
        run = measure(command, root, environment=environment)
        _checked(run, _NO_DEPARTURE if clean else _VERDICTS)
        ratio = f"{run.seconds / bare.seconds:.2f}"
        yield _row((f"{lines:,}", name, *_figures(run, lines), ratio))
    yield _evenness(folder / "events", lines)


def _evenness(events: Path, lines: int) -> str:
    """The longest task of the stage that took most, beside an even share of all cores."""
    seconds: dict[int, list[float]] = {}
    for event in tasks_in(events):
        ran = event["Task Metrics"]["Executor Run Time"] / 1000
        seconds.setdefault(event["Stage ID"], []).append(ran)
    cores = sum(
        event["Executor Info"]["Total Cores"]
        for event in events_in(events)
        if event["Event"] == "SparkListenerExecutorAdded"
    )
    tasks = max(seconds.values(), key=sum)
    share = sum(tasks) / cores
    name = f"following, the longest of {len(tasks)} tasks, beside {share:.1f} s for each core"
    return _row((f"{lines:,}", name, f"{max(tasks):.1f}", "", "", "", f"{max(tasks) / share:.2f}"))


def _figures(run: Run, lines: int) -> tuple[str, ...]:
    return (
        f"{run.seconds:,.1f}",
        f"{run.cpu_seconds:,.1f}",
        f"{run.peak_bytes / 2**20:,.0f}",
        f"{lines / run.seconds:,.0f}",
    )


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _checked(run: Run, ends: Sequence[int]) -> Run:
    if run.exit_code not in ends:
        raise SystemExit(f"exit code {run.exit_code}: {run.last_words}")
    return run


if __name__ == "__main__":
    raise SystemExit(main())
