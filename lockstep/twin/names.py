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
from collections.abc import Mapping
from typing import Any

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
from lockstep.twin.tla_values import (
    ModelValue,
    TlaFunction,
    TlaRecord,
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
            return TlaRecord(
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
            if isinstance(value, TlaRecord) and set(value) == set(map(variable_name, fields)):
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
    if isinstance(value, TlaRecord | TlaFunction):
        return dict(value.items())
    return None
