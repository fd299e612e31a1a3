"""The leader that the model plays towards a client, and the answers as they are sent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lockstep.drive.driver import Took
from lockstep.drive.values import canonical
from lockstep.language.model import Model
from lockstep.language.values import NotInDomain
from lockstep.plain.run import PlainEngine
from lockstep_kafka.drive.messages import RECEIVES, UNKNOWN
from lockstep_kafka.drive.wire import Reply
from lockstep_kafka.files.lines import AnsweredPartition

BEGINS_AGAIN = "begin_again"
"""The action by which a client gives its session up (227-D43)."""

_ERRORS = 6, 3, 56
"""Of the first, second, third failure of a partition: NOT_LEADER_OR_FOLLOWER,
UNKNOWN_TOPIC_OR_PARTITION, KAFKA_STORAGE_ERROR."""
_THROTTLE_MS = 5
_FIRST_ID, _IDS_APART = 1_000_003, 7_919
"""Session ids that the leader draws: none of them is one of a scope's small names."""


class Played:
    """The states of the model that explain what clients sent.

    Of a client that sent nothing since its last answer it may be open whether it begins again. All
    states have the same leader, with the same logs.
    """

    def __init__(self, model: Model) -> None:
        self.states: list[Any] = [model.initial]
        self._engine = PlainEngine(model)
        self._actions = {action.name: action for action in model.actions}
        self._numbers: dict[Any, int] = {0: 0}
        """The session ids that were drawn last, by their names in the scope."""
        self._drawn = 0

    @property
    def state(self) -> Any:
        """One of the states."""
        return self.states[0]

    def name_of(self, session_id: int) -> Any:
        """The scope's name of a session id; None where nothing has that id."""
        names = {number: name for name, number in self._numbers.items()}
        return names.get(session_id)

    def take(self, name: str, arguments: Mapping[str, Any]) -> bool:
        """Do an action of the model, if it is enabled, and the model has such arguments."""
        after = self._after(name, arguments)
        self.states = after or self.states
        if after and name == "serve_full_creating":
            self._drawn += 1
            self._numbers[arguments["i"]] = _FIRST_ID + _IDS_APART * self._drawn
        return bool(after)

    def send(self, f: str, took: Took, head: tuple[object, object]) -> bool:
        """A client sends; whether a state explains the session id and the epoch that it names."""
        before = self.states
        self.states = [*before, *self._begun_again(f)]
        explained = [
            state
            for state in self._after(took.action, {"f": f, **took.parameters})
            if (state.request[f].session_id, state.request[f].epoch) == head
        ]
        self.states = explained or before
        return bool(explained)

    def receive(self, f: str, *, is_given_up: bool) -> Took | None:
        """The answer reaches a client, which may have given the request up.

        What follows an unknown session is open.
        """
        found = {name: self._after(name, {"f": f}) for name in RECEIVES}
        begun = self._begun_again(f)
        if is_given_up and begun:
            self.states = begun
            return Took(BEGINS_AGAIN)
        action, self.states = next((name, after) for name, after in found.items() if after)
        if action == "receive_unknown_session":
            self.states = [*self.states, *begun]
            return None
        return Took(action)

    def reply(self, f: str) -> Reply:
        """The answer as it is sent; a record has the offset that the client fetches from."""
        response, fetching = self.state.response[f], self.state.fetching[f]
        error = _ERRORS[(self.state.failures - 1) % len(_ERRORS)]
        answered, records = {}, {}
        for p, answer in response.partitions.items():
            if answer is None:
                continue
            answered[p] = AnsweredPartition(
                error_code=error if answer.failed else 0,
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

    def _after(self, name: str, arguments: Mapping[str, Any]) -> list[Any]:
        """The states after an action: none where it is not enabled, or has no such arguments."""
        action = self._actions[name]
        try:
            values = [canonical(of.domain, arguments[of.name], of.name) for of in action.parameters]
        except NotInDomain:
            return []
        after = [self._engine.run(action, state, tuple(values)) for state in self.states]
        return [state for state in after if state is not None]

    def _begun_again(self, f: str) -> list[Any]:
        """The states in which a client begins again."""
        choices = [{"f": f, "naming": naming} for naming in (True, False)]
        return [state for one in choices for state in self._after(BEGINS_AGAIN, one)]
