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
from lockstep.drive.values import plain
from lockstep.errors import ExitCode, LockstepError, unknown
from lockstep_kafka.drive.clients import Client, Process
from lockstep_kafka.drive.loopback import Loopback, Waiting
from lockstep_kafka.drive.messages import RECEIVES, UNKNOWN, Interest, taken_in, turned
from lockstep_kafka.drive.played import BEGINS_AGAIN, Played
from lockstep_kafka.drive.wire import Fetch, Reply
from lockstep_kafka.files.fetch_fields import FIRST_WITH_TOPIC_IDS

SECONDS = 15.0
"""How long the driver waits until a client sends again; it sends within milliseconds."""
STARTING_SECONDS = 45.0
"""How long it waits until the client sends first."""

_SENDS = ("send_sessionless", "send_full", "send_incremental", "send_replacing", "send_close")
USERS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "idles": ((),),
    "pauses": (("resume", "LAST"), (), ("pause", "LAST"), ()),
    "seeks": (("seek", "FIRST", "0"), (), ("seek", "LAST", "FAR"), ()),
    "assigns": (("take", "LAST"), (), ("drop", "LAST"), ()),
}
"""What the client's user does while a request is under way, the fourth, first, second, third, over
and over. `FIRST` and `LAST` are the topics, and `FAR` is an offset."""
USUAL = "pauses"
_FAR = 3
_MAY_GIVE_UP = "seek", "drop", "take"
_GIVING_UP_SECONDS = 0.1
"""For so long a client may send another request after these without the answer to the last one."""

STRICTER = "the model is stricter than the KIP here"


class NotJudgedError(LockstepError):
    """What a client does is neither what the model allows nor wrong; `why` says it in short."""

    exit_code = ExitCode.INCONCLUSIVE

    def __init__(self, what: str, why: str = "", cure: str | None = None) -> None:
        super().__init__(f"{what}; not judged: {why}", cure=cure)
        self.why = why


