"""`long_polls` on a whole broker, over its sockets: requests that wait, and several connections.

The fetcher is Kafka's `FetchSessionHandler`. A request waits for a byte of records, longer than any
run. Each lists a partition of its own, into which a record is written when it is to be answered.
Another partition has what there is to report: where its log starts, which no request waits for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Any, ClassVar

from lockstep.drive.driver import NOT_DONE, Driver, Took
from lockstep.errors import LockstepError
from lockstep_kafka.drive.broker import KFAKE, Connection
from lockstep_kafka.drive.fetcher import Fetcher
from lockstep_kafka.drive.messages import VERSION, Interest, Messages, Request, Response, turned
from lockstep_kafka.drive.running import Running, Slots, require_slots
from lockstep_kafka.jars import BROKER_JARS

_REPORTED = "reported"
"""The partition that has what there is to report."""
_WAKERS = tuple(f"waker{number}" for number in range(1, 6))
"""Each wakes one poll: two requests under way, two that wait, and one that is built."""
_POLLING = "polling"
"""The client that sends polls, by its id."""
_BYTES_A_SECOND, _RECORD, _LARGE_RECORD = 300_000.0, 6, 900_000
"""What that client may have, and what makes an answer that is over it."""
_LONGEST_MS, _MOST_BYTES = 2**31 - 1, 1 << 20
_REFUSALS = {
    "FETCH_SESSION_ID_NOT_FOUND": "refuse_unknown_session",
    "INVALID_FETCH_SESSION_EPOCH": "refuse_wrong_epoch",
}


@dataclass(eq=False)
class _Poll:
    """A request, the partition that wakes it, and the connection on which it waits."""

    request: Request
    waker: str
    connection: Connection | None = None


class KafkaPolls(Driver):
    """What drives `long_polls` on a broker of a release, whose cache is not looked into."""

    models: ClassVar = ("long_polls",)
    outcomes: ClassVar = {
        "accept": (
            "accept_full",
            "accept_incremental",
            "refuse_unknown_session",
            "refuse_wrong_epoch",
        ),
        "answer": (
            "answer_creating",
            "answer_incremental",
            "answer_after_its_session",
            "answer_overtaken",
        ),
        "receive": ("receive_full", "receive_incremental", "receive_error"),
    }
    decides: ClassVar = {"answer_creating": ("i",)}

    def __init__(self, running: Running) -> None:
        if running.release == KFAKE:
            raise LockstepError(
                "polls are driven at a broker of Apache Kafka, and not at kfake",
                cure=f"name one of {', '.join(BROKER_JARS)}",
            )
        self._running, self.software = running, running.software
        self._messages = Messages(running.jvm, _LONGEST_MS, min_bytes=1)
        self._request: dict[str, _Poll | None] = {}
        self._waiting: dict[str, _Poll | None] = {}
        self._sessions: set[int] = set()
        """Those that the broker has."""
        self._idle: list[Connection] = []
        self._ends: dict[str, int] = {}
        self._begin = self._version = 0
        self._slots = Slots(self._messages, self._ask)
        for topic in (_REPORTED, *_WAKERS):
            self._messages.name(self._running.logs.create(topic), topic)
            self._ends[topic] = 0
        self._running.logs.limit(_POLLING, _BYTES_A_SECOND)
        self._until_limited()

    def _until_limited(self) -> None:
        """Wait until answers are throttled: a broker learns of a quota by and by."""
        waker = _WAKERS[0]
        asked = {waker: Interest(0, partition_max_bytes=_MOST_BYTES)}
        self._ends[waker] = self._running.logs.append(waker, _LARGE_RECORD)
        is_limited = False
        while not is_limited:
            with closing(self._running.connected(_POLLING)) as connection:
                answer = connection.ask(self._messages.request(0, -1, asked).java, VERSION)
                is_limited = self._messages.read_response(answer).throttled

    def check(self, constants: Mapping[str, Any]) -> None:
        if constants["TURNS"]:
            raise LockstepError(
                "no broker is driven with TURNS: a turn of its epochs is 2147483647 requests",
                cure="choose another scope",
            )
        require_slots(constants["SESSION_IDS"])

    def reset(self, constants: Mapping[str, Any]) -> None:
        for poll in filter(None, self._waiting.values()):
            self._end(poll)
        self._slots.close(self._sessions)
        self._sessions = set()
        self._constants = constants
        self._begin += self._version
        self._version = 0
        while self._ends[_REPORTED] < self._begin + constants["MAX_VERSION"]:
            self._ends[_REPORTED] = self._running.logs.append(_REPORTED)
        self._fetcher = Fetcher(self._messages, is_follower=False)
        self._request = dict.fromkeys(("AWAITED", "STRAY"))
        self._waiting = dict.fromkeys(self._request)
        self._response: Response | None = None
        self._is_after_its_session = self._pending = False
        self._lost: set[int] = set()
        """The sessions that have sent news in an answer that no fetcher receives."""
        self._know(None)
        self._names: dict[int, Any] = {}
        """The scope's names of Kafka's ids."""

    def close(self) -> None:
        """Stop the broker and the clients."""
        for connection in self._idle:
            connection.close()
        for poll in filter(None, self._waiting.values()):
            assert poll.connection is not None
            poll.connection.close()
        self._running.close()

    def do(self, action: str, arguments: Mapping[str, Any]) -> object:
        return getattr(self, f"_do_{action}")(**arguments)

    def _do_change(self) -> None:
        self._version += 1
        self._running.logs.delete_before(_REPORTED, self._begin + self._version)

    # The fetcher sends.

    def _do_send_full(self) -> None:
        self._request["AWAITED"] = poll = self._made(self._fetcher.build)
        self._pending = True
        if poll.request.epoch <= 0:
            self._know(None)

    _do_send_incremental = _do_send_full

    def _do_send_final(self) -> None:
        self._fetcher.close()
        self._do_send_full()

    def _do_send_racing(self) -> None:
        """The fetcher goes on as if its poll had been answered with nothing new."""
        poll = self._ended("AWAITED")
        self._waiting["STRAY"] = poll
        self._fetcher.receive(self._messages.nothing_new(poll.request.session_id))
        self._do_send_full()

    def _made(self, build: Any) -> _Poll:
        """A request that lists a partition by which nothing else is woken."""
        held = {poll.waker for poll in self._polls()}
        waker = next(one for one in _WAKERS if one not in held)
        asked = {
            topic: Interest(self._ends[topic], partition_max_bytes=_MOST_BYTES)
            for topic in (_REPORTED, waker)
        }
        return _Poll(build(asked), waker)

    def _polls(self) -> Iterable[_Poll]:
        return filter(None, (*self._request.values(), *self._waiting.values()))

    # The leader accepts a request, or refuses it at once.

    def _do_accept(self, via: str) -> Took:
        poll = self._request[via]
        assert poll is not None
        self._request[via] = None
        is_full = poll.request.epoch <= 0
        connection = self._idle.pop() if self._idle else self._connected()
        connection.send(poll.request.java, VERSION)
        self._until_taken_in()
        if is_full:
            self._sessions.discard(poll.request.session_id)
        accepted = Took("accept_full" if is_full else "accept_incremental")
        if not connection.is_answered():
            poll.connection = connection
            self._waiting[via] = poll
            return accepted
        response = self._messages.read_response(connection.answer())
        self._idle.append(connection)
        self._reply(via, response)
        refused = _REFUSALS.get(response.error)
        return accepted if refused is None else Took(refused)

    def _connected(self) -> Connection:
        """A connection that the broker reads already: a thread of its own accepts new ones."""
        connection = self._running.connected(_POLLING)
        connection.ask(self._messages.request(0, -1, {}).java, VERSION)
        return connection

    def _until_taken_in(self) -> None:
        """Wait until the broker has taken in all that was sent to it.

        It reads the first of these requests not before the poll, takes the second one in after it,
        and writes the answer to the third one after that to the poll, if there is any.
        """
        for _ in range(3):
            self._ask(self._messages.request(0, -1, {}))

    def _ask(self, request: Request) -> Response:
        connection = self._running.connections["STRAY"]
        return self._messages.read_response(connection.ask(request.java, VERSION))

    # The leader answers a poll.

    def _do_answer(self, via: str) -> Took:
        poll = self._ended(via)
        free = self._unused_names()
        response = self._end(poll)
        self._reply(via, response)
        if poll.request.epoch == 0:
            name = free[0] if response.session_id else 0
            self._names = {number: one for number, one in self._names.items() if one != name}
            self._names[response.session_id] = name
            return Took("answer_creating", i=name)
        if response.error != "NONE":
            return Took("answer_overtaken")
        is_after = poll.request.session_id not in self._sessions
        if via == "AWAITED":
            self._is_after_its_session = is_after
        elif self._version_in(response) is not None:
            self._lost.add(poll.request.session_id)
        return Took("answer_after_its_session" if is_after else "answer_incremental")

    def _do_answer_without_session(self, via: str) -> Took:
        """Other consumers have every slot, unless none is asked for."""
        poll = self._ended(via)
        taken = self._slots.fill() if poll.request.epoch == 0 else []
        response = self._end(poll)
        self._slots.close(taken)
        return self._replied_in_full(via, response, "answer_without_session")

    def _do_answer_throttled_full(self, via: str) -> Took:
        response = self._end(self._ended(via), _LARGE_RECORD)
        return self._replied_in_full(via, response, "answer_throttled_full")

    def _replied_in_full(self, via: str, response: Response, expected: str) -> Took:
        """Another answer departs, be it one that no fetcher receives."""
        self._reply(via, response)
        throttled = expected == "answer_throttled_full"
        if (response.session_id, response.throttled) == (0, throttled):
            return Took(expected)
        return Took(expected, via=f"session {response.session_id}, throttled: {response.throttled}")

    def _ended(self, via: str) -> _Poll:
        poll = self._waiting[via]
        assert poll is not None
        self._waiting[via] = None
        return poll

    def _end(self, poll: _Poll, size: int = _RECORD) -> Response:
        """Wake a poll by a record of a size; its answer."""
        self._ends[poll.waker] = self._running.logs.append(poll.waker, size)
        assert poll.connection is not None
        response = self._messages.read_response(poll.connection.answer())
        if response.throttled:
            poll.connection.close()  # the broker reads no more of it for a while
        else:
            self._idle.append(poll.connection)
        if poll.request.epoch == 0 and response.session_id:
            self._sessions.add(response.session_id)
        return response

    def _reply(self, via: str, response: Response) -> None:
        if via == "AWAITED":
            self._response, self._is_after_its_session = response, False

    def _unused_names(self) -> list[Any]:
        """The ids of the scope that stand for none that anything still mentions."""
        mentioned = {poll.request.session_id for poll in self._polls()} | self._sessions
        mentioned |= {self._fetcher.metadata[0]}
        mentioned |= {self._response.session_id} if self._response else set()
        used = {self._names.get(number) for number in mentioned}
        return [name for name in self._constants["SESSION_IDS"] if name not in used]

    def _do_evict(self, i: Any) -> object:
        evicted = next((one for one in self._sessions if self._names[one] == i), 0)
        if not self._slots.evict(evicted, self._sessions):
            return NOT_DONE  # it is gone, or the broker would choose between two
        self._sessions.discard(evicted)
        return None

    # The fetcher handles a response, or none.

    def _do_receive(self) -> None:
        response = self._response
        assert response is not None
        is_full = self._fetcher.metadata[1] <= 0
        version = self._version_in(response)
        if response.error != "NONE" or (is_full and not response.session_id):
            self._know(None)
        elif is_full or version is not None:
            self._know(version)
        elif self._is_after_its_session and response.session_id in self._lost:
            self._is_known_open = True  # the model's session sends it once more (227-D44)
        self._response, self._pending = None, False
        self._fetcher.receive(response)

    def _know(self, version: int | None) -> None:
        self._known, self._is_known_open = version, False

    def _do_give_up(self, arrives: bool) -> None:
        if arrives:
            self._request["STRAY"] = self._request["AWAITED"]
        self._request["AWAITED"] = self._response = None
        self._know(None)
        if self._waiting["AWAITED"] is not None:
            self._waiting = {"AWAITED": None, "STRAY": self._waiting["AWAITED"]}
        self._pending = False
        self._fetcher.disconnect()

    def _do_repeat(self) -> None:
        """The copy of a full request is woken by another partition than the request."""
        poll = self._request["AWAITED"]
        assert poll is not None
        named = poll.request.session_id, poll.request.epoch
        if poll.request.epoch <= 0:
            poll = self._made(lambda asked: self._messages.request(*named, asked))
        self._request["STRAY"] = poll

    def _do_lose_stray(self) -> None:
        self._request["STRAY"] = None

    # What is seen.

    def observe(self) -> Mapping[str, object]:
        """The messages under way, the polls that wait, and what the fetcher knows."""
        seen = {
            "request": {v: self._sent(poll) for v, poll in self._request.items()},
            "waiting": {v: self._sent(self._parked(v)) for v in self._waiting},
            "response": self._answered(),
            "metadata": self._metadata(*self._fetcher.metadata),
            "pending": self._pending,
        }
        return seen if self._is_known_open else seen | {"known_version": self._known}

    def _parked(self, via: str) -> _Poll | None:
        """The poll that waits, unless an answer has come that nothing has brought about."""
        poll = self._waiting[via]
        if poll is None or poll.connection is None or poll.connection.is_answered():
            return None
        return poll

    def _metadata(self, session_id: int, epoch: int) -> dict[str, object]:
        turn = turned(epoch, self._constants)
        return {"session_id": self._names.get(session_id, session_id), "epoch": turn}

    def _sent(self, poll: _Poll | None) -> dict[str, object] | None:
        if poll is None:
            return None
        return self._metadata(poll.request.session_id, poll.request.epoch)

    def _answered(self) -> dict[str, object] | None:
        response = self._response
        if response is None:
            return None
        number = response.session_id
        seen = {"error": response.error, "session_id": self._names.get(number, number)}
        version = self._version_in(response)
        # A session that is gone leaves out what it has sent, and the model's does not (227-D44).
        if version is not None or not self._is_after_its_session:
            seen["version"] = version
        return seen

    def _version_in(self, response: Response) -> int | None:
        reported = response.partitions.get(_REPORTED)
        return None if reported is None else reported.log_start_offset - self._begin
