"""What a kind of damage is: where it can be done, what it does, and what the log then shows."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from lockstep_kafka.findings import SideName
from lockstep_kafka.simulated.damage.log import Log
from lockstep_kafka.simulated.damage.requests import Document, Fetch, Partition, topic_key, topic_of

CLIENT = frozenset({SideName.CLIENT})
BROKER = frozenset({SideName.BROKER})
BOTH = CLIENT | BROKER


@dataclass(frozen=True)
class Place:
    """Where a log is damaged: a line, in some kinds a partition, in some a second line."""

    line: int
    partition: Partition | None = None
    other_line: int = 0

    def named_partition(self) -> Partition:
        assert self.partition is not None
        return self.partition


@dataclass(frozen=True)
class Shown:
    """What a damaged log shows: sessions, under any of which a departure may be reported.

    `sides` depart, every one of them, at the line `since` or later. `blameless` sides do not.
    """

    since: int
    sessions: frozenset[int]
    sides: frozenset[SideName]
    blameless: frozenset[SideName] = frozenset()


class Damage:
    """A kind of damage, as a rule to one line. All functions are pure.

    `breaks` says what it breaks, in half a sentence; `requirements` are those it breaks. As a rule
    the log always shows it under the session of the line: `sides` depart, and `blameless` ones
    do not.
    """

    name: ClassVar[str]
    breaks: ClassVar[str]
    requirements: ClassVar[tuple[str, ...]]
    sides: ClassVar = BROKER
    blameless: ClassVar[frozenset[SideName]] = frozenset()

    def places(self, log: Log) -> Iterator[Place]:
        """Where the damage can be done."""
        raise NotImplementedError

    def change(self, document: Document, log: Log, place: Place) -> None:
        """Do the damage to a copy of the document of the line."""
        raise NotImplementedError

    def apply(self, log: Log, place: Place) -> Log:
        """The damaged log."""
        document = edited(log.by_number[place.line], lambda copied: self.change(copied, log, place))
        return log.with_documents({place.line: document})

    def shown(self, log: Log, damaged: Log, place: Place) -> Shown | None:
        """What the log shows of the damage; None when a behaviour may explain it all the same."""
        sessions = sessions_of(log.by_number[place.line])
        return Shown(place.line, sessions, self.sides, self.blameless)


def shown_places(
    damage: Damage, log: Log, count: int, seed: int
) -> Iterator[tuple[Place, Log, Shown]]:
    """Up to `count` places, drawn by chance, at which the log shows the damage."""
    places = list(damage.places(log))
    random.Random(f"{seed} {damage.name}").shuffle(places)
    for place in places:
        damaged = damage.apply(log, place)
        shown = damage.shown(log, damaged, place)
        if shown is None:
            continue
        yield place, damaged, shown
        count -= 1
        if count == 0:
            return


def edited(fetch: Fetch, edit: Callable[[Document], None]) -> Document:
    """A copy of the line's document after an edit."""
    document = copy.deepcopy(fetch.document)
    edit(document)
    return document


def without_answers(document: Document, partitions: set[Partition]) -> None:
    """Take the answers for these partitions out of the response."""
    topics = document["response"]["responses"]
    for topic in topics:
        topic["partitions"] = [
            answer
            for answer in topic["partitions"]
            if (topic_of(topic), answer["partitionIndex"]) not in partitions
        ]
    document["response"]["responses"] = [topic for topic in topics if topic["partitions"]]


def with_answer(document: Document, fetch: Fetch, partition: Partition, answer: Document) -> None:
    """Add an answer without records for a partition at the end of the response."""
    added = {**answer, "partitionIndex": partition[1], "recordsSizeInBytes": 0}
    topics = document["response"]["responses"]
    topics.append({topic_key(fetch): partition[0], "partitions": [added]})


def sessions_of(fetch: Fetch) -> frozenset[int]:
    """The session that a line is of, by its response or else by its request."""
    return frozenset({fetch.answered_session or fetch.session})
