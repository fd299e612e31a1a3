"""Lines to findings: what tasks do with the lines of each broker."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from itertools import chain, groupby
from operator import itemgetter
from typing import Any

from msgspec import structs

from lockstep_kafka.files.lines import Reason
from lockstep_kafka.findings import (
    MOVED,
    UNORDERED,
    Finding,
    LineCounts,
    LineFinding,
    Remark,
    RemarkFinding,
    SessionFinding,
    Side,
    Verdict,
)
from lockstep_kafka.fleet.broker_logs import BrokerLog, LogByLines, LogInColumns, Owns, Piece
from lockstep_kafka.fleet.columns import (
    FOLLOWED,
    PIECES,
    STATE_ORDER,
    Batches,
    batches_of,
    dicts_of,
)
from lockstep_kafka.fleet.pieces import record_pieces, unpacked
from lockstep_kafka.fleet.reading import Observed, quarantined
from lockstep_kafka.fleet.shares import Share, owned, part_number, states_in

_STATE_PART = 8 * 2**20
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_KINDS = {name: place for place, name in enumerate(FOLLOWED.names)}


def _unit(piece: Piece) -> tuple[int, str | None, bool] | None:
    """What is read as one: a file, or lines of it that stand in pieces; None for what is not."""
    if piece["quarantined"] is not None:
        return None
    return piece["order"], piece["file"], piece["content"] is None


_OF_FOLLOWER = {Reason.REPEATED.value, Reason.LATE.value, MOVED, UNORDERED}
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
        rows = dicts_of(pieces, PIECES.names)
        for (broker, *share), pieces in groupby(rows, itemgetter("broker", "share", "shares")):
            yield from self._broker(broker, Share(share[0] or 0, share[1] or 1), pieces)
        self.observed.explanations.keep()

    def _broker(
        self, broker: str | None, share: Share, pieces: Iterable[Piece]
    ) -> Iterator[tuple[Any, ...]]:
        state: list[Piece] = []
        owns = None
        if share.of > 1:
            assert broker is not None, "what is split is some broker's"
            pieces = list(pieces)
            owns = owned(broker, self.observed, share, pieces if self.in_columns else ())
            if owns is None:
                return
        log: BrokerLog | None = None
        for unit, of_unit in groupby(pieces, _unit):
            if unit is None:
                for piece in of_unit if share.number == 0 else ():
                    yield _row(broker, "quarantined", piece["quarantined"])
            elif unit[0] == STATE_ORDER:
                state += of_unit
            else:
                assert broker is not None, "lines that are followed are some broker's"
                if log is None:
                    log = self._log(broker, state, owns)
                for finding in log.read(map(unpacked, of_unit)):
                    if share.number == 0 or not _is_of_reading(finding):
                        yield from self._rows_of(broker, finding)
        if log is not None:
            yield from self._end(log, share)

    def _log(self, broker: str, state: Iterable[Piece], owns: Owns | None = None) -> BrokerLog:
        saved = states_in(state, broker, owns)
        if self.in_columns:
            return LogInColumns(broker, self.observed, saved, owns)
        return LogByLines(broker, self.observed, saved)

    def _rows_of(self, broker: str, finding: Finding) -> Iterator[tuple[Any, ...]]:
        if _is_of_reading(finding):
            assert isinstance(finding, LineFinding), "that is said of lines"
            named = self.observed.paths.broker(finding.at.file)
            yield _row(named, "quarantined", quarantined(finding))
        else:
            yield from rows_of_finding(broker, finding, is_open=False)

    def _end(self, log: BrokerLog, share: Share) -> Iterator[tuple[Any, ...]]:
        """The lines end here for now: what is so if none follows, and from where to go on."""
        broker, follower = log.broker, log.kept
        if follower is None:
            return
        for finding in follower.settle():
            yield from rows_of_finding(broker, finding, is_open=False)
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
            number = part_number(share, part)
            yield _row(broker, "state", {"part": number, "bytes": bytes_, **sums})


@dataclass(frozen=True)
class FollowRecords(Follow):
    """Records of a topic, as their task reads them, to what comes of them (`RECORD` to `FOLLOWED`).

    The records of a broker come in their order, and those of several brokers among each other.
    `states` are the parts of the states of all brokers, by broker and part.
    """

    states: Sequence[Piece] = ()

    def _rows(self, records: Batches) -> Iterator[tuple[Any, ...]]:
        by_broker = groupby(self.states, itemgetter("broker"))
        states = {broker: list(parts) for broker, parts in by_broker}
        logs: dict[str, BrokerLog] = {}
        paths = self.observed.paths
        for piece in chain.from_iterable(record_pieces(batch, paths) for batch in records):
            broker = piece["broker"]
            if "quarantined" in piece:
                yield _row(broker, "quarantined", piece["quarantined"])
                continue
            if broker not in logs:
                logs[broker] = self._log(broker, states.pop(broker, ()))
            for finding in logs[broker].read([piece]):
                yield from self._rows_of(broker, finding)
        for log in logs.values():
            yield from self._end(log, Share(0, 1))
        self.observed.explanations.keep()


def _is_of_reading(finding: Finding) -> bool:
    """Whether it is said of a line that is no request."""
    return isinstance(finding, LineFinding) and finding.reason not in _OF_FOLLOWER


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
