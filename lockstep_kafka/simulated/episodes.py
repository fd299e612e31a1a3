"""A broker's log, group by group and episode by episode, with the departures that are seeded in it.

An episode is a behaviour that begins where nothing has happened yet. The next one of its group goes
on from the last by actions of the model that no log shows: every fetcher starts again, the leader
forgets its sessions, every record is committed and then removed by retention. So its offsets begin
above those of the last one, and its connections and sessions are new ones.

The model does not look at names, and offsets it only compares. A behaviour under other names, with
other offsets in the same order and at other times, is a behaviour, then: where a log has more
episodes than behaviours are walked, each of them stands in the log several times so.

At most one departure is seeded into an episode, so that each is judged alone.
docs/how-to/simulate-logs.md says what the logs have, and how large ones are made.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import merge

from lockstep.language.model import Model
from lockstep_kafka.simulated.arguments import Scope
from lockstep_kafka.simulated.behaviours import Exchange, Walk
from lockstep_kafka.simulated.damage.kind import Damage, Shown, shown_places
from lockstep_kafka.simulated.damage.log import Log
from lockstep_kafka.simulated.damage.of_answers import OF_ANSWERS
from lockstep_kafka.simulated.damage.of_records import OF_CLIENTS, RecordsWithheld
from lockstep_kafka.simulated.damage.of_sessions import OF_SESSIONS
from lockstep_kafka.simulated.groups import MAX_OFFSET, Group, groups_of
from lockstep_kafka.simulated.kafka_json import text
from lockstep_kafka.simulated.lines import Line, Names, Writing, lines_of
from lockstep_kafka.simulated.simulation import (
    SeededDeparture,
    SimulatedLine,
    Simulation,
)
from lockstep_kafka.simulated.times import Pace
from lockstep_kafka.workspaces import LoadModel

KINDS: tuple[Damage, ...] = (*OF_SESSIONS, *OF_ANSWERS, RecordsWithheld(), *OF_CLIENTS)


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


BEGIN_MS = 1_795_320_000_000

EPISODE = 200
"""Exchanges of an episode."""
MOST_DEPARTURES = 1 / (2 * EPISODE)
"""The share of lines at which something may depart."""
LOG_NAME = "kafka-request"

_BETWEEN_REQUESTS_MS = 400
"""The mean time between two requests of a fetcher."""

_PAUSE_MS = 1_000
"""From the end of an episode to the beginning of the next one of its group, at most."""

_WAITING = 0.3
_IDS = 2**30 - 1
_ID_STEP = 433_494_437
"""Session ids look as if they were drawn, and none comes twice: the step and `_IDS` have no common
divisor. All are odd, so that the number after one is no session."""


@dataclass(frozen=True)
class _Behaviour:
    """What is kept of a walk; the leader's logs all end before the offset `end`."""

    exchanges: list[Exchange]
    connections: int
    sessions: int
    end: int


class BrokerLog:
    """The log of one broker."""

    def __init__(self, simulation: Simulation, load: LoadModel) -> None:
        self._simulation = simulation
        self._load = load
        self._groups = groups_of(simulation)
        self._seeding = Seeding(simulation)
        self._models: dict[Scope, Model] = {}
        self._behaviours: dict[tuple[Scope, int], _Behaviour] = {}
        self._episodes = self._connections = 0
        seed = f"{simulation.seed} {simulation.broker} sessions"
        self._sessions = random.Random(seed).randrange(_IDS)

    def lines(self) -> Iterator[SimulatedLine]:
        """All lines in the order in which responses are written."""
        lines, groups = self._simulation.lines, self._groups
        streams = [
            self._lines_of(group, lines // len(groups) + (group.number < lines % len(groups)))
            for group in groups
        ]
        for _, line in merge(*streams, key=lambda timed: timed[0]):
            yield line

    def _lines_of(self, group: Group, count: int) -> Iterator[tuple[int, SimulatedLine]]:
        """So many lines of a group, each with its time."""
        chance = random.Random(f"{self._simulation.seed} {self._simulation.broker} {group.number}")
        now = BEGIN_MS + chance.randrange(_PAUSE_MS)
        offset = 0
        while count:
            lines, offset = self._episode(group, offset, now, chance)
            # The log ends here: of an episode that goes on, the first lines are those of it.
            lines = lines[:count]
            count -= len(lines)
            times = [line.time_ms or 0 for line in lines]
            texts = [text(line, group.version) for line in lines]
            yield from zip(times, self._seeding.seed(texts), strict=True)
            now = times[-1] + chance.randint(1, _PAUSE_MS)

    def _episode(
        self, group: Group, offset: int, begin_ms: int, chance: random.Random
    ) -> tuple[list[Line], int]:
        """The lines of an episode whose offsets are from `offset` on, and the next such offset."""
        behaviour = self._behaviour(group.scope, self._episodes % self._simulation.behaviours)
        self._episodes += 1
        step = chance.choice((1, 1, 7, 500))
        between = 2 * _BETWEEN_REQUESTS_MS // len(group.clients)
        writing = Writing(
            version=group.version,
            offsets=range(offset, offset + MAX_OFFSET * step + 1, step),
            sessions=[
                1 + 2 * ((self._sessions + count) * _ID_STEP % _IDS)
                for count in range(1, behaviour.sessions + 1)
            ],
            correlations={
                f: chance.choice((0, 1_000, 2**31 - chance.randint(1, 30)))
                for f in group.scope.fetchers
            },
            pace=Pace(begin_ms, (0, between), _WAITING),
            names=Names(
                f"10.0.0.{self._simulation.broker}:9092",
                group.partitions,
                group.clients,
                group.replicas,
                self._connections + 1,
            ),
        )
        self._connections += behaviour.connections
        self._sessions += behaviour.sessions
        return lines_of(behaviour.exchanges, writing, chance), writing.offsets[behaviour.end]

    def _behaviour(self, scope: Scope, number: int) -> _Behaviour:
        key = scope, number
        if key not in self._behaviours:
            if scope not in self._models:
                self._models[scope] = self._load(scope.constants)
            seed = f"{self._simulation.seed} {self._simulation.broker} behaviour {number}"
            walk = Walk(self._models[scope], scope, random.Random(seed))
            walk.go(EPISODE)
            end = 1 + max(walk.state.log_end.values())
            self._behaviours[key] = _Behaviour(walk.exchanges, walk.connections, walk.sessions, end)
        return self._behaviours[key]


def lines(simulation: Simulation, load: LoadModel) -> Iterator[SimulatedLine]:
    """The lines of a broker that serves fetch sessions."""
    return BrokerLog(simulation, load).lines()
