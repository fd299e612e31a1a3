"""What a broker has answered of its partitions, in the tables of the kernel alone."""

from __future__ import annotations

import numpy as np

from lockstep_kafka.columns.kernels.layout import IS_LATER, IS_LATEST, LOG, TELLING
from lockstep_kafka.columns.memory import Memory
from lockstep_kafka.columns.numbers import Files, Numbers, given, number_in
from lockstep_kafka.files.lines import AnsweredPartition, TopicPartition
from lockstep_kafka.sessions.exchange import Exchange
from lockstep_kafka.sessions.knowledge import Connection, LeaderSession
from lockstep_kafka.sessions.leader_logs import LeaderLog, LeaderLogs, Telling


class ColumnLogs(LeaderLogs):
    """Keeps answers in tables. Of sessions that are in tables, these say who is up to date."""

    def __init__(self, memory: Memory, numbers: Numbers, files: Files) -> None:
        super().__init__()
        self._memory = memory
        self._numbers = numbers
        self._files = files

    def row(self, number: int) -> int:
        """The row of a partition, a new one where it has none."""
        row = int(self._memory.tables["log_of"][number])
        if row == 0:
            row = self._memory.tables["log_of"][number] = self._memory.new_log()
        return row

    def _row_of(self, partition: TopicPartition) -> int:
        return self.row(self._numbers.of_partition(partition))

    def state(self) -> dict[TopicPartition, LeaderLog]:
        rows = self._memory.tables["log_of"][: self._memory["partitions_count"]]
        logs = self._memory.tables["logs"]
        return {
            self._numbers.partition(number): self._log(int(rows[number]))
            for number in np.flatnonzero(rows).tolist()
            if logs[rows[number] + LOG.exists]
        }

    def _log(self, row: int) -> LeaderLog:
        words = self._memory.tables["logs"]
        at, count = row + LOG.tellings, int(words[row + LOG.count])
        tellings = words[at : at + TELLING.size * count].reshape(-1, TELLING.size).tolist()
        return LeaderLog(
            int(words[row + LOG.leader_epoch]),
            [
                Telling(position, number_in(time), high_watermark, log_start)
                for position, time, high_watermark, log_start in tellings
            ],
            self._files.name(words[row + LOG.file]),
        )

    def restore(self, logs: dict[TopicPartition, LeaderLog]) -> None:
        for partition, log in logs.items():
            row = self._row_of(partition)
            words = self._memory.tables["logs"]
            words[row + LOG.exists], words[row + LOG.leader_epoch] = 1, log.leader_epoch
            words[row + LOG.file] = self._files.number(log.file)
            words[row + LOG.count] = len(log.tellings)
            at = row + LOG.tellings
            words[at : at + TELLING.size * len(log.tellings)] = [
                word
                for one in log.tellings
                for word in (one.position, given(one.time_ms), one.high_watermark, one.log_start)
            ]

    def _before(
        self, partition: TopicPartition, leader_epoch: int, connection: Connection
    ) -> tuple[int, int]:
        memory, row = self._memory, self._row_of(partition)
        words = memory.tables["logs"]
        if not words[row + LOG.exists] or words[row + LOG.leader_epoch] != leader_epoch:
            return 0, 0
        telling = memory.do(
            "least_reported",
            owner=row,
            seen_position=connection.position,
            seen_time=given(connection.time_ms),
            seen_file=self._files.number(connection.file),
        )
        if telling == 0:
            return 0, 0
        return int(words[telling + TELLING.high_watermark]), int(words[telling + TELLING.log_start])

    def tell(
        self,
        partition: TopicPartition,
        leader_epoch: int,
        answer: AnsweredPartition,
        exchange: Exchange,
    ) -> bool:
        line, row = exchange.line, self._row_of(partition)
        self._memory.tables["buffer"][:6] = (
            leader_epoch,
            self._files.number(line.file),
            exchange.position.number,
            given(line.time_ms),
            max(answer.high_watermark, 0),
            max(answer.log_start_offset, 0),
        )
        code = self._memory.do("keep_reported", owner=row)
        if code & IS_LATER:
            self._outdate(partition)
        return bool(code & IS_LATEST)

    def forget(self, partition: TopicPartition) -> None:
        self._forget(self._row_of(partition))

    def forget_all(self) -> None:
        for row in np.flatnonzero(self._memory.tables["log_of"]).tolist():
            self._forget(int(self._memory.tables["log_of"][row]))

    def _forget(self, row: int) -> None:
        words = self._memory.tables["logs"]
        words[row + LOG.exists] = words[row + LOG.count] = 0

    def check_in(self, session: LeaderSession, numbers: list[int]) -> None:
        """A session that is up to date in partitions of these numbers is in the tables no more."""
        for partition in map(self._numbers.partition, numbers):
            self.watch(partition, session)

    def check_out(self, session: LeaderSession, row: int) -> None:
        """A session is at a row of the tables from now on, and is up to date there."""
        up = [one for one in session.partitions if session in self._up_to_date.get(one, ())]
        if not up:
            return
        numbers = []
        for partition in up:
            self.leave(partition, session)
            numbers.append(self._numbers.of_partition(partition))
            self.row(numbers[-1])
        self._memory.buffer(len(numbers))[: len(numbers)] = numbers
        if self._memory.do("watch_all", owner=row, count=len(numbers)):
            raise AssertionError("a session is up to date in a partition that it does not have")
