"""What sessions and fetchers have of partitions, on its way between objects and tables."""

from __future__ import annotations

from typing import Any

from lockstep_kafka.columns.kernels.layout import ENTRY
from lockstep_kafka.columns.memory import Memory
from lockstep_kafka.columns.numbers import Numbers
from lockstep_kafka.files.lines import TopicPartition


class Entries:
    """Exchanges many entries at a time."""

    def __init__(self, memory: Memory, numbers: Numbers) -> None:
        self._memory = memory
        self._numbers = numbers

    def hold(self, owner: int, entries: list[Any]) -> int:
        """Entries of an owner that has none, of words of `ENTRY`; its first one."""
        count = len(entries)
        if not count:
            return 0
        self._memory.room_for_held(count)
        buffer = self._memory.buffer(count * ENTRY.size)
        buffer[: count * ENTRY.size] = [word for entry in entries for word in entry]
        return self._memory.do("hold_all", owner=owner, count=count)

    def changed(self, first: int, is_whole: bool) -> list[list[int]]:
        """The changed entries from a first one on, or all, as words of `ENTRY`."""
        if first == 0:
            return []
        count = self._memory.do("count_of", first=first)
        buffer = self._memory.buffer(count * ENTRY.size)
        count = self._memory.do("entries_of", first=first, is_whole=int(is_whole))
        entries: list[list[int]] = buffer[: count * ENTRY.size].reshape(-1, ENTRY.size).tolist()
        return entries

    def put_in_list(
        self, row: int, ends: int, flag: int, partitions: dict[TopicPartition, None]
    ) -> None:
        """Put partitions in a list of the session of a row, as `append` has it."""
        if not partitions:
            return
        count = len(partitions)
        numbers = [self._numbers.of_partition(partition) for partition in partitions]
        self._memory.buffer(count)[:count] = numbers
        if self._memory.do("list_all", owner=row, ends=ends, flag=flag, count=count):
            raise AssertionError("a session lists a partition that it does not have")

    def in_list(self, first: int, flag: int) -> dict[TopicPartition, None]:
        """The partitions of a list, from its first entry on."""
        if first == 0:
            return {}
        buffer = self._memory.tables["buffer"]
        count = self._memory.do("listed", first=first, flag=flag)
        return {self._numbers.partition(number): None for number in buffer[:count].tolist()}
