"""What Python's objects are in the tables: numbers of texts and partitions, and words of rows."""

from __future__ import annotations

from lockstep_kafka.columns.kernels.layout import ENTRY, NOT_GIVEN, PARTITION, TEXT
from lockstep_kafka.columns.memory import Memory
from lockstep_kafka.files.lines import RequestedPartition, TopicPartition
from lockstep_kafka.sessions.knowledge import Held


def given(number: int | None) -> int:
    """A number as a table has it."""
    return NOT_GIVEN if number is None else number


def number_in(word: int) -> int | None:
    """A number of a table; None where it is not given."""
    return None if word == NOT_GIVEN else word


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
            self._texts[number] = text
            self._of_text[text] = number
        return text

    def of_text(self, text: str) -> int:
        """The number of a text, a new one where it has none."""
        number = self._of_text.get(text)
        if number is None:
            number = self._of_text[text] = self._memory.number_of_text(text.encode())
            self._texts[number] = text
        return number

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
        held.told_epoch,
    )


def held_of(entry: list[int], held: Held | None) -> Held:
    """What a session has cached of the partition of an entry, in the object that is there."""
    held = Held(None) if held is None else held
    held.interest = wanted_of(entry) if entry[ENTRY.has_interest] else None
    held.high_watermark = entry[ENTRY.high_watermark]
    held.log_start = entry[ENTRY.told_log_start]
    held.stable = entry[ENTRY.stable]
    held.told_epoch = entry[ENTRY.told_epoch]
    return held
