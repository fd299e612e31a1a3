"""The lines of a model's text in which a function is written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lockstep.language.loader import Universe
from lockstep.words import path_below


@dataclass(frozen=True)
class Excerpt:
    """Lines of a file as they stand there; `first` is the number of the first one, from 1."""

    file: str
    first: int
    lines: tuple[str, ...]


def excerpt(universe: Universe, function: Callable[..., Any]) -> Excerpt | None:
    """A function with its decorators; None for one that is from elsewhere."""
    definition = universe.definition(function)
    if definition is None:
        return None
    node, file = definition
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    edited = universe.edited.get(function.__code__)
    text = universe.files[function.__code__.co_filename].text if edited is None else edited.text
    lines = text.splitlines()[first - 1 : node.end_lineno if edited is None else edited.last]
    return Excerpt(path_below(file, universe.root), first, tuple(lines))
