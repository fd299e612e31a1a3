"""`fetch_session` on a whole broker, over its sockets.

The fetchers are Kafka's `FetchSessionHandler`, as in `kafka_sessions`; the leader is a broker on
loopback. Offsets are counted from where its logs end when a behaviour begins. Requests that nobody
waits for come by a second connection.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

from lockstep.drive.driver import NOT_DONE, Driver
from lockstep.errors import LockstepError, nearest
from lockstep_kafka.drive.broker import KFAKE, OVER_QUOTA, SHARDS, Logs
from lockstep_kafka.drive.jvm import Jvm
from lockstep_kafka.drive.kafka_polls import KafkaPolls
from lockstep_kafka.drive.kafka_sessions import SESSIONLESS, KafkaSessions
from lockstep_kafka.drive.leader import Session
from lockstep_kafka.drive.messages import (
    BEFORE_TOPIC_IDS,
    VERSION,
    Interest,
    Messages,
    Request,
    Response,
    taken_in,
)
from lockstep_kafka.drive.running import Running, Slots, require_slots, shard
from lockstep_kafka.jars import BROKER_JARS

_OTHERS: Mapping[str, object] = {
    "FOLLOWERS": "followers have a broker each",
    "DIVERGING_EPOCHS": "the topic has one leader epoch",
}
"""The constants that are empty here, and why."""
_NOT_OF_KFAKE = (
    "evict",
    "restart_broker",
    "send_replacing",
    "serve_full_without_session",
    "serve_incremental_throttled",
    "serve_topic_id_error",
)
"""What is not offered by kfake, which has neither bounds of its cache, nor quotas, nor a disk; its
topics and versions are not tried."""
_MOST_RESTARTS = 2
"""How often a broker is restarted in a run: it takes seconds."""


class KafkaBroker(KafkaSessions):
    """What drives `fetch_session` on a broker of a release, whose cache is not looked into.

    What is known to be otherwise in kfake is not asked of it.
    """

    is_as_it_is: ClassVar = False

    decides: ClassVar = {
        "serve_sessionless": ("filled",),
        "serve_full_creating": ("filled", "i"),
        "serve_full_without_session": ("filled",),
        "serve_incremental": ("filled",),
    }
    never: ClassVar = {
        "fail_partition": "the broker is the only one",
        "recover_partition": "the broker is the only one",
    }

    def __init__(self, running: Running) -> None:
        self._broker, self.software = running, running.software
        is_kfake = running.release == KFAKE
        self._keeps_empty = is_kfake and not self.is_as_it_is
        self._left_out = _NOT_OF_KFAKE if is_kfake else ()
        self._restarts = 0
        self._messages = self._of_logs = _Messages(running.jvm)
        self._slots = Slots(self._messages, partial(self._ask, "STRAY"))
        self._open: dict[int, Mapping[str, Interest]] = {}
        """What the broker's sessions have, by their ids."""

    def check(self, constants: Mapping[str, Any]) -> None:
        for name, why in _OTHERS.items():
            if constants[name]:
                raise LockstepError(
                    f"no broker is driven with {name} = {constants[name]}: {why}",
                    cure="choose another scope, or drive `kafka-sessions`",
                )
        require_slots(constants["SESSION_IDS"])

    def reset(self, constants: Mapping[str, Any]) -> None:
        for number in self._open:
            self._ask("AWAITED", self._messages.request(number, -1, {}))
        for p in constants["PARTITIONS"]:
            self._of_logs.begin(p, self._broker.logs)
        super().reset(constants)

    def _start_leader(self) -> None:
        self._open = {}

    def close(self) -> None:
        """Stop the broker and the clients."""
        self._broker.close()

    def do(self, action: str, arguments: Mapping[str, Any]) -> object:
        return NOT_DONE if action in self._left_out else super().do(action, arguments)

    # The leader's logs.

    def _do_advance_high_watermark(self, p: str, to: int) -> None:
        self._append(p, to - self._high_watermark[p])
        self._high_watermark[p] = to

    def _append(self, p: str, many: int) -> None:
        for _ in range(many):
            self._of_logs.ends[p] = self._broker.logs.append(p)

    def _do_advance_log_start(self, p: str, to: int) -> None:
        self._broker.logs.delete_before(p, self._of_logs.begins[p] + to)
        self._log_start[p] = to

    def _do_send_replacing(
        self, f: str, wanted: Mapping[str, Any], replaced: frozenset[str]
    ) -> object:
        """Topics are deleted and made again, and their logs filled as they were."""
        if any(map(replaced.intersection, self._mentions(f))):
            return NOT_DONE  # by its old id, the broker would answer an error of the partition
        for p in replaced:
            self._of_logs.make_again(p, self._broker.logs)
            asked = self._messages.request(*SESSIONLESS, {p: Interest(0)})
            while self._ask("STRAY", asked).partitions[p].failed:
                pass  # until the broker leads it
            self._append(p, self._high_watermark[p])
            self._broker.logs.delete_before(p, self._log_start[p])
        self._do_send_full(f, wanted)
        return None

    def _mentions(self, f: str) -> Iterator[Collection[str]]:
        """What is named beside the session of a fetcher that sends nothing yet."""
        own = self._fetchers[f].metadata[0]
        yield from (names for number, names in self._open.items() if number != own)
        for request in filter(None, (*self._request.values(), *self._stray.values())):
            yield request.partitions.keys() | request.forgotten

    # The leader serves.

    def _do_serve_topic_id_error(self, f: str, via: str) -> None:
        older = self._messages.older(self._take(f, via))
        answer = self._broker.connections["STRAY"].ask(older, BEFORE_TOPIC_IDS)
        self._reply(f, via, self._messages.read_response(answer))

    def _do_serve(self, f: str, via: str, filled: frozenset[str] = frozenset()) -> object:
        request = self._waiting(f, via)
        if any(map(self._is_out_of_range, self._after(request).items())):
            return NOT_DONE  # it is an error of the partition, which the model has of its own
        is_emptied = request.session_id in self._open and not self._after(request)
        if self._keeps_empty and request.epoch > 0 and is_emptied:
            return NOT_DONE  # it keeps the empty session, which Kafka ends (227-D1)
        self._via = via
        return super()._do_serve(f, via)

    _do_serve_without_data = _do_serve

    def _do_serve_full_without_session(
        self, f: str, via: str, filled: frozenset[str] = frozenset()
    ) -> object:
        """Other consumers have every slot, and the session that is given up was not in the next."""
        request = self._waiting(f, via)
        taken = self._slots.fill()
        if shard(request.session_id) == (shard(taken[-1]) + 1) % SHARDS:
            self._slots.opened()
        done = self._do_serve(f, via, filled)
        self._slots.close(taken)
        return done

    def _do_serve_incremental_throttled(self, f: str, via: str) -> None:
        self._via = OVER_QUOTA
        self._reply(f, via, self._serve(self._take(f, via), frozenset()))

    # The leader forgets sessions.

    def _do_evict(self, i: Any) -> object:
        evicted = next((one.id for one in self._live() if self._ids[one.id] == i), 0)
        if not self._slots.evict(evicted, self._open):
            return NOT_DONE  # it is gone, or the broker would choose between two
        del self._open[evicted]
        return None

    def _do_restart_broker(self) -> object:
        if self._restarts == _MOST_RESTARTS:
            return NOT_DONE
        self._restarts += 1
        self._broker.restart()
        for p, begin in self._of_logs.begins.items():
            self._broker.logs.delete_before(p, begin)  # which waits until the broker leads it
        self._open = {}
        return None

    def _do_disconnect(self, f: str, arrives: bool) -> None:
        super()._do_disconnect(f, arrives)
        self._broker.cut("AWAITED")

    def _is_out_of_range(self, one: tuple[str, Interest]) -> bool:
        p, asked = one
        return not self._log_start[p] <= asked.fetch_offset <= self._high_watermark[p]

    def _after(self, request: Request) -> dict[str, Interest]:
        """The partitions of the session that a request names, once it is taken in."""
        before = self._open.get(request.session_id, {}) if request.epoch > 0 else {}
        return taken_in(before, request.partitions, request.forgotten)

    def _serve(self, request: Request, filled: frozenset[str]) -> Response:
        response = self._ask(self._via, request)
        after = self._after(request)
        if request.epoch <= 0 or (response.error == "NONE" and response.session_id == 0):
            self._open.pop(request.session_id, None)
        if response.session_id:
            self._open[response.session_id] = after
        return response

    def _ask(self, via: str, request: Request) -> Response:
        if via == OVER_QUOTA:
            self._broker.cut(via)  # the broker reads no more of a connection that is over it
        return self._messages.read_response(
            self._broker.connections[via].ask(request.java, VERSION)
        )

    def _find(self, number: int) -> Session | None:
        if number not in self._open:
            return None
        return Session(number, 0, is_privileged=False, created=0, last_used=0, partitions={})

    def observe(self) -> Mapping[str, object]:
        """The messages under way, and what each fetcher sends next."""
        seen = dict(super().observe())
        del seen["sessions"]
        return seen