class KafkaClient(Driver):
    """What drives a client; it is started for each fetcher of the scope."""

    models: ClassVar = ("fetch_session",)
    outcomes: ClassVar = {"send": _SENDS, "receive": (*RECEIVES, BEGINS_AGAIN)}
    decides: ClassVar = {
        **dict.fromkeys(_SENDS, ("wanted",)),
        "send_replacing": ("wanted", "replaced"),
        BEGINS_AGAIN: ("naming",),
    }
    by_itself: ClassVar = (BEGINS_AGAIN,)

    def __init__(self, client: Client, user: str = USUAL) -> None:
        if user not in USERS:
            raise unknown(f"no client's user {user!r} is known", user, USERS, "there is")
        self.client = client
        self.software = f"{client.name} {client.version}"
        self._user = USERS[user]
        self.exchanges: list[tuple[Waiting, Reply]] = []
        """Each Fetch that was answered since the last reset, with the answer."""
        self._processes: dict[str, Process] = {}
        self._leader: Loopback | None = None
        self._started = 0

    def check(self, constants: Mapping[str, Any]) -> None:
        for name in ("FOLLOWERS", "DIVERGING_EPOCHS"):
            if constants.get(name):
                raise LockstepError(
                    "clients are driven as consumers in one epoch of the leader: "
                    f"{name} is not empty",
                    cure=f"name another scope, or --set {name}=[]",
                )

    def reset(self, constants: Mapping[str, Any]) -> None:
        self._stop_leader()
        self._constants = constants
        self._played = played = Played(self.model)
        self._leader = Loopback(
            constants["PARTITIONS"],
            lambda: int(min(played.state.log_start.values())),
            with_ids=constants["TOPIC_IDS"],
        )
        self._waiting: dict[str, Waiting | None] = dict.fromkeys(constants["FETCHERS"])
        self._seen: dict[str, Any] = dict.fromkeys(constants["FETCHERS"])
        self._asked: dict[str, dict[str, Interest]] = {f: {} for f in constants["FETCHERS"]}
        """What each fetcher has asked of each partition in its session."""
        self._versions: dict[str, dict[str, int]] = {f: {} for f in constants["FETCHERS"]}
        """By which version it has last named each."""
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
            return self._receive(arguments["f"])
        if not self._played.take(action, arguments):
            return NOT_DONE
        f = arguments.get("f", "")
        if action == "disconnect":
            self._cut(f)
        elif action == "restart_fetcher":
            self._cut(f)
            self._start(f)
        if action.startswith("serve") and arguments["via"] == "AWAITED":
            self._seen[f] = None
        return None

    def observe(self) -> Mapping[str, object]:
        return {"request": dict(self._seen)}

    # The client sends.

    def _send(self, f: str) -> object:
        if all(state.pending[f] for state in self._played.states):
            return NOT_DONE
        waiting = self._next(f)
        fetching = plain(self._played.state.fetching[f])
        assert isinstance(fetching, dict)
        if waiting is None:
            return self._sent_nothing(f, fetching)
        self._waiting[f] = waiting
        fetch = waiting.fetch
        asked = {p: self._interest(one) for p, one in fetch.partitions.items()}
        known = dict.fromkeys(self._constants["PARTITIONS"]) | asked
        for p in self._open_listings(f, fetch):
            del known[p]
        named = self._played.name_of(fetch.session_id)
        self._seen[f] = {
            "session_id": fetch.session_id if named is None else named,
            "epoch": turned(fetch.epoch, self._constants),
            "partitions": known,
            "forgotten": fetch.forgotten,
        }
        kept = fetching if fetch.epoch > 0 else {}
        nothing = dict.fromkeys(fetching)
        took = _took(fetch, {**nothing, **kept, **dict.fromkeys(fetch.forgotten), **asked})
        head = self._seen[f]["session_id"], self._seen[f]["epoch"]
        if not self._played.send(f, took, head):
            self._refuse_another_beginning(f, fetch)
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

        A full request is a row of the KIP's table at any time (227-D43). With `BEGINS_AGAIN` the
        model's fetcher may send it as often as it may be disturbed.
        """
        state = self._played.state
        metadata = state.metadata[f]
        may_begin = self._constants["BEGINS_AGAIN"] and (
            state.disturbances[f] < self._constants["MAX_DISTURBANCES"]
        )
        name = self._played.name_of(fetch.session_id)
        if may_begin or fetch.epoch > 0 or name is None:
            return
        id_as_expected = name == metadata.session_id
        if id_as_expected and (fetch.epoch < 0 or metadata.epoch == 0):
            return
        sent = f"({'ID' if fetch.session_id else 0}, {fetch.epoch})"
        expected = f"({'ID' if metadata.session_id else 0}, {metadata.epoch})"
        raise NotJudgedError(
            f"{self.client.name} sends {sent}, where the model's fetcher sends {expected}",
            STRICTER,
            cure="--set BEGINS_AGAIN=true --set MAX_DISTURBANCES=1000",
        )

    def _open_listings(self, f: str, fetch: Fetch) -> list[str]:
        """Partitions of which it is open whether the model lists them, too.

        What changed may have one value only in the scope, or be a topic's id, which the client has
        learnt and a request without ids does not show (227-D42).
        """
        before, epoch = self._asked[f], fetch.epoch
        kept = before if epoch > 0 else {}
        self._asked[f] = taken_in(kept, fetch.partitions, fetch.forgotten)
        versions = self._versions[f]
        learnt = [
            p
            for p in fetch.partitions
            if min(versions.get(p, 0), fetch.asked.version) < FIRST_WITH_TOPIC_IDS
            and self._constants["TOPIC_IDS"]
        ]
        versions.update(dict.fromkeys(fetch.partitions, fetch.asked.version))
        return [
            p
            for p, one in fetch.partitions.items()
            if (old := kept.get(p)) is not None
            and (p in learnt if old == one else self._interest(old) == self._interest(one))
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
        if self._played.state.metadata[f].epoch > 0:
            return Took("send_incremental", wanted=fetching)
        asked = self._interest(Interest(0))
        return Took("send_full", wanted=dict.fromkeys(fetching, asked))

    def _use(self, f: str) -> None:
        """The client's user does what is next; the last of several topics may leave the session."""
        topics = self._constants["PARTITIONS"]
        act = self._user[self._sent[f] % len(self._user)]
        if act and (len(topics) > 1 or act[0] == "seek"):
            far = min(_FAR, self._constants["MAX_OFFSET"])
            named = {"FIRST": topics[0], "LAST": topics[-1], "FAR": far}
            self._processes[f].do(*(named.get(word, word) for word in act))
            waiting = self._waiting[f]
            if waiting is not None and act[0] in _MAY_GIVE_UP:
                waiting.connection.has_fetch(_GIVING_UP_SECONDS)

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

    # The network.

    def _receive(self, f: str) -> Took | None:
        """The answer reaches the client, which may have given the request up by now.

        What follows an unknown session is open.
        """
        waiting = self._waiting[f]
        assert waiting is not None
        reply = self._played.reply(f)
        self.exchanges.append((waiting, reply))
        self._waiting[f] = None
        is_given_up = waiting.connection.has_fetch()
        waiting.answer(reply)
        return self._played.receive(f, is_given_up=is_given_up)

    def _cut(self, f: str) -> None:
        waiting, self._waiting[f] = self._waiting[f], None
        if waiting is not None:
            waiting.connection.cut()
        self._seen[f] = None


def _took(fetch: Fetch, wanted: Mapping[str, object]) -> Took:
    """The action of the model by which a fetcher sends this."""
    if fetch.epoch < 0:
        return Took("send_close" if fetch.session_id else "send_sessionless", wanted=wanted)
    if fetch.epoch == 0:
        return Took("send_full", wanted=wanted)
    replaced = fetch.forgotten & fetch.partitions.keys()
    if replaced:
        return Took("send_replacing", wanted=wanted, replaced=replaced)
    return Took("send_incremental", wanted=wanted)


def _varied(value: int, highest: int) -> int:
    """A value, or the only one of a scope in which it does not vary."""
    return value if highest > UNKNOWN else UNKNOWN
