"""Lines to findings: what tasks do behind the shuffle, broker by broker."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Protocol

import zstandard
from msgspec import structs

from lockstep.errors import LockstepError
from lockstep_kafka.files.layouts import joined_lines
from lockstep_kafka.files.lines import Reason, Skipped, finding_of
from lockstep_kafka.files.log_files import broker_of
from lockstep_kafka.files.physical_lines import DamagedStream, PhysicalLine, lines_of
from lockstep_kafka.files.request_log import read_line
from lockstep_kafka.findings import (
    MOVED,
    Finding,
    LineCounts,
    LineFinding,
    Remark,
    RemarkFinding,
    SessionFinding,
    Side,
    Verdict,
)
from lockstep_kafka.fleet.columns import FOLLOWED, PIECES, Batches, batches_of, rows_of
from lockstep_kafka.fleet.pieces import range_blocks
from lockstep_kafka.fleet.reading import Observed, quarantined
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


def log_of(broker: str, observed: Observed, state: bytes | None, *, in_columns: bool) -> BrokerLog:
    """The log of a broker, from its beginning or from where another follower was saved."""
    return (LogInColumns if in_columns else LogByLines)(broker, observed, state)


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

    def __init__(self, broker: str, observed: Observed, state: bytes | None) -> None:
        self.broker = broker
        self.lines = 0
        self._observed = observed
        self.kept = None if state is None else self._begun(state)

    def _begun(self, state: bytes | None = None) -> ColumnFollower:
        from lockstep_kafka.columns.follower import ColumnFollower

        prefix = f"{self.broker}-" if self._observed.broker_from is None else ""
        return ColumnFollower(self.broker, self._observed.explanations, state, prefix=prefix)

    def follower(self, connection: str, file: str) -> ColumnFollower:
        """The one follower."""
        named = self._observed.paths.broker(file)
        refuse_another(self.broker, named or connection.partition("-")[0], file)
        if self.kept is None:
            self.kept = self._begun()
        return self.kept

    def read(self, pieces: Iterable[Piece]) -> Iterator[Finding]:
        from lockstep_kafka.columns.log_reader import FileReading

        for piece in consecutive(pieces):
            position = 0 if self.kept is None else self.kept.position
            before = piece["line"] - 1
            reading = FileReading(self, piece["file"], position - before, before)
            with suppress(DamagedStream):  # a line that says so comes before it
                yield from reading.findings(piece["blocks"])
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
    lines = zstandard.ZstdDecompressor().decompress(piece["content"]).split(b"\n")
    numbers, begin = piece["numbers"], 0
    for end in range(1, len(numbers) + 1):
        if end == len(numbers) or numbers[end] != numbers[end - 1] + 1:
            content = b"".join(line + b"\n" for line in lines[begin:end])
            yield {**piece, "line": numbers[begin], "blocks": iter([content])}
            begin = end


STATE_ORDER = -1
"""The `order` of a row that is a part of a follower's state: they come before all requests."""

_STATE_PART = 8 * 2**20
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_KINDS = {name: place for place, name in enumerate(FOLLOWED.names)}


def _unit(piece: Piece) -> tuple[int, str | None, bool] | None:
    """What is read as one: a file, or lines of it that stand in pieces; None for what is not."""
    if piece["quarantined"] is not None:
        return None
    return piece["order"], piece["file"], piece["content"] is None


_OF_FOLLOWER = {Reason.REPEATED.value, Reason.LATE.value, MOVED}
"""What is said of lines that were read; of others no broker is known but by the path."""


