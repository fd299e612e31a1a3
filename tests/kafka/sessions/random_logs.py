"""Logs of random behaviours, whole or with lines missing."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import cache

from hypothesis import strategies as st

from lockstep.language.model import Model, load_model
from lockstep_kafka.simulated.arguments import Scope
from lockstep_kafka.simulated.behaviours import Walk
from lockstep_kafka.simulated.lines import Line
from tests.kafka.conform.following import ROOT
from tests.kafka.sessions.logs import some_writing, write

SCOPES = (
    Scope(),
    Scope(partitions=("p1", "p2", "p3")),
    Scope(followers=()),
    Scope(disturbances=0, failures=0),
    Scope(partitions=("p1", "p2", "p3"), max_offset=1, max_bytes=0),
)
SEEDS = st.integers(0, 2**32)
LAST_EPOCH = 2**31 - 1

Loss = Callable[[Sequence[Line], random.Random], list[Line]]


@cache
def loaded(scope: Scope) -> Model:
    return load_model(ROOT, "fetch_session", scope.constants)


class Aging(Walk):
    """A walk in which sessions may have gone on before."""

    def age(self, epoch: int) -> None:
        """Let the sessions of idle fetchers have gone on until this epoch, unseen by any log."""
        metadata = {f: self.state.metadata[f] for f in self.scope.fetchers}
        sessions = dict(self.state.sessions.items())
        for f, held in metadata.items():
            session = sessions.get(held.session_id)
            if (
                session is None
                or session.epoch != held.epoch
                or self.state.pending[f]
                or self.state.stray[f] is not None
            ):
                continue
            metadata[f] = type(held)(session_id=held.session_id, epoch=epoch)
            sessions[held.session_id] = type(session)(
                owner=session.owner, epoch=epoch, partitions=session.partitions
            )
        self.state = self._with(metadata=metadata, sessions=sessions)


def some_log(chance: random.Random, requests: int, aged: int = 0) -> list[Line]:
    """The log of a random behaviour, from its beginning; with `aged`, from the middle on.

    Sessions are then that many epochs before the last one.
    """
    scope = chance.choice(SCOPES)
    walk = Aging(loaded(scope), scope, chance)
    if aged:
        walk.go(10)
        walk.age(LAST_EPOCH - aged)
        walk.exchanges.clear()
    walk.go(requests)
    return write(walk.exchanges, some_writing(scope, walk.exchanges, chance), chance)


def nothing(log: Sequence[Line], chance: random.Random) -> list[Line]:
    return list(log)


def beginning(log: Sequence[Line], chance: random.Random) -> list[Line]:
    return list(log[chance.randrange(len(log)) :])


def some_lines(log: Sequence[Line], chance: random.Random) -> list[Line]:
    share = chance.choice((0.05, 0.3))
    return [line for line in log if chance.random() > share]


def a_stretch(log: Sequence[Line], chance: random.Random) -> list[Line]:
    first, last = sorted(chance.sample(range(len(log) + 1), 2))
    return [*log[:first], *log[last:]]


def with_repeated_lines(log: Sequence[Line], chance: random.Random) -> list[Line]:
    return [line for line in log for _ in range(chance.choice((1, 1, 1, 2)))]


def beginning_and_some_lines(log: Sequence[Line], chance: random.Random) -> list[Line]:
    return with_repeated_lines(some_lines(beginning(log, chance), chance), chance)


LOSSES = (
    nothing,
    beginning,
    some_lines,
    a_stretch,
    with_repeated_lines,
    beginning_and_some_lines,
)
