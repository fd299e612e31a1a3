"""What the programs in Python have in common: they read commands, and consume in between."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Sequence
from queue import Empty, Queue
from typing import Protocol

WAIT_MS = 20
"""How long a consumer waits for records before it looks for a command."""


class Consumer(Protocol):
    """A consumer of one client."""

    def poll(self) -> None:
        """Wait for records for `WAIT_MS`."""

    def pause(self, topic: str) -> None:
        """Fetch no more of a topic."""

    def resume(self, topic: str) -> None:
        """Fetch it again."""

    def seek(self, topic: str, offset: int) -> None:
        """Fetch from there on."""

    def assign(self, topics: Sequence[str]) -> None:
        """Fetch these topics only; those that are new from their beginning."""

    def close(self) -> None:
        """End, and wait for nobody."""


def consume(start: Callable[[str, str, Sequence[str]], Consumer], topics: Sequence[str]) -> None:
    """Do what standard input says, for ever; `start` is given a server, a client id and topics."""
    commands: Queue[list[str]] = Queue()
    threading.Thread(target=_read, args=(commands,), daemon=True).start()
    consumer: Consumer | None = None
    assigned: list[str] = []
    while True:
        try:
            command, *arguments = commands.get(block=consumer is None)
        except Empty:
            assert consumer is not None
            consumer.poll()
            continue
        if command == "start":
            if consumer is not None:
                consumer.close()
            port, name = arguments
            consumer = start(f"127.0.0.1:{port}", name, topics)
            assigned = list(topics)
        elif consumer is not None:
            topic = arguments[0]
            if command == "seek":
                consumer.seek(topic, int(arguments[1]))
            elif command in ("drop", "take"):
                (assigned.remove if command == "drop" else assigned.append)(topic)
                consumer.assign(assigned)
            else:
                (consumer.pause if command == "pause" else consumer.resume)(topic)
            print("done", flush=True)


def _read(commands: Queue[list[str]]) -> None:
    for line in sys.stdin:
        commands.put(line.split())
    os._exit(0)  # the process that started this one has ended
