"""The two or three lines of a log that show a remark: its own, and those it is compared with.

They are read from the file again, and only for remarks that are shown. What came by a pipe cannot
be read again: then there is the line of the remark alone.
"""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC

from lockstep.system.physical_lines import PhysicalLine, physical_lines
from lockstep_kafka.files.abridged import abridged
from lockstep_kafka.files.layouts import MARKER, joined_lines, unwrapped
from lockstep_kafka.files.lines import FetchLine, FollowedLine, QuorumLine
from lockstep_kafka.files.log_files import moment_of, zone_of
from lockstep_kafka.files.request_log import read_line
from lockstep_kafka.findings import Place, RemarkFinding, ShownLine
from lockstep_kafka.rules import ALONE

_MOST_EARLIER = 2
_LAST_OF_A_SESSION = 64
"""How many lines of a session are looked at, from the last one back, for one with the partition."""

_SESSION = re.compile(rb'"sessionId":\s*(-?[0-9]+)')
_WATERMARK = re.compile(rb'"highWatermark":\s*([0-9]+)')
_LOWER_THAN_SENT = {"known", "now"}
"""Arguments that are compared with a watermark which any fetcher may have been sent."""


def shown_lines(remarks: Sequence[RemarkFinding]) -> list[tuple[ShownLine, ...]]:
    """For each remark the lines that show it, the line of the remark last."""
    wanted = [_Wanted(finding) for finding in remarks]
    for file in sorted({place.file for one in wanted for place in one.places}):
        if not os.path.isfile(file):
            continue  # standard input, another pipe, or a file that is gone
        with suppress(OSError):  # it is damaged from there on, which was said when it was read
            _look_through(file, wanted)
    return [tuple(one.shown()) for one in wanted]


@dataclass
class _Wanted:
    """The lines that are looked for, for one remark, and what was found of them."""

    finding: RemarkFinding
    places: list[Place] = field(init=False)
    """Lines whose place is known, that of the remark last."""
    found: dict[Place, PhysicalLine] = field(default_factory=dict)
    of_session: deque[PhysicalLine] = field(
        default_factory=lambda: deque(maxlen=_LAST_OF_A_SESSION)
    )
    """The last lines of the session before the remark's, which may name the partition."""
    watermark_line: PhysicalLine | None = None
    """The first line that says the watermark of the partition."""

    def __post_init__(self) -> None:
        remark = self.finding.remark
        rests_on = [place for place in remark.arguments.values() if isinstance(place, Place)]
        self.places = [*dict.fromkeys(place for place in rests_on if place != remark.at), remark.at]
        self.partition = str(remark.arguments.get("partition", ""))
        self._topic = self.partition.rpartition("-")[0].encode()
        needs_more = remark.rule not in ALONE and (self.partition or not rests_on)
        self._session = b"%d" % self.finding.session if needs_more else None
        self._watermark = None
        if needs_more and remark.arguments.keys() & _LOWER_THAN_SENT:
            self._watermark = str(remark.arguments.get("watermark")).encode()

    @property
    def searches(self) -> bool:
        """Whether lines are looked for by what they say."""
        return self._session is not None

    def look_at(self, line: PhysicalLine, content: bytes, sessions: Sequence[bytes]) -> None:
        """Keep a line that stands before that of the remark, if it may be one of those.

        `sessions` are the ids that it names.
        """
        if self._topic not in content:
            return
        if self._session in sessions:
            self.of_session.append(line)
        if self._watermark is None or self.watermark_line is not None:
            return
        if self._watermark in _WATERMARK.findall(content):
            fetch = self._read(line)
            if isinstance(fetch, FetchLine) and any(
                str(name) == self.partition and b"%d" % answer.high_watermark == self._watermark
                for name, answer in fetch.answered.items()
            ):
                self.watermark_line = line

    def shown(self) -> Iterator[ShownLine]:
        """The lines that were found, and that of the remark in any case."""
        at = self.finding.remark.at
        own = self._abridged(at)
        if own is None or own.text != self.finding.abridged:
            # Another file has its name by now.
            moment = moment_of(self.finding.time_ms, UTC)
            yield ShownLine(at, moment, self.finding.abridged)
            return
        earlier = [place for place in self.places[:-1] if place in self.found]
        for line in filter(None, (self._last_of_session(), self.watermark_line)):
            place = Place(at.file, line.number)
            self.found[place] = line
            if place not in earlier:
                earlier.append(place)
        shown = (self._abridged(place) for place in sorted(earlier[:_MOST_EARLIER], key=_in_order))
        yield from filter(None, shown)
        yield own

    def _last_of_session(self) -> PhysicalLine | None:
        for line in reversed(self.of_session):
            fetch = self._read(line)
            if not isinstance(fetch, FetchLine) or self.finding.session not in (
                fetch.session_id,
                fetch.response_session_id,
            ):
                continue
            names = (*fetch.partitions, *fetch.answered, *fetch.forgotten)
            if not self.partition or self.partition in map(str, names):
                return line
        return None

    def _read(self, line: PhysicalLine) -> FollowedLine | None:
        read = read_line(line, self.finding.remark.at.file)
        return read if isinstance(read, FetchLine | QuorumLine) else None

    def _abridged(self, place: Place) -> ShownLine | None:
        line = self.found.get(place)
        read = None if line is None else self._read(line)
        if line is None or read is None:
            return None
        zone = zone_of(unwrapped(line.content).partition(MARKER)[0])
        moment = moment_of(read.time_ms, zone)
        return ShownLine(place, moment, abridged(read, self.finding.broker, self.partition))


def _look_through(file: str, wanted: Sequence[_Wanted]) -> None:
    """Read a file as far as something is looked for in it."""
    by_number: dict[int, list[_Wanted]] = {}
    for one in wanted:
        for place in one.places:
            if place.file == file:
                by_number.setdefault(place.line, []).append(one)
    searching = [one for one in wanted if one.searches and one.finding.remark.at.file == file]
    last = max(by_number)
    for line in joined_lines(physical_lines(file)):
        for one in by_number.get(line.number, ()):
            one.found[Place(file, line.number)] = line
        if searching:
            content = unwrapped(line.content)
            sessions = _SESSION.findall(content)
            for one in searching:
                one.look_at(line, content, sessions)
            searching = [one for one in searching if one.finding.remark.at.line > line.number + 1]
        if line.number >= last:
            break


def _in_order(place: Place) -> tuple[str, int]:
    return place.file, place.line
