"""Python's objects in the tables: numbers of texts and partitions, and entries of sessions."""

from __future__ import annotations

from typing import Any, TypeAlias

from lockstep_kafka.columns.kernels.layout import (
    ENTRY,
    FILE_BITS,
    FILES,
    HALF_OF_THE_IDS,
    NO_ORDER_FILE,
    NO_TIME,
    NOT_GIVEN,
    PARTITION,
    TEXT,
)
from lockstep_kafka.columns.memory import Memory
from lockstep_kafka.files.lines import RequestedPartition, TopicPartition
from lockstep_kafka.sessions.knowledge import NO_ORDER, Held

_TEXTS_AT_HAND = 2_048
"""Texts whose numbers are known without the tables: most are names of connections."""


def given(number: int | None) -> int:
    """A number as a table has it."""
    return NOT_GIVEN if number is None else number


def number_in(word: int) -> int | None:
    """A number of a table; None where it is not given."""
    return None if word == NOT_GIVEN else word


class Files:
    """The numbers of files."""

    def __init__(self) -> None:
        self._names = [NO_ORDER]
        self._numbers = {NO_ORDER: NO_ORDER_FILE}

    def name(self, number: int) -> str:
        """The file of a number."""
        return self._names[number]

    def number(self, name: str) -> int:
        """The number of a file, a new one where it has none."""
        number = self._numbers.setdefault(name, len(self._names))
        if number == len(self._names):
            self._names.append(name)
        return number


class Numbers:
    """The numbers that texts and partitions have in the tables."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._texts: dict[int, str] = {}
        self._of_text: dict[str, int] = {}
        self._partitions: dict[int, TopicPartition] = {}
        self._of_partition: dict[TopicPartition, int] = {}

    def text(self, number: int) -> str:
        """The text of a number."""
        text = self._texts.get(number)
        if text is None:
            row = number * TEXT.size
            start, length = self._memory.tables["texts"][
                row + TEXT.start : row + TEXT.size
            ].tolist()
            text = self._memory.tables["names"][start : start + length].tobytes().decode()
            self._keep(number, text)
        return text

    def of_text(self, text: str) -> int:
        """The number of a text, a new one where it has none."""
        number = self._of_text.get(text)
        if number is None:
            number = self._memory.number_of_text(text.encode())
            self._keep(number, text)
        return number

    def _keep(self, number: int, text: str) -> None:
        if len(self._texts) >= _TEXTS_AT_HAND:
            self._texts.clear()
            self._of_text.clear()
        self._texts[number], self._of_text[text] = text, number

    def partition(self, number: int) -> TopicPartition:
        """The partition of a number."""
        partition = self._partitions.get(number)
        if partition is None:
            row = number * PARTITION.size
            topic, index = self._memory.tables["partitions"][row : row + PARTITION.size].tolist()
            partition = self._partitions[number] = TopicPartition(self.text(topic), index)
            self._of_partition[partition] = number
        return partition

    def of_partition(self, partition: TopicPartition) -> int:
        """The number of a partition, a new one where it has none."""
        number = self._of_partition.get(partition)
        if number is None:
            topic = self.of_text(partition.topic)
            number = self._memory.number_of_partition(topic, partition.partition)
            self._of_partition[partition] = number
            self._partitions[number] = partition
        return number


def wanted_words(wanted: RequestedPartition | None) -> tuple[int, ...]:
    """What is asked of a partition as words."""
    if wanted is None:
        return 0, 0, 0, 0, 0
    return (
        wanted.fetch_offset,
        wanted.log_start_offset,
        wanted.max_bytes,
        wanted.leader_epoch,
        wanted.last_fetched_epoch,
    )


def wanted_of(entry: list[int]) -> RequestedPartition:
    """What is asked of the partition of an entry."""
    return RequestedPartition(*entry[ENTRY.offset : ENTRY.last_fetched + 1])


def held_words(held: Held) -> tuple[int, ...]:
    """What a session has cached as words."""
    return (
        int(held.interest is not None),
        *wanted_words(held.interest),
        held.high_watermark,
        held.log_start,
        held.stable,
        held.reported_epoch,
    )


def held_of(entry: list[int]) -> Held:
    """What a session has cached of the partition of an entry."""
    interest = wanted_of(entry) if entry[ENTRY.has_interest] else None
    return Held(interest, *entry[ENTRY.high_watermark : ENTRY.size])


Other: TypeAlias = tuple[int, int, int, int]
"""A request of another API: its correlation id, position, time and file, as a row has them."""


def other_fits(other: Other) -> bool:
    """Whether the table of such requests can have it: other ones are left to Python."""
    correlation, _, time, file = other
    is_time = time == NOT_GIVEN or NO_TIME < time < -NO_TIME
    return is_time and file < FILES and -HALF_OF_THE_IDS <= correlation < HALF_OF_THE_IDS


def other_words(other: Other) -> tuple[int, ...]:
    """A request of another API as words of `OTHER_REQUEST`."""
    correlation, position, time, file = other
    return correlation << 32, position, max(time, NO_TIME) << FILE_BITS | file


def other_of(words: list[int]) -> Other:
    """The request of another API that these words are."""
    link, position, packed = words
    time = packed >> FILE_BITS
    return link >> 32, position, NOT_GIVEN if time == NO_TIME else time, packed & (FILES - 1)


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

    def taken(self, first: int) -> list[list[int]]:
        """The entries from a first one on, as words of `ENTRY`; they are released.

        What was put there first comes first, as in a dictionary.
        """
        if first == 0:
            return []
        count = self._memory.do("count_of", first=first)
        buffer = self._memory.buffer(count * ENTRY.size)
        self._memory.do("take_entries", first=first)
        entries: list[list[int]] = buffer[: count * ENTRY.size].reshape(-1, ENTRY.size).tolist()
        entries.reverse()
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
