"""Reads TLA+ values, and states of them, as TLC prints them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NoReturn, TypeAlias

from lockstep.errors import LockstepError

LARGEST_INTERVAL = 1_000_000
"""An interval with more elements than this is refused: it would be spelt out element by element."""


class TlaSyntaxError(LockstepError):
    """Text that is not a value as TLC prints it; `position` counts characters from 0."""

    def __init__(self, text: str, position: int, problem: str) -> None:
        start = max(0, position - 40)
        shown = text[start : position + 40].replace("\n", " ")
        super().__init__(
            f"Not a TLA+ value: {problem} at character {position + 1}:\n"
            f"  {shown}\n  {' ' * (position - start)}^"
        )
        self.position = position


_TOKEN = re.compile(
    r"""\s*(?:
        (?P<number>-?\d+(?![A-Za-z_0-9]))
      | (?P<string>"(?:[^"\\]|\\.)*")
      | (?P<name>[A-Za-z_0-9]+)
      | (?P<mark><<|>>|\|->|:>|@@|\.\.|[{}\[\](),])
    )""",
    re.VERBOSE,
)
_END = ("end", "")
_UNEVALUATED = ("SUBSET", "UNION", "DOMAIN")


def parse_value(text: str) -> TlaValue:
    """The value that `text` spells; raises TlaSyntaxError, with the position, if it spells none.

    >>> parse_value("<<1, {TRUE}>>")
    (1, frozenset({True}))
    """
    parser = _Parser(text)
    try:
        value = parser.value()
    except RecursionError:
        raise TlaSyntaxError(text, parser.position, "values nested too deeply") from None
    if parser.token != _END:
        parser.fail("expected the end of the text")
    return value


class _Parser:
    """Recursive descent over one text; `token` is the next token and `position` where it starts."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.end = 0
        self.token = _END
        self.position = 0
        self.advance()

    def advance(self) -> tuple[str, str]:
        """Steps over the next token and returns it."""
        passed = self.token
        match = _TOKEN.match(self.text, self.end)
        if match is not None and match.lastgroup is not None:
            self.token = (match.lastgroup, match.group(match.lastgroup))
            self.position, self.end = match.start(match.lastgroup), match.end()
        else:
            rest = self.text[self.end :]
            self.position = self.end + len(rest) - len(rest.lstrip())
            self.token = _END
            if rest.lstrip().startswith('"'):
                self.fail("a string that does not end")
            if rest.strip():
                self.fail("a sign that no value has")
        return passed

    def fail(self, problem: str) -> NoReturn:
        raise TlaSyntaxError(self.text, self.position, problem)

    def at(self, mark: str) -> bool:
        return self.token == ("mark", mark)

    def take(self, mark: str) -> None:
        if not self.at(mark):
            self.fail(f"expected {mark}")
        self.advance()

    def value(self) -> TlaValue:
        kind, text = self.token
        if kind == "number":
            return self.number_or_interval()
        if kind == "string":
            value = self.unescape(text)
            self.advance()
            return value
        if kind == "name":
            return self.named()
        if self.at("{"):
            return frozenset(self.items("{", "}"))
        if self.at("<<"):
            return tuple(self.items("<<", ">>"))
        if self.at("["):
            return self.record()
        if self.at("("):
            return self.function()
        self.fail("expected a value")

    def number_or_interval(self) -> int | frozenset[TlaValue]:
        start = self.position
        low = int(self.advance()[1])
        if not self.at(".."):
            return low
        self.advance()
        if self.token[0] != "number":
            self.fail("expected the end of an interval")
        high = int(self.token[1])
        if high - low >= LARGEST_INTERVAL:
            self.position = start
            self.fail(f"an interval of more than {LARGEST_INTERVAL:,} elements")
        self.advance()
        return frozenset(range(low, high + 1))

    def unescape(self, quoted: str) -> str:
        def plain(match: re.Match[str]) -> str:
            if match.group(1) not in STRING_ESCAPES:
                self.position += match.start()
                self.fail(f"an unknown escape \\{match.group(1)} in a string")
            return STRING_ESCAPES[match.group(1)]

        if "\\" not in quoted:
            return quoted[1:-1]
        return re.sub(r"\\(.)", plain, quoted)[1:-1]

    def named(self) -> TlaValue:
        name = self.token[1]
        if name in ("TRUE", "FALSE"):
            self.advance()
            return name == "TRUE"
        if name in _UNEVALUATED:
            self.fail(f"a set that TLC did not write out element by element ({name})")
        self.advance()
        return ModelValue(name)

    def items(self, opening: str, closing: str) -> list[TlaValue]:
        self.take(opening)
        values: list[TlaValue] = []
        if not self.at(closing):
            values.append(self.value())
            while self.at(","):
                self.advance()
                values.append(self.value())
        self.take(closing)
        return values

    def record(self) -> TlaValue:
        self.take("[")
        fields: dict[TlaValue, TlaValue] = {}
        while True:
            # TLC writes any function on letters-and-digits strings so, hence fields such as `1a`.
            kind, name = self.token
            if kind not in ("name", "number") or name.startswith("-"):
                self.fail("expected a field name")
            if name in fields:
                self.fail(f"the field {name} a second time")
            self.advance()
            self.take("|->")
            fields[name] = self.value()
            if not self.at(","):
                break
            self.advance()
        self.take("]")
        return function_value(fields)

    def function(self) -> TlaValue:
        self.take("(")
        items: dict[TlaValue, TlaValue] = {}
        while True:
            start = self.position
            argument = self.value()
            if argument in items:
                self.position = start
                self.fail("an argument a second time")
            self.take(":>")
            items[argument] = self.value()
            if not self.at("@@"):
                break
            self.advance()
        self.take(")")
        return function_value(items)


