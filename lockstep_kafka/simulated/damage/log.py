"""A request log as the damage generator reads it: its own reading, apart from the follower's.

Documents are never changed in place; a log with other documents is another log.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from itertools import accumulate

from lockstep_kafka.simulated.damage.requests import (
    Document,
    Fetch,
    Partition,
    Request,
    is_plain_answer,
)
from lockstep_kafka.simulated.damage.session import Run, runs_of

MARKER = "Completed request:"
_IDS = 2**32
"""How many correlation ids there are: -2147483648 follows 2147483647."""


@dataclass(frozen=True, eq=False)
class Log:
    """The lines of a log, and its requests in the order of the lines."""

    lines: tuple[str, ...]
    requests: tuple[Request, ...] = field(repr=False)

    @classmethod
    def of(cls, lines: Sequence[str]) -> Log:
        return cls(tuple(lines), tuple(_requests(lines)))

    def with_documents(self, documents: Mapping[int, Document]) -> Log:
        """The log with other documents in some lines."""
        lines = list(self.lines)
        for number, document in documents.items():
            prefix, _, rest = lines[number - 1].partition(MARKER)
            body = json.dumps(document, separators=(",", ":"))
            lines[number - 1] = f"{prefix}{MARKER}{body}{rest[rest.rindex('}') + 1 :]}"
        requests = (
            type(request)(request.number, documents[request.number])
            if request.number in documents
            else request
            for request in self.requests
        )
        return Log(tuple(lines), tuple(requests))

    def text(self) -> str:
        return "\n".join(self.lines) + "\n"

    @cached_property
    def fetches(self) -> tuple[Fetch, ...]:
        return tuple(request for request in self.requests if isinstance(request, Fetch))

    @cached_property
    def by_number(self) -> dict[int, Fetch]:
        return {fetch.number: fetch for fetch in self.fetches}

    @cached_property
    def connections(self) -> dict[str, list[Request]]:
        """The requests of each connection in the order of their ids; repeated lines stand once."""
        connections: dict[str, dict[int, Request]] = defaultdict(dict)
        for request in self.requests:
            connections[request.connection].setdefault(request.correlation_id, request)
        return {name: _in_order(by_id) for name, by_id in connections.items()}

    @cached_property
    def _place_in_connection(self) -> dict[int, int]:
        return {
            request.number: place
            for requests in self.connections.values()
            for place, request in enumerate(requests)
        }

    def before(self, request: Request) -> Request | None:
        """The request before this one on its connection, as far as the log shows."""
        place = self._place_in_connection[request.number]
        return self.connections[request.connection][place - 1] if place else None

    def hole(self, earlier: Request, later: Request) -> int:
        """How many requests of the connection the log does not show between two of them."""
        shown = self._place_in_connection[later.number] - self._place_in_connection[earlier.number]
        return (later.correlation_id - earlier.correlation_id) % _IDS - shown

    def is_surely_before(self, earlier: Request, later: Request) -> bool:
        """Whether the response of one was written before the other was sent.

        It was if a line stands before that of the request before the other on its connection.
        """
        previous = self.before(later)
        return previous is not None and earlier.number < previous.number

    @cached_property
    def runs(self) -> tuple[Run, ...]:
        """The runs of all sessions whose requests come by one connection."""
        runs = [run for requests in self.connections.values() for run in runs_of(requests)]
        connections: dict[int, set[str]] = defaultdict(set)
        for fetch in self.fetches:
            if fetch.epoch > 0:
                connections[fetch.session].add(fetch.connection)
        return tuple(run for run in runs if len(connections[run.session]) <= 1)

    @cached_property
    def places(self) -> dict[int, tuple[Run, int]]:
        """The run of a line, and its index there."""
        return {
            fetch.number: (run, index) for run in self.runs for index, fetch in enumerate(run.lines)
        }

    @cached_property
    def answers_of(self) -> dict[Partition, list[Fetch]]:
        """The lines that answer a partition of what the leader's log has, in their order."""
        lines: dict[Partition, list[Fetch]] = defaultdict(list)
        for fetch in self.fetches:
            for partition, answer in fetch.answers.items():
                if is_plain_answer(answer):
                    lines[partition].append(fetch)
        return lines

    @cached_property
    def last_error(self) -> dict[Partition, int]:
        """The last line that answers a partition with an error, for those that have one."""
        return {
            partition: fetch.number
            for fetch in self.fetches
            for partition, answer in fetch.answers.items()
            if answer["errorCode"]
        }

    @cached_property
    def leader_epochs(self) -> dict[Partition, set[int]]:
        """The leader epochs that requests name for a partition."""
        epochs: dict[Partition, set[int]] = defaultdict(set)
        for fetch in self.fetches:
            for partition, interest in fetch.interests.items():
                epochs[partition].add(interest.get("currentLeaderEpoch", -1))
        return epochs

    def has_one_leader_epoch(self, partition: Partition) -> bool:
        """Whether all requests name the same leader epoch of a partition."""
        epochs = self.leader_epochs[partition]
        return len(epochs) == 1 and min(epochs) >= 0

    @cached_property
    def _names(self) -> set[str]:
        """The topics that requests know by name only."""
        return {
            topic
            for fetch in self.fetches
            if not fetch.has_topic_ids
            for topic, _ in (*fetch.interests, *fetch.answers)
        }

    def may_be_anew(self, partition: Partition) -> bool:
        """Whether a topic may have been deleted and recreated under its name, out of sight."""
        return partition[0] in self._names

    def arrival_ms(self, number: int) -> float:
        """When a request arrived, going by the time of its line and the time that it took."""
        prefix = self.lines[number - 1].partition(MARKER)[0]
        milliseconds = re.search(r"[0-9]{13}", prefix)
        if milliseconds is not None:
            time = float(milliseconds[0])
        else:
            date = re.search(r"[0-9-]+ [0-9:]+,[0-9]{3}", prefix)
            assert date is not None
            written = datetime.strptime(date[0], "%Y-%m-%d %H:%M:%S,%f")
            time = written.replace(tzinfo=UTC).timestamp() * 1000
        return time - float(self.by_number[number].document["totalTimeMs"])

    def reported_to_others(self, partition: Partition, fetch: Fetch, offset: str) -> int:
        """The highest value of an offset that surely was answered before a line was sent.

        Only lines since the connection began count, for the broker did not restart since; -1
        where there is none, where the leader epoch does not stay the same, where the topic is
        known by a name only that another one may have had, or where an error was answered since:
        the leader's log may be another one then.
        """
        previous = self.before(fetch)
        if previous is None or not self.has_one_leader_epoch(partition):
            return -1
        if self.may_be_anew(partition):
            return -1
        begin = min(request.number for request in self.connections[fetch.connection])
        if self.last_error.get(partition, 0) > begin:
            return -1
        numbers, highest = self._highest_reported(partition, offset, fetch.connection)
        place = bisect_left(numbers, previous.number)
        return highest[place - 1] if place else -1

    def _highest_reported(
        self, partition: Partition, offset: str, connection: str
    ) -> tuple[list[int], list[int]]:
        """The lines that answer a partition since a connection began, and the highest so far."""
        key = (partition, offset, connection)
        if key not in self._highest:
            begin = min(request.number for request in self.connections[connection])
            lines = [line for line in self.answers_of[partition] if line.number > begin]
            answers = (line.answers[partition][offset] for line in lines)
            self._highest[key] = [line.number for line in lines], list(accumulate(answers, max))
        return self._highest[key]

    @cached_property
    def _highest(self) -> dict[tuple[Partition, str, str], tuple[list[int], list[int]]]:
        """What was computed of `_highest_reported`."""
        return {}


def _in_order(by_id: Mapping[int, Request]) -> list[Request]:
    """The requests of a connection in the order of their correlation ids."""
    first = next(iter(by_id))
    return [by_id[i] for i in sorted(by_id, key=lambda i: (i - first + _IDS // 2) % _IDS)]


def _requests(lines: Sequence[str]) -> Iterator[Request]:
    decoder = json.JSONDecoder()
    for number, line in enumerate(lines, 1):
        _, marker, body = line.partition(MARKER)
        if not marker:
            continue
        try:
            document, _ = decoder.raw_decode(body)
        except json.JSONDecodeError:
            continue
        request = Request(number, document)
        yield Fetch(number, document) if request.is_fetch else request
