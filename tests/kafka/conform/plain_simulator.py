"""A simulator for workspaces of tests: its lines are numbers, and every tenth may depart."""

from collections.abc import Iterator

from lockstep_kafka.findings import SideName
from lockstep_kafka.simulated.damage.kind import Damage
from lockstep_kafka.simulated.simulation import SeededDeparture, SimulatedLine, Simulation
from lockstep_kafka.workspaces import LoadModel


class Loud(Damage):
    name, breaks, requirements = "loud", "it is loud", ("9-1",)


class Low(Damage):
    name, breaks, requirements = "low", "it is low", ()


KINDS = (Loud(), Low())
LOG_NAME = "numbers"
MOST_DEPARTURES = 0.1


def lines(simulation: Simulation, load: LoadModel) -> Iterator[SimulatedLine]:
    load({})
    for number in range(simulation.lines):
        departure = None
        if simulation.departures and number % 10 == 7:
            kind = simulation.kinds[number // 10 % len(simulation.kinds)]
            side = (SideName.CLIENT,)
            departure = SeededDeparture(kind, side, (), (), (number,), "a connection")
        yield SimulatedLine(f"{simulation.seed} {simulation.broker} {number}", departure)
