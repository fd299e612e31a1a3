"""Seeds departures into episodes of a log, at most one an episode, so that each is judged alone."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

from lockstep_kafka.simulated.damage.kind import Damage, Shown, shown_places
from lockstep_kafka.simulated.damage.kinds import KINDS
from lockstep_kafka.simulated.damage.log import Log
from lockstep_kafka.simulated.simulation import SeededDeparture, SimulatedLine, Simulation


class Seeding:
    """Seeds the departures of one broker's log."""

    def __init__(self, simulation: Simulation) -> None:
        self._rate = simulation.departures
        self._kinds = [kind for kind in KINDS if kind.name in simulation.kinds]
        self._random = random.Random(f"{simulation.seed} {simulation.broker} departures")
        self._seeded: Counter[str] = Counter()

    def seed(self, lines: Sequence[str]) -> list[SimulatedLine]:
        """The lines of an episode, by chance with a departure that they show.

        Of the kinds that the episode can show it is the one that was seeded least.
        """
        if self._random.random() < self._rate * len(lines):
            log, seed = Log.of(lines), self._random.getrandbits(32)
            for kind in sorted(self._kinds, key=lambda kind: self._seeded[kind.name]):
                for _, damaged, shown in shown_places(kind, log, 1, seed):
                    self._seeded[kind.name] += 1
                    return _with_departure(damaged, kind, shown)
        return [SimulatedLine(line) for line in lines]


def _with_departure(log: Log, kind: Damage, shown: Shown) -> list[SimulatedLine]:
    lines = [SimulatedLine(line) for line in log.lines]
    departure = SeededDeparture(
        kind=kind.name,
        requirements=kind.requirements,
        sides=tuple(sorted(shown.sides)),
        blameless=tuple(sorted(shown.blameless)),
        sessions=tuple(sorted(shown.sessions)),
        connection=log.by_number[shown.since].connection,
    )
    lines[shown.since - 1] = lines[shown.since - 1]._replace(departure=departure)
    return lines
