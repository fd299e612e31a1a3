"""Reads TOML into structs, so that every error names its file, line and key, and what to write."""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, get_args, get_origin

import msgspec

from lockstep.errors import LockstepError, nearest_of
from lockstep.system.text_files import read_text

Plain: TypeAlias = "bool | int | str | tuple[Plain, ...]"
"""What a constant may be: TOML's arrays become tuples."""

Count = Annotated[int, msgspec.Meta(ge=0)]
Texts: TypeAlias = tuple[str, ...]
Content: TypeAlias = dict[str, Any]
"""A table in a table, which is read by itself."""

Rows: TypeAlias = list[Any]
"""An array of tables, of which each is read by itself."""

_MOST_BITS = 4_096
"""Bits of an integer that a constant may be: it is shown in decimal, which takes for ever."""

_WORDS = {
    str: "a text",
    int: "a whole number",
    Count: "a whole number from 0 up",
    Texts: "an array of texts",
    Content: "a table",
    Rows: "an array of tables",
}

_PROBLEM = re.compile(
    r"Object (?P<problem>missing required|contains unknown) field `(?P<field>.*)`"
    r"|.* - at `\$\.(?P<key>\w+).*`",
    re.DOTALL,
)


NOTHING: Content = {}
NO_ROWS: Rows = []


class Keys(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a table may hold, a field a key; texts lose blanks around them, and are not empty."""


K = TypeVar("K", bound=Keys)


@dataclass(frozen=True)
class Table:
    """A table of a TOML file.

    `where` is the table's dotted name in the file, empty for the file itself; `document` is the
    text of the file, where it is known.
    """

    file: str
    where: str
    content: Mapping[str, Any]
    document: str = ""

    def error(self, key: str | None, problem: str, cure: str | None = None) -> LockstepError:
        """The error to raise for `key` (None: the table as a whole)."""
        place = self._name(key)
        line = line_of(self.document, place)
        file = self.file if line is None else f"{self.file}:{line}"
        return LockstepError(": ".join(part for part in (file, place, problem) if part), cure=cure)

    def read(self, keys: type[K]) -> K:
        """What it holds; `LockstepError` for a key that is missing, unknown or not of its type."""
        fields = {field.encode_name: field.type for field in msgspec.structs.fields(keys)}
        content = dict(self.content)
        for key, kind in fields.items():
            if kind in (str, str | None) and isinstance(content.get(key), str):
                content[key] = content[key].strip()
                if not content[key]:
                    raise self.error(key, f"is {shown(self.content[key])}, not a text")
        try:
            return msgspec.convert(content, keys, dec_hook=_text)
        except msgspec.ValidationError as error:
            problem = str(error)
        match = _PROBLEM.fullmatch(problem)
        assert match is not None, problem
        match match["problem"]:
            case "missing required":
                is_table = fields[match["field"]] == Content
                line = f"[{self._name(match['field'])}]" if is_table else f"{match['field']} = ..."
                raise self.error(None, f"{match['field']} is missing", f"add `{line}`")
            case "contains unknown":
                cure = nearest_of(match["field"], fields, "known")
                raise self.error(match["field"], "is not a key that is known here", cure)
        raise self._misfit(match["key"], fields[match["key"]])

    def table(self, key: str) -> Table:
        """A table in this one, empty when the key is absent."""
        return self._table(key, self.content.get(key, {}))

    def tables(self, key: str) -> list[Table]:
        """An array of tables, empty when the key is absent; counted from 1 in errors."""
        rows = enumerate(self.content.get(key, []), start=1)
        return [self._table(f"{key}[{number}]", item) for number, item in rows]

    def named(self, key: str) -> dict[str, Table]:
        """The tables in a table of this one whose keys are names that the author chooses."""
        inside = self.table(key)
        return {name: inside.table(name) for name in inside.content}

    def texts(self, key: str, cure: str | None = None) -> Texts:
        """The array of texts under a name that the author chose; `cure` goes with the error."""
        value = self.content[key]
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.error(key, f"is {shown(value)}, not {_WORDS[Texts]}", cure)
        return tuple(value)

    def plain(self, key: str) -> Plain:
        """A constant's value: an integer, a boolean, a string, or an array of them."""
        return self._plain(key, self.content[key])

    def _name(self, key: str | None) -> str:
        return ".".join(part for part in (self.where, key) if part)

    def _table(self, key: str, content: object) -> Table:
        if not isinstance(content, dict):
            raise self.error(key, f"is {shown(content)}, not a table")
        return Table(self.file, self._name(key), content, self.document)

    def _misfit(self, key: str, kind: object) -> LockstepError:
        """The error for a value that is not of its kind."""
        value = shown(self.content[key])
        for part in (kind, *get_args(kind)):
            if part in _WORDS:
                return self.error(key, f"is {value}, not {_WORDS[part]}")
            if get_origin(part) is Literal:
                return self.error(key, f"is {value}", f"write one of: {', '.join(get_args(part))}")
        return self.error(key, f"is {value}, not an array of texts")

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
            f"is {shown(value)}, which no constant can be",
            "a constant is an integer, a boolean, a string, or an array of them",
        )


