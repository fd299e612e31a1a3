"""Writes logs of a running system from a model, with departures where they are asked for."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Lock

from msgspec import Struct, convert, json

from lockstep.errors import ExitCode, LockstepError, nearest, not_written
from lockstep.requests.run import Watch
from lockstep.workspace import Workspace
from lockstep_kafka.files.log_files import DEPARTURES
from lockstep_kafka.simulated import episodes
from lockstep_kafka.simulated.damage.kind import Damage
from lockstep_kafka.simulated.log_writer import LogFormat, WrittenAt, log_writer
from lockstep_kafka.simulated.simulation import SeededDeparture, Simulation
from lockstep_kafka.verbs.requests import SimulateRequest
from lockstep_kafka.verbs.side_by_side import serve, side_by_side
from lockstep_kafka.workspaces import loader, model_for_logs, workspace_for_logs

PROGRAM = "lockstep_kafka.verbs.simulate"
"""Writes one broker's log as a process of its own."""

__all__ = ["SimulateRequest", "SimulateResult", "departure_kinds", "simulate"]


@dataclass(frozen=True)
class SimulateResult:
    """What was written: a folder a broker in `log`, and beside each the departures seeded in it."""

    model: str
    seed: int
    log: Path
    brokers: tuple[BrokerResult, ...]

    @property
    def exit_code(self) -> int:
        """0: what cannot be written is no result."""
        return int(ExitCode.HOLDS)

    @property
    def lines(self) -> int:
        """Lines of all brokers."""
        return sum(broker.lines for broker in self.brokers)

    @property
    def departures(self) -> Counter[str]:
        """How many departures of each kind were seeded."""
        return sum((Counter(broker.departures) for broker in self.brokers), Counter[str]())


def departure_kinds(
    model: str | None = None, workspace: Workspace | None = None
) -> Sequence[Damage]:
    """The kinds of departures that can be seeded into logs of a model."""
    _simulated(workspace or workspace_for_logs(), model)
    return episodes.KINDS


def simulate(request: SimulateRequest, *, watch: Watch = Watch()) -> SimulateResult:
    """Write the logs.

    Equal requests write equal files, however many brokers are written at once. `LockstepError`
    where they cannot be written, or what is asked cannot be had.
    """
    workspace = request.workspace or workspace_for_logs()
    model = _simulated(workspace, request.model)
    tasks = _tasks(request, workspace)
    jobs = min(request.jobs or os.cpu_count() or 1, len(tasks))
    written, lock = 0, Lock()
    with watch.steps(f"simulate {model}") as on_step:

        def on_lines(lines: int) -> None:
            nonlocal written
            with lock:
                written += lines
                on_step(f"{written:,} of {request.lines:,} lines")

        if jobs == 1:
            results = [write_broker(task, on_lines) for task in tasks]
        else:
            named = {str(task.folder): task for task in tasks}
            with side_by_side(PROGRAM, named, jobs, lambda _, lines: on_lines(lines)) as futures:
                results = [convert(future.result(), BrokerResult) for future in futures]
    return SimulateResult(model, request.seed, Path(tasks[0].out), tuple(results))


def _simulated(workspace: Workspace, model: str | None) -> str:
    return model_for_logs(workspace, model, "be simulated")


def _tasks(request: SimulateRequest, workspace: Workspace) -> list[BrokerTask]:
    """The log of each broker; `LockstepError` for what cannot be asked for together."""
    if request.log is None:
        raise LockstepError("there is no folder to write to", cure="name a new one with --log OUT")
    if request.lines < request.brokers:
        raise LockstepError(
            f"{request.lines:,} lines are too few for {request.brokers:,} brokers",
            cure="ask for a line of each at least",
        )
    kinds = _kinds(request)
    _make(request.log)
    return [
        BrokerTask(
            str(workspace.root),
            str(request.log),
            Simulation(
                broker=broker,
                brokers=request.brokers,
                lines=request.lines // request.brokers
                + (broker <= request.lines % request.brokers),
                clients=request.clients,
                partitions=request.partitions,
                seed=request.seed,
                behaviours=request.behaviours,
                departures=request.departures,
                kinds=kinds,
            ),
            LogFormat(episodes.LOG_NAME, request.compress, request.rotate_mb * 10**6),
        )
        for broker in range(1, request.brokers + 1)
    ]


def _kinds(request: SimulateRequest) -> tuple[str, ...]:
    """The kinds of departures to seed; `LockstepError` where they cannot be."""
    if request.departures > episodes.MOST_DEPARTURES:
        raise LockstepError(
            f"--departures {request.departures:g} is more than stand far enough apart",
            cure=f"{episodes.MOST_DEPARTURES:g} is the most",
        )
    if request.kinds and not request.departures:
        raise LockstepError("--kinds seeds nothing", cure="say how many with --departures RATE")
    names = [kind.name for kind in episodes.KINDS]
    for name in request.kinds:
        if name not in names:
            cure = nearest(name, names, "--list-kinds prints them")
            raise LockstepError(f"there is no kind of departure {name!r}", cure=cure)
    return request.kinds or tuple(names)


def _make(log: Path) -> None:
    """Make the folder of the logs; `LockstepError` where there is something in it."""
    try:
        log.mkdir(parents=True, exist_ok=True)
        is_empty = not any(log.iterdir())
    except OSError as error:
        raise LockstepError(not_written(log, error)) from None
    if not is_empty:
        raise LockstepError(f"{log} is not empty", cure="name a new folder, or remove this one")


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


def write_broker(task: BrokerTask, on_lines: Callable[[int], None]) -> BrokerResult:
    """Write the log; `on_lines` hears of lines that are written.

    `LockstepError` where a file cannot be written, or the simulator refuses.
    """
    load = loader(Path(task.root))
    departures: Counter[str] = Counter()
    try:
        with log_writer(task.folder, task.form) as log, task.truth.open("x", encoding="utf-8") as t:
            for number, line in enumerate(episodes.lines(task.simulation, load), start=1):
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
        **asdict(departure),
    }
    return json.encode(document).decode() + "\n"


def _write(task: bytes, on_lines: Callable[[object], None]) -> BrokerResult:
    return write_broker(json.decode(task, type=BrokerTask), on_lines)


def main() -> None:
    """Write the log that the task on the command line asks for."""
    serve(_write)


if __name__ == "__main__":
    main()
