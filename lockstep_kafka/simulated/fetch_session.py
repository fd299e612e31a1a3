"""Request logs of Apache Kafka's brokers, simulated from the model `fetch_session`.

docs/how-to/simulate-logs.md says what the logs have, and how large ones are made.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lockstep_kafka.simulated.damage.kinds import KINDS
from lockstep_kafka.simulated.episodes import EPISODE, BrokerLog
from lockstep_kafka.simulated.simulation import DepartureKind, SimulatedLine, Simulation
from lockstep_kafka.workspaces import LoadModel


class FetchSessions:
    """Simulates brokers that serve fetch sessions."""

    @property
    def kinds(self) -> Sequence[DepartureKind]:
        return [DepartureKind(kind.name, kind.breaks, kind.requirements) for kind in KINDS]

    @property
    def log_name(self) -> str:
        return "kafka-request"

    @property
    def most_departures(self) -> float:
        return 1 / (2 * EPISODE)

    def lines(self, simulation: Simulation, load: LoadModel) -> Iterator[SimulatedLine]:
        yield from BrokerLog(simulation, load).lines()


SIMULATOR = FetchSessions()
"""What `lockstep simulate` asks."""
