"""What Python's objects and the tables know of one broker, each thing in one place at a time.

What the kernel works on is checked out of the objects; it is checked in again as soon as anything
in Python looks it up. So the mappings of a `Broker` always give what is known now.
"""

from __future__ import annotations

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
    given,
    held_of,
    held_words,
    number_in,
    wanted_of,
    wanted_words,
)
from lockstep_kafka.findings import Place
from lockstep_kafka.sessions.broker import Tables
from lockstep_kafka.sessions.knowledge import Connection, Fetcher, LeaderSession, Seen


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
        self.fetchers = Fetchers(self.check_in_connection, self.check_in_all_connections)
        self.logs = ColumnLogs(memory, self.numbers, self.files)
        self._checked_out: dict[int, tuple[Connection, int]] = {}
        self._session_rows: dict[int, int] = {}
        self._here: dict[int, LeaderSession] = {}

    def tables(self) -> Tables:
        """The mappings of a `Broker` that check in what is looked up."""
        return Tables(self.sessions, self.connections, self.fetchers, self.logs)

    def _session_used(self, number: int) -> int:
        row = self._session_rows.get(number)
        return 0 if row is None else int(self.memory.tables["sessions"][row + SESSION.used])

    def _connection_used(self, name: str) -> int:
        row = int(self.memory.tables["connection_of"][self.numbers.of_text(name)])
        return int(self.memory.tables["connections"][row + CONNECTION.used])

    def check_out_connection(self, row: int) -> bool:
        """Whether the connection is known; its row then has what is known of it."""
        memory, table = self.memory, self.memory.tables["connections"]
        name = self.numbers.text(int(table[row + CONNECTION.name]))
        connection = self.connections.kept(name)
        if connection is None:
            return False
        words = table[row : row + CONNECTION.size]
        words[CONNECTION.correlation] = given(connection.correlation_id)
        words[CONNECTION.position] = connection.position
        words[CONNECTION.time] = given(connection.time_ms)
        words[CONNECTION.file] = self.files.number(connection.file)
        words[CONNECTION.unwanted] = 0
        words[CONNECTION.is_odd] = 0
        words[CONNECTION.has_outside] = connection.outside is not None
        self._put_others(row, connection)
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
        memory.tables["connections"][row + CONNECTION.is_here] = 1
        used = int(memory.tables["connections"][row + CONNECTION.used])
        self._checked_out[row] = connection, used
        return True

    def _put_others(self, row: int, connection: Connection) -> None:
        others = connection._others
        if not others:
            return
        count = len(others)
        self.memory.room_for_others(count)
        buffer = self.memory.buffer(count * OTHER_REQUEST.size)
        buffer[: count * OTHER_REQUEST.size] = [
            word
            for correlation, (position, time_ms, file) in others.items()
            for word in (correlation, position, given(time_ms), self.files.number(file), 0)
        ]
        self.memory.do("put_others", owner=row, count=count)

    def check_in_connection(self, name: str) -> None:
        """What the tables know of a connection goes to its object."""
        number = self.numbers.of_text(name)
        row = int(self.memory.tables["connection_of"][number])
        if row == 0 or row not in self._checked_out:
            return
        memory, table = self.memory, self.memory.tables["connections"]
        connection, used = self._checked_out.pop(row)
        table[row + CONNECTION.is_here] = 0
        words = table[row : row + CONNECTION.size].tolist()
        if words[CONNECTION.used] != used:
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
        others = connection._others
        others.clear()
        if words[CONNECTION.others_count]:
            count = words[CONNECTION.others_count]
            buffer = memory.buffer(count * OTHER_REQUEST.size)
            memory.do("others_of", owner=row)
            entries = buffer[: count * OTHER_REQUEST.size].reshape(-1, OTHER_REQUEST.size).tolist()
            for correlation, position, time, file, _ in entries:
                others[correlation] = position, number_in(time), self.files.name(file)
            memory.do("drop_others", owner=row)
        fetcher = connection.fetcher
        if fetcher is not None and not words[CONNECTION.is_odd]:
            if words[CONNECTION.is_changed]:
                self._check_in_fetcher(fetcher, words, name)
            memory.do("release", first=words[CONNECTION.wanted])
            table[row + CONNECTION.wanted] = 0
            table[row + CONNECTION.is_changed] = 0

    def check_in_all_connections(self) -> None:
        """What the tables know of connections goes to their objects."""
        table = self.memory.tables["connections"]
        for row in list(self._checked_out):
            self.check_in_connection(self.numbers.text(int(table[row + CONNECTION.name])))

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
        is_whole = bool(words[CONNECTION.unwanted])
        if is_whole:
            fetcher.fetching.clear()
        for entry in self._entries.changed(words[CONNECTION.wanted], is_whole):
            partition = self.numbers.partition(entry[ENTRY.partition])
            fetcher.fetching[partition] = wanted_of(entry)

    def check_out_sessions(self) -> None:
        """The tables have all sessions from here on, until one is looked up."""
        for session in self.sessions.take_up():
            self._check_out_session(session)

    def _check_out_session(self, session: LeaderSession) -> None:
        memory, number = self.memory, session.number
        memory.room_for_session()
        row = memory.do("put_session", number=number)
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
        words = memory.tables["sessions"][row : row + SESSION.size]
        words[SESSION.is_here] = 1
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
        words[SESSION.deleted : SESSION.size] = 0
        self._entries.put_in_list(row, SESSION.readable, HELD.is_readable, session.readable)
        self._entries.put_in_list(row, SESSION.lagging, HELD.is_lagging, session.lagging)
        self._session_rows[number] = row
        self._here[number] = session
        self.logs.check_out(session, row)

    def check_in_session(self, number: int) -> None:
        """What the tables know of a session goes to its object."""
        session = self._here.pop(number, None)
        if session is None:
            return
        memory, row = self.memory, self._session_rows[number]
        words = memory.tables["sessions"][row : row + SESSION.size].tolist()
        memory.tables["sessions"][row + SESSION.is_here] = 0
        first = words[SESSION.held]
        buffer = memory.buffer(memory.do("count_of", first=first))
        up_to_date = buffer[: memory.do("leave_all", first=first)].tolist()
        numbers = self.numbers
        is_whole = bool(words[SESSION.deleted])
        kept = session.partitions
        if is_whole:
            session.partitions = {}
        for entry in self._entries.changed(first, is_whole):
            if entry[ENTRY.is_member]:
                partition = numbers.partition(entry[ENTRY.partition])
                session.partitions[partition] = held_of(entry, kept.get(partition))
        session.readable = self._entries.in_list(words[SESSION.readable], HELD.is_readable)
        session.lagging = self._entries.in_list(words[SESSION.lagging], HELD.is_lagging)
        memory.do("release", first=first)
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
        finding, judged = session.finding, words[SESSION.judged]
        finding.lines += judged
        finding.partial += words[SESSION.partial]
        finding.last = session.since
        finding.last_ms = number_in(words[SESSION.last_line_time])
        finding.api_version = words[SESSION.last_version]
        finding.client_side.judged += judged
        finding.broker_side.judged += judged
