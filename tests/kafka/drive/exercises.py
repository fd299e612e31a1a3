"""What is done with Kafka's classes by tests, in processes of their own.

A Java virtual machine stays in a process until it ends, and other tests measure their process.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from multiprocessing import get_context
from typing import Any, TypeVar

from lockstep.errors import LockstepError
from lockstep_kafka.drive.fetcher import Fetcher
from lockstep_kafka.drive.jvm import Jvm
from lockstep_kafka.drive.leader import Leader
from lockstep_kafka.drive.messages import Answer, Interest, Messages

T = TypeVar("T")


def in_child(function: Callable[..., T], *arguments: Any) -> T:
    """What a function of this module returns in a process of its own."""
    with get_context("spawn").Pool(1) as pool:
        return pool.apply(function, arguments)


def nothing_new(p: str, asked: Interest) -> tuple[Answer, bool]:
    """Logs that have one record, below the high watermark."""
    return Answer(high_watermark=1, log_start_offset=0, records=asked.fetch_offset == 0), False


def life_of_a_session(release: str) -> list[object]:
    """A session is opened, used, throttled, evicted, and not found; what was seen of it."""
    messages = Messages(Jvm(release))
    leader = Leader(messages, [1], eviction_ms=120_000)
    fetcher = Fetcher(messages, is_follower=False)
    wanted = {"p1": Interest(0), "p2": Interest(0)}
    opened = leader.serve(fetcher.build(wanted), nothing_new)
    session = leader.session(opened.session_id)
    assert session is not None
    seen: list[object] = [opened.error, sorted(opened.partitions), session.epoch]
    seen.append((leader.size, leader.total_partitions, leader.evictions))

    fetcher.receive(opened)
    moved = fetcher.build({"p1": Interest(1)})
    seen.append((moved.session_id == opened.session_id, moved.epoch, moved.partitions))
    seen.append(moved.forgotten)
    answered = leader.serve(moved, nothing_new)
    seen.append((answered.session_id == opened.session_id, answered.partitions))
    repeated = leader.serve(moved, nothing_new)
    seen.append((repeated.error, repeated.session_id))

    fetcher.receive(answered)
    throttled = leader.throttle(leader.open(fetcher.build({"p1": Interest(1)})))
    seen.append((throttled.error, throttled.throttled, throttled.partitions))
    fetcher.receive(throttled)

    leader.now += 120_001
    leader.serve(messages.request(0, 0, wanted, is_follower=True), nothing_new)
    seen.append((leader.session(opened.session_id), leader.size, leader.evictions))
    unknown = leader.serve(fetcher.build({"p1": Interest(1)}), nothing_new)
    seen.append(unknown.error)
    fetcher.receive(unknown)
    seen.append(fetcher.metadata)
    return seen


def turns_of_two_shards(release: str) -> list[int]:
    """Which shard has each of four new sessions, from the first turn that is seen."""
    messages = Messages(Jvm(release))
    leader = Leader(messages, [3, 3], eviction_ms=1)
    opened = [leader.serve(messages.request(0, 0, {}), nothing_new) for _ in range(4)]
    return [leader.shard(one.session_id) for one in opened]


def second_release() -> str:
    """What is said where a process asks for another release after the first."""
    Jvm("4.4.0")
    try:
        Jvm("4.3.1")
    except LockstepError as error:
        return str(error)
    return "it was loaded"


def ctrl_c() -> str:
    """What becomes of an interrupt in a process with Java."""
    Jvm("4.4.0")
    try:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(10)
    except KeyboardInterrupt:
        return "it is Python's"
    return "it was lost"