def _text(kind: type[str], value: object) -> str:
    """A text of a kind of its own."""
    if not isinstance(value, str):
        raise TypeError(value)
    return kind(value)


def line_of(document: str, where: str, value: str | None = None) -> int | None:
    """The line of a key, or of the nearest table around it; None where neither is found.

    With a `value`, the line in which that stands first, quoted, from there on.
    """
    found, longest = None, -1
    lines = _blanked(document).splitlines()
    for number, name in _names(lines):
        if longest < len(name) and re.match(re.escape(name) + r"($|[.\[])", where):
            found, longest = number, len(name)
    if value is not None and found is not None:
        quoted = re.compile(rf"[\"\']{re.escape(value)}[\"\']")
        return next((n for n in range(found, len(lines) + 1) if quoted.search(lines[n - 1])), found)
    return found


def _blanked(document: str) -> str:
    """A document without what stands in texts of several lines, line by line."""
    several = re.compile(r'"{3}.*?"{3}|' + r"'{3}.*?'{3}", re.DOTALL)
    return several.sub(lambda text: '""' + "\n" * text[0].count("\n"), document)


_PART = r"""(?:[\w-]+|"[^"]*"|'[^']*')"""
_NAME = rf"\s*({_PART}(?:\s*\.\s*{_PART})*)\s*"
_HEADER = re.compile(rf"\s*(\[\[?){_NAME}\]\]?\s*(?:#.*)?$")
_KEY = re.compile(rf"{_NAME}=")


def _names(lines: list[str]) -> Iterator[tuple[int, str]]:
    """The dotted names of tables and keys, with their lines."""
    table, counts = "", dict[str, int]()
    for number, line in enumerate(lines, start=1):
        if (header := _HEADER.match(line)) is not None:
            table = _bare(header[2])
            if header[1] == "[[":
                yield number, table
                counts[table] = counts.get(table, 0) + 1
                table += f"[{counts[table]}]"
            yield number, table
        elif (key := _KEY.match(line)) is not None:
            yield number, ".".join(part for part in (table, _bare(key[1])) if part)


def _bare(name: str) -> str:
    """A dotted name without quotes, and without blanks around its dots."""
    parts = re.findall(_PART, name)
    return ".".join(part.strip("\"'") for part in parts)


def placed(file: Path, where: str, value: str | None = None) -> str:
    """What an error begins with: a file, the line in it, and the key."""
    line = line_of(read_text(file), where, value) if file.is_file() else None
    return f"{file}: {where}" if line is None else f"{file}:{line}: {where}"


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


def read_toml(file: Path, shown_as: str | None = None) -> Table:
    """The content of a TOML file; `LockstepError` naming the file and line when it is damaged.

    Messages call the file `shown_as`.
    """
    text, name = read_text(file), shown_as or str(file)
    try:
        return Table(name, "", parse_toml(text), text)
    except tomllib.TOMLDecodeError as error:
        raise LockstepError(f"{name} is not TOML: {error}") from None
    except TooLarge as error:
        raise LockstepError(f"{name} cannot be used: {error}") from None


def parse_plain(text: str) -> Plain:
    """A constant's value as written on the command line: TOML, or a bare word for a string."""
    try:
        value = parse_toml(f"value = {text}")
    except tomllib.TOMLDecodeError:
        return text
    except TooLarge as error:
        raise LockstepError(f"{shown(text)} cannot be a constant: {error}") from None
    if list(value) != ["value"]:
        return text
    return Table("the command line", "", value).plain("value")


def shown(value: object) -> str:
    """A value as errors show it, which may be long."""
    try:
        text = repr(value)
    except ValueError:
        return "an integer of too many digits"
    return text if len(text) <= 40 else f"{text[:37]}..."
