"""One thing, two notations: names and values of a model as its TLA+ twin has them.

| in the model                     | in the twin                                     |
|----------------------------------|-------------------------------------------------|
| variable or field `log_start`    | `logStart`                                      |
| action `serve_full_creating`     | `ServeFullCreating`, and invariants likewise    |
| constant `MAX_EPOCH`             | `MaxEpoch`                                      |
| enum member `Via.AWAITED`        | `"AWAITED"`                                     |
| `None`                           | the model value `None`                          |
| a record                         | a record                                        |
| a map                            | a function                                      |
| a set, a sequence                | a set, a sequence                               |

Names of `OneOf`, numbers and booleans are themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from lockstep.errors import LockstepError
from lockstep.language.domains import (
    BoolDomain,
    Domain,
    EnumDomain,
    MapDomain,
    NameDomain,
    OptionDomain,
    RangeDomain,
    RecordDomain,
    SequenceDomain,
    SetDomain,
)
from lockstep.language.model import Model
from lockstep.language.notation import State
from lockstep.trace.changes import changes
from lockstep.trace.render import render_whole_state
from lockstep.twin.findings import TraceStep
from lockstep.twin.tla_parser import (
    ModelValue,
    TlaFunction,
    TlaValue,
    format_value,
    function_value,
)

NONE = ModelValue("None")
"""What `None` is in a twin; its configuration says `None = None`."""

# Where a word begins: a word may be one letter, as in `LearnsWhatAFetchTells`.
_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


class NotInTwin(Exception):
    """A TLA+ value is none of a domain's: `value` in place of one of `domain`."""

    def __init__(self, value: TlaValue, domain: Domain) -> None:
        super().__init__(f"{format_value(value)} is not in {domain}")
        self.value = value
        self.domain = domain


def definition_name(name: str) -> str:
    """`serve_full_creating` or `MAX_EPOCH` as the name of a definition or a constant."""
    return "".join(word[:1].upper() + word[1:].lower() for word in name.split("_"))


def variable_name(name: str) -> str:
    """`log_start` as the name of a variable or a field."""
    capitalised = definition_name(name)
    return capitalised[:1].lower() + capitalised[1:]


def snake_name(name: str) -> str:
    """`ServeFullCreating` or `logStart` as the name of a function, a variable or a field."""
    return _CAPITAL.sub("_", name).lower()


def encode(domain: Domain, value: Any) -> TlaValue:
    """A value of `domain`, as the twin has it."""
    match domain:
        case OptionDomain():
            return NONE if value is None else encode(domain.some, value)
        case EnumDomain():
            return str(value.name)
        case RangeDomain() | BoolDomain() | NameDomain():
            scalar: int | bool | str = value
            return scalar
        case RecordDomain():
            fields = domain.record.fields.items()
            return TlaFunction(
                {
                    variable_name(name): encode(of, part)
                    for (name, of), part in zip(fields, value, strict=True)
                }
            )
        case MapDomain():
            return function_value(
                {encode(domain.key, key): encode(domain.value, part) for key, part in value.items()}
            )
        case SetDomain():
            return frozenset(encode(domain.item, item) for item in value)
        case SequenceDomain():
            return tuple(encode(domain.item, item) for item in value)
    raise TypeError(f"{domain} has no form in TLA+")


def decode(domain: Domain, value: TlaValue) -> Any:
    """The value of `domain` that the twin writes so; `NotInTwin` when there is none."""
    match domain:
        case OptionDomain():
            return None if value == NONE else decode(domain.some, value)
        case EnumDomain():
            if isinstance(value, str) and value in domain.members_of.__members__:
                return domain.members_of[value]
        case RangeDomain() | BoolDomain() | NameDomain():
            if domain.contains(value):
                return value
        case RecordDomain():
            fields = domain.record.fields
            if isinstance(value, TlaFunction) and set(value) == set(map(variable_name, fields)):
                return domain.record.of(
                    decode(of, value[variable_name(name)]) for name, of in fields.items()
                )
        case MapDomain():
            function = _function(value)
            if function is not None and len(function) == domain.key.size():
                results = {
                    decode(domain.key, argument): decode(domain.value, result)
                    for argument, result in function.items()
                }
                return domain.of(results[key] for key in domain.key)
        case SetDomain():
            if isinstance(value, frozenset):
                return frozenset(decode(domain.item, item) for item in value)
        case SequenceDomain():
            if isinstance(value, tuple) and len(value) <= domain.capacity:
                return tuple(decode(domain.item, item) for item in value)
    raise NotInTwin(value, domain)


