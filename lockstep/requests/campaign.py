"""What is asked of the verbs that do many tasks: which, and where their rows are kept."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from lockstep.errors import LockstepError, unknown
from lockstep.plain.exploration import DEFAULT_ENGINE
from lockstep.requests.check import JudgedRequest
from lockstep.requests.option import (
    changed_option,
    liveness_option,
    option,
    save_option,
    spill_option,
)
from lockstep.requests.search import SPARK, CachedSearchOptions, ModelsRequest
from lockstep.specs.tables import Plain, parse_plain

if TYPE_CHECKING:
    from lockstep.language.model import Model


ALL = None
"""Stands for all values that a constant can have."""

_RANGE = re.compile(r"(-?[0-9]{1,18})\.\.(-?[0-9]{1,18})")

MOST = 100_000
"""More values than this are a slip of the pen."""


Sweeps: TypeAlias = "Mapping[str, tuple[Plain, ...] | None]"
"""The values of each constant by its name, `ALL` for all of them."""


def read_sweeps(texts: Sequence[str]) -> Sweeps:
    """What texts `NAME=VALUES` ask for.

    `LockstepError` for what is not so written.
    """
    sweeps: dict[str, tuple[Plain, ...] | None] = {}
    for text in texts:
        name, equals, values = text.partition("=")
        if not equals or not name.strip().isidentifier() or not values.strip():
            raise LockstepError(
                f"{text!r} gives no values",
                cure="write NAME=2..5, NAME=2,4,8 or NAME=all",
            )
        if name.strip() in sweeps:
            raise LockstepError(f"{name.strip()} is given twice", cure="leave one out")
        sweeps[name.strip()] = _values(values.strip())
    return sweeps


def read_range(text: str) -> range:
    """The integers of `2..5`, both ends included; `ValueError` for what is not so written."""
    match = _RANGE.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is no range: write it as 1..100")
    first, last = int(match[1]), int(match[2])
    if last < first:
        raise ValueError(f"{text!r} is empty: the first number comes first")
    if last - first >= MOST:
        raise ValueError(f"{text!r} has more than {MOST:,} numbers")
    return range(first, last + 1)


def _values(text: str) -> tuple[Plain, ...] | None:
    if text == "all":
        return ALL
    if _RANGE.fullmatch(text):
        try:
            return tuple(read_range(text))
        except ValueError as error:
            raise LockstepError(str(error)) from None
    listed = parse_plain(f"[{text}]")
    values = listed if isinstance(listed, tuple) else tuple(map(parse_plain, text.split(",")))
    return tuple(dict.fromkeys(values))


def values_in(model: Model, sweeps: Sweeps) -> dict[str, tuple[Plain, ...]]:
    """The values of each constant in a model.

    `LockstepError` for a constant that the model does not have, for a value of another type than
    the model's own, and where nobody can tell all values of a constant.
    """
    return {name: _of_model(model, name, values) for name, values in sweeps.items()}


def _of_model(model: Model, name: str, values: tuple[Plain, ...] | None) -> tuple[Plain, ...]:
    constants = model.constants
    if name not in constants:
        problem = f"{model.name} has no constant {name!r}"
        raise unknown(problem, name, sorted(constants), "its constants are")
    own = constants[name]
    if values is ALL:
        return _all_values(model, name, own)
    for value in values:
        if type(value) is not type(own):
            raise LockstepError(
                f"{name} of {model.name} is {own!r}, and {value!r} is of another type",
                cure="give values of the same type",
            )
    return values


def _all_values(model: Model, name: str, own: object) -> tuple[Plain, ...]:
    if isinstance(own, bool):
        return (False, True)
    compared = tuple(_compared_texts(model, name)) if isinstance(own, str) else ()
    if not compared:
        raise LockstepError(
            f"nobody can tell all values of {name} of {model.name}, which is {own!r}",
            cure=f"list them: {name}=FIRST,SECOND, or FIRST..LAST where they are integers",
        )
    return tuple(dict.fromkeys([str(own), *compared]))


def _compared_texts(model: Model, name: str) -> Iterator[str]:
    """The texts that a model compares a constant with: no other two make a difference."""
    universe = model.universe
    texts: list[ast.AST] = [file.tree for file in universe.files.values()]
    texts += [edited.node for edited in universe.edited.values()]
    for node in (part for text in texts for part in ast.walk(text)):
        if not isinstance(node, ast.Compare):
            continue
        sides = [node.left, *node.comparators]
        if name in (getattr(side, "id", getattr(side, "attr", None)) for side in sides):
            yield from (text for side in sides for text in _texts(side))


def _texts(node: ast.expr) -> list[str]:
    parts = node.elts if isinstance(node, ast.Tuple | ast.List | ast.Set) else [node]
    constants = (part.value for part in parts if isinstance(part, ast.Constant))
    return [value for value in constants if isinstance(value, str)]


@dataclass(frozen=True, kw_only=True)
class TasksOptions(CachedSearchOptions):
    """Many tasks; the bound on memory and the number of threads are those of all together."""

    results: Path | None = option(
        "--results",
        metavar="FILE",
        is_asked_again=False,
        help="The table of results. Default: .lockstep/results.jsonl.",
    )
    seconds: float | None = None
    """The time of all together: what is not done by then is left out."""

    @property
    def engine_of_each(self) -> str:
        """The engine of each task, which may be on a cluster."""
        return DEFAULT_ENGINE if self.engine == SPARK else self.engine


@dataclass(frozen=True)
class FaultsRequest(TasksOptions, ModelsRequest):
    """The faults of some models; whether a deadlock is allowed is each model's own.

    `names` are the faults to run; all unless some are named, and of claims without one nothing is
    then said.
    """

    spill: Path | None = spill_option()
    liveness: bool = liveness_option()
    save: Path | None = save_option("Folder for the trace of each fault. Default: none is saved.")
    changed: str | None = changed_option()
    names: tuple[str, ...] = field(default=(), kw_only=True)


@dataclass(frozen=True)
class MutantsRequest(TasksOptions, ModelsRequest):
    """The mutants of some models, each in one scope, by default up to some times its states."""

    scope: str | None = option(
        "--scope", metavar="NAME", help="A scope of specs/MODEL.toml. Default: `default`."
    )


@dataclass(frozen=True, kw_only=True)
class SweepRequest(TasksOptions, JudgedRequest):
    """Many checks in place of one: with each combination of values, or each seed."""

    models: tuple[str, ...] = option(
        default=(),
        metavar="MODEL|NAME=VALUES",
        help="Names of models; all of them unless some are given. "
        "And values of a constant: NAME=2..5, or NAME=2,4,8, or NAME=all.",
    )
    seeds: range | None = option(
        "--seeds",
        parse=read_range,
        metavar="FIRST..LAST",
        help="Take the random walks of --simulate or --hypothesis once for each seed.",
    )

    @cached_property
    def sweeps(self) -> Sweeps:
        """The values of each constant; `LockstepError` for what is not so written."""
        return read_sweeps([name for name in self.models if "=" in name])

    @property
    def names(self) -> tuple[str, ...]:
        """The models that are named."""
        return tuple(name for name in self.models if "=" not in name)
