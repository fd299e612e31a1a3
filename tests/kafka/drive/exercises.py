"""What is done with Kafka's classes by tests, in processes of their own.

A Java virtual machine stays in a process until it ends, and other tests measure their process.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from lockstep.drive import driven
from lockstep.drive.departure import Departed
from lockstep.drive.driven import Driven
from lockstep.errors import LockstepError
from lockstep.requests.others import DriveRequest
from lockstep.verbs.drive import drive
from lockstep.workspace import find_workspace
from lockstep_kafka.drive.differences import OF_SESSIONS, OF_THE_CACHE
from lockstep_kafka.drive.fetcher import Fetcher
from lockstep_kafka.drive.jvm import Jvm
from lockstep_kafka.drive.leader import Leader
from lockstep_kafka.drive.messages import Answer, Interest, Messages

T = TypeVar("T")
ROOT = Path(__file__).parents[3]


def in_child(function: Callable[..., T], *arguments: Any) -> T:
    """What a function of this module returns in a process of its own."""
    with get_context("spawn").Pool(1) as pool:
        return pool.apply(function, arguments)


@dataclass(frozen=True)
class Came:
    """What came of a run of `drive`; `ties` are outcomes that Kafka draws by chance."""

    verdict: str
    departs: str = ""
    software: str = ""
    steps: int = 0
    done: int = 0
    chosen: int = 0
    ties: int = 0


def what_came(
    model: str,
    driver: str,
    constants: Mapping[str, Any],
    behaviours: int | None,
    scope: str = "small",
    fault: str | None = None,
) -> Came:
    """What came of driving a scope whole, or along so many random behaviours."""
    try:
        with TemporaryDirectory() as folder:
            request = DriveRequest(
                model=model,
                driver=driver,
                scope=scope,
                constants=constants,
                fault=fault,
                random=behaviours,
                workspace=find_workspace(ROOT),
                save=Path(folder),
            )
            came = drive(request)
    except LockstepError as error:
        return Came("usage", str(error.cure))
    run = came.run
    return Came(
        verdict=str(run.verdict),
        departs="" if run.departed is None else run.departed.shown,
        software=came.software,
        steps=run.steps,
        done=len(run.covered.done),
        chosen=0 if run.graph is None else run.graph.chosen,
        ties=run.not_done.get("not chosen by the software", 0),
    )


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


SHARDS = 8
SHARE = (2**31 - 1) // SHARDS
"""How many ids a shard has."""


def requests_outside_the_table(release: str) -> list[tuple[int, int, int, str, bool]]:
    """What becomes of incremental requests with ids and epochs that no client sends.

    Of each its id, its epoch, the session that is there, the error of the response, if there is
    any, and whether that session is as it was and the only one.
    """
    messages = Messages(Jvm(release))
    leader = Leader(messages, [1] * SHARDS, eviction_ms=120_000)
    opened = leader.serve(messages.request(0, 0, {"p1": Interest(0)}), nothing_new).session_id
    before = leader.session(opened)
    ids = {-(2**31), -SHARE - 1, -SHARE, 1 - SHARE, -1, 0, 1, SHARE, SHARDS * SHARE, 2**31 - 1}
    ids |= {opened, opened - 1, opened + 1, -opened, SHARDS * SHARE - 1}
    came = []
    for session_id in sorted(ids):
        for epoch in (-(2**31), -(2**31) + 1, -3, -2, 1, 2, 2**31 - 2, 2**31 - 1):
            if (session_id, epoch) == (opened, 1):
                continue  # which is in order
            try:
                error = leader.serve(messages.request(session_id, epoch, {}), nothing_new).error
            except Exception as failure:
                error = "out of bounds" if "OutOfBounds" in type(failure).__name__ else "failure"
            is_as_before = leader.session(opened) == before and leader.size == 1
            came.append((session_id, epoch, opened, error, is_as_before))
    return came


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
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job ignores it
    Jvm("4.4.0")
    try:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(10)
    except KeyboardInterrupt:
        return "it is Python's"
    return "it was lost"


ASKED = {
    "fetch_offset": 1,
    "log_start_offset": -1,
    "partition_max_bytes": 0,
    "current_leader_epoch": -1,
    "last_fetched_epoch": -1,
}


def _use_a_session(leader: Driven) -> None:
    """Nothing is new, the watermark moves, the log start moves, and a request arrives twice."""

    def serve(stimulus: str = "serve", via: str = "AWAITED") -> None:
        filled = {"filled": frozenset[str]()} if stimulus == "serve" else {}
        leader.do(stimulus, f="c1", via=via, **filled)

    wanted = {"p1": ASKED}
    leader.do("send_full", f="c1", wanted=wanted)
    serve()
    leader.do("receive", f="c1")
    for news in ("", "advance_high_watermark", "advance_log_start"):
        if news == "advance_high_watermark":
            leader.do("append", p="p1", end=1)
        if news:
            leader.do(news, p="p1", to=1)
        leader.do("send_incremental", f="c1", wanted=wanted)
        serve()
        leader.do("receive", f="c1")
    leader.do("send_incremental", f="c1", wanted=wanted)
    leader.do("duplicate", f="c1")
    serve(via="STRAY")
    serve("serve_without_data")


_WANTED = {"p1": {**ASKED, "fetch_offset": 0}}
_SENT: tuple[tuple[str, Mapping[str, object]], ...] = (
    ("send_full", {"wanted": _WANTED}),
    ("serve", {"via": "AWAITED"}),
    ("receive", {}),
)
_SENT_AGAIN = ("send_incremental", {"wanted": _WANTED})
_UNKNOWN = (_SENT_AGAIN, ("serve_without_data", {"via": "AWAITED"}))
DISTURBANCES: Mapping[str, Sequence[tuple[str, Mapping[str, object]]]] = {
    "an eviction": (*_SENT, ("evict", {"i": 1}), *_UNKNOWN),
    "a restart": (*_SENT, ("restart_broker", {}), *_UNKNOWN),
    "a quota": (*_SENT, _SENT_AGAIN, ("serve_incremental_throttled", {"via": "AWAITED"})),
    "a connection that is cut": (
        *_SENT,
        _SENT_AGAIN,
        ("disconnect", {"arrives": True}),
        ("serve", {"via": "STRAY"}),
    ),
    "a topic that is made again": (
        *_SENT,
        ("send_replacing", {"wanted": _WANTED, "replaced": frozenset({"p1"})}),
        ("serve", {"via": "AWAITED"}),
        ("receive", {}),
        _SENT_AGAIN,
        ("serve", {"via": "AWAITED"}),
    ),
    "a client that names topics": (
        *_SENT,
        _SENT_AGAIN,
        ("serve_topic_id_error", {"via": "AWAITED"}),
    ),
    "a full cache": (_SENT[0], ("serve_full_without_session", {"via": "AWAITED"})),
}
"""What a broker on loopback is disturbed by, each as stimuli of one fetcher."""


def disturbing(driver: str) -> list[str]:
    """The disturbances of which a broker offers every step, and after which of them it departs."""
    found = []
    with driven("fetch_session", driver, scope="topics", workspace=ROOT) as broker:
        for name, steps in DISTURBANCES.items():
            broker.reset()
            own = ("evict", "restart_broker")
            try:
                for one, of in steps:
                    assert broker.do(one, **({} if one in own else {"f": "c1"}), **of), name
                found.append(name)
            except Departed:
                found.append(f"{name}: departs")
    return found


def _fill_the_cache(cache: Driven) -> None:
    """Two sessions are opened, and a third one, larger, is refused."""
    for x in ("slot1", "slot2"):
        cache.do("propose", privileged=False, size=1)
        cache.do("create_in_free_slot", x=x)
    cache.do("propose", privileged=False, size=2)
    cache.do("decide")


def departing() -> list[str]:
    """Those of all drivers, with each difference and without any, that depart in a few steps."""
    names = ["kafka-sessions", *(f"kafka-sessions+{name}" for name in OF_SESSIONS)]
    names += ["kafka-session-cache", *(f"kafka-session-cache+{name}" for name in OF_THE_CACHE)]
    found = []
    for name in names:
        is_cache = name.startswith("kafka-session-cache")
        model = "session_cache" if is_cache else "fetch_session"
        with driven(model, name, scope="small", workspace=ROOT) as software:
            try:
                (_fill_the_cache if is_cache else _use_a_session)(software)
            except Departed:
                found.append(name)
    return found


def refused_by_the_letter() -> str:
    """What is said where both sessions are old, were used when they were young, and are smaller."""
    with driven("session_cache", "kafka-session-cache", scope="small", workspace=ROOT) as cache:
        for x in ("slot1", "slot2"):
            cache.do("propose", privileged=False, size=1)
            cache.do("create_in_free_slot", x=x)
        cache.do("tick")
        for x in ("slot1", "slot2"):
            cache.do("use", x=x, size=1)
        cache.do("tick")
        cache.do("propose", privileged=False, size=2)
        try:
            cache.do("decide")
        except Departed as departed:
            return str(departed)
    return "it conforms"


def usage_mistakes() -> list[str]:
    """The cures where a difference, a driver and a broker are misspelt."""
    drivers = (
        "kafka-sessions+wrong-idd",
        "kafka-brokr",
        "kafka-broker:kfaek",
        "kafka-broker:4.9.9+as-it-is",
        "kafka-broker+as-it-is",
    )
    with TemporaryDirectory(prefix="a-folder-whose-path-is-longer-than-a-name-") as folder:
        os.chdir(folder)  # the cure is the same wherever the command is given
        try:
            return [what_came("fetch_session", driver, {}, 1).departs for driver in drivers]
        finally:
            os.chdir(ROOT)


_POLLED: Sequence[tuple[str, Mapping[str, object]]] = (
    ("send_full", {}),
    ("accept", {"via": "AWAITED"}),
    ("answer", {"via": "AWAITED"}),
    ("receive", {}),
    ("send_incremental", {}),
    ("accept", {"via": "AWAITED"}),
)
"""A session is there, and a poll of it waits."""
_GIVEN_UP = ("give_up", {"arrives": False})
POLLS: Mapping[str, Sequence[tuple[str, Mapping[str, object]]]] = {
    "a poll that is woken": (
        *_POLLED,
        ("change", {}),
        ("answer", {"via": "AWAITED"}),
        ("receive", {}),
    ),
    "a session that is evicted while its poll waits": (
        *_POLLED,
        ("evict", {"i": 1}),
        ("answer", {"via": "AWAITED"}),
        ("receive", {}),
    ),
    "a copy that comes while its poll waits": (
        *_POLLED[:-1],
        ("repeat", {}),
        _POLLED[-1],
        ("accept", {"via": "STRAY"}),
    ),
    "a close that overtakes a poll": (
        *_POLLED,
        _GIVEN_UP,
        ("send_final", {}),
        ("accept", {"via": "AWAITED"}),
        ("answer_without_session", {"via": "AWAITED"}),
        ("answer", {"via": "STRAY"}),
    ),
    "a poll that is overtaken": (
        *_POLLED,
        ("send_racing", {}),
        ("accept", {"via": "AWAITED"}),
        ("answer", {"via": "STRAY"}),
        ("answer", {"via": "AWAITED"}),
    ),
    "a full cache": (
        *_POLLED[:2],
        ("answer_without_session", {"via": "AWAITED"}),
        ("receive", {}),
    ),
    "a full cache, and nobody awaits the answer": (
        *_POLLED[:2],
        _GIVEN_UP,
        ("answer_without_session", {"via": "STRAY"}),
    ),
    "a quota, and nobody awaits the answer": (
        *_POLLED[:2],
        _GIVEN_UP,
        ("answer_throttled_full", {"via": "STRAY"}),
    ),
    "a quota": (*_POLLED[:2], ("answer_throttled_full", {"via": "AWAITED"}), ("receive", {})),
    "a session that is evicted after its answer was lost": (
        *_POLLED,
        ("send_racing", {}),
        ("change", {}),
        ("answer", {"via": "STRAY"}),
        ("accept", {"via": "AWAITED"}),
        ("evict", {"i": 1}),
        ("answer", {"via": "AWAITED"}),
        ("receive", {}),
    ),
}
"""What happens while polls wait at a broker."""


def polling(driver: str) -> list[str]:
    """Those of `POLLS` after which a broker departs; every step of the others is offered."""
    found = []
    with driven("long_polls", driver, scope="racing", workspace=ROOT) as broker:
        for name, steps in POLLS.items():
            broker.reset()
            try:
                assert all([broker.do(one, **of) for one, of in steps]), name
            except Departed:
                found.append(name)
    return found
