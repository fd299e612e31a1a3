"""`python -m bench.fleet`: logs of many brokers, followed in one process and on Spark.

Each row is a whole process. The JSON rows read the same files and do nothing with what they read.
With `--departures 0` a departure that is found is a false alarm, and ends the measurement.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

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
    if options.logs is None:
        size = ["--lines", str(lines), "--brokers", str(options.brokers)]
        seeded = ["--departures", options.departures]
        simulate = [*lockstep, "simulate", "--log", str(logs), *size, *seeded]
        written = _checked(measure(simulate, root), (0,))
        yield _row((f"{lines:,}", "`simulate --log`", *_figures(written, lines), ""))
    folders = sorted(str(path) for path in logs.iterdir() if path.is_dir())
    files = sorted(str(path) for name in folders for path in Path(name).iterdir())
    python = [sys.executable, "-m"]
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
        run = _checked(measure(command, root), _NO_DEPARTURE if clean else _VERDICTS)
        ratio = f"{run.seconds / bare.seconds:.2f}"
        yield _row((f"{lines:,}", name, *_figures(run, lines), ratio))


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