@dataclass(frozen=True)
class Follow:
    """Pieces to what comes of them (`PIECES` to `FOLLOWED`).

    The pieces of a broker stand together, in the order of `order` and `line`. What is found with
    `in_columns` is what is found without.
    """

    observed: Observed
    in_columns: bool

    def __call__(self, pieces: Batches) -> Batches:
        """Follow each broker from where its state was left, and give out its new state."""
        return batches_of(self._rows(pieces), FOLLOWED)

    def _rows(self, pieces: Batches) -> Iterator[tuple[Any, ...]]:
        rows = (dict(zip(PIECES.names, row, strict=True)) for row in rows_of(pieces, PIECES.names))
        for broker, of_broker in groupby(rows, itemgetter("broker")):
            yield from self._broker(broker, of_broker)
        self.observed.explanations.keep()

    def _broker(self, broker: str | None, pieces: Iterable[Piece]) -> Iterator[tuple[Any, ...]]:
        state: list[bytes] = []
        log: BrokerLog | None = None
        for unit, of_unit in groupby(pieces, _unit):
            if unit is None:
                for piece in of_unit:
                    yield _row(broker, "quarantined", piece["quarantined"])
            elif unit[0] == STATE_ORDER:
                state += [piece["content"] for piece in of_unit]
            else:
                assert broker is not None, "lines that are followed are some broker's"
                log = log or log_of(
                    broker, self.observed, b"".join(state) or None, in_columns=self.in_columns
                )
                for finding in log.read(of_unit):
                    yield from self._rows_of(broker, finding)
        if log is not None and log.kept is not None:
            yield from self._end(log.broker, log.kept)

    def _rows_of(self, broker: str, finding: Finding) -> Iterator[tuple[Any, ...]]:
        if isinstance(finding, LineFinding) and finding.reason not in _OF_FOLLOWER:
            named = self.observed.paths.broker(finding.at.file)
            yield _row(named, "quarantined", quarantined(finding))
        else:
            yield from rows_of_finding(broker, finding, is_open=False)

    def _end(self, broker: str, follower: BrokerFollower) -> Iterator[tuple[Any, ...]]:
        """The lines end here for now: what is so if none follows, and from where to go on."""
        for counts in follower.take_counts():
            yield _row(broker, "metric", _metric(counts))
        saved = follower.save()
        for finding in follower.close():
            yield from rows_of_finding(broker, finding, is_open=True)
        for counts in follower.take_counts():
            yield _row(broker, "metric", _metric(counts), is_open=True)
        sums = {"followed": follower.followed, "others": follower.others}
        for part, begin in enumerate(range(0, len(saved), _STATE_PART)):
            bytes_ = saved[begin : begin + _STATE_PART]
            yield _row(broker, "state", {"part": part, "bytes": bytes_, **sums})


def _row(
    broker: str | None, kind: str, content: dict[str, Any], *, is_open: bool = False
) -> tuple[Any, ...]:
    row: list[Any] = [None] * len(_KINDS)
    row[0], row[1], row[_KINDS[kind]] = broker, is_open, content
    return tuple(row)


def rows_of_finding(broker: str, finding: Finding, *, is_open: bool) -> Iterator[tuple[Any, ...]]:
    """The row of a finding, or none where no table has it."""
    match finding:
        case SessionFinding():
            yield _row(broker, "session", _session(finding), is_open=is_open)
        case RemarkFinding() if finding.remark.verdict is Verdict.DEPARTS:
            yield _row(broker, "departure", _departure(finding), is_open=is_open)
        case LineFinding():
            yield _row(broker, "quarantined", quarantined(finding), is_open=is_open)


_OF_SESSION = ("session", "client", "connection", "api_version", "is_whole", "lines", "partial")
_OF_SIDE = ("judged", "departures", "unknowns")
_OF_DEPARTURE = ("client", "api_version", "session", "software", "abridged")


def _session(session: SessionFinding) -> dict[str, Any]:
    return {
        **{name: getattr(session, name) for name in _OF_SESSION},
        "verdict": session.verdict.value,
        "first_file": session.first.file,
        "first_line": session.first.line,
        "first_time": time_of(session.first_ms),
        "last_file": session.last.file,
        "last_line": session.last.line,
        "last_time": time_of(session.last_ms),
        "client_side": _side(session.client_side),
        "broker_side": _side(session.broker_side),
    }


def _side(side: Side) -> dict[str, Any]:
    return {
        **{name: getattr(side, name) for name in _OF_SIDE},
        "verdict": side.verdict.value,
        "worst": None if side.worst is None else _remark(side.worst),
    }


def _departure(finding: RemarkFinding) -> dict[str, Any]:
    return {
        **{name: getattr(finding, name) for name in _OF_DEPARTURE},
        "side": finding.side.value,
        "first_file": finding.began.file,
        "first_line": finding.began.line,
        "time": time_of(finding.time_ms),
        **_remark(finding.remark),
    }


def _remark(remark: Remark) -> dict[str, Any]:
    return {
        **structs.asdict(remark.at),
        "rule": remark.rule.id,
        "arguments": [(name, str(value)) for name, value in remark.arguments.items()],
        "because": remark.because,
        "requirements": list(remark.requirements),
        "candidates": [
            asdict(candidate) | {"values": list(candidate.values.items())}
            for candidate in remark.candidates
        ],
    }


def _metric(counts: LineCounts) -> dict[str, Any]:
    hour = None if counts.hour is None else _EPOCH + timedelta(hours=counts.hour)
    return asdict(counts) | {"hour": hour}


def time_of(ms: int | None) -> datetime | None:
    """A time in milliseconds since 1970 as a column has it."""
    return None if ms is None else _EPOCH + timedelta(milliseconds=ms)
