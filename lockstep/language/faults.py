"""Faults: mistakes in a model, which `models/faults/MODEL.py` has, put in its place by name.

Several at once are named together, `A+B`. They are all in place, each as it is by itself, or they
are refused: where two replace the same thing, or one calls what another replaces, it would depend
on their order what comes of them.
"""

from __future__ import annotations

import ast
import inspect
import types
from collections.abc import Callable, Mapping
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

from lockstep.errors import LockstepError, nearest
from lockstep.language.loader import Universe
from lockstep.language.notation import FAULT, MARK, FaultMark, Kind, Mark
from lockstep.language.source import ModelError
from lockstep.language.unread import missing_functions, unread_functions
from lockstep.language.unwritten import unwritten_parts
from lockstep.language.variant import Variant
from lockstep.system.text_files import is_file

_TOGETHER = "+"
"""Between the names of faults that are in place at once; in no name itself."""

_INSTEAD = "put one of them in place, or write one fault that makes both mistakes"


def together(faults: tuple[str, ...]) -> str | None:
    """The name of some faults that are in place at once; None where there are none."""
    return _TOGETHER.join(faults) or None


def fault_names(fault: str) -> list[str]:
    """The names of the faults that are in place at once."""
    return fault.split(_TOGETHER)


def described_faults(fault: str) -> str:
    """`the fault A`, or `the faults A and B`."""
    *others, last = fault_names(fault)
    return f"the faults {', '.join(others)} and {last}" if others else f"the fault {last}"


def fault_marks(root: Path, name: str) -> dict[str, tuple[FaultMark, str]]:
    """The faults of a model: name to (mark, docstring), in order of declaration."""
    return {
        fault: (_mark(function), inspect.cleandoc(function.__doc__ or ""))
        for fault, function in _faults(Universe(root), name).items()
    }


def fault_definitions(root: Path, name: str) -> dict[str, tuple[Path, int]]:
    """The file and line of each fault of a model."""
    universe = Universe(root)
    definitions = {
        fault: universe.definition(function) for fault, function in _faults(universe, name).items()
    }
    return {
        fault: (definition[1], definition[0].lineno)
        for fault, definition in definitions.items()
        if definition is not None
    }


def fault_places(root: Path, name: str) -> list[Path]:
    """Where the modules of a model's faults were looked for, and of all that they import."""
    universe = Universe(root)
    _faults(universe, name)
    return [root / "models" / "faults" / f"{name}.py", *universe.places]


def marks_in_place(root: Path, name: str, fault: str | None) -> list[FaultMark]:
    """The mark of each fault that is in place, in order; `LockstepError` where there is no such."""
    if fault is None:
        return []
    return [_mark(function) for function in _in_place(Universe(root), name, fault).values()]


def fault_scope_name(root: Path, name: str, fault: str) -> str | None:
    """The scope that faults ask for, or None; `LockstepError` where they ask for several."""
    scopes = {mark.scope: None for mark in marks_in_place(root, name, fault) if mark.scope}
    if len(scopes) > 1:
        raise LockstepError(
            f"{described_faults(fault)} are about other scopes: {', '.join(map(str, scopes))}",
            cure="name one with --scope",
        )
    return next(iter(scopes), None)


def fault_constants(root: Path, name: str, fault: str | None) -> Mapping[str, object]:
    """The constants that faults set; `LockstepError` where two set one to different values."""
    constants: dict[str, object] = {}
    for mark in marks_in_place(root, name, fault):
        for key, value in mark.constants.items():
            if constants.setdefault(key, value) != value:
                values = f"{constants[key]!r} and {value!r}"
                raise LockstepError(
                    f"{described_faults(fault or '')} set {key} to {values}", cure=_INSTEAD
                )
    return constants


def apply_faults(universe: Universe, name: str, fault: str) -> dict[str, Callable[..., Any]]:
    """Put faults in place in a loaded model; the actions that they add."""
    loaded = frozenset(universe.modules)
    functions = _in_place(universe, name, fault)
    _refuse_conflicts(universe, functions)
    added = {}
    for own, function in functions.items():
        replaced = _mark(function).replaces
        if replaced is not None:
            Variant(universe, name, f"the fault {own}", loaded).replace(replaced, function)
            continue
        if own in vars(universe.load(f"models.{name}")):
            raise LockstepError(
                f"the fault {own} has the name of something in models/{name}.py",
                cure="name what it replaces (`replaces=...`), or give it another name",
            )
        setattr(function, MARK, Mark(Kind.ACTION))
        added[own] = function
    return added


def _mark(function: Callable[..., Any]) -> FaultMark:
    mark: FaultMark = getattr(function, FAULT)
    return mark


def _faults(universe: Universe, name: str) -> dict[str, Callable[..., Any]]:
    """The functions that are faults of a model; none where it has no file of them."""
    if not is_file(universe.root / "models" / "faults" / f"{name}.py"):
        return {}
    module = universe.load(f"models.faults.{name}")
    members = vars(module)
    missing = missing_functions(universe, name, members.values(), [module.__name__])
    if problems := unread_functions(universe, module) + missing:
        raise ModelError(problems)
    return {
        fault: function
        for fault, function in members.items()
        if isinstance(getattr(function, FAULT, None), FaultMark)
    }


def _in_place(universe: Universe, name: str, fault: str) -> dict[str, Callable[..., Any]]:
    """The functions of the faults that are named, by their names."""
    faults, names = _faults(universe, name), fault_names(fault)
    for own in names:
        if own not in faults:
            if universe.problems:
                raise ModelError(universe.problems)
            raise LockstepError(
                f"{name} has no fault {own!r}",
                cure=nearest(own, faults, f"its faults are: {', '.join(faults) or 'none'}"),
            )
        if names.count(own) > 1:
            raise LockstepError(f"the fault {own} is named twice", cure="name it once")
        if problems := unwritten_parts(universe, faults[own]):
            raise ModelError(problems)
    return {own: faults[own] for own in names}


def _refuse_conflicts(universe: Universe, functions: Mapping[str, Callable[..., Any]]) -> None:
    """`LockstepError` where faults cannot be in place together."""
    replaced = {own: _mark(function).replaces for own, function in functions.items()}
    for one, other in combinations(functions, 2):
        if replaced[one] is not None and replaced[one] is replaced[other]:
            what = getattr(replaced[one], "__name__", "")
            raise LockstepError(f"the faults {one} and {other} both replace {what}", cure=_INSTEAD)
    for one, other in permutations(functions, 2):
        target = replaced[other]
        if target is not None and target in _named(universe, functions[one]):
            raise LockstepError(
                f"the fault {one} calls {target.__name__}, which the fault {other} replaces",
                cure=_INSTEAD,
            )


def _named(universe: Universe, function: Callable[..., Any]) -> list[object]:
    """What a fault names, itself or through other functions of the files of faults.

    These files keep what is replaced, so that a fault may call it.
    """
    named: list[object] = []
    waiting: list[object] = [function]
    while waiting:
        reader = waiting.pop()
        if not isinstance(reader, types.FunctionType) or reader in named:
            continue
        named.append(reader)
        definition = universe.definition(reader)
        if definition is None or not reader.__module__.startswith("models.faults."):
            continue
        words = {node.id for node in ast.walk(definition[0]) if isinstance(node, ast.Name)}
        waiting += [reader.__globals__.get(word) for word in words]
    return named
