"""Texts with places to fill from a step: `FetchRequest ({session_id}, {epoch})`.

A place is a path and never an expression: a name, then fields and keys, as in
`{s.elected[s.epoch[r]]}`. Nothing is called or computed, so that a file of data stays data.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from lockstep.language.domain import Domain, MapDomain, OptionDomain, SequenceDomain
from lockstep.language.records import Fielded, RecordDomain
from lockstep.language.values import TotalMap

Shape: TypeAlias = "Domain | type[Fielded]"
"""What is known of a value: its domain, or the class of a state."""


class NoTemplate(ValueError):
    """A text is no template, or one that does not fit a model; it says what is wrong with it."""


class NoValue(LookupError):
    """A path leads to nothing in some state: past a None, or beyond the end of a sequence."""


@dataclass(frozen=True)
class Path:
    """A name, then fields (texts) and keys (paths or numbers)."""

    root: str
    steps: tuple[str | Path | int, ...] = ()

    def value(self, names: Mapping[str, object]) -> object:
        """What it leads to; `NoValue` where that is nothing."""
        if self.root not in names:
            raise NoValue(self.root)
        value = names[self.root]
        for step in self.steps:
            value = _inside(value, step.value(names) if isinstance(step, Path) else step, step)
        return value

    def shape(self, names: Mapping[str, Shape]) -> Shape:
        """What is known of all that it may lead to; `NoTemplate` where it leads nowhere."""
        if self.root not in names:
            known = ", ".join(names)
            raise NoTemplate(f"there is no {self.root} here; there are: {known}")
        shape, text = names[self.root], self.root
        for step in self.steps:
            if isinstance(step, Path):
                step.shape(names)
            shape = _shape_inside(shape, step, text)
            text += f".{step}" if isinstance(step, str) else "[...]"
        return shape


@dataclass(frozen=True)
class Template:
    """Texts and paths in turn."""

    text: str
    parts: tuple[str | Path, ...]

    @property
    def paths(self) -> tuple[Path, ...]:
        """The paths alone."""
        return tuple(part for part in self.parts if isinstance(part, Path))


def parse_template(text: str) -> Template:
    """Read a template; `NoTemplate` where a brace is alone, or has no path in it."""
    parts: list[str | Path] = []
    for part in re.split(r"(\{[^{}]*\})", text):
        if part.startswith("{") and part.endswith("}"):
            parts.append(_parse_path(part[1:-1]))
        elif "{" in part or "}" in part:
            raise NoTemplate(f"a brace stands alone in {text!r}")
        elif part:
            parts.append(part)
    return Template(text, tuple(parts))


def _parse_path(text: str) -> Path:
    no_path = NoTemplate(f"{{{text}}} is no path: write fields and keys, {{s.log[r]}}")

    def path(node: ast.expr) -> Path:
        step: str | Path | int
        match node:
            case ast.Name(name):
                return Path(name)
            case ast.Attribute(inside, name):
                step = name
            case ast.Subscript(inside, ast.Constant(int(number))):
                step = number
            case ast.Subscript(inside, ast.UnaryOp(ast.USub(), ast.Constant(int(number)))):
                step = -number
            case ast.Subscript(inside, key):
                step = path(key)
            case _:
                raise no_path
        before = path(inside)
        return Path(before.root, (*before.steps, step))

    try:
        return path(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise no_path from None


def _inside(value: object, key: object, step: str | Path | int) -> object:
    """A field of a record or state, the value of a map, or an item of a sequence."""
    try:
        match value:
            case Fielded() if isinstance(step, str):
                return getattr(value, step)
            case TotalMap():
                return value[key]
            case tuple() if isinstance(key, int):
                return value[key]
    except (AttributeError, LookupError):
        pass
    raise NoValue(str(step))


def _shape_inside(shape: Shape, step: str | Path | int, text: str) -> Shape:
    if isinstance(shape, OptionDomain):
        shape = shape.some
    if isinstance(step, str):
        fields = _fields(shape)
        if step not in fields:
            known = ", ".join(fields) or "none"
            raise NoTemplate(f"{text} has no field {step!r}; its fields are: {known}")
        return fields[step]
    match shape:
        case MapDomain():
            return shape.value
        case SequenceDomain():
            return shape.item
    raise NoTemplate(f"{text} is neither a map nor a sequence: it has no keys")


def _fields(shape: Shape) -> Mapping[str, Domain]:
    match shape:
        case RecordDomain():
            return shape.record.fields
        case type():
            return shape.fields
    return {}
