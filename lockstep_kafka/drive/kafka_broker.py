"""`fetch_session` on a whole broker, over its sockets.

The fetchers are Kafka's `FetchSessionHandler`, as in `kafka_sessions`; the leader is a broker on
loopback. Offsets are counted from where its logs end when a behaviour begins. Requests that nobody
waits for come by a second connection.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack, closing
from dataclasses import replace
from typing import Any, ClassVar

from lockstep.drive.driver import NOT_DONE
from lockstep.errors import LockstepError, nearest
from lockstep_kafka.drive.broker import KFAKE, NEWEST_BROKER, Broker, Connection, Logs, broker_jars
from lockstep_kafka.drive.jvm import Jvm
from lockstep_kafka.drive.kafka_sessions import KafkaSessions
from lockstep_kafka.drive.leader import Session
from lockstep_kafka.drive.messages import VERSION, Interest, Messages, Request, Response, taken_in

_OTHERS: Mapping[str, object] = {
    "FOLLOWERS": "followers have a broker each",
    "DIVERGING_EPOCHS": "the topic has one leader epoch",
}
"""The constants that are empty here, and why."""


class KafkaBroker(KafkaSessions):
    """What drives `fetch_session` on a broker of a release, whose cache is not looked into.

    What is known to be otherwise in kfake is not asked of it.
    """

    is_as_it_is: ClassVar = False

    decides: ClassVar = {
        "serve_sessionless": ("filled",),
        "serve_full_creating": ("filled", "i"),
        "serve_incremental": ("filled",),
    }
    never: ClassVar = {
        "evict": "a broker evicts a session after two minutes at the earliest",
        "restart_broker": "each would take seconds",
        "fail_partition": "the broker is the only one",
        "recover_partition": "the broker is the only one",
        "serve_full_without_session": "the broker's cache has room for a thousand sessions",
        "serve_incremental_throttled": "the broker has no quotas",
        "serve_topic_id_error": "all requests are of one version",
        "send_replacing": "topics stay",
    }

    def __init__(self, release: str) -> None:
        known = (*broker_jars(), KFAKE)
        if release not in known:
            raise LockstepError(
                f"there is no broker {release!r}",
                cure=nearest(release, known, f"name one of {', '.join(known)}"),
            )
        if self.is_as_it_is and release != KFAKE:
            raise LockstepError(
                f"all is asked of the broker of {release} already",
                cure="leave out +as-it-is, which is for kfake",
            )
        self._keeps_empty = release == KFAKE and not self.is_as_it_is
        self._jvm = Jvm(NEWEST_BROKER if release == KFAKE else release, broker_jars())
        self._messages = self._of_logs = _Messages(self._jvm)
        self._broker = _Running(release, self._jvm)
        self.software = self._broker.software
        self._open: dict[int, Mapping[str, Interest]] = {}
        """What the broker's sessions have, by their ids."""

    def check(self, constants: Mapping[str, Any]) -> None:
        for name, why in _OTHERS.items():
            if constants[name]:
                raise LockstepError(
                    f"no broker is driven with {name} = {constants[name]}: {why}",
                    cure="choose another scope, or drive `kafka-sessions`",
                )

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

    # The leader's logs.

    def _do_advance_high_watermark(self, p: str, to: int) -> None:
        for _ in range(to - self._high_watermark[p]):
            self._of_logs.ends[p] = self._broker.logs.append(p)
        self._high_watermark[p] = to

    def _do_advance_log_start(self, p: str, to: int) -> None:
        self._broker.logs.delete_before(p, self._of_logs.begins[p] + to)
        self._log_start[p] = to

    # The leader serves.

    def _do_serve(self, f: str, via: str, filled: frozenset[str] = frozenset()) -> object:
        request = (self._request if via == "AWAITED" else self._stray)[f]
        assert request is not None
        if any(map(self._is_out_of_range, self._after(request).items())):
            return NOT_DONE  # it is an error of the partition, which the model has of its own
        is_emptied = request.session_id in self._open and not self._after(request)
        if self._keeps_empty and request.epoch > 0 and is_emptied:
            return NOT_DONE  # it keeps the empty session, which Kafka ends (227-D1)
        self._via = via
        return super()._do_serve(f, via)

    _do_serve_without_data = _do_serve

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


class _Running:
    """A broker, its logs, and the two connections to it."""

    def __init__(self, release: str, jvm: Jvm) -> None:
        with ExitStack() as opened:
            broker = opened.enter_context(closing(Broker(release)))
            self.software = broker.software
            self.logs = opened.enter_context(closing(Logs(jvm, broker.port)))
            self.connections = {
                via: opened.enter_context(closing(Connection(jvm, broker.port)))
                for via in ("AWAITED", "STRAY")
            }
            self.close = opened.pop_all().close


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
            self._ids[p] = logs.create(p)
            self.names.put(self._ids[p], p)
        elif self.ends[p] > self.begins[p]:
            logs.delete_before(p, self.ends[p])
        self.begins[p] = self.ends[p]

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
