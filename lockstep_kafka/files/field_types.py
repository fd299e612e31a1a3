"""The types of the Kafka protocol for msgspec, and why a field is refused."""

from __future__ import annotations

import re
from typing import Annotated, TypeAlias, TypeVar

from msgspec import Meta, Raw, ValidationError
from msgspec.json import Decoder

from lockstep.system.strict_json import Json, shown

# `true`, `1.0` and "1" are no integers to msgspec.
Int8: TypeAlias = Annotated[int, Meta(ge=-(2**7), le=2**7 - 1)]
Int16: TypeAlias = Annotated[int, Meta(ge=-(2**15), le=2**15 - 1)]
Int32: TypeAlias = Annotated[int, Meta(ge=-(2**31), le=2**31 - 1)]
Int64: TypeAlias = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
Size: TypeAlias = Annotated[int, Meta(ge=0, le=2**31 - 1)]
Milliseconds: TypeAlias = Annotated[float, Meta(ge=0)]

_Decoded = TypeVar("_Decoded")
_PLACE = re.compile(r" - at `\$\.?(.*)`\Z", re.DOTALL)
_MISSING = re.compile(r"Object missing required field `(.*)`\Z", re.DOTALL)
_STEP = re.compile(r"\[([0-9]+)\]|([^.\[]+)")


class FieldRefused(ValueError):
    """A field is missing, of a wrong type or out of its range; the message begins with its path."""


def decoded(decoder: Decoder[_Decoded], encoded: bytes | Raw, where: str = "") -> _Decoded:
    """The value that a decoder reads; `where` is the path of that value in the line's object.

    Raises `FieldRefused`; of what is no JSON at all, msgspec's own `DecodeError` or
    `RecursionError`.
    """
    try:
        return decoder.decode(encoded)
    except ValidationError as error:
        raise _refusal(str(error), where) from None


def _refusal(message: str, where: str) -> FieldRefused:
    place = _PLACE.search(message)
    reason = message[: place.start()] if place else message
    inner = place[1] if place else ""
    path = inner if inner.startswith("[") or not where or not inner else f".{inner}"
    path = where + path
    if missing := _MISSING.match(reason):
        return FieldRefused(f"{path}.{missing[1]} is missing".lstrip("."))
    return FieldRefused(f"{path}: {reason[0].lower()}{reason[1:]}")


def with_value(refusal: FieldRefused, line: Json) -> FieldRefused:
    """The refusal with the value of its field, where the line's object has that field."""
    path, colon, reason = str(refusal).partition(": ")
    if not colon:
        return refusal
    value = line
    for index, name in _STEP.findall(path):
        if index and isinstance(value, list) and int(index) < len(value):
            value = value[int(index)]
        elif name and isinstance(value, dict) and name in value:
            value = value[name]
        else:
            return refusal
    return FieldRefused(f"{path} is {shown(value)}: {reason}")
