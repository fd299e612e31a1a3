"""Reads TOML by hand, one key after the other, so that every error names its file and key."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

from lockstep.errors import LockstepError, nearest
from lockstep.system.text_files import read_text

Plain: TypeAlias = "bool | int | str | tuple[Plain, ...]"
"""What a constant may be: TOML's arrays become tuples."""

_MOST_BITS = 4_096
"""Bits of an integer that a constant may be: it is shown in decimal, which takes for ever."""

_REQUIRED = object()


class Table:
    """A table of a TOML file. Keys are taken one by one; `finish` refuses those nobody took.

    `where` is the table's dotted name in the file, empty for the file itself.
    """

    def __init__(self, file: Path, where: str, content: Mapping[str, object]) -> None:
        self.file = file
        self.where = where
        self._content = content
        self._taken: list[str] = []

    def __contains__(self, key: str) -> bool:
        return key in self._content

    def error(self, key: str | None, problem: str, cure: str | None = None) -> LockstepError:
        """The error to raise for `key` (None: the table as a whole)."""
        place = ".".join(part for part in (self.where, key) if part)
        where = ": ".join(part for part in (str(self.file), place, problem) if part)
        return LockstepError(where, cure=cure)

    def text(self, key: str, default: str | None = None) -> str:
        """A string, with the blanks around it removed; it must not be empty."""
        value = self._take(key, _REQUIRED if default is None else default)
        if not isinstance(value, str) or not value.strip():
            raise self.error(key, f"is {_shown(value)}, not a text")
        return value.strip()

    def optional_text(self, key: str) -> str | None:
        """A string, or None when the key is absent."""
        return self.text(key) if self._has(key) else None

    def choice(self, key: str, choices: tuple[str, ...], default: str) -> str:
        """One of `choices`."""
        value = self.text(key, default)
        if value not in choices:
            raise self.error(key, f"is {value!r}", f"write one of: {', '.join(choices)}")
        return value

    def optional_count(self, key: str) -> int | None:
        """A whole number from 0 up, or None when the key is absent."""
        if not self._has(key):
            return None
        value = self._take(key)
        if type(value) is not int or value < 0:
            raise self.error(key, f"is {_shown(value)}, not a whole number from 0 up")
        return value

    def integer(self, key: str) -> int:
        """A whole number."""
        value = self._take(key)
        if type(value) is not int:
            raise self.error(key, f"is {_shown(value)}, not a whole number")
        return value

    def texts(self, key: str, cure: str | None = None) -> tuple[str, ...]:
        """An array of strings, empty when the key is absent; `cure` goes with the error."""
        value = self._take(key, [])
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.error(key, f"is {_shown(value)}, not an array of texts", cure)
        return tuple(value)

    def plain(self, key: str) -> Plain:
        """A constant's value: an integer, a boolean, a string, or an array of them."""
        return self._plain(key, self._take(key))

    def table(self, key: str) -> Table:
        """A table that must be there."""
        if not self._has(key):
            name = ".".join(part for part in (self.where, key) if part)
            raise self.error(None, f"{key} is missing", f"write a line `[{name}]`")
        return self._as_table(key, self._take(key))

    def optional_table(self, key: str) -> Table:
        """A table, empty when the key is absent."""
        return self._as_table(key, self._take(key, {}))

    def tables(self, key: str) -> list[Table]:
        """An array of tables, empty when the key is absent; counted from 1 in errors."""
        value = self._take(key, [])
        if not isinstance(value, list):
            raise self.error(key, f"is {_shown(value)}, not an array of tables")
        return [
            self._as_table(f"{key}[{number}]", item) for number, item in enumerate(value, start=1)
        ]

    def names(self) -> Iterator[str]:
        """Every key, for a table whose keys are names that the reader chooses."""
        return iter(self._content)

    def finish(self) -> None:
        """Refuse a key that was not asked for."""
        for key in self._content:
            if key not in self._taken:
                cure = nearest(key, self._taken, f"known: {', '.join(self._taken)}")
                raise self.error(key, "is not a key that is known here", cure)

    def _has(self, key: str) -> bool:
        self._taken.append(key)
        return key in self._content

    def _take(self, key: str, default: object = _REQUIRED) -> object:
        if self._has(key):
            return self._content[key]
        if default is _REQUIRED:
            raise self.error(None, f"{key} is missing", f"add `{key} = ...`")
        return default

    def _as_table(self, key: str, value: object) -> Table:
        if not isinstance(value, dict):
            raise self.error(key, f"is {_shown(value)}, not a table")
        return Table(self.file, ".".join(part for part in (self.where, key) if part), value)

    def _plain(self, key: str, value: object) -> Plain:
        if isinstance(value, int) and value.bit_length() > _MOST_BITS:
            raise self.error(
                key, f"is an integer of {value.bit_length():,} bits", "write a smaller"
            )
        if isinstance(value, bool | int | str):
            return value
        if isinstance(value, list):
            return tuple(self._plain(f"{key}[{n}]", item) for n, item in enumerate(value))
        raise self.error(
            key,
            f"is {_shown(value)}, which no constant can be",
            "a constant is an integer, a boolean, a string, or an array of them",
        )


def parse_toml(text: str) -> dict[str, object]:
    """The content of a TOML document.

    `TOMLDecodeError` when it is not one, and `TooLarge` when it is one that cannot be held.
    """
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise
    except ValueError:
        raise TooLarge(
            f"an integer has more than {sys.get_int_max_str_digits():,} digits"
        ) from None
    except RecursionError:
        raise TooLarge("it is nested too deeply") from None


class TooLarge(ValueError):
    """A TOML document that Python cannot hold."""


def read_toml(file: Path) -> Table:
    """The content of a TOML file; `LockstepError` naming the file and line when it is damaged."""
    try:
        return Table(file, "", parse_toml(read_text(file)))
    except tomllib.TOMLDecodeError as error:
        raise LockstepError(f"{file} is not TOML: {error}") from None
    except TooLarge as error:
        raise LockstepError(f"{file} cannot be used: {error}") from None


def parse_plain(text: str) -> Plain:
    """A constant's value as written on the command line: TOML, or a bare word for a string."""
    try:
        value = parse_toml(f"value = {text}")
    except tomllib.TOMLDecodeError:
        return text
    except TooLarge as error:
        raise LockstepError(f"{_shown(text)} cannot be a constant: {error}") from None
    if list(value) != ["value"]:
        return text
    return Table(Path("the command line"), "", value).plain("value")


def _shown(value: object) -> str:
    try:
        shown = repr(value)
    except ValueError:
        return "an integer of too many digits"
    return shown if len(shown) <= 40 else f"{shown[:37]}..."
