"""JSON that may be damaged: decoded strictly, and its fields read with their types checked."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import NoReturn, TypeAlias

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
JsonObject: TypeAlias = "dict[str, Json]"

_LOWEST_INT32 = -(2**31)
_HIGHEST_INT32 = 2**31 - 1
_LONGEST_SHOWN = 80
_UNFINISHED_TOKEN = re.compile(r"-|t(ru?)?|f(a(ls?)?)?|n(ul?)?|\.|(\.[0-9]+)?[eE][+-]?")
_UNFINISHED_ESCAPE = re.compile(r"u[0-9a-fA-F]{0,4}")


class NotJson(ValueError):
    """The text is not JSON as the standard has it, or more than this reader follows."""


class CutShort(ValueError):
    """The text is the beginning of JSON whose end is not there."""


class FieldRefused(ValueError):
    """A field is missing, of a wrong type or out of its range; the message begins with its path."""


def decode_object(encoded: str) -> tuple[JsonObject, int]:
    """The JSON object that the text begins with, and where in the text it ends.

    Raises `CutShort`, or `NotJson`: also for a key that one object has twice, for NaN and
    infinities, integers of thousands of digits, and nesting deeper than Python's recursion limit.
    """
    if not encoded or encoded.isspace():
        raise CutShort("the JSON is cut short: nothing is left of it")
    if not encoded.startswith("{"):
        raise NotJson(f"not a JSON object: {shown(encoded)}")
    decoded: JsonObject
    try:
        decoded, end = _DECODER.raw_decode(encoded)
    except json.JSONDecodeError as error:
        if _is_cut_short(encoded, error):
            raise CutShort(f"the JSON is cut short after {len(encoded)} characters") from None
        raise NotJson(f"not JSON: {error.msg}, at character {error.pos + 1} of it") from None
    except RecursionError:
        raise NotJson("not followed: the JSON is nested too deep") from None
    except NotJson:
        raise
    except ValueError:
        # The one error left: Python converts no more digits than sys.get_int_max_str_digits().
        raise NotJson("not followed: an integer of thousands of digits") from None
    return decoded, end


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
    found = []
    for position, value in enumerate(_elements(of, name, where)):
        at = f"{path(where, name)}[{position}]"
        if type(value) is not dict:
            raise FieldRefused(f"{at} is {shown(value)}, not an object")
        found.append((value, at))
    return found


def int32_elements(of: JsonObject, name: str, where: str) -> list[int]:
    """A field that is an array of the type int32."""
    found = []
    for position, value in enumerate(_elements(of, name, where)):
        if type(value) is not int or not _LOWEST_INT32 <= value <= _HIGHEST_INT32:
            at = f"{path(where, name)}[{position}]"
            wanted = _integer_from(_LOWEST_INT32, _HIGHEST_INT32)
            raise FieldRefused(f"{at} is {shown(value)}, not {wanted}")
        found.append(value)
    return found


def path(where: str, name: str) -> str:
    """The path of a field of the object at path `where`; the outermost object has the path ''."""
    return f"{where}.{name}" if where else name


def shown(value: Json) -> str:
    """The value for a message: one line of printable characters, shortened when it is long."""
    match value:
        case dict():
            return "an object"
        case list():
            return f"an array of {len(value)}"
        case str():
            encoded = json.dumps(value[:_LONGEST_SHOWN])
        case _:
            encoded = json.dumps(value)
    return encoded if len(encoded) <= _LONGEST_SHOWN else f"{encoded[: _LONGEST_SHOWN - 3]}..."


def _integer_from(lowest: int, highest: int) -> str:
    return f"an integer from {lowest} to {highest}"


def _elements(of: JsonObject, name: str, where: str) -> list[Json]:
    value = of.get(name)
    if type(value) is list:
        return value
    _refuse(of, name, where, "an array")


def _refuse(of: JsonObject, name: str, where: str, wanted: str) -> NoReturn:
    if name not in of:
        raise FieldRefused(f"{path(where, name)} is missing")
    raise FieldRefused(f"{path(where, name)} is {shown(of[name])}, not {wanted}")


def _object_of(pairs: list[tuple[str, Json]]) -> JsonObject:
    made = dict(pairs)
    if len(made) != len(pairs):
        counts = Counter(key for key, _ in pairs)
        repeated = next(key for key, count in counts.items() if count > 1)
        raise NotJson(f"not followed: one object has the key {shown(repeated)} more than once")
    return made


def _refuse_constant(name: str) -> NoReturn:
    raise NotJson(f"not JSON: {name} is no JSON number")


_DECODER = json.JSONDecoder(object_pairs_hook=_object_of, parse_constant=_refuse_constant)


def _is_cut_short(encoded: str, error: json.JSONDecodeError) -> bool:
    """Whether the decoder failed because the text ends, and not at something that stands in it."""
    rest = encoded[error.pos :].rstrip()
    if not rest or error.msg.startswith("Unterminated string"):
        return True
    unfinished = _UNFINISHED_ESCAPE if "escape" in error.msg else _UNFINISHED_TOKEN
    return unfinished.fullmatch(rest) is not None
