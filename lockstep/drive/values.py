"""Values between a model and a driver: plain Python on one side, values of domains on the other."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lockstep.errors import LockstepError, unknown
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
from lockstep.language.records import Record
from lockstep.language.values import NotInDomain, TotalMap
from lockstep.trace.layout import show

Path = tuple[object, ...]
"""The keys and the names of fields that lead from a variable to a part of it."""


class WrongKind(LockstepError):
    """A driver gave what no value of a domain looks like: its own mistake."""

    def __init__(self, place: str, value: object, domain: Domain) -> None:
        super().__init__(
            f"{place} is {value!r}, of type {type(value).__name__}",
            cure=f"give {_form(domain)}: the domain is {domain}",
        )


def plain(value: object) -> object:
    """A value of a model as a driver takes it."""
    match value:
        case enum.Enum():
            return value.name
        case Record():
            return {
                name: plain(part) for name, part in zip(value.fields, tuple(value), strict=True)
            }
        case TotalMap():
            return {plain(key): plain(part) for key, part in value.items()}
        case frozenset():
            parts = [plain(part) for part in value]
            return tuple(parts) if any(isinstance(one, dict) for one in parts) else frozenset(parts)
        case tuple():
            return tuple(map(plain, value))
    return value


def canonical(domain: Domain, value: object, place: str) -> Any:
    """The value of `domain` that a driver means by `value`.

    `NotInDomain` where it is of the right kind, but not one of them, `WrongKind` where it is not.
    """
    match domain, value:
        case OptionDomain(), None:
            return None
        case OptionDomain(some), _:
            return canonical(some, value, place)
        case EnumDomain(members_of=members), str() | enum.Enum():
            name = value.name if isinstance(value, enum.Enum) else value
            if name in members.__members__:
                return members[name]
            raise NotInDomain(place, name, domain)
        case (BoolDomain(), bool()) | (NameDomain(), str() | int()):
            return domain.coerce(value, place)
        case RangeDomain(), int() if not isinstance(value, bool):
            return domain.coerce(int(value), place)
        case SetDomain(item), set() | frozenset() | list() | tuple():
            return frozenset(_items(item, value, place))
        case SequenceDomain(item, capacity), list() | tuple():
            items = tuple(_items(item, value, place))
            if len(items) > capacity:
                raise NotInDomain(place, value, domain)
            return items
        case ((RecordDomain() | MapDomain()), Mapping()):
            parts = dict(_parts(domain, value, place))
            if missing := [key for key in _keys(domain).values() if key not in parts]:
                raise LockstepError(f"{place} lacks {show(missing[0])}")
            whole = {
                key: canonical(inner, part, f"{place}[{show(key)}]")
                for key, (inner, part) in parts.items()
            }
            if isinstance(domain, MapDomain):
                return domain.coerce(whole, place)
            return domain.record.of(whole[name] for name in domain.record.fields)
    raise WrongKind(place, value, domain)


@dataclass(frozen=True)
class Seen:
    """One part of the state that a driver observed.

    `is_possible` says whether its domain has such a value; where it has not, no state explains it.
    """

    place: str
    variable: str
    path: Path
    value: Any
    domain: Domain
    is_possible: bool

    def part(self, of: Any) -> Any:
        """That part of a value of its variable; None below what is None."""
        for key in self.path:
            if of is None:
                return None
            of = getattr(of, str(key)) if isinstance(of, Record) else of[key]
        return of


_KEY = re.compile(r"\[([^\]]*)\]|\.(\w+)")


def variable_of(place: str) -> str:
    """The name of the variable that a place is a part of: `cached` of `cached[s1].size`."""
    return re.split(r"[.\[]", place, maxsplit=1)[0]


def seen_in(domains: Mapping[str, Domain], place: str, value: object) -> Iterator[Seen]:
    """What was observed at a place, part by part; `LockstepError` where there is no such place."""
    name = variable_of(place)
    if name not in domains:
        raise unknown(f"the model has no {place!r}", name, domains, "it has")
    domain, rest = domains[name], place[len(name) :]
    if _KEY.sub("", rest):
        raise LockstepError(f"{place!r} is no place", cure="write NAME[KEY] or NAME.FIELD")
    path: list[object] = []
    for found in _KEY.finditer(rest):
        domain, key = _inner(domain, found.group(1) or found.group(2), place)
        path.append(key)
    yield from _seen(domain, value, place, name, tuple(path))


def _seen(domain: Domain, value: object, place: str, name: str, path: Path) -> Iterator[Seen]:
    inside = domain.some if isinstance(domain, OptionDomain) else domain
    if isinstance(inside, MapDomain | RecordDomain) and isinstance(value, Mapping):
        for key, (inner, part) in _parts(inside, value, place):
            yield from _seen(inner, part, f"{place}[{show(key)}]", name, (*path, key))
        return
    try:
        yield Seen(place, name, path, canonical(domain, value, place), domain, is_possible=True)
    except NotInDomain:
        yield Seen(place, name, path, value, domain, is_possible=False)


def _inner(domain: Domain, key: object, place: str) -> tuple[Domain, object]:
    """The domain of a part, and the key of the model that is meant."""
    inside = domain.some if isinstance(domain, OptionDomain) else domain
    if not isinstance(inside, MapDomain | RecordDomain):
        raise LockstepError(f"{place} has no part {key!r}: {domain} has none")
    keys = _keys(inside)
    text = key.name if isinstance(key, enum.Enum) else str(key)
    if text not in keys:
        raise unknown(f"{place} has no part {text!r}", text, keys, "it has")
    actual = keys[text]
    if isinstance(inside, MapDomain):
        return inside.value, actual
    return inside.record.fields[text], actual


def _keys(domain: MapDomain | RecordDomain) -> Mapping[str, object]:
    """The keys of a map or the fields of a record, by their texts."""
    keys = domain.key if isinstance(domain, MapDomain) else domain.record.fields
    return {key.name if isinstance(key, enum.Enum) else str(key): key for key in keys}


def _parts(
    domain: MapDomain | RecordDomain, value: Mapping[Any, object], place: str
) -> Iterator[tuple[object, tuple[Domain, object]]]:
    for key, part in value.items():
        inner, actual = _inner(domain, key, place)
        yield actual, (inner, part)


def _items(item: Domain, values: Iterable[object], place: str) -> Sequence[Any]:
    return [canonical(item, value, f"an item of {place}") for value in values]


def _form(domain: Domain) -> str:
    """What a driver gives for a value of a domain."""
    match domain:
        case OptionDomain(some):
            return f"None or {_form(some)}"
        case RangeDomain():
            return "an integer"
        case BoolDomain():
            return "True or False"
        case EnumDomain():
            return "the name of a member"
        case NameDomain():
            return "one of the names"
        case SetDomain():
            return "a set"
        case SequenceDomain():
            return "a tuple or a list"
    return "a dict"
