"""Values in the JSON of the Informal Trace Format, written and read by the guidance of a domain.

The format is Apalache's (its ADR-015); options are tagged as Quint writes them. Reading never
guesses: each value is taken apart as its domain says and checked against it.
"""

from __future__ import annotations

import enum
import json
from collections.abc import Mapping, Sequence
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
from lockstep.language.protocol import Parameter
from lockstep.language.values import NotInDomain
from lockstep.system.strict_json import Json

EXACT_IN_JSON = 2**53
"""Readers whose numbers are doubles keep integers up to this one; greater ones are `#bigint`."""


class Misfit(Exception):
    """JSON that is no value of its domain; `place` says where, as `states[2].cached`."""

    def __init__(self, place: str, reason: str) -> None:
        super().__init__(f"{place}: {reason}")
        self.place = place
        self.reason = reason


def encode(domain: Domain, value: Any) -> Json:
    """The JSON of a value of `domain`. Equal values give equal JSON."""
    match domain:
        case RangeDomain() | NameDomain() | BoolDomain():
            return encode_plain(value)
        case EnumDomain():
            assert isinstance(value, enum.Enum)
            return value.name
        case OptionDomain(some):
            if value is None:
                return {"tag": "None", "value": {"#tup": []}}
            return {"tag": "Some", "value": encode(some, value)}
        case RecordDomain(record):
            return {
                name: encode(field, part)
                for (name, field), part in zip(record.fields.items(), value, strict=True)
            }
        case SetDomain(item):
            return {"#set": sorted((encode(item, one) for one in value), key=_order)}
        case MapDomain(key, inner):
            return {"#map": [[encode(key, k), encode(inner, v)] for k, v in value.items()]}
        case SequenceDomain(item):
            return [encode(item, one) for one in value]
    raise TypeError(f"{domain} has no form in ITF")


def decode(domain: Domain, written: Json, place: str) -> Any:
    """The value of `domain` that the JSON stands for; `Misfit` when it stands for none."""
    value = _decode(domain, written, place)
    try:
        return domain.coerce(value, place)
    except NotInDomain as error:
        raise Misfit(place, f"{value!r} is not in {error.domain}") from None


def decode_parameters(
    parameters: Sequence[Parameter], written: Mapping[str, Json], place: str
) -> tuple[Any, ...] | None:
    """The values of parameters by name; None where the names are others."""
    if set(written) != {parameter.name for parameter in parameters}:
        return None
    return tuple(decode(one.domain, written[one.name], f"{place}.{one.name}") for one in parameters)


def carried(
    here: Sequence[Parameter], there: Sequence[Parameter], values: Sequence[Any]
) -> tuple[Any, ...]:
    """The values of parameters in another load of the model; `Misfit` where it has no such."""
    parts = zip(here, there, values, strict=True)
    return tuple(
        decode(other.domain, encode(one.domain, value), one.name) for one, other, value in parts
    )


def encode_plain(value: object) -> Json:
    """The JSON of an integer, a boolean, a string, or a tuple of them."""
    if isinstance(value, tuple):
        return [encode_plain(item) for item in value]
    if isinstance(value, int) and type(value) is not bool and abs(value) > EXACT_IN_JSON:
        return {"#bigint": str(value)}
    if isinstance(value, bool | int | str):
        return value
    raise TypeError(f"{value!r} is not plain")


def decode_plain(written: Json, place: str) -> Any:
    """The opposite of `encode_plain`; `Misfit` for any other JSON."""
    if isinstance(written, list):
        return tuple(decode_plain(item, f"{place}[{n}]") for n, item in enumerate(written))
    if isinstance(written, bool | str):
        return written
    return _integer(written, place)


def _decode(domain: Domain, written: Json, place: str) -> Any:
    match domain:
        case RangeDomain():
            return _integer(written, place)
        case NameDomain():
            return written if isinstance(written, str) else _integer(written, place)
        case BoolDomain():
            if not isinstance(written, bool):
                raise Misfit(place, "neither true nor false")
            return written
        case EnumDomain(members_of):
            if not isinstance(written, str) or written not in members_of.__members__:
                raise Misfit(place, f"not the name of a member of {domain}")
            return members_of[written]
        case OptionDomain(some):
            return _option(some, written, place)
        case RecordDomain(record):
            fields = record.fields
            parts = _object(written, place, set(fields))
            return record.of(
                decode(field, parts[name], f"{place}.{name}") for name, field in fields.items()
            )
        case SetDomain(item):
            items = _tagged(written, place, "#set")
            members = frozenset(decode(item, one, f"{place}[{n}]") for n, one in enumerate(items))
            if len(members) != len(items):
                raise Misfit(place, "an item is in the set twice")
            return members
        case MapDomain(key, inner):
            found = _pairs(key, inner, written, place)
            if missing := [k for k in key if k not in found]:
                raise Misfit(place, f"the key {missing[0]!r} is missing")
            return found
        case SequenceDomain(item):
            if not isinstance(written, list):
                raise Misfit(place, "not an array")
            return tuple(decode(item, one, f"{place}[{n}]") for n, one in enumerate(written))
    raise TypeError(f"{domain} has no form in ITF")


def _option(some: Domain, written: Json, place: str) -> Any:
    parts = _object(written, place, {"tag", "value"})
    if parts["tag"] == "Some":
        return decode(some, parts["value"], f"{place}.value")
    if parts == {"tag": "None", "value": {"#tup": []}}:
        return None
    raise Misfit(place, "neither Some nor None")


def _integer(written: Json, place: str) -> int:
    if isinstance(written, dict) and list(written) == ["#bigint"]:
        digits = written["#bigint"]
        # The length keeps a damaged file from asking for a conversion that takes for ever.
        if isinstance(digits, str) and len(digits) <= 1000:
            sign, number = digits[:1] == "-", digits.removeprefix("-")
            if number.isascii() and number.isdigit():
                return -int(number) if sign else int(number)
        raise Misfit(place, "not the digits of an integer")
    if type(written) is not int:
        raise Misfit(place, "not an integer")
    return written


def _object(written: Json, place: str, keys: set[str]) -> dict[str, Json]:
    if not isinstance(written, dict):
        raise Misfit(place, "not an object")
    if missing := sorted(keys - written.keys()):
        raise Misfit(place, f"{missing[0]} is missing")
    if unknown := sorted(written.keys() - keys):
        raise Misfit(place, f"{unknown[0]!r} does not belong here")
    return written


def _tagged(written: Json, place: str, tag: str) -> list[Json]:
    inside = _object(written, place, {tag})[tag]
    if not isinstance(inside, list):
        raise Misfit(f'{place}["{tag}"]', "not an array")
    return inside


def _pairs(key_domain: Domain, inner: Domain, written: Json, place: str) -> dict[Any, Any]:
    values: dict[Any, Any] = {}
    for number, pair in enumerate(_tagged(written, place, "#map")):
        at = f"{place}[{number}]"
        if not isinstance(pair, list) or len(pair) != 2:
            raise Misfit(at, "not a pair of key and value")
        key = decode(key_domain, pair[0], f"{at}[0]")
        if key in values:
            raise Misfit(at, f"the key {key!r} is there twice")
        values[key] = decode(inner, pair[1], f"{at}[1]")
    return values


def _order(item: Json) -> tuple[int, str]:
    """Orders the items of a set, which have none, so that equal sets are written alike."""
    text = json.dumps(item)
    return (len(text), text)
