"""Writes the log of one broker: in this process, or as a program of its own.

`python -m lockstep_kafka.verbs.simulate_broker TASK` takes a task as JSON. It prints how many lines
are written, now and then, and at the end what came of it; a failure for the reader is printed, too.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from msgspec import Struct, json

from lockstep.errors import LockstepError, not_written
from lockstep_kafka.files.log_files import DEPARTURES
from lockstep_kafka.simulated.episodes import SIMULATOR
from lockstep_kafka.simulated.log_writer import LogFormat, WrittenAt, log_writer
from lockstep_kafka.simulated.simulation import SeededDeparture, Simulation
from lockstep_kafka.workspaces import loader

_LINES_OF_PROGRESS = 5_000


@dataclass(frozen=True)
class BrokerTask:
    """A log to be written: of the model in the workspace `root`, into a folder of `out`."""

    root: str
    out: str
    simulation: Simulation
    form: LogFormat

    @property
    def folder(self) -> Path:
        """Where the broker's files are written."""
        return Path(self.out) / f"broker-{self.simulation.broker}"

    @property
    def truth(self) -> Path:
        """The file that says which departures are seeded: JSON, one a line."""
        return Path(self.out) / f"broker-{self.simulation.broker}{DEPARTURES}"


class BrokerResult(Struct, frozen=True):
    """What was written of one broker."""

    broker: int
    """Its number, from 1."""
    lines: int
    files: int
    departures: dict[str, int] = {}
    """How many of each kind were seeded."""


@dataclass(frozen=True)
class Report:
    """What the program prints: how far it is, and at its end the result or the failure."""

    lines: int = 0
    result: BrokerResult | None = None
    failure: str | None = None


def write_broker(task: BrokerTask, on_lines: Callable[[int], None]) -> BrokerResult:
    """Write the log; `on_lines` is told of lines that are written.

    `LockstepError` where a file cannot be written, or the simulator refuses.
    """
    load = loader(Path(task.root))
    departures: Counter[str] = Counter()
    try:
        with log_writer(task.folder, task.form) as log, task.truth.open("x", encoding="utf-8") as t:
            for number, line in enumerate(SIMULATOR.lines(task.simulation, load), start=1):
                at = log.write(line.text)
                if line.departure is not None:
                    departures[line.departure.kind] += 1
                    t.write(_truth(task, line.departure, at))
                if number % _LINES_OF_PROGRESS == 0:
                    on_lines(_LINES_OF_PROGRESS)
    except OSError as error:
        raise LockstepError(not_written(task.folder, error)) from error
    return BrokerResult(task.simulation.broker, number, len(log.files), dict(departures))


def _truth(task: BrokerTask, departure: SeededDeparture, at: WrittenAt) -> str:
    """A line of the file that says which departures are seeded."""
    document = {
        "file": at.file.relative_to(task.out).as_posix(),
        "line": at.line,
        "kind": departure.kind,
        "sides": departure.sides,
        "requirements": departure.requirements,
        "blameless": departure.blameless,
        "sessions": departure.sessions,
        "connection": departure.connection,
    }
    return json.encode(document).decode() + "\n"


def _print(report: Report) -> None:
    sys.stdout.buffer.write(json.encode(report) + b"\n")
    sys.stdout.buffer.flush()


def main() -> None:
    """Write the log that the task on the command line asks for."""
    task = json.decode(sys.argv[1], type=BrokerTask)
    try:
        _print(Report(result=write_broker(task, lambda lines: _print(Report(lines=lines)))))
    except LockstepError as error:
        _print(Report(failure=str(error)))


if __name__ == "__main__":
    main()
