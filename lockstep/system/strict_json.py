"""JSON that may be damaged, decoded strictly: for files of lockstep and for those of others.

What Python's decoder lets pass is refused: a key that one object has twice, NaN and infinities.
What is no mistake of the text, but more than Python follows, is refused in the same way.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import NoReturn, TypeAlias

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
JsonObject: TypeAlias = "dict[str, Json]"

_LONGEST_SHOWN = 80
_UNFINISHED_TOKEN = re.compile(r"-|t(ru?)?|f(a(ls?)?)?|n(ul?)?|\.|(\.[0-9]+)?[eE][+-]?")
_UNFINISHED_ESCAPE = re.compile(r"u[0-9a-fA-F]{0,4}")


class NotJson(ValueError):
    """The text is not JSON as the standard has it, or more than this reader follows.

    `reason` says which; `place` is where in the text, empty where that is not known.
    """

    def __init__(self, reason: str, place: str = "") -> None:
        super().__init__(f"{reason}, at {place}" if place else reason)
        self.reason = reason
        self.place = place


class CutShort(ValueError):
    """The text is the beginning of JSON whose end is not there."""


def decode_document(text: str) -> Json:
    """The JSON value that a text is; `NotJson` with line and column where it is none."""
    try:
        document: Json = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise NotJson(f"not JSON: {error.msg}", place) from None
    except (RecursionError, ValueError) as error:
        raise _not_followed(error) from None
    return document


def decode_object(encoded: str) -> tuple[JsonObject, int]:
    """The JSON object that the text begins with, and where in the text it ends.

    Raises `CutShort`, or `NotJson` with the number of the character.
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
        raise NotJson(f"not JSON: {error.msg}", f"character {error.pos + 1} of it") from None
    except (RecursionError, ValueError) as error:
        raise _not_followed(error) from None
    return decoded, end


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


def _not_followed(error: RecursionError | ValueError) -> NotJson:
    """Why the decoder gave up elsewhere than at a mistake in the text."""
    if isinstance(error, NotJson):
        return error
    if isinstance(error, RecursionError):
        return NotJson("not followed: the JSON is nested too deep")
    # The one error left: Python converts no more digits than sys.get_int_max_str_digits().
    return NotJson("not followed: an integer of thousands of digits")


def _object_of(pairs: list[tuple[str, Json]]) -> JsonObject:
    members = dict(pairs)
    if len(members) != len(pairs):
        counts = Counter(key for key, _ in pairs)
        repeated = next(key for key, count in counts.items() if count > 1)
        raise NotJson(f"not followed: one object has the key {shown(repeated)} more than once")
    return members


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
