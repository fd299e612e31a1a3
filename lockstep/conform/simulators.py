"""How logs are simulated from a model: the object `SIMULATOR` of `models/simulated/MODEL.py`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from lockstep.conform.findings import LoadModel
from lockstep.conform.simulation import DepartureKind, SimulatedLine, Simulation, Simulator
from lockstep.conform.system_files import SystemFile
from lockstep.errors import LockstepError
from lockstep.language.inventory import SIMULATORS


class _Guarded:
    """A simulator whose mistakes are told with the place in its text."""

    def __init__(self, simulator: Simulator, source: SystemFile) -> None:
        self._simulator = simulator
        self._source = source

    @property
    def kinds(self) -> Sequence[DepartureKind]:
        with self._source.guarded():
            return self._simulator.kinds

    @property
    def log_name(self) -> str:
        with self._source.guarded():
            return self._simulator.log_name

    @property
    def most_departures(self) -> float:
        with self._source.guarded():
            return self._simulator.most_departures

    def lines(self, simulation: Simulation, load: LoadModel) -> Iterator[SimulatedLine]:
        lines = self._simulator.lines(simulation, load)
        while True:
            with self._source.guarded():
                line = next(lines, None)
            if line is None:
                return
            yield line


def load_simulator(root: Path, model: str) -> Simulator:
    """The simulator of a model of the workspace at `root`.

    `LockstepError` when the file cannot be loaded, or has no object `SIMULATOR`. What it raises
    is a `LockstepError`, too.
    """
    source = SystemFile(root, SIMULATORS, model)
    simulator: Simulator | None = source.value("SIMULATOR")
    if simulator is None:
        raise LockstepError(
            f"{source.file} has no SIMULATOR",
            cure="assign it an object of the form of Simulator in lockstep.conform.simulation",
        )
    return _Guarded(simulator, source)
