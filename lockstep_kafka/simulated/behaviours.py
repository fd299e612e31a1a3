"""Random behaviours of the model `fetch_session`, walked by plain Python.

Every step is an action of the model. What a log shows of a behaviour is the requests that were
served, with their responses, in the order in which the leader served them.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lockstep.language.model import Model
from lockstep.plain.run import PlainEngine
from lockstep_kafka.simulated.arguments import Arguments, Scope

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
_RECEIVES = (
    "receive_incremental",
    "receive_full",
    "receive_sessionless",
    "receive_session_closed",
    "receive_unknown_session",
    "receive_wrong_epoch",
)
_DISTURBANCES = ("disconnect", "restart_fetcher")

_WEIGHTS = {
    "serve_full_creating": 60.0,
    "serve_incremental": 40.0,
    "send_sessionless": 3.0,
    "send_full": 60.0,
    "send_incremental": 60.0,
    "send_close": 0.6,
    "append": 6.0,
    "advance_high_watermark": 8.0,
    "advance_log_start": 1.0,
    "fail_partition": 0.15,
    "recover_partition": 2.0,
    "evict": 0.25,
    "restart_broker": 0.02,
    "disconnect": 0.5,
    "restart_fetcher": 0.15,
}
"""How often an action is tried before the others of its group; 1 where it is not named.

A connection of TCP does not repeat a request: `duplicate` is in no group.
"""

_OF_LEADER = (
    "append",
    "advance_high_watermark",
    "advance_log_start",
    "fail_partition",
    "recover_partition",
    "evict",
    "restart_broker",
)
_SHARE_OF_LEADER = 0.35
"""How many of the steps are the leader's own: its logs change, and its cache."""

_SHARE_OF_DISTURBANCES = 0.02
_SHARE_OF_STRAYS = 0.3
_SHARE_OF_IDLE_CONNECTIONS = 0.03

_CLOSING = -1
"""The epoch of a request that closes its session."""


@dataclass(frozen=True)
class Sent:
    """How a request was sent.

    Connections are counted through for all fetchers. `number` counts the fetcher's requests, those
    of other APIs among them; `others` were sent just before, on the same connection.
    """

    connection: int
    number: int
    others: int
    is_known: bool
    """Whether a Fetch request of the connection was served before."""


@dataclass(eq=False, slots=True)
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


@dataclass
class Walk:
    """A random walk of the model."""

    model: Model
    scope: Scope
    random: random.Random
    exchanges: list[Exchange] = field(default_factory=list)

    def __post_init__(self) -> None:
        modules = self.model.universe.modules
        self._via: Any = modules["models.fetch_session_state"].Via
        self._engine = PlainEngine(self.model)
        self._actions = {action.name: action for action in self.model.actions}
        self._arguments = Arguments(self.model, self.scope, self.random)
        self.state: Any = self.model.initial
        self._connections = {f: place for place, f in enumerate(self.scope.fetchers)}
        self._next_connection = len(self.scope.fetchers)
        self._numbers = dict.fromkeys(self.scope.fetchers, 0)
        self._sent: dict[str, Sent] = {}
        self._stray: dict[str, Sent] = {}
        self._served: set[int] = set()
        self._opened: dict[int, int] = {0: 0}
        self._unread: dict[str, Exchange] = {}

    @property
    def connections(self) -> int:
        """How many connections there were."""
        return self._next_connection

    @property
    def sessions(self) -> int:
        """How many sessions were opened."""
        return max(self._opened.values())

    def go(self, exchanges: int) -> None:
        """Walk until so many more requests were served."""
        end = len(self.exchanges) + exchanges
        while len(self.exchanges) < end:
            if self.random.random() < _SHARE_OF_LEADER:
                self._leader_steps()
            else:
                self._fetcher_steps(self.random.choice(self.scope.fetchers))

    def _leader_steps(self) -> None:
        (name,) = self.random.choices(_OF_LEADER, [_WEIGHTS[name] for name in _OF_LEADER])
        self._try(name, self._arguments.of_leader(name, self.state))

    def _fetcher_steps(self, f: str) -> None:
        """Take one step of a fetcher, or of the leader for it: the first that can be taken."""
        state = self.state
        if state.stray[f] is not None and self.random.random() < _SHARE_OF_STRAYS:
            if self.random.random() < _SHARE_OF_STRAYS:
                self._try("lose_stray", {"f": f})
            else:
                self._serves(f, self._via.STRAY)
        elif self.random.random() < _SHARE_OF_DISTURBANCES:
            for name in self._shuffled(_DISTURBANCES):
                arrives = self._may_be_stray(f) and self.random.random() < 0.5
                if self._try(name, {"f": f, "arrives": arrives}):
                    return
        elif state.response[f] is not None:
            any(self._try(name, {"f": f}) for name in _RECEIVES)
        elif state.request[f] is not None:
            self._serves(f, self._via.AWAITED)
        else:
            for name in self._shuffled(SENDS):
                wanted = self._arguments.wanted(state, f, is_incremental="incremental" in name)
                if self._try(name, {"f": f, "wanted": wanted}):
                    return

    def _may_be_stray(self, f: str) -> bool:
        """Whether the request of a fetcher may arrive after it connected again."""
        request = self.state.request[f]
        if request is None or not self.scope.has_strays:
            return False
        is_close = bool(request.epoch == _CLOSING and request.session_id)
        is_named = not is_close and self._sent[f].is_known
        return is_named or self.scope.has_nameless_strays

    def _serves(self, f: str, via: Any) -> None:
        for name in self._shuffled(SERVES):
            if self._try(name, self._arguments.of_serving(self.state, f, via)):
                return

    def _shuffled(self, names: Sequence[str]) -> Iterable[str]:
        """The names in an order by chance, in which those of great weight come early."""
        draw = self.random.random
        return sorted(names, key=lambda name: draw() ** (1 / _WEIGHTS.get(name, 1.0)), reverse=True)

    def _try(self, name: str, arguments: Mapping[str, Any] | None) -> bool:
        """Take a step if it can be taken; whether it was."""
        if arguments is None:
            return False
        before = self.state
        after = self._run(name, before, arguments)
        if after is None:
            return False
        f = arguments.get("f", "")
        if name in SENDS:
            self._send(f)
        elif name in _DISTURBANCES:
            if arguments["arrives"]:
                self._stray[f] = self._sent[f]
            self._connect(f)
        elif name in SERVES:
            self._serve(name, before, after, arguments)
        elif name in _RECEIVES:
            self._unread[f].is_read = True
        self.state = after
        return True

    def _run(self, name: str, state: Any, arguments: Mapping[str, Any]) -> Any:
        action = self._actions[name]
        values = tuple(
            parameter.domain.coerce(arguments[parameter.name], parameter.name)
            for parameter in action.parameters
        )
        return self._engine.run(action, state, values)

    def _send(self, f: str) -> None:
        if self.scope.idles and self.random.random() < _SHARE_OF_IDLE_CONNECTIONS:
            self._connect(f)  # an idle connection is closed after some time
        others = self.random.choice((0,) * 9 + (1, 2))
        self._numbers[f] += others + 1
        connection = self._connections[f]
        is_known = connection in self._served
        self._sent[f] = Sent(connection, self._numbers[f], others, is_known)

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
        self._served.add(sent.connection)
        if via is self._via.AWAITED:
            self._unread[f] = exchange

    def _with(self, **variables: Any) -> Any:
        state = self.state
        return state.of(
            state.fields[name].coerce(variables[name], name) if name in variables else value
            for name, value in zip(state.fields, state, strict=True)
        )
