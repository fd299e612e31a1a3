"""`python -m bench.fleet.month`: days of growing logs, each followed by one run with `--retain`.

A day has a file of each broker: the run of that day finds its first half, and the next run the
rest. After ten days the file is removed. Days go by for what batches were written and for Delta's
log. Only files that were replaced are deleted at once in place of a day later, for their time is
the system's. What is kept is compared with what one run says of the logs of all days.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

from deltalake import DeltaTable

from bench.machine import this_machine
from bench.table import machine_text
from lockstep.system.workspace_text import WorkspaceText
from lockstep_kafka.fleet.local_run import LocalRun
from lockstep_kafka.fleet.local_tables import LocalTables, Row
from lockstep_kafka.fleet.log_files import paths_of
from lockstep_kafka.fleet.reading import Observed
from lockstep_kafka.fleet.tables import ALL_TABLES, DEPARTURES, SESSIONS, Table

_DAY = timedelta(days=1)
_DAYS_OF_A_FILE = 10
_AT_ONCE = {"delta.deletedFileRetentionDuration": "interval 0 days"}
_ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Days:
    """The logs of some days: `brokers` has the lines of each one."""

    brokers: Mapping[str, Sequence[bytes]]
    days: int
    folder: Path

    def files(self, day: int) -> dict[Path, Sequence[bytes]]:
        """The files of a day, and their lines."""
        return {
            self.folder / broker / f"kafka-request.log.{day:02}": lines[
                len(lines) * day // self.days : len(lines) * (day + 1) // self.days
            ]
            for broker, lines in self.brokers.items()
        }

    def write(self, day: int) -> None:
        """Write what a day adds, and remove what is old."""
        for path, lines in self.files(day).items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"".join(lines[: len(lines) // 2]))
        self.write_whole(day - 1)
        for path in self.files(day - _DAYS_OF_A_FILE):
            path.unlink(missing_ok=True)

    def write_whole(self, day: int) -> None:
        """Write all of a day's files, if there is such a day."""
        for path, lines in self.files(day).items() if day >= 0 else ():
            path.write_bytes(b"".join(lines))


def follow_days(logs: Days, tables: LocalTables, observed: Observed, retain_days: int) -> None:
    """Follow the logs, one run a day; the last one finds the rest of the last day."""
    start = datetime.now(UTC) - (logs.days + 1) * _DAY
    for day in range(logs.days + 1):
        if day < logs.days:
            logs.write(day)
        else:
            logs.write_whole(day - 1)
        run = LocalRun(
            tables, observed, retain_days=retain_days, now=partial(start.__add__, day * _DAY)
        )
        run.follow_files(paths_of([str(logs.folder)]))
        for table in ALL_TABLES:
            path = Path(tables.path(table))
            if day == 0:
                DeltaTable(path).alter.set_table_properties(_AT_ONCE)
            for file in path.glob("_delta_log/*"):
                seconds = file.stat().st_mtime - _DAY.total_seconds()
                os.utime(file, (seconds, seconds))


def sizes(tables: LocalTables, table: Table) -> tuple[int, int, int]:
    """The files of a table's rows, those of its log, and the bytes of both."""
    files = [path for path in Path(tables.path(table)).rglob("*") if path.is_file()]
    of_log = sum("_delta_log" in path.parts for path in files)
    return len(files) - of_log, of_log, sum(path.stat().st_size for path in files)


def differences(logs: Days, tables: LocalTables, observed: Observed, retain_days: int) -> int:
    """How many rows of kept days are not those of one run over all days."""
    for day in range(logs.days):
        logs.write_whole(day)
    whole = LocalTables(logs.folder.parent / "whole")
    LocalRun(whole, observed).follow_files(paths_of([str(logs.folder)]))
    kept = {
        str(path)
        for day in range(logs.days - retain_days + 1, logs.days)
        for path in logs.files(day)
    }
    count = 0
    for table, file in ((SESSIONS, "last_file"), (DEPARTURES, "file")):
        found, expected = _comparable(tables.rows(table)), whole.rows(table)
        count += (found - _comparable(expected)).total()
        count += (_comparable(row for row in expected if row[file] in kept) - found).total()
    return count


def _comparable(rows: Iterable[Row]) -> Counter[str]:
    return Counter(
        repr(sorted((name, value) for name, value in row.items() if name not in _OF_RUNS))
        for row in rows
    )


_OF_RUNS = {"batch", "is_open"}


def main() -> int:
    """Measure as the command line says."""
    parser = argparse.ArgumentParser(prog="python -m bench.fleet.month", description=__doc__)
    parser.add_argument("--days", type=int, default=30)
    parser.add_argument("--retain", type=int, default=7, metavar="DAYS")
    parser.add_argument("--lines", type=int, default=300_000, help="of all days")
    parser.add_argument("--brokers", type=int, default=8)
    parser.add_argument("--logs", type=Path, help="logs that are there, of --lines")
    options = parser.parse_args()
    observed = Observed(WorkspaceText.of(_ROOT))
    print(machine_text(this_machine(_ROOT)), "", sep="\n")
    with tempfile.TemporaryDirectory(prefix="lockstep-bench-") as scratch:
        simulated = options.logs or Path(scratch, "simulated")
        if options.logs is None:
            size = ["--lines", str(options.lines), "--brokers", str(options.brokers)]
            command = [sys.executable, "-m", "lockstep", "simulate", "--log", str(simulated), *size]
            subprocess.run([*command, "--departures", "0.001"], check=True, cwd=_ROOT)
        folders = sorted(folder for folder in simulated.iterdir() if folder.is_dir())
        brokers = {folder.name: _lines(folder) for folder in folders}
        logs = Days(brokers, options.days, Path(scratch, "logs"))
        tables = LocalTables(Path(scratch, "tables"))
        began = time.process_time()
        follow_days(logs, tables, observed, options.retain)
        seconds = time.process_time() - began
        print("| table | rows | files | files of its log | bytes |\n|---|---:|---:|---:|---:|")
        for table in ALL_TABLES:
            files, of_log, taken = sizes(tables, table)
            rows = len(tables.rows(table))
            print(f"| {table.name} | {rows:,} | {files} | {of_log} | {taken:,} |")
        print(f"\n{seconds:.1f} s of the processor for {options.days + 1} runs")
        print(differences(logs, tables, observed, options.retain), "rows differ from one run")
    return 0


def _lines(folder: Path) -> Sequence[bytes]:
    return b"".join(file.read_bytes() for file in sorted(folder.iterdir())).splitlines(
        keepends=True
    )


if __name__ == "__main__":
    raise SystemExit(main())
