"""Whether any behaviour of the whole model shows a log: every state that it may be in, by force.

The log is whole from its beginning, and no request is late: each is served in its place. Between
two requests everything may happen that a log does not show. Three things are put off until they
matter, so that the states are few: the leader's logs and its cache change just before a request is
served, and a fetcher acts just before it sends one.

As `conform` does, this leaves open where a consumer seeks to (227-D39), and how often a fetcher is
disturbed or a partition fails.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from lockstep.language.model import Model
from lockstep.plain.run import PlainEngine
from lockstep_kafka.simulated.behaviours import SENDS, SERVES, Exchange

_LOG_CHANGES = (
    "append",
    "advance_high_watermark",
    "advance_log_start",
    "fail_partition",
    "recover_partition",
)
_DISTURBANCES = ("disconnect", "restart_fetcher")

States = frozenset[Any]


@dataclass
class Oracle:
    """Follows exchanges through a small instance of the model."""

    model: Model
    _changed: dict[Any, States] = field(default_factory=dict)
    _ready: dict[tuple[Any, str, bool], States] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._engine = PlainEngine(self.model)
        self._actions = {action.name: action for action in self.model.actions}
        self._receives = [name for name in self._actions if name.startswith("receive")]
        modules = self.model.universe.modules
        self._awaited = modules["models.fetch_session_state"].Via.AWAITED
        self._reported = modules["models.fetch_partitions"].Reported(
            high_watermark=0, log_start_offset=0, records=True
        )

    def begin(self) -> States:
        """The state before the log."""
        return frozenset([self._normal(self.model.initial)])

    def explains(
        self, states: States, exchanges: Sequence[Exchange], before: Sequence[Exchange] = ()
    ) -> bool:
        """Whether some behaviour goes on from one of these states so; `before` led to them."""
        connections = {exchange.fetcher: exchange.sent.connection for exchange in before}
        for exchange in exchanges:
            f, connection = exchange.fetcher, exchange.sent.connection
            is_new = connections.get(f, connection) != connection or f not in connections
            states = self.step(states, exchange, is_new=is_new)
            connections[f] = connection
        return bool(states)

    def step(self, states: States, exchange: Exchange, *, is_new: bool) -> States:
        """The states in which a request may have been served so; `is_new` is its connection."""
        return frozenset(
            self._normal(after)
            for state in states
            for sent in self._sent(state, exchange, is_new)
            for after in self._served(sent, exchange)
        )

    def _sent(self, state: Any, exchange: Exchange, is_new: bool) -> Iterator[Any]:
        """The states in which the fetcher has sent the request."""
        f, seen = exchange.fetcher, exchange.request
        for ready in self._ready_to_send(state, f, is_new):
            for name in SENDS:
                wanted = dict(seen.partitions.items())
                if name == "send_incremental":
                    # What is not named stays.
                    kept = ready.fetching[f]
                    wanted = {
                        p: None
                        if p in seen.forgotten
                        else kept[p]
                        if seen.partitions[p] is None
                        else seen.partitions[p]
                        for p in kept
                    }
                after = self._run(name, ready, f=f, wanted=wanted)
                if after is not None and after.request[f] == seen:
                    yield after

    def _ready_to_send(self, state: Any, f: str, is_new: bool) -> States:
        """The states in which the fetcher may send: after its response, or after a disturbance."""
        key = state, f, is_new
        if key not in self._ready:
            names = [*self._receives, *(_DISTURBANCES if is_new else ())]
            known = _closure(
                [state],
                lambda before: (
                    self._normal(after)
                    for name in names
                    for after in self._instances(name, before, f)
                ),
            )
            # A request that is lost leaves no line, and may be the reason to connect again.
            lost = [
                self._normal(after)
                for before in known
                if is_new and not before.pending[f]
                for name in SENDS
                for sent in self._instances(name, before, f)
                for disturbance in _DISTURBANCES
                for after in self._instances(disturbance, sent, f)
            ]
            self._ready[key] = frozenset(ready for ready in (*known, *lost) if not ready.pending[f])
        return self._ready[key]

    def _served(self, state: Any, exchange: Exchange) -> Iterator[Any]:
        f, seen = exchange.fetcher, exchange.response
        filled = {
            p for p, answer in seen.partitions.items() if answer is not None and answer.records
        }
        cached = [state]
        named = exchange.request.session_id
        if named and state.sessions[named] is not None:
            cached.append(self._run("evict", state, i=named))
        for before in cached:
            for changed in self._logs(before):
                for name in SERVES:
                    for i in (seen.session_id,) if name == "serve_full_creating" else (None,):
                        if i == 0:
                            continue
                        after = self._run(name, changed, f=f, via=self._awaited, filled=filled, i=i)
                        if after is not None and _shows(after.response[f], seen):
                            yield after

    def _logs(self, state: Any) -> States:
        """The states after any changes of the leader's logs."""
        if state not in self._changed:
            self._changed[state] = _closure(
                [state],
                lambda before: (
                    self._normal(step.state)
                    for name in _LOG_CHANGES
                    for step in self._engine.instances(self._actions[name], before)
                ),
            )
        return self._changed[state]

    def _instances(self, name: str, state: Any, f: str) -> Iterator[Any]:
        for step in self._engine.instances(self._actions[name], state):
            if step.parameters[0] == f:
                yield step.state

    def _run(self, name: str, state: Any, **arguments: Any) -> Any:
        action = self._actions[name]
        values = tuple(
            parameter.domain.coerce(arguments[parameter.name], parameter.name)
            for parameter in action.parameters
        )
        return self._engine.run(action, state, values)

    def _normal(self, state: Any) -> Any:
        """The state without what is left open, and without counts of what went wrong."""
        reported = {f: {p: self._reported for p in state.log_end} for f in state.reported}
        variables: dict[str, Any] = {
            "reported": reported,
            "failures": 0,
            "disturbances": dict.fromkeys(state.reported, 0),
            "stray": dict.fromkeys(state.reported),
        }
        return state.of(
            state.fields[name].coerce(variables[name], name) if name in variables else value
            for name, value in zip(state.fields, state, strict=True)
        )


def _shows(response: Any, seen: Any) -> bool:
    """Whether the log shows this response: a quota on requests may delay any other one, too."""
    return (response.error, response.session_id, response.partitions) == (
        seen.error,
        seen.session_id,
        seen.partitions,
    ) and (seen.throttled or not response.throttled)


def _closure(states: Iterable[Any], successors: Any) -> States:
    known = set(states)
    waiting = list(known)
    while waiting:
        for after in successors(waiting.pop()):
            if after not in known:
                known.add(after)
                waiting.append(after)
    return frozenset(known)