def _function(value: TlaValue) -> Mapping[TlaValue, TlaValue] | None:
    """A function by its arguments; None for a value that is no function."""
    if isinstance(value, tuple):
        return dict(enumerate(value, start=1))
    if isinstance(value, TlaFunction):
        return dict(value.items())
    return None


@dataclass(frozen=True)
class Foreign:
    """A state of the twin that is none of the model's: some variable's value is in no domain."""

    values: Mapping[str, TlaValue]
    problem: str

    def __hash__(self) -> int:
        return hash(frozenset(self.values.items()))


TwinState: TypeAlias = "State | Foreign"


class StateReader:
    """Turns the values of a twin's variables into states of `model`."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._variables = {name: variable_name(name) for name in model.variables}
        # A dump has each value once, however many states it is part of. The value is kept here too,
        # so that its identity stays its own.
        self._decoded: dict[tuple[str, int], tuple[TlaValue, object]] = {}

    def read(self, values: Mapping[str, TlaValue]) -> TwinState:
        """One state; LockstepError when the twin's variables are not the model's."""
        if values.keys() != set(self._variables.values()):
            raise self._other_variables(set(values))
        parts = []
        for name, variable in self._variables.items():
            part = self._part(name, values[variable])
            if isinstance(part, NotInTwin):
                return Foreign(values, f"{name}: {part}")
            parts.append(part)
        return self._model.state.of(parts)

    def _part(self, name: str, value: TlaValue) -> object:
        """The variable's value, or why it has none."""
        key = (name, id(value))
        if key not in self._decoded:
            part: object
            try:
                part = decode(self._model.variables[name], value)
            except NotInTwin as problem:
                part = problem
            self._decoded[key] = (value, part)
        return self._decoded[key][1]

    def _other_variables(self, names: set[str]) -> LockstepError:
        wanted = set(self._variables.values())
        why = [
            *(f"{name} is missing" for name in sorted(wanted - names)),
            *(f"{name} is not one of them" for name in sorted(names - wanted)),
        ]
        return LockstepError(
            f"the twin of {self._model.name} has not the model's variables: {', '.join(why)}",
            cure="give it the same ones: log_start is called logStart in a twin",
        )


def twin_changes(before: State, after: TwinState) -> Iterator[str]:
    """What differs between two states, by variable; a foreign one is printed in TLA+."""
    if isinstance(after, State):
        yield from map(str, changes(before, after))
        return
    yield f"which is no state of the model: {after.problem}"
    for name, domain in before.fields.items():
        old, new = encode(domain, getattr(before, name)), after.values[variable_name(name)]
        if old != new:
            yield f"{variable_name(name)}: {format_value(old)} -> {format_value(new)}"


def render_tlc_trace(model: Model, trace: Sequence[TraceStep]) -> Iterator[str]:
    """The lines of a behaviour that TLC found, each step with what it changes.

    History variables, which the model does not have, are left out.
    """
    reader = StateReader(model)
    variables = {variable_name(name) for name in model.variables}
    names = {definition_name(action.name): action.name for action in model.actions}
    width = len(str(len(trace)))
    before: TwinState | None = None
    for number, step in enumerate(trace):
        after = reader.read({name: step.state[name] for name in variables & step.state.keys()})
        if number:
            yield f"{number:>{width}}  {names.get(step.action, step.action)}"
        elif isinstance(after, State):
            yield from render_whole_state(after, width)
        if isinstance(before, State):
            changed = list(twin_changes(before, after)) or ["nothing changes"]
        elif isinstance(after, Foreign):
            changed = [f"{name} = {format_value(value)}" for name, value in after.values.items()]
        else:
            changed = []
        yield from (f"{'':>{width}}    {change}" for change in changed)
        before = after
