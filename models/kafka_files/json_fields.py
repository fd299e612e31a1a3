"""Fields of JSON objects, read with their types checked, as the Kafka protocol names these."""

from __future__ import annotations

from typing import NoReturn

from lockstep.system.strict_json import Json, JsonObject, shown

_LOWEST_INT32 = -(2**31)
_HIGHEST_INT32 = 2**31 - 1


class FieldRefused(ValueError):
    """A field is missing, of a wrong type or out of its range; the message begins with its path."""


def integer(of: JsonObject, name: str, where: str, lowest: int, highest: int) -> int:
    """An integer field of the object at path `where`, both bounds included.

    `true` and `1.0` are no integers. Raises `FieldRefused`, as all that follow.
    """
    value = of.get(name)
    if type(value) is int and lowest <= value <= highest:
        return value
    _refuse(of, name, where, _integer_from(lowest, highest))


def int16(of: JsonObject, name: str, where: str) -> int:
    """A field of the type int16."""
    return integer(of, name, where, -(2**15), 2**15 - 1)


def int32(of: JsonObject, name: str, where: str) -> int:
    """A field of the type int32."""
    return integer(of, name, where, _LOWEST_INT32, _HIGHEST_INT32)


def int64(of: JsonObject, name: str, where: str) -> int:
    """A field of the type int64."""
    return integer(of, name, where, -(2**63), 2**63 - 1)


def text(of: JsonObject, name: str, where: str) -> str:
    """A text field; half a surrogate pair, which could not be printed, becomes `?`."""
    value = of.get(name)
    if type(value) is str:
        return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
    _refuse(of, name, where, "a text")


def member(of: JsonObject, name: str, where: str) -> JsonObject:
    """A field that is an object."""
    value = of.get(name)
    if type(value) is dict:
        return value
    _refuse(of, name, where, "an object")


def members(of: JsonObject, name: str, where: str) -> list[tuple[JsonObject, str]]:
    """A field that is an array of objects; each object with its path."""
    objects = []
    for position, value in enumerate(_elements(of, name, where)):
        at = f"{path(where, name)}[{position}]"
        if type(value) is not dict:
            raise FieldRefused(f"{at} is {shown(value)}, not an object")
        objects.append((value, at))
    return objects


def int32_elements(of: JsonObject, name: str, where: str) -> list[int]:
    """A field that is an array of the type int32."""
    integers = []
    for position, value in enumerate(_elements(of, name, where)):
        if type(value) is not int or not _LOWEST_INT32 <= value <= _HIGHEST_INT32:
            at = f"{path(where, name)}[{position}]"
            expected = _integer_from(_LOWEST_INT32, _HIGHEST_INT32)
            raise FieldRefused(f"{at} is {shown(value)}, not {expected}")
        integers.append(value)
    return integers


def path(where: str, name: str) -> str:
    """The path of a field of the object at path `where`; the outermost object has the path ''."""
    return f"{where}.{name}" if where else name


def _integer_from(lowest: int, highest: int) -> str:
    return f"an integer from {lowest} to {highest}"


def _elements(of: JsonObject, name: str, where: str) -> list[Json]:
    value = of.get(name)
    if type(value) is list:
        return value
    _refuse(of, name, where, "an array")


def _refuse(of: JsonObject, name: str, where: str, expected: str) -> NoReturn:
    if name not in of:
        raise FieldRefused(f"{path(where, name)} is missing")
    raise FieldRefused(f"{path(where, name)} is {shown(of[name])}, not {expected}")
