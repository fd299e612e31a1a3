"""Random behaviours of the model `fetch_session`, walked by plain Python.

What a log shows of a behaviour is the requests that were served, with their responses, in the order
in which the leader served them.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lockstep.language.model import Model, load_model
from lockstep.plain.run import PlainEngine

ROOT = Path(__file__).parents[3]

SERVES = (
    "serve_sessionless",
    "serve_full_creating",
    "serve_full_without_session",
    "serve_incremental",
    "serve_incremental_throttled",
    "serve_incremental_emptying",
    "serve_unknown_session",
    "serve_wrong_epoch",
)
SENDS = ("send_sessionless", "send_full", "send_incremental", "send_close")

_WEIGHTS = {
    **dict.fromkeys(SERVES, 12.0),
    "serve_incremental": 30.0,
    "serve_full_without_session": 1.0,
    "serve_incremental_throttled": 1.0,
    "send_full": 20.0,
    "send_incremental": 30.0,
    "send_sessionless": 1.0,
    "send_close": 0.5,
    "append": 6.0,
    "advance_high_watermark": 6.0,
    "advance_log_start": 2.0,
    "fail_partition": 1.0,
    "recover_partition": 2.0,
    "evict": 0.15,
    "restart_broker": 0.02,
    "disconnect": 1.5,
    "restart_fetcher": 0.3,
    "lose_stray": 1.0,
    # A connection of TCP does not repeat a request.
    "duplicate": 0.0,
}
_OTHER_WEIGHT = 20.0


@dataclass(frozen=True)
class Sent:
    """How a request was sent.

    Connections are counted through for all fetchers. `number` counts the fetcher's requests, those
    of other APIs among them; `others` were sent just before, on the same connection.
    """

    connection: int
    number: int
    others: int


@dataclass(eq=False)
class Exchange:
    """A request that was served, and its response; both are the model's.

    Sessions are counted as they are opened: `session` is the one that the request names, and
    `response_session` that of the response; 0 is none.
    """

    fetcher: str
    sent: Sent
    action: str
    request: Any
    response: Any
    session: int
    response_session: int
    is_read: bool = False
    """Whether the response reached the fetcher."""


@dataclass(frozen=True)
class Scope:
    """A small instance of the model."""

    partitions: tuple[str, ...] = ("p1", "p2")
    fetchers: tuple[str, ...] = ("c", "r")
    followers: tuple[str, ...] = ("r",)
    max_epoch: int = 2**31 - 1
    max_offset: int = 3
    max_bytes: int = 1
    disturbances: int = 3
    failures: int = 2
    session_ids: tuple[int, ...] = (1, 2, 3)
    has_strays: bool = True
    """Whether a request may arrive after its fetcher connected anew."""
    idles: bool = True
    """Whether connections that are idle for some time are closed."""

    def load(self) -> Model:
        return load_model(
            ROOT,
            "fetch_session",
            {
                "PARTITIONS": self.partitions,
                "SESSION_IDS": self.session_ids,
                "FETCHERS": self.fetchers,
                "FOLLOWERS": self.followers,
                "MAX_EPOCH": self.max_epoch,
                "MAX_OFFSET": self.max_offset,
                "MAX_BYTES": self.max_bytes,
                "MAX_DISTURBANCES": self.disturbances,
                "MAX_FAILURES": self.failures,
            },
        )


@dataclass
class Walk:
    """A random walk of the model."""

    model: Model
    scope: Scope
    random: random.Random
    exchanges: list[Exchange] = field(default_factory=list)

    def __post_init__(self) -> None:
        modules = self.model.universe.modules
        self._interest: Any = modules["models.fetch_partitions"].Interest
        self._via: Any = modules["models.fetch_session_state"].Via
        self._engine = PlainEngine(self.model)
        self._actions = {action.name: action for action in self.model.actions}
        self.state: Any = self.model.initial
        self._connections = {f: place for place, f in enumerate(self.scope.fetchers)}
        self._next_connection = len(self.scope.fetchers)
        self._numbers = dict.fromkeys(self.scope.fetchers, 0)
        self._sent: dict[str, Sent] = {}
        self._stray: dict[str, Sent] = {}
        self._opened: dict[int, int] = {0: 0}
        self._unread: dict[str, Exchange] = {}

    def age(self, epoch: int) -> None:
        """Let the sessions of idle fetchers have gone on until this epoch, unseen by any log."""
        metadata = {f: self.state.metadata[f] for f in self.scope.fetchers}
        sessions = dict(self.state.sessions.items())
        for f, held in metadata.items():
            session = sessions.get(held.session_id)
            if (
                session is None
                or session.epoch != held.epoch
                or self.state.pending[f]
                or self.state.stray[f] is not None
            ):
                continue
            metadata[f] = type(held)(session_id=held.session_id, epoch=epoch)
            sessions[held.session_id] = type(session)(
                owner=session.owner, epoch=epoch, partitions=session.partitions
            )
        self.state = self._with(metadata=metadata, sessions=sessions)

    def go(self, exchanges: int) -> None:
        """Walk until so many more requests were served."""
        end = len(self.exchanges) + exchanges
        names = [name for name in self._actions if _WEIGHTS.get(name, _OTHER_WEIGHT)]
        weights = [_WEIGHTS.get(name, _OTHER_WEIGHT) for name in names]
        while len(self.exchanges) < end:
            (name,) = self.random.choices(names, weights)
            self._try(name)

    def _try(self, name: str) -> None:
        before = self.state
        arguments = {
            parameter.name: self._value(parameter.name, name)
            for parameter in self._actions[name].parameters
        }
        after = self._run(name, before, arguments)
        if after is None:
            return
        f = arguments.get("f", "")
        if name in SENDS:
            self._send(f)
        elif name in ("disconnect", "restart_fetcher"):
            if arguments["arrives"]:
                self._stray[f] = self._sent[f]
            self._connect(f)
        elif name in SERVES:
            self._serve(name, before, after, arguments)
        elif name.startswith("receive"):
            self._unread[f].is_read = True
        self.state = after

    def _run(self, name: str, state: Any, arguments: Mapping[str, Any]) -> Any:
        action = self._actions[name]
        values = tuple(
            parameter.domain.coerce(arguments[parameter.name], parameter.name)
            for parameter in action.parameters
        )
        return self._engine.run(action, state, values)

    def _send(self, f: str) -> None:
        if self.scope.idles and self.random.random() < 0.03:
            self._connect(f)  # an idle connection is closed after some time
        others = self.random.choice((0,) * 9 + (1, 2))
        self._numbers[f] += others + 1
        self._sent[f] = Sent(self._connections[f], self._numbers[f], others)

    def _connect(self, f: str) -> None:
        self._connections[f] = self._next_connection
        self._next_connection += 1

    def _serve(self, name: str, before: Any, after: Any, arguments: Mapping[str, Any]) -> None:
        f, via = arguments["f"], arguments["via"]
        if via is self._via.AWAITED:
            request, sent = before.request[f], self._sent[f]
            response = after.response[f]
        else:
            # Nobody reads this response: it is the one that an awaited request would have had.
            request, sent = before.stray[f], self._stray[f]
            awaited = self._with(
                request={**dict(before.request.items()), f: request},
                stray={**dict(before.stray.items()), f: None},
            )
            response = self._run(name, awaited, {**arguments, "via": self._via.AWAITED}).response[f]
        session = self._opened[request.session_id]
        if name == "serve_full_creating":
            self._opened[arguments["i"]] = 1 + max(self._opened.values())
        exchange = Exchange(
            f, sent, name, request, response, session, self._opened[response.session_id]
        )
        self.exchanges.append(exchange)
        if via is self._via.AWAITED:
            self._unread[f] = exchange

    def _with(self, **variables: Any) -> Any:
        state = self.state
        return state.of(
            state.fields[name].coerce(variables[name], name) if name in variables else value
            for name, value in zip(state.fields, state, strict=True)
        )

    def _value(self, parameter: str, action: str) -> Any:
        choice = self.random.choice
        match parameter:
            case "f":
                return choice(self.scope.fetchers)
            case "p":
                return choice(self.scope.partitions)
            case "i":
                return choice(self.scope.session_ids)
            case "end" | "to":
                return self.random.randint(0, self.scope.max_offset)
            case "arrives":
                return self.scope.has_strays and choice((False, True))
            case "via":
                return choice((self._via.AWAITED, self._via.STRAY))
            case "filled":
                return {p for p in self.scope.partitions if choice((False, True))}
            case "wanted":
                return self._wanted(action == "send_incremental")
            case _:
                raise AssertionError(parameter)

    def _wanted(self, is_incremental: bool) -> dict[str, Any]:
        old = self.state.fetching[self.random.choice(self.scope.fetchers)]
        kept = 0.6 if is_incremental else 0.0
        return {
            p: old[p] if self.random.random() < kept else self._an_interest()
            for p in self.scope.partitions
        }

    def _an_interest(self) -> Any:
        if self.random.random() < 0.25:
            return None
        return self._interest(
            fetch_offset=self.random.randint(0, self.scope.max_offset),
            log_start_offset=-1,
            partition_max_bytes=self.random.randint(0, self.scope.max_bytes),
            current_leader_epoch=-1,
            last_fetched_epoch=-1,
        )
