"""How a model's behaviours are drawn: `[diagram]` of `specs/MODEL.toml`.

    [diagram]
    lanes = ["FETCHERS", "broker"]

    [diagram.at]
    "{f}" = ["send_*", "receive_*", "disconnect"]
    broker = ["serve_*", "evict"]
    all = ["lose_stray"]

    [diagram.messages.request]
    from = "{key}"
    to = "broker"
    text = "FetchRequest ({session_id}, {epoch})"

    [diagram.messages.stray]
    copies = "request"

    [diagram.messages.refusal]
    from = "broker"
    to = "{f}"
    text = "refused"
    sent = ["refuse"]
    received = ["refuse"]

A lane is a name, or a constant that lists names. `at` says in whose lane an action happens; `all`
is the environment's, which has none.

A message is a variable that is None, or a map of such, when nothing is under way: who sets it
sends, and it arrives when somebody at `to` takes it away. Others that take it away lose it, and
so do the actions in `lost`; where it is there all the same, it is sent again. Those in `received`
receive it even where the variable keeps its value: then another copy is under way. Where no
variable says so, `sent` names the actions that send it; one in both `sent` and `received` is a
message that takes no time.

Places in braces are paths: `s` is the state before the step, `new` the one after it, other names
are the action's parameters; in a message, its own fields, and `key` for that of the map.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path as FilePath
from typing import TYPE_CHECKING

import msgspec

from lockstep.errors import LockstepError, nearest, nearest_of
from lockstep.language.domain import Domain, MapDomain, OptionDomain
from lockstep.language.records import RecordDomain
from lockstep.specs.tables import NOTHING, Content, Keys, Table, Texts, placed
from lockstep.specs.templates import NoTemplate, Shape, Template, parse_template

if TYPE_CHECKING:
    from lockstep.language.model import Action, Model

ALL_LANES = "all"
"""In place of a lane: the step is the environment's."""


@dataclass(frozen=True)
class MessageSpec:
    """A kind of message. Without `sent` it is the variable of its name."""

    name: str
    sender: Template
    receiver: Template
    text: Template
    sent: tuple[str, ...] = ()
    received: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    copies: str | None = None


@dataclass(frozen=True)
class DiagramSpec:
    """The lanes in their order, in which of them actions happen, and the messages between them.

    Actions are patterns, `serve_*`. The lane of some is None where it is the environment's.
    """

    lanes: tuple[str, ...]
    at: tuple[tuple[Template | None, tuple[str, ...]], ...]
    messages: tuple[MessageSpec, ...]


def is_named(action: str, patterns: Iterable[str]) -> bool:
    """Whether one of the patterns stands for an action."""
    return any(fnmatchcase(action, pattern) for pattern in patterns)


class _Diagram(Keys, frozen=True):
    lanes: Texts = ()
    at: Content = NOTHING
    messages: Content = NOTHING


class _Message(Keys, frozen=True):
    sender: str | None = msgspec.field(name="from", default=None)
    receiver: str | None = msgspec.field(name="to", default=None)
    text: str | None = None
    sent: Texts = ()
    received: Texts = ()
    lost: Texts = ()
    copies: str | None = None


def read_diagram(table: Table) -> DiagramSpec:
    """The content of `[diagram]`; `LockstepError` where it is not as it must be."""
    lanes = table.read(_Diagram).lanes
    if not lanes:
        raise table.error("lanes", "names nobody", 'name processes: lanes = ["REPLICAS"]')
    places = table.table("at")
    at = tuple(
        (None if lane == ALL_LANES else _template(places, lane, lane), places.texts(lane))
        for lane in places.content
    )
    messages: dict[str, MessageSpec] = {}
    for name, message in table.named("messages").items():
        messages[name] = _message(message, name, messages)
    return DiagramSpec(lanes, at, tuple(messages.values()))


def _message(table: Table, name: str, others: Mapping[str, MessageSpec]) -> MessageSpec:
    read = table.read(_Message)
    if read.copies is not None and read.copies not in others:
        raise table.error("copies", f"there is no message {read.copies!r} above this one")

    def template(key: str, part: str) -> Template:
        text = getattr(read, part)
        if text is None and read.copies is not None:
            text = getattr(others[read.copies], part).text
        if text is None:
            raise table.error(None, f"{key} is missing", f"add `{key} = ...`")
        return _template(table, key, text)

    return MessageSpec(
        name,
        template("from", "sender"),
        template("to", "receiver"),
        template("text", "text"),
        read.sent,
        read.received,
        read.lost,
        read.copies,
    )


