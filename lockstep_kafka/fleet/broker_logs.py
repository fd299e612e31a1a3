"""The log of one broker as its pieces give it, line by line or in columns."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Protocol

from lockstep.errors import LockstepError
from lockstep_kafka.files.layouts import joined_lines
from lockstep_kafka.files.lines import Skipped, finding_of
from lockstep_kafka.files.log_files import broker_of
from lockstep_kafka.files.physical_lines import DamagedStream, PhysicalLine, lines_of
from lockstep_kafka.files.request_log import read_line
from lockstep_kafka.findings import Finding
from lockstep_kafka.fleet.pieces import range_blocks
from lockstep_kafka.fleet.reading import Observed
from lockstep_kafka.sessions.broker_follower import BrokerFollower

if TYPE_CHECKING:
    from lockstep_kafka.columns.follower import ColumnFollower


Piece = Mapping[str, Any]
"""A row of `PIECES`."""


class BrokerLog(Protocol):
    """Reads the log of a broker. `kept` is the follower, None before the first request."""

    broker: str

    @property
    def kept(self) -> BrokerFollower | None:
        """What is to be saved."""
        ...

    def read(self, pieces: Iterable[Piece]) -> Iterator[Finding]:
        """What is found in the next pieces, which are all of one file."""
        ...


Owns = Callable[[Hashable], bool]
"""Says whether a connection, session or partition is of the share that is followed."""


class LogByLines:
    """Follows line by line."""

    def __init__(self, broker: str, observed: Observed, state: bytes | None) -> None:
        self.broker = broker
        self._observed = observed
        self.kept = None if state is None else self._begun(state)

    def _begun(self, state: bytes | None = None) -> BrokerFollower:
        return BrokerFollower(self.broker, self._observed.explanations, state)

    def read(self, pieces: Iterable[Piece]) -> Iterator[Finding]:
        for piece in consecutive(pieces):
            for line in joined_lines(_lines(piece)):
                read = read_line(line, piece["file"])
                if isinstance(read, Skipped):
                    yield finding_of(read)
                    continue
                refuse_another(self.broker, broker_of(read, self._observed.paths), piece["file"])
                if self.kept is None:
                    self.kept = self._begun()
                yield from self.kept.follow(read, self.kept.position + 1)


def _lines(piece: Piece) -> Iterator[PhysicalLine]:
    with suppress(DamagedStream):  # a line that says so comes before it
        yield from lines_of(piece["blocks"], piece["line"])


class LogInColumns:
    """Follows in columns; what is found is what is found line by line."""

    def __init__(
        self, broker: str, observed: Observed, state: bytes | None, owns: Owns | None = None
    ) -> None:
        self.broker = broker
        self.lines = 0
        self._observed = observed
        self._owns = owns
        self.kept = None if state is None else self._begun(state)

    def _begun(self, state: bytes | None = None) -> ColumnFollower:
        from lockstep_kafka.columns.follower import ColumnFollower

        explanations = self._observed.explanations
        return ColumnFollower(
            self.broker, explanations, state, prefix=self._prefix, owns=self._owns
        )

    @property
    def _prefix(self) -> str:
        """What the broker's connections begin with; empty where their files name it."""
        return f"{self.broker}-" if self._observed.broker_from is None else ""

    def _blocks(self, piece: Piece) -> Iterator[bytes]:
        """The content that is read of a piece."""
        blocks: Iterator[bytes] = piece["blocks"]
        return blocks

    def follower(self, connection: str, file: str) -> ColumnFollower:
        """The one follower."""
        named = self._observed.paths.broker(file)
        refuse_another(self.broker, named or connection.partition("-")[0], file)
        if self.kept is None:
            self.kept = self._begun()
        return self.kept

    def read(self, pieces: Iterable[Piece]) -> Iterator[Finding]:
        from lockstep_kafka.columns.log_reader import FileReading

        reading: FileReading | None = None
        for piece in consecutive(pieces):
            position = 0 if self.kept is None else self.kept.position
            before = piece["line"] - 1
            if reading is None:
                reading = FileReading(self, piece["file"])
            reading.go_on(position - before, before)
            with suppress(DamagedStream):  # a line that says so comes before it
                yield from reading.findings(self._blocks(piece))
            if self.kept is not None:
                self.kept.position = position + reading.last - before


def refuse_another(broker: str, other: str, file: str) -> None:
    """Refuse a line of another broker in what was said to be one broker's alone."""
    if other != broker:
        raise LockstepError(
            f"{file} has lines of {other} among those of {broker}, written in another way",
            cure="name the broker by the path of its files, with --broker-from",
        )


def consecutive(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Pieces of a file with their content as `blocks`, where numbers of lines go on as one."""
    following: list[Piece] = []
    for piece in pieces:
        if piece["content"] is not None:
            yield from _runs(piece)
            continue
        if following and following[-1]["end"] != piece["begin"]:
            yield {**following[0], "blocks": _of_ranges(following)}
            following = []
        following.append(piece)
    if following:
        yield {**following[0], "blocks": _of_ranges(following)}


def _of_ranges(ranges: Sequence[Piece]) -> Iterator[bytes]:
    for piece in ranges:
        yield from range_blocks(piece["file"], piece)


def _runs(piece: Piece) -> Iterator[Piece]:
    lines = piece["content"].split(b"\n")
    numbers, begin = piece["numbers"], 0
    for end in range(1, len(numbers) + 1):
        if end == len(numbers) or numbers[end] != numbers[end - 1] + 1:
            content = b"".join(line + b"\n" for line in lines[begin:end])
            yield {**piece, "line": numbers[begin], "blocks": iter([content])}
            begin = end
