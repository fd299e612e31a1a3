"""`fetch_session` on an unmodified client, with a leader on loopback that the model plays.

The model that is driven, with its fault if it has one, says what the leader answers. The network
between is the driver's: it delays, repeats and loses what the model says. The client decides what
it sends, and that alone is observed.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from typing import Any, ClassVar

from lockstep.drive.driver import NOT_DONE, Driver, Took
from lockstep.drive.values import canonical, plain
from lockstep.errors import ExitCode, LockstepError
from lockstep.language.values import NotInDomain
from lockstep.plain.run import PlainEngine
from lockstep_kafka.drive.clients import Client, Process
from lockstep_kafka.drive.loopback import Loopback, Waiting
from lockstep_kafka.drive.messages import RECEIVES, UNKNOWN, Interest
from lockstep_kafka.drive.wire import FIRST_WITH_TOPIC_IDS, Fetch, Reply
from lockstep_kafka.files.lines import AnsweredPartition

SECONDS = 15.0
"""How long the driver waits until a client sends again; it sends within milliseconds."""
STARTING_SECONDS = 45.0
"""How long it waits until the client sends first."""

_SENDS = ("send_sessionless", "send_full", "send_incremental", "send_replacing", "send_close")
_NOT_LEADER_OR_FOLLOWER = 6
_THROTTLE_MS = 5
_FIRST_ID, _IDS_APART = 1_000_003, 7_919
"""Session ids that the leader draws: none of them is one of a scope's small names."""
_PAUSED_EVERY = 4
"""Of so many requests two are sent while the client's user has paused its last topic."""

STRICTER = "the model is stricter than the KIP here"


class NotJudgedError(LockstepError):
    """What a client does is neither what the model allows nor wrong; `why` says it in short."""

    exit_code = ExitCode.INCONCLUSIVE

    def __init__(self, what: str, why: str = "", cure: str | None = None) -> None:
        super().__init__(f"{what}; not judged: {why}", cure=cure)
        self.why = why


