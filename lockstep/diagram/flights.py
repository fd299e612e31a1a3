"""Messages under way along a behaviour: who sent them, when, and what becomes of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from lockstep.diagram.diagram import Fate, Message
from lockstep.language.notation import State
from lockstep.language.records import Record
from lockstep.language.values import TotalMap
from lockstep.specs.diagrams import MessageSpec, is_named
from lockstep.specs.templates import NoValue, Template
from lockstep.trace.layout import show


@dataclass(frozen=True)
class Moment:
    """A step as messages see it; `names` are what a text may name, `lane` is where it happens."""

    number: int
    action: str
    before: State
    after: State
    names: Mapping[str, object]
    lane: int | None


Place: TypeAlias = "tuple[str, object]"
"""A kind of message, and its key in the variable, or its number where no variable has it."""


def fill(template: Template, names: Mapping[str, object]) -> str:
    """The text with its places filled; a path that leads to nothing here is a question mark."""
    texts = []
    for part in template.parts:
        if isinstance(part, str):
            texts.append(part)
            continue
        try:
            value = part.value(names)
        except NoValue:
            value = "?"
        texts.append(value if isinstance(value, str) else show(value))
    return "".join(texts)


class Flights:
    """Follows the messages of one behaviour, step by step.

    `lane_of` gives the number of a lane by its name, None for a name of nobody.
    """

    def __init__(
        self, specs: tuple[MessageSpec, ...], lane_of: Callable[[str], int | None]
    ) -> None:
        self._specs = specs
        self._lane_of = lane_of
        self._flying: dict[Place, Message] = {}
        self._ended: list[Message] = []
        self._serial = 0

    def begin(self, state: State) -> None:
        """What is under way in the first state was sent before the first step."""
        for spec in self._specs:
            for key, value in _values(spec, state).items():
                if value is not None:
                    names = {"s": state, "new": state, **_own(key, value)}
                    self._send(spec, key, 0, names)

    def take(self, moment: Moment) -> None:
        """Take one step."""
        settled = {
            place for spec in self._specs if spec.copies for place in self._copied(spec, moment)
        }
        for spec in self._specs:
            if spec.sent:
                self._by_actions(spec, moment)
                continue
            before, after = _values(spec, moment.before), _values(spec, moment.after)
            for key, value in after.items():
                if (spec.name, key) not in settled:
                    self._by_variable(spec, moment, key, (before.get(key), value))

    def messages(self) -> tuple[Message, ...]:
        """All messages so far, in the order in which they end; those under way come last."""
        return (*self._ended, *self._flying.values())

    def _by_actions(self, spec: MessageSpec, moment: Moment) -> None:
        """A message that the model keeps nowhere: its actions are named."""
        is_sent = is_named(moment.action, spec.sent)
        is_lost = is_named(moment.action, spec.lost)
        if is_sent:
            self._serial += 1
            self._send(spec, self._serial, moment.number, moment.names)
        if not is_lost and not is_named(moment.action, spec.received):
            return
        own = [place for place in self._flying if place[0] == spec.name]
        if is_sent:
            own = [place for place in own if place[1] == self._serial]  # it takes no time
        elif not is_lost:
            own = [place for place in own if self._flying[place].receiver == moment.lane] or own
        if own:
            self._end(own[0], moment.number, Fate.LOST if is_lost else Fate.RECEIVED)

    def _copied(self, spec: MessageSpec, moment: Moment) -> Iterator[Place]:
        """The places between which a message moves, or to which it is copied, in this step."""
        before, after = _values(spec, moment.before), _values(spec, moment.after)
        source_spec = next(other for other in self._specs if other.name == spec.copies)
        left = _values(source_spec, moment.after)
        is_sent_again = is_named(moment.action, source_spec.lost)
        for key, value in after.items():
            place, source = (spec.name, key), (source_spec.name, key)
            original = self._flying.get(source)
            if value is None or value == before.get(key) or original is None:
                continue
            self._end(place, moment.number, Fate.LOST)
            yield place
            if left.get(key) is None:
                self._flying[place] = self._flying.pop(source)
                yield source
            elif is_sent_again:
                self._flying[place] = self._flying.pop(source)
            else:
                self._flying[place] = replace(original, is_copy=True)

    def _by_variable(
        self, spec: MessageSpec, moment: Moment, key: object, values: tuple[object, object]
    ) -> None:
        """A message that is in a variable while it is under way."""
        place, (old, value) = (spec.name, key), values
        flight = self._flying.get(place)
        names = {**moment.names, **_own(key, value)}
        is_lost = is_named(moment.action, spec.lost)
        if flight is None:
            if value is not None and (value != old or is_lost):
                self._send(spec, key, moment.number, names)
            return
        is_there = moment.lane == flight.receiver
        if value is None:
            is_received = is_named(moment.action, spec.received) or (is_there and not is_lost)
            self._end(place, moment.number, Fate.RECEIVED if is_received else Fate.LOST)
        elif is_there and is_named(moment.action, spec.received):
            self._end(place, moment.number, Fate.RECEIVED)
            self._flying[place] = replace(flight, is_copy=True)
        elif moment.lane == flight.sender and (value != old or is_lost):
            self._end(place, moment.number, Fate.LOST)
            self._send(spec, key, moment.number, names)
        elif value != old:
            self._flying[place] = replace(flight, text=fill(spec.text, names))

    def _send(
        self, spec: MessageSpec, key: object, number: int, names: Mapping[str, object]
    ) -> None:
        sender = self._lane_of(fill(spec.sender, names))
        receiver = self._lane_of(fill(spec.receiver, names))
        if sender is not None and receiver is not None:
            text = fill(spec.text, names)
            self._flying[spec.name, key] = Message(text, sender, receiver, number)

    def _end(self, place: Place, number: int, fate: Fate) -> None:
        if (flight := self._flying.pop(place, None)) is not None:
            self._ended.append(replace(flight, ended=number, fate=fate))


def _values(spec: MessageSpec, state: State) -> dict[object, object]:
    """The messages of a variable by their keys; by None where it is no map.

    None at all where the state has no such variable, as of a proposal.
    """
    if spec.sent or spec.name not in state.fields:
        return {}
    value = getattr(state, spec.name)
    return dict(value.items()) if isinstance(value, TotalMap) else {None: value}


def _own(key: object, value: object) -> dict[str, object]:
    """What the texts of a message may name of itself."""
    fields = dict(zip(value.fields, value, strict=True)) if isinstance(value, Record) else {}
    return {"key": key, **fields}
