"""`fetch_session` on Kafka's own classes.

The leader is `FetchManager` and the fetchers are `FetchSessionHandler`; the network and the logs
are Python's. Epochs are Kafka's, and the turns of the scope's are counted off: the model lets no
copy of a request outlive a turn (227-D38). Ids are drawn by Kafka, and each is named by one of the
scope's that nothing mentions any more.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from lockstep.drive.driver import NOT_DONE, Driver
from lockstep_kafka.drive.fetcher import Fetcher
from lockstep_kafka.drive.jvm import Jvm
from lockstep_kafka.drive.leader import Leader, Read, Session
from lockstep_kafka.drive.messages import (
    BEFORE_TOPIC_IDS,
    RECEIVES,
    Answer,
    Interest,
    Messages,
    Request,
    Response,
    turned,
)

_EVICTION_MS = 120_000
SESSIONLESS = (0, -1)
_FILLER = "of another leader"


class KafkaSessions(Driver):
    """What drives `fetch_session`; `make_leader` makes the leader, or one that differs."""

    models: ClassVar = ("fetch_session",)
    outcomes: ClassVar = {
        "serve": ("serve_sessionless", "serve_full_creating", "serve_incremental"),
        "serve_without_data": (
            "serve_incremental_emptying",
            "serve_unknown_session",
            "serve_wrong_epoch",
        ),
        "receive": RECEIVES,
    }
    decides: ClassVar = {"serve_full_creating": ("i",)}

    def __init__(self, release: str, make_leader: type[Leader] = Leader) -> None:
        self.software = f"Apache Kafka {release}"
        self._messages = Messages(Jvm(release))
        self._make_leader = make_leader

    def reset(self, constants: Mapping[str, Any]) -> None:
        self._constants = constants
        partitions = constants["PARTITIONS"]
        self._log_start = dict.fromkeys(partitions, 0)
        self._high_watermark = dict.fromkeys(partitions, 0)
        self._failing: set[str] = set()
        self._start_leader()
        self._known: list[Session] | None = None
        self._ids: dict[int, Any] = {}
        """The scope's names of Kafka's ids."""
        self._fetchers = {
            f: Fetcher(self._messages, is_follower=f in constants["FOLLOWERS"])
            for f in constants["FETCHERS"]
        }
        self._request: dict[str, Request | None] = dict.fromkeys(self._fetchers)
        self._stray: dict[str, Request | None] = dict.fromkeys(self._fetchers)
        self._response: dict[str, Response | None] = dict.fromkeys(self._fetchers)
        self._sessionless: set[str] = set()
        """Fetchers whose request under way was none of their class's making."""

    def _start_leader(self) -> None:
        slots = len(self._constants["SESSION_IDS"])
        self._leader = self._make_leader(self._messages, [slots], _EVICTION_MS)

    def do(self, action: str, arguments: Mapping[str, Any]) -> object:
        done = getattr(self, f"_do_{action}")(**arguments)
        if action.startswith(("serve", "evict", "restart_broker")):
            self._known = None
        return done

    # The leader's logs.

    def _do_append(self, p: str, end: int) -> None:
        """Records that nobody sees yet."""

    def _do_advance_high_watermark(self, p: str, to: int) -> None:
        self._high_watermark[p] = to

    def _do_advance_log_start(self, p: str, to: int) -> None:
        self._log_start[p] = to

    def _do_fail_partition(self, p: str) -> None:
        self._failing.add(p)

    def _do_recover_partition(self, p: str) -> None:
        self._failing.discard(p)

    # A fetcher sends.

    def _do_send_sessionless(self, f: str, wanted: Mapping[str, Any]) -> None:
        self._sessionless.add(f)
        is_follower = self._fetchers[f].is_follower
        asked = _interests(wanted)
        self._request[f] = self._messages.request(*SESSIONLESS, asked, is_follower=is_follower)

    def _do_send_full(self, f: str, wanted: Mapping[str, Any]) -> None:
        self._request[f] = self._fetchers[f].build(_interests(wanted))

    _do_send_incremental = _do_send_full

    def _do_send_replacing(
        self, f: str, wanted: Mapping[str, Any], replaced: frozenset[str]
    ) -> object:
        for p in replaced:
            self._messages.make_topic_anew(p)
        self._do_send_full(f, wanted)
        return None

    def _do_send_close(self, f: str, wanted: Mapping[str, Any]) -> None:
        self._fetchers[f].close()
        self._do_send_full(f, wanted)

    # The leader serves.

    def _waiting(self, f: str, via: str) -> Request:
        request = (self._request if via == "AWAITED" else self._stray)[f]
        assert request is not None
        return request

    def _take(self, f: str, via: str) -> Request:
        request = self._waiting(f, via)
        (self._request if via == "AWAITED" else self._stray)[f] = None
        return request

    def _reply(self, f: str, via: str, response: Response) -> None:
        if via == "AWAITED":
            self._response[f] = response

    def _read(self, filled: frozenset[str]) -> Read:
        def read(p: str, asked: Interest) -> tuple[Answer, bool]:
            if p in self._failing:
                return Answer(failed=True), False
            diverges = asked.last_fetched_epoch in self._constants["DIVERGING_EPOCHS"]
            answer = Answer(
                high_watermark=self._high_watermark[p],
                log_start_offset=self._log_start[p],
                records=p in filled,
            )
            return answer, diverges

        return read

    def _do_serve(self, f: str, via: str, filled: frozenset[str] = frozenset()) -> object:
        free = self._unused_names()
        request = self._take(f, via)
        response = self._serve(request, filled)
        if request.epoch == 0 and free and self._find(response.session_id) is not None:
            named = {number: name for number, name in self._ids.items() if name != free[0]}
            self._ids = named | {response.session_id: free[0]}
        self._reply(f, via, response)
        return None

    _do_serve_without_data = _do_serve

    def _serve(self, request: Request, filled: frozenset[str]) -> Response:
        self._leader.now += 1
        return self._leader.serve(request, self._read(filled))

    def _find(self, number: int) -> Session | None:
        return self._leader.session(number)

    def _unused_names(self) -> list[Any]:
        """The ids of the scope that stand for none that anything still mentions."""
        messages = (*self._request.values(), *self._stray.values(), *self._response.values())
        mentioned = {message.session_id for message in messages if message is not None}
        mentioned |= {fetcher.metadata[0] for fetcher in self._fetchers.values()}
        mentioned |= {session.id for session in self._live()}
        used = {name for number, name in self._ids.items() if number in mentioned}
        return [name for name in self._constants["SESSION_IDS"] if name not in used]

    def _live(self) -> list[Session]:
        """The sessions of the cache, which change only when the leader is asked something."""
        if self._known is None:
            found = map(self._find, self._ids)
            self._known = [session for session in found if session is not None]
        return self._known

    def _do_serve_full_without_session(self, f: str, via: str, filled: frozenset[str]) -> object:
        """When it is answered all slots are taken, by sessions that it may not evict."""
        request = self._waiting(f, via)
        others = [one for one in self._live() if one.id != request.session_id]
        is_old = any(self._leader.now - one.created >= _EVICTION_MS for one in others)
        if others and (request.is_follower or is_old):
            return NOT_DONE
        self._leader.now += 1
        context = self._leader.open(self._take(f, via))
        fillers = self._fill(len(self._constants["SESSION_IDS"]) - self._leader.size)
        self._reply(f, via, self._leader.answer(context, self._read(filled)))
        self._close(fillers)
        return None

    def _do_serve_incremental_throttled(self, f: str, via: str) -> None:
        self._leader.now += 1
        self._reply(f, via, self._leader.throttle(self._leader.open(self._take(f, via))))

    def _do_serve_topic_id_error(self, f: str, via: str) -> None:
        """The client has gone over to requests that name topics."""
        self._leader.now += 1
        context = self._leader.open(self._take(f, via), BEFORE_TOPIC_IDS)
        self._reply(f, via, self._leader.answer(context, self._read(frozenset())))

    # The leader forgets sessions.

    def _fill(self, many: int) -> list[int]:
        """Followers of other leaders' partitions open this many sessions; their ids."""
        request = self._messages.request(0, 0, {_FILLER: Interest(0)}, is_follower=True)
        return [
            self._leader.serve(request, lambda p, asked: (Answer(), False)).session_id
            for _ in range(many)
        ]

    def _close(self, ids: list[int]) -> None:
        for number in ids:
            self._leader.open(self._messages.request(number, -1, {}))

    def _do_evict(self, i: Any) -> object:
        """Nothing is asked for an eviction time, and another wants a slot when all are taken."""
        longest_unused = min(self._live(), key=lambda one: (one.last_used, one.id))
        if self._ids[longest_unused.id] != i:
            return NOT_DONE
        self._leader.now += _EVICTION_MS + 1
        self._close(self._fill(len(self._constants["SESSION_IDS"]) - self._leader.size + 1))
        return None

    def _do_restart_broker(self) -> object:
        self._start_leader()
        return None

    # A fetcher handles a response, or none.

    def _do_receive(self, f: str) -> None:
        response = self._response[f]
        assert response is not None
        self._response[f] = None
        if f in self._sessionless:
            self._sessionless.discard(f)
        else:
            self._fetchers[f].receive(response)

    def _abandon(self, f: str, arrives: bool) -> None:
        if arrives:
            self._stray[f] = self._request[f]
        self._request[f] = self._response[f] = None

    def _do_disconnect(self, f: str, arrives: bool) -> None:
        self._abandon(f, arrives)
        if f in self._sessionless:
            self._sessionless.discard(f)
        else:
            self._fetchers[f].disconnect()

    def _do_restart_fetcher(self, f: str, arrives: bool) -> None:
        self._abandon(f, arrives)
        self._sessionless.discard(f)
        self._fetchers[f].restart()

    def _do_duplicate(self, f: str) -> None:
        self._stray[f] = self._request[f]

    def _do_lose_stray(self, f: str) -> None:
        self._stray[f] = None

    # What is seen.

    def observe(self) -> Mapping[str, object]:
        """The sessions of the cache, the messages under way, and what each fetcher sends next."""
        sessions = {self._ids[one.id]: self._session(one) for one in self._live()}
        return {
            "sessions": dict.fromkeys(self._constants["SESSION_IDS"]) | sessions,
            "request": {f: self._sent(one) for f, one in self._request.items()},
            "stray": {f: self._sent(one) for f, one in self._stray.items()},
            "response": {f: self._answered(one) for f, one in self._response.items()},
            "metadata": {
                f: self._metadata(*SESSIONLESS if f in self._sessionless else fetcher.metadata)
                for f, fetcher in self._fetchers.items()
            },
        }

    def _metadata(self, session_id: int, epoch: int) -> dict[str, object]:
        epoch = turned(epoch, self._constants)
        return {"session_id": self._ids.get(session_id, session_id), "epoch": epoch}

    def _all(self, partitions: Mapping[str, Any]) -> dict[str, object]:
        return {
            p: _plain(partitions[p]) if p in partitions else None
            for p in self._constants["PARTITIONS"]
        }

    def _session(self, session: Session) -> dict[str, object]:
        epoch = turned(session.epoch, self._constants)
        return {"epoch": epoch, "partitions": self._all(session.partitions)}

    def _sent(self, request: Request | None) -> dict[str, object] | None:
        if request is None:
            return None
        return self._metadata(request.session_id, request.epoch) | {
            "partitions": self._all(request.partitions),
            "forgotten": request.forgotten,
        }

    def _answered(self, response: Response | None) -> dict[str, object] | None:
        if response is None:
            return None
        return {
            "error": response.error,
            "session_id": self._ids.get(response.session_id, response.session_id),
            "partitions": self._all(response.partitions),
            "throttled": response.throttled,
        }


def _plain(one: Any) -> dict[str, object]:
    """A record, and those in it, by their fields; `asdict` would copy what is in them."""
    fields = vars(one).items()
    return {name: vars(of) if isinstance(of, Interest) else of for name, of in fields}


def _interests(wanted: Mapping[str, Any]) -> dict[str, Interest]:
    return {p: Interest(**interest) for p, interest in wanted.items() if interest is not None}