class KafkaBrokerAsItIs(KafkaBroker):
    """The same, and everything is asked of it."""

    is_as_it_is: ClassVar = True


class _Messages(Messages):
    """Messages whose offsets are counted from where a behaviour begins."""

    def __init__(self, jvm: Jvm) -> None:
        super().__init__(jvm)
        self.begins: dict[str, int] = {}
        self.ends: dict[str, int] = {}

    def begin(self, p: str, logs: Logs) -> None:
        """From now on the log of a partition is empty, and offsets are counted from its end."""
        if p not in self.ends:
            self.ends[p] = 0
            self.name(logs.create(p), p)
            logs.delete_before(p, 0)  # which waits until the broker leads it
        elif self.ends[p] > self.begins[p]:
            logs.delete_before(p, self.ends[p])
        self.begins[p] = self.ends[p]

    def make_again(self, p: str, logs: Logs) -> None:
        """The topic is another one from now on, which the broker may not lead yet."""
        logs.delete(p)
        self.name(logs.create(p), p)
        self.begins[p] = self.ends[p] = 0

    def interest(self, partition: str, asked: Interest) -> Any:
        offset = self.begins[partition] + asked.fetch_offset
        return super().interest(partition, replace(asked, fetch_offset=offset))

    def _read_request(self, java: Any, is_follower: bool) -> Request:
        request = super()._read_request(java, is_follower)
        asked = {
            p: replace(one, fetch_offset=one.fetch_offset - self.begins[p])
            for p, one in request.partitions.items()
        }
        return replace(request, partitions=asked)

    def read_response(self, java: Any) -> Response:
        response = super().read_response(java)
        answered = {
            p: one
            if one.failed
            else replace(
                one,
                high_watermark=one.high_watermark - self.begins[p],
                log_start_offset=one.log_start_offset - self.begins[p],
            )
            for p, one in response.partitions.items()
        }
        return replace(response, partitions=answered)


class KafkaBrokers(Driver):
    """What drives `fetch_session` and `long_polls` on a broker, each by a class of its own."""

    models: ClassVar = (*KafkaBroker.models, *KafkaPolls.models)

    def __init__(self, release: str, kind: type[KafkaBroker] = KafkaBroker) -> None:
        known = (*BROKER_JARS, KFAKE)
        if release not in known:
            raise LockstepError(
                f"there is no broker {release!r}",
                cure=nearest(release, known, f"name one of {', '.join(known)}"),
            )
        if kind.is_as_it_is and release != KFAKE:
            raise LockstepError(
                f"all is asked of the broker of {release} already",
                cure="leave out +as-it-is, which is for kfake",
            )
        self._kind = kind
        self._running: Running | None = Running(release)

    def for_model(self, name: str) -> Driver:
        assert self._running is not None
        found = (KafkaPolls if name in KafkaPolls.models else self._kind)(self._running)
        self._running = None  # that driver stops it
        return found

    def close(self) -> None:
        """Stop the broker, unless another driver has it."""
        if self._running is not None:
            self._running.close()
