"""What Python's objects and the tables know of one broker, each thing in one place at a time.

What the kernel works on is checked out of the objects; it is checked in again as soon as anything
in Python looks it up. So the mappings of a `Broker` always give what is known now.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from msgspec import structs

from lockstep_kafka.columns.kernels.layout import (
    CONNECTION,
    ENTRY,
    HELD,
    OTHER_REQUEST,
    SESSION,
)
from lockstep_kafka.columns.logs import ColumnLogs
from lockstep_kafka.columns.mappings import Fetchers, InUse, Sessions
from lockstep_kafka.columns.memory import Memory
from lockstep_kafka.columns.numbers import (
    Entries,
    Files,
    Numbers,
    Other,
    given,
    held_of,
    held_words,
    number_in,
    other_fits,
    other_of,
    other_words,
    wanted_of,
    wanted_words,
)
from lockstep_kafka.findings import Place
from lockstep_kafka.sessions.broker import Tables
from lockstep_kafka.sessions.knowledge import Connection, Fetcher, LeaderSession, Seen

_IN_TABLES: Final[dict[Any, Any]] = {}
"""What a session, a fetcher or a connection has of many things while the tables have that."""


class Exchange:
    """Checks sessions, connections and logs of partitions out and in."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self.numbers = Numbers(memory)
        self._entries = Entries(memory, self.numbers)
        self.files = Files()
        self.sessions = Sessions(memory, self.check_in_session, self._session_used)
        self.connections: InUse[str, Connection] = InUse(
            memory, self.check_in_connection, self._connection_used
        )
        self.fetchers = Fetchers(self.check_in_connection, self._unsettle)
        self.logs = ColumnLogs(memory, self.numbers, self.files)
        self._session_rows: dict[int, int] = {}
        self._here: dict[int, LeaderSession] = {}

    def tables(self) -> Tables:
        """The mappings of a `Broker` that check in what is looked up."""
        return Tables(self.sessions, self.connections, self.fetchers, self.logs)

    def _session_used(self, number: int) -> int:
        row = self._session_rows.get(number)
        return 0 if row is None else int(self.memory.tables["sessions"][row + SESSION.used])

    def _connection_used(self, name: str) -> int:
        number = self.numbers.of_text(name)
        row = int(self.memory.tables["connection_of"][number])
        return int(self.memory.tables["connections"][row + CONNECTION.used])

    def check_out_connection(self, row: int) -> bool:
        """Whether the connection is known; its row then has what is known of it."""
        memory, table = self.memory, self.memory.tables["connections"]
        name = self.numbers.text(int(table[row + CONNECTION.name]))
        connection = self.connections.kept(name)
        if connection is None:
            return False
        others = [
            (correlation, position, given(time_ms), self.files.number(file))
            for correlation, (position, time_ms, file) in connection._others.items()
        ]
        if not all(map(other_fits, others)):
            return False
        words = table[row : row + CONNECTION.size]
        words[CONNECTION.correlation] = given(connection.correlation_id)
        words[CONNECTION.position] = connection.position
        words[CONNECTION.time] = given(connection.time_ms)
        words[CONNECTION.file] = self.files.number(connection.file)
        words[CONNECTION.is_odd] = 0
        words[CONNECTION.has_outside] = connection.outside is not None
        self._put_others(row, others)
        connection._others = _IN_TABLES
        fetcher = connection.fetcher
        table = memory.tables["connections"]
        words = table[row : row + CONNECTION.size]
        if fetcher is None or connection.is_left or fetcher.connection not in ("", name):
            words[CONNECTION.is_odd] = 1
        else:
            words[CONNECTION.session] = fetcher.session
            words[CONNECTION.epoch] = fetcher.epoch
            words[CONNECTION.former] = fetcher.former
            words[CONNECTION.is_whole] = fetcher.is_whole
            words[CONNECTION.uses_ids] = fetcher.uses_topic_ids
            settled = self.fetchers.settles(fetcher.session, fetcher)
            words[CONNECTION.settled] = fetcher.session if settled else 0
            of_partition = self.numbers.of_partition
            entries = [
                (of_partition(partition), 1, 1, *wanted_words(wanted), 0, 0, 0, 0)
                for partition, wanted in fetcher.fetching.items()
            ]
            first = self._entries.hold(-row, entries)
            memory.tables["connections"][row + CONNECTION.wanted] = first
            fetcher.fetching = _IN_TABLES
        memory.tables["connections"][row + CONNECTION.is_here] = 1
        return True

    def _put_others(self, row: int, others: list[Other]) -> None:
        if not others:
            return
        count = len(others)
        self.memory.room_for_others(count)
        buffer = self.memory.buffer(count * OTHER_REQUEST.size)
        buffer[: count * OTHER_REQUEST.size] = [word for one in others for word in other_words(one)]
        self.memory.do("put_others", owner=row, count=count)

    def check_in_connection(self, name: str, *, is_leaving: bool = False) -> None:
        """What the tables know of a connection goes to its object.

        Of one that is leaving, what is said of its requests outside of sessions.
        """
        number, memory = self.numbers.of_text(name), self.memory
        row, table = int(memory.tables["connection_of"][number]), memory.tables["connections"]
        if not table[row + CONNECTION.is_here]:
            return
        connection = self.connections.kept(name)
        assert connection is not None, "a connection that is in tables is known"
        table[row + CONNECTION.is_here] = 0
        words = table[row : row + CONNECTION.size].tolist()
        connection.correlation_id = number_in(words[CONNECTION.correlation])
        connection.position = words[CONNECTION.position]
        connection.time_ms = number_in(words[CONNECTION.time])
        connection.file = self.files.name(words[CONNECTION.file])
        finding, judged = connection.outside, words[CONNECTION.judged]
        if finding is not None and judged:
            table[row + CONNECTION.judged] = 0
            finding.lines += judged
            finding.client_side.judged += judged
            finding.broker_side.judged += judged
            file = self.files.name(words[CONNECTION.last_file])
            finding.last = Place(file, words[CONNECTION.last_line])
            finding.last_ms = number_in(words[CONNECTION.last_time])
            finding.api_version = words[CONNECTION.last_version]
        count, connection._others = words[CONNECTION.others_count], {}
        if count and not is_leaving:
            buffer = memory.buffer(count * OTHER_REQUEST.size)
            memory.do("others_of", owner=row)
            entries = buffer[: count * OTHER_REQUEST.size].reshape(-1, OTHER_REQUEST.size).tolist()
            for correlation, position, time, number in map(other_of, entries):
                known = position, number_in(time), self.files.name(number)
                connection._others[correlation] = known
        if count:
            memory.do("drop_others", owner=row)
        fetcher = connection.fetcher
        if fetcher is not None and not words[CONNECTION.is_odd]:
            if words[CONNECTION.is_changed]:
                self._check_in_fetcher(fetcher, words, name)
            fetcher.fetching = {}
            for entry in self._entries.taken(words[CONNECTION.wanted]):
                partition = self.numbers.partition(entry[ENTRY.partition])
                fetcher.fetching[partition] = wanted_of(entry)
            table[row + CONNECTION.wanted] = 0
            table[row + CONNECTION.is_changed] = 0

    def check_in_all_connections(self) -> None:
        """What the tables know of connections goes to their objects."""
        rows = self.memory.tables["connections"][: self.memory["connections_end"]]
        rows = rows.reshape(-1, CONNECTION.size)
        for name in rows[rows[:, CONNECTION.is_here] != 0, CONNECTION.name].tolist():
            self.check_in_connection(self.numbers.text(name))

    def _unsettle(self, session: int) -> None:
        end = self.memory["connections_end"]
        settled = self.memory.tables["connections"][CONNECTION.settled : end : CONNECTION.size]
        settled[settled == session] = 0  # Python judges their next requests

    def check_in_all(self) -> None:
        """All that the tables know goes to the objects."""
        self.check_in_all_connections()
        for number in list(self._here):
            self.sessions.get(number)

    def _check_in_fetcher(self, fetcher: Fetcher, words: list[int], name: str) -> None:
        fetcher.session, fetcher.epoch = words[CONNECTION.session], words[CONNECTION.epoch]
        fetcher.since = Place(
            self.files.name(words[CONNECTION.since_file]), words[CONNECTION.since_line]
        )
        fetcher.former = words[CONNECTION.former]
        fetcher.is_whole = bool(words[CONNECTION.is_whole])
        fetcher.connection = name
        fetcher.completion_ms = number_in(words[CONNECTION.completion])

    def check_out_sessions(self) -> None:
        """The tables have all sessions from here on, until one is looked up."""
        for session in self.sessions.take_up():
            self._check_out_session(session)

    def _check_out_session(self, session: LeaderSession) -> None:
        memory, number = self.memory, session.number
        row = memory.session_row()
        memory.do("put_session", number=number, owner=row)
        of_partition = self.numbers.of_partition
        entries = [
            (of_partition(partition), 1, *held_words(held))
            for partition, held in session.partitions.items()
        ]
        entries += [
            (of_partition(partition), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
            for partition in session.lagging
            if partition not in session.partitions
        ]
        first = self._entries.hold(row, entries)
        client = -1
        if not session.has_several_clients:
            client = self.numbers.of_text(session.finding.client)
        words = memory.tables["sessions"][row : row + SESSION.size]
        words[SESSION.is_here] = 1
        words[SESSION.client] = client
        words[SESSION.is_odd] = session.overtaken is not None or bool(session.turns)
        words[SESSION.is_whole] = session.is_whole
        words[SESSION.epoch] = session.epoch
        words[SESSION.last_connection] = self.numbers.of_text(session.last.connection)
        words = memory.tables["sessions"][row : row + SESSION.size]
        words[SESSION.last_position] = session.last.position
        words[SESSION.last_time] = given(session.last.time_ms)
        words[SESSION.last_file] = self.files.number(session.last.file)
        words[SESSION.members] = len(session.partitions)
        words[SESSION.held] = first
        words[SESSION.readable : SESSION.size] = 0
        self._entries.put_in_list(row, SESSION.readable, HELD.is_readable, session.readable)
        self._entries.put_in_list(row, SESSION.lagging, HELD.is_lagging, session.lagging)
        self._session_rows[number] = row
        self._here[number] = session
        self.logs.check_out(session, row)
        session.partitions = session.readable = session.lagging = _IN_TABLES

    def check_in_session(self, number: int, *, is_leaving: bool = False) -> None:
        """What the tables know of a session goes to its object.

        Of one that is leaving, all but what it has of partitions.
        """
        session = self._here.pop(number, None)
        if session is None:
            return
        memory, row = self.memory, self._session_rows.pop(number)
        words = memory.tables["sessions"][row : row + SESSION.size].tolist()
        memory.free_session(row)
        self.sessions.note_use(number, words[SESSION.used])
        first = words[SESSION.held]
        buffer = memory.buffer(memory.do("count_of", first=first))
        up_to_date = buffer[: memory.do("leave_all", first=first)].tolist()
        session.readable = self._entries.in_list(words[SESSION.readable], HELD.is_readable)
        session.lagging = self._entries.in_list(words[SESSION.lagging], HELD.is_lagging)
        entries = self._entries.taken(first)
        session.partitions = {}
        if not is_leaving:
            for entry in entries:
                if entry[ENTRY.is_member]:
                    partition = self.numbers.partition(entry[ENTRY.partition])
                    session.partitions[partition] = held_of(entry)
            self.logs.check_in(session, up_to_date)
        if words[SESSION.judged]:
            self._check_in_judged(session, words)

    def _check_in_judged(self, session: LeaderSession, words: list[int]) -> None:
        session.epoch = words[SESSION.epoch]
        file = self.files.name(words[SESSION.last_line_file])
        session.since = Place(file, words[SESSION.last_line])
        session.last = Seen(
            self.numbers.text(words[SESSION.last_connection]),
            words[SESSION.last_position],
            number_in(words[SESSION.last_time]),
            self.files.name(words[SESSION.last_file]),
        )
        longest_ms = float(np.int64(words[SESSION.longest]).view(np.float64))
        longest = structs.replace(session.last, position=words[SESSION.longest_at])
        session.took(longest_ms, longest)
        finding, judged = session.finding, words[SESSION.judged]
        finding.lines += judged
        finding.partial += words[SESSION.partial]
        finding.last = session.since
        finding.last_ms = number_in(words[SESSION.last_line_time])
        finding.api_version = words[SESSION.last_version]
        finding.client_side.judged += judged
        finding.broker_side.judged += judged