def _template(table: Table, key: str, text: str) -> Template:
    try:
        return parse_template(text)
    except NoTemplate as error:
        raise table.error(key, str(error)) from None


def check_diagram(model: Model, declared: DiagramSpec | None, file: FilePath | None) -> None:
    """Refuse what a declaration says of a model that has no such thing, naming file and key."""
    if declared is None or file is None:
        return
    for key, problem in _problems(model, declared):
        raise LockstepError(f"{placed(file, f'diagram.{key}')}: {problem[0]}", cure=problem[1])


_Problem = tuple[str, tuple[str, str | None]]


def _problems(model: Model, declared: DiagramSpec) -> Iterator[_Problem]:
    for lane in declared.lanes:
        if lane.isupper() and lane not in model.constants:
            cure = nearest(lane, model.constants, "name a constant, or a lane in small letters")
            yield "lanes", (f"{model.name} has no constant {lane!r}", cure)
    state = {"s": model.state, "new": model.state}
    for template, patterns in declared.at:
        key = f"at.{ALL_LANES if template is None else template.text}"
        yield from _unknown_actions(model, key, patterns)
        for action in _actions(model, patterns):
            if template is not None:
                yield from _misfits(key, template, {**state, **_parameters(action)}, action)
    for message in declared.messages:
        yield from _message_problems(model, message)


def _message_problems(model: Model, message: MessageSpec) -> Iterator[_Problem]:
    where = f"messages.{message.name}"
    for key in ("sent", "received", "lost"):
        yield from _unknown_actions(model, f"{where}.{key}", getattr(message, key))
    names: dict[str, Shape] = {"s": model.state, "new": model.state}
    actions: Iterable[Action | None] = (None,)
    if message.sent:
        actions = _actions(model, message.sent)
    elif message.name not in model.variables:
        cure = nearest(message.name, model.variables, "or name who sends it: sent = [...]")
        yield where, (f"{model.name} has no variable {message.name!r}", cure)
        return
    else:
        fields = _message_fields(model.variables[message.name])
        if fields is None:
            problem = f"{message.name} is never None: nothing says when it is under way"
            yield where, (problem, "name who sends it, and who receives it: sent = [...]")
            return
        # Who sends a variable is not said: parameters of all actions may be meant.
        for sender in model.actions:
            names |= _parameters(sender)
        names |= fields
    for action in actions:
        own = names if action is None else {**names, **_parameters(action)}
        for key, template in (
            ("from", message.sender),
            ("to", message.receiver),
            ("text", message.text),
        ):
            yield from _misfits(f"{where}.{key}", template, own, action)


def _message_fields(domain: Domain) -> dict[str, Shape] | None:
    """What the texts of a message may name; None where the variable is no message."""
    fields: dict[str, Shape] = {}
    if isinstance(domain, MapDomain):
        fields["key"], domain = domain.key, domain.value
    if not isinstance(domain, OptionDomain):
        return None
    return {
        **fields,
        **(domain.some.record.fields if isinstance(domain.some, RecordDomain) else {}),
    }


def _misfits(
    key: str, template: Template, names: Mapping[str, Shape], action: Action | None
) -> Iterator[_Problem]:
    for path in template.paths:
        try:
            path.shape(names)
        except NoTemplate as error:
            of = "" if action is None else f" (of the action {action.name})"
            yield key, (f"{error}{of}", None)


def _unknown_actions(model: Model, key: str, patterns: Collection[str]) -> Iterator[_Problem]:
    names = [action.name for action in model.actions]
    for pattern in patterns:
        if not any(is_named(name, (pattern,)) for name in names):
            cure = nearest_of(pattern, names, "its actions are")
            yield key, (f"{model.name} has no action {pattern!r}", cure)


def _actions(model: Model, patterns: Collection[str]) -> list[Action]:
    return [action for action in model.actions if is_named(action.name, patterns)]


def _parameters(action: Action) -> dict[str, Shape]:
    return {parameter.name: parameter.domain for parameter in action.parameters}