class KafkaClient(Driver):
    """What drives a client; it is started for each fetcher of the scope."""

    outcomes: ClassVar = {"send": _SENDS, "receive": RECEIVES}
    decides: ClassVar = {
        **dict.fromkeys(_SENDS, ("wanted",)),
        "send_replacing": ("wanted", "anew"),
    }

    def __init__(self, client: Client) -> None:
        self.client = client
        self.exchanges: list[tuple[Waiting, Reply]] = []
        """Each Fetch that was answered since the last reset, with the answer."""
        self._processes: dict[str, Process] = {}
        self._leader: Loopback | None = None
        self._started = 0

    def reset(self, constants: Mapping[str, Any]) -> None:
        self._stop_leader()
        _check(constants)
        self._constants = constants
        self._engine = PlainEngine(self.model)
        self._actions = {action.name: action for action in self.model.actions}
        self._state: Any = self.model.initial
        self._leader = Loopback(
            constants["PARTITIONS"],
            lambda: int(min(self._state.log_start.values())),
            with_ids=constants["TOPIC_IDS"],
        )
        self._numbers: dict[Any, int] = {}
        """The session ids that were drawn, by their names in the scope."""
        self._drawn = 0
        self._waiting: dict[str, Waiting | None] = dict.fromkeys(constants["FETCHERS"])
        self._seen: dict[str, object] = dict.fromkeys(constants["FETCHERS"])
        self._asked: dict[str, dict[str, Interest]] = {f: {} for f in constants["FETCHERS"]}
        """What each fetcher has asked of each partition in its session."""
        self._sent = dict.fromkeys(constants["FETCHERS"], 0)
        self._names: dict[str, str] = {}
        self.exchanges = []
        for f in constants["FETCHERS"]:
            self._start(f)

    def close(self) -> None:
        for process in self._processes.values():
            process.stop()
        self._processes.clear()
        self._stop_leader()

    def _stop_leader(self) -> None:
        if self._leader is not None:
            self._leader.close()
            self._leader = None

    def _start(self, f: str) -> None:
        """A consumer that knows nothing takes the place of the fetcher's last one."""
        assert self._leader is not None
        before = self._processes.get(f)
        if before is None or not before.is_running:
            if before is not None:
                before.stop()
            self._processes[f] = Process(self.client, self._constants["PARTITIONS"])
        self._started += 1
        self._names[f] = f"{f}-{self._started}"
        self._processes[f].say("start", self._leader.port, self._names[f])
        self._sent[f] = 0

    def do(self, action: str, arguments: Mapping[str, Any]) -> object:
        if action == "send":
            return self._send(arguments["f"])
        if action == "receive":
            self._receive(arguments["f"])
        elif not self._take(action, arguments):
            return NOT_DONE
        f = arguments.get("f", "")
        if action == "serve_full_creating":
            self._drawn += 1
            self._numbers[arguments["i"]] = _FIRST_ID + _IDS_APART * self._drawn
        elif action == "disconnect":
            self._cut(f)
        elif action == "restart_fetcher":
            self._cut(f)
            self._start(f)
        if action.startswith("serve") and arguments["via"] == "AWAITED":
            self._seen[f] = None
        return None

    def observe(self) -> Mapping[str, object]:
        return {"request": dict(self._seen)}

    # The model.

    def _take(self, name: str, arguments: Mapping[str, Any]) -> bool:
        """Do an action of the model, if it is enabled, and the model has such arguments."""
        action = self._actions[name]
        try:
            values = [canonical(of.domain, arguments[of.name], of.name) for of in action.parameters]
            after = self._engine.run(action, self._state, tuple(values))
        except NotInDomain:
            return False
        if after is not None:
            self._state = after
        return after is not None

    # The client sends.

    def _send(self, f: str) -> Took:
        waiting = self._next(f)
        fetching = plain(self._state.fetching[f])
        assert isinstance(fetching, dict)
        if waiting is None:
            return self._sent_nothing(f, fetching)
        self._waiting[f] = waiting
        fetch = waiting.fetch
        self._refuse_another_beginning(f, fetch)
        asked = {p: self._interest(one) for p, one in fetch.partitions.items()}
        known = dict.fromkeys(self._constants["PARTITIONS"]) | asked
        for p in self._open_listings(f, fetch):
            del known[p]
        self._seen[f] = {
            "session_id": self._named(fetch.session_id),
            "epoch": self._turn(fetch.epoch),
            "partitions": known,
            "forgotten": fetch.forgotten,
        }
        took = _took(fetch, {**fetching, **dict.fromkeys(fetch.forgotten), **asked})
        self._take(took.action, {"f": f, **took.parameters})
        self._sent[f] += 1
        self._use(f)
        return took

    def _next(self, f: str) -> Waiting | None:
        """The next Fetch; None where the client has ended without one."""
        assert self._leader is not None
        seconds = SECONDS if self._sent[f] else STARTING_SECONDS
        end = time.monotonic() + seconds
        while True:
            is_running = self._processes[f].is_running
            waiting = self._leader.take(self._names[f], seconds=0.5)
            if waiting is not None or not is_running:
                return waiting
            if time.monotonic() >= end:
                raise NotJudgedError(
                    f"{self.client.name} sends nothing for {seconds:g} s",
                    "; ".join([self._processes[f].state, *self._leader.refused[-1:]]),
                    cure="drive it again, on a machine with less to do",
                )

    def _refuse_another_beginning(self, f: str, fetch: Fetch) -> None:
        """`NotJudgedError` where a client begins again that would go on in the model.

        A full request is a row of the KIP's table at any time: a fetcher that lost a response or
        knows no session sends it. The model's fetcher does so for reasons that are its steps.
        """
        metadata = self._state.metadata[f]
        known = {0: 0} | {number: name for name, number in self._numbers.items()}
        if fetch.epoch > 0 or fetch.session_id not in known:
            return
        id_as_expected = known[fetch.session_id] == metadata.session_id
        if id_as_expected and (fetch.epoch < 0 or metadata.epoch == 0):
            return
        sent = f"({'ID' if fetch.session_id else 0}, {fetch.epoch})"
        expected = f"({'ID' if metadata.session_id else 0}, {metadata.epoch})"
        raise NotJudgedError(
            f"{self.client.name} sends {sent}, where the model's fetcher sends {expected}",
            STRICTER,
            cure="read the table of KIP-227: the pair may be sent at any time",
        )

    def _open_listings(self, f: str, fetch: Fetch) -> list[str]:
        """Partitions of which it is open whether the model lists them, too.

        What changed may have one value only in the scope, or be a topic's id, which the client has
        learnt and a request without ids does not show (227-D42).
        """
        before, epoch = self._asked[f], fetch.epoch
        kept = before if epoch > 0 else {}
        self._asked[f] = {
            **{p: one for p, one in kept.items() if p not in fetch.forgotten},
            **fetch.partitions,
        }
        may_learn = self._constants["TOPIC_IDS"] and fetch.asked.version < FIRST_WITH_TOPIC_IDS
        return [
            p
            for p, one in fetch.partitions.items()
            if (old := kept.get(p)) is not None
            and (may_learn if old == one else self._interest(old) == self._interest(one))
        ]

    def _sent_nothing(self, f: str, fetching: Mapping[str, object]) -> Took:
        """A client that has ended departs: every fetcher goes on with its next request."""
        state = self._processes[f].state
        if not self._sent[f]:
            refused = self._leader.refused if self._leader is not None else []
            said = "; ".join([state, *refused[-1:]])
            raise LockstepError(f"{self.client.name} sends no Fetch: {said}")
        print(f"{self.client.name}: {state}", file=sys.stderr)
        self._seen[f] = None
        if self._state.metadata[f].epoch > 0:
            return Took("send_incremental", wanted=fetching)
        asked = self._interest(Interest(0))
        return Took("send_full", wanted=dict.fromkeys(fetching, asked))

    def _use(self, f: str) -> None:
        """The client's user pauses the last of several topics now and then."""
        topics = self._constants["PARTITIONS"]
        if len(topics) > 1 and self._sent[f] % _PAUSED_EVERY in (0, _PAUSED_EVERY // 2):
            command = "resume" if self._sent[f] % _PAUSED_EVERY == 0 else "pause"
            self._processes[f].say(command, topics[-1])

    def _interest(self, asked: Interest) -> dict[str, object]:
        """What is asked, without the fields that have one value only in the scope."""
        limits = self._constants
        return {
            "fetch_offset": asked.fetch_offset,
            "log_start_offset": _varied(asked.log_start_offset, limits["MAX_FETCHER_LOG_START"]),
            "partition_max_bytes": asked.partition_max_bytes if limits["MAX_BYTES"] else 0,
            "current_leader_epoch": _varied(asked.current_leader_epoch, limits["MAX_LEADER_EPOCH"]),
            "last_fetched_epoch": _varied(asked.last_fetched_epoch, limits["MAX_FETCHED_EPOCH"]),
        }

    def _named(self, session_id: int) -> Any:
        """The scope's name of a session id; one that was never drawn has none."""
        names = {number: name for name, number in self._numbers.items()}
        return names.get(session_id, session_id)

    def _turn(self, epoch: int) -> int:
        return epoch if epoch <= 0 else (epoch - 1) % int(self._constants["MAX_EPOCH"]) + 1

    # The network.

    def _receive(self, f: str) -> None:
        """The answer comes to the client."""
        response, waiting = self._state.response[f], self._waiting[f]
        assert response is not None
        assert waiting is not None
        reply = self._reply(response, self._state.fetching[f])
        self.exchanges.append((waiting, reply))
        self._waiting[f] = None
        waiting.answer(reply)
        any(self._take(name, {"f": f}) for name in RECEIVES)

    def _reply(self, response: Any, fetching: Mapping[str, Any]) -> Reply:
        """The answer as it is sent; a record has the offset that the client fetches from."""
        answered, records = {}, {}
        for p, answer in response.partitions.items():
            if answer is None:
                continue
            answered[p] = AnsweredPartition(
                error_code=_NOT_LEADER_OR_FOLLOWER if answer.failed else 0,
                high_watermark=answer.high_watermark,
                last_stable_offset=answer.high_watermark,
                log_start_offset=answer.log_start_offset,
                records_size=0,
                preferred_read_replica=UNKNOWN,
                has_diverging_epoch=False,
            )
            if answer.records:
                records[p] = 0 if fetching[p] is None else fetching[p].fetch_offset
        return Reply(
            error=response.error.value,
            session_id=self._numbers.get(response.session_id, 0),
            answered=answered,
            records=records,
            throttle_ms=_THROTTLE_MS if response.throttled else 0,
        )

    def _cut(self, f: str) -> None:
        waiting, self._waiting[f] = self._waiting[f], None
        if waiting is not None:
            waiting.connection.cut()
        self._seen[f] = None


def _check(constants: Mapping[str, Any]) -> None:
    """Refuse a scope with what neither a consumer nor the leader here does."""
    for name in ("FOLLOWERS", "DIVERGING_EPOCHS"):
        if constants.get(name):
            raise LockstepError(
                f"clients are driven as consumers in one epoch of the leader: {name} is not empty",
                cure=f"name another scope, or --set {name}=[]",
            )


def _took(fetch: Fetch, wanted: Mapping[str, object]) -> Took:
    """The action of the model by which a fetcher sends this."""
    if fetch.epoch < 0:
        return Took("send_close" if fetch.session_id else "send_sessionless", wanted=wanted)
    if fetch.epoch == 0:
        return Took("send_full", wanted=wanted)
    replaced = fetch.forgotten & fetch.partitions.keys()
    if replaced:
        return Took("send_replacing", wanted=wanted, anew=replaced)
    return Took("send_incremental", wanted=wanted)


def _varied(value: int, highest: int) -> int:
    """A value, or the only one of a scope in which it does not vary."""
    return value if highest > UNKNOWN else UNKNOWN