_CONJUNCT = re.compile(r"^/\\ ", re.MULTILINE)
_ASSIGNMENT = re.compile(r"\s*([A-Za-z_0-9!]+) = ")


def parse_state(text: str, memory: dict[str, TlaValue] | None = None) -> dict[str, TlaValue]:
    r"""The variables and their values from a state as TLC prints it: `/\ x = 1`, a line a variable.

    A specification with one variable has its line without the `/\`. `memory` remembers values by
    their text, so that a reader of many states reads, and keeps, each value once.
    Raises TlaSyntaxError.
    """
    # A line break never stands inside a value: within a string TLC prints it as an escape.
    conjuncts = _CONJUNCT.split(text)[1:] if text.startswith("/\\ ") else [text]
    state: dict[str, TlaValue] = {}
    for conjunct in conjuncts:
        assignment = _ASSIGNMENT.match(conjunct)
        if assignment is None:
            raise TlaSyntaxError(conjunct, 0, "expected `variable = value`")
        written = conjunct[assignment.end() :].rstrip()
        value = None if memory is None else memory.get(written)
        if value is None:
            value = parse_value(written)
            if memory is not None:
                memory[written] = value
        state[assignment.group(1)] = value
    return state


TlaValue: TypeAlias = (
    "int | bool | str | ModelValue | frozenset[TlaValue] | tuple[TlaValue, ...] | TlaFunction"
)


@dataclass(frozen=True)
class ModelValue:
    """A constant that equals nothing but itself (`CONSTANT m1 = m1` in the configuration)."""

    name: str


class TlaFunction(Mapping["TlaValue", "TlaValue"]):
    """A function that is no sequence, immutable and hashable; make it with `function_value`.

    Where its arguments are strings, it is a record.
    """

    __slots__ = ("_hash", "_items")

    def __init__(self, items: Mapping[TlaValue, TlaValue]) -> None:
        if _is_sequence(items):
            raise ValueError("a function on 1..n is a tuple")
        self._items = dict(items)
        self._hash = hash(frozenset(self._items.items()))

    def __getitem__(self, key: TlaValue) -> TlaValue:
        return self._items[key]

    def __iter__(self) -> Iterator[TlaValue]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TlaFunction) and self._items == other._items

    def __repr__(self) -> str:
        return f"TlaFunction({self._items!r})"


def function_value(items: Mapping[TlaValue, TlaValue]) -> tuple[TlaValue, ...] | TlaFunction:
    """The function with these arguments and results: a tuple if they are 1..n, or none."""
    if _is_sequence(items):
        return tuple(items[index] for index in range(1, len(items) + 1))
    return TlaFunction(items)


def _is_sequence(items: Mapping[TlaValue, TlaValue]) -> bool:
    # `True == 1` would let a function on {TRUE} pass for a sequence.
    return all(type(key) is int and 1 <= key <= len(items) for key in items)


STRING_ESCAPES = {'"': '"', "\\": "\\", "n": "\n", "t": "\t", "r": "\r", "f": "\f"}
"""What follows a backslash in a TLA+ string, and the character that the two stand for."""

_PRINTED = {plain: "\\" + escape for escape, plain in STRING_ESCAPES.items()}
_FIELD = re.compile(r"[A-Za-z_0-9]+")


def format_value(value: TlaValue) -> str:
    """The value in TLA+, as TLC would print it but for the order of set elements and fields.

    Those are sorted by their text, so that equal values give equal texts.
    """
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return '"' + "".join(_PRINTED.get(character, character) for character in value) + '"'
    if isinstance(value, ModelValue):
        return value.name
    if isinstance(value, frozenset):
        return "{" + ", ".join(sorted(map(format_value, value))) + "}"
    if isinstance(value, tuple):
        return "<<" + ", ".join(map(format_value, value)) + ">>"
    if all(isinstance(name, str) and _FIELD.fullmatch(name) for name in value):
        fields = sorted(f"{name} |-> {format_value(of)}" for name, of in value.items())
        return "[" + ", ".join(fields) + "]"
    pairs = sorted(
        f"{format_value(argument)} :> {format_value(result)}" for argument, result in value.items()
    )
    return "(" + " @@ ".join(pairs) + ")"
