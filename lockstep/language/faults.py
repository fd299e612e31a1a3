"""Faults: mistakes in a model, which `models/faults/MODEL.py` has, put in its place by name.

A mistake is a function that stands in for one of the model or is one action more, or it is edits
of the text of functions. Several at once are named together, `A+B`. They are all in place, each as
it is by itself, or they are refused: where two change the same thing, or one calls what another
changes, it would depend on their order what comes of them.
"""

from __future__ import annotations

import ast
import inspect
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations, permutations
from pathlib import Path
from typing import Any, TypeAlias

from lockstep.errors import LockstepError, unknown
from lockstep.language.edits import edit_problems, edited_function, overlapping, placed_edits
from lockstep.language.loader import Universe
from lockstep.language.notation import EDITS, FAULT, MARK, FaultMark, Kind, Mark
from lockstep.language.proposals import Variant
from lockstep.language.source import Diagnostic, ModelError
from lockstep.language.unread import missing_functions, unread_functions
from lockstep.language.unwritten import unwritten_parts
from lockstep.system.text_files import is_file
from lockstep.words import TOGETHER

_INSTEAD = "put one of them in place, or write one fault that makes both mistakes"


def fault_names(fault: str) -> list[str]:
    """The names of the faults that are in place at once."""
    return fault.split(TOGETHER)


def described_faults(fault: str) -> str:
    """`the fault A`, or `the faults A and B`."""
    *others, last = fault_names(fault)
    return f"the faults {', '.join(others)} and {last}" if others else f"the fault {last}"


Marks: TypeAlias = "dict[str, tuple[FaultMark, str]]"
"""Faults by their names: the mark and the docstring of each."""


def fault_marks(root: Path, name: str) -> Marks:
    """The faults of a model, in order of declaration."""
    return _marks(_faults(Universe(root), name))


def fault_definitions(root: Path, name: str) -> dict[str, str]:
    """Where each fault of a model begins, as `FILE:LINE`."""
    universe = Universe(root)
    faults = _faults(universe, name).items()
    return {fault: place for fault, own in faults if (place := universe.place_text(own))}


def fault_places(root: Path, name: str) -> list[Path]:
    """Where the modules of a model's faults were looked for, and of all that they import."""
    universe = Universe(root)
    _faults(universe, name)
    return [root / "models" / "faults" / f"{name}.py", *universe.places]


def marks_in_place(root: Path, name: str, fault: str | None) -> Marks:
    """The faults that are in place, in order; `LockstepError` where there is no such."""
    return {} if fault is None else _marks(_in_place(Universe(root), name, fault))


def fault_scope_name(marks: Marks) -> str | None:
    """The scope that faults ask for, or None; `LockstepError` where they ask for several."""
    scopes = {mark.scope: None for mark, _ in marks.values() if mark.scope}
    if len(scopes) > 1:
        faults = described_faults(TOGETHER.join(marks))
        raise LockstepError(
            f"{faults} are about other scopes: {', '.join(scopes)}", cure="name one with --scope"
        )
    return next(iter(scopes), None)


def fault_constants(marks: Marks) -> Mapping[str, object]:
    """The constants that faults set; `LockstepError` where two set one to different values."""
    constants: dict[str, object] = {}
    for mark, _ in marks.values():
        for key, value in mark.constants.items():
            if constants.setdefault(key, value) != value:
                values = f"{constants[key]!r} and {value!r}"
                raise LockstepError(
                    f"{described_faults(TOGETHER.join(marks))} set {key} to {values}",
                    cure=_INSTEAD,
                )
    return constants


def apply_faults(universe: Universe, name: str, fault: str) -> dict[str, Callable[..., Any]]:
    """Put faults in place in a loaded model; the actions that they add."""
    loaded = frozenset(universe.modules)
    functions = _in_place(universe, name, fault)
    _refuse_conflicts(universe, functions)
    unchanged = {part for function in functions.values() for part in _mark(function).unchanged}
    changed = changed_functions(universe, list(functions.values()))
    problems = [
        problem
        for own, function in functions.items()
        for problem in unwritten_parts(universe, function, changed[own], unchanged)
    ]
    if problems:
        raise ModelError(problems)
    added = {}
    for own, function in functions.items():
        for old, new in changed[own]:
            Variant(universe, name, f"the fault {own}", loaded).replace(old, new)
        if changed[own]:
            continue
        if own in vars(universe.load(f"models.{name}")):
            raise LockstepError(
                f"the fault {own} has the name of something in models/{name}.py",
                cure="name what it replaces (`replaces=...`), or give it another name",
            )
        setattr(function, MARK, Mark(Kind.ACTION))
        added[own] = function
    return added


def changed_functions(
    universe: Universe, faults: Sequence[Callable[..., Any]]
) -> dict[str, list[tuple[Callable[..., Any], Callable[..., Any]]]]:
    """What each of some faults replaces or edits, with what stands in its place."""
    edits = [edit for fault in faults for edit in placed_edits(universe, fault)]
    instead = {
        old: edited_function(universe, old, [one for one in edits if one.edit.function is old])
        for old in dict.fromkeys(one.edit.function for one in edits)
    }
    return {
        fault.__name__: [(old, instead.get(old, fault)) for old in _mark(fault).changed]
        for fault in faults
    }


def _marks(functions: Mapping[str, Callable[..., Any]]) -> Marks:
    return {
        fault: (_mark(function), inspect.cleandoc(function.__doc__ or ""))
        for fault, function in functions.items()
    }


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
    problems = [*unread_functions(universe, module), *missing]
    for member in members.values():
        if isinstance(member, types.FunctionType) and hasattr(member, EDITS):
            problems += _problems_of_edits(universe, member)
    if problems:
        raise ModelError(problems)
    return {
        fault: function
        for fault, function in members.items()
        if isinstance(getattr(function, FAULT, None), FaultMark)
    }


def _problems_of_edits(universe: Universe, fault: Callable[..., Any]) -> Iterable[Diagnostic]:
    edits = placed_edits(universe, fault)
    mark = getattr(fault, FAULT, None)
    definition = universe.definition(fault)
    assert definition is not None
    if not isinstance(mark, FaultMark):
        what, cure = f"{fault.__name__} has edits and is no fault", "write @fault(...) above them"
    elif mark.replaces in [edit.function for edit in mark.edits]:
        what, cure = "this is edited and replaced at once", "leave the edit out, or `replaces`"
    elif mark.replaces is None and (definition[0].args.args or len(definition[0].body) > 1):
        what = f"{fault.__name__} has edits and a function's text"
        cure = "leave the parameters and all but the docstring out"
    else:
        return edit_problems(universe, edits)
    why = "edits are in place together with one fault, which has no other text"
    return [Diagnostic("edit", edits[0].place, what, why, cure)]


def _in_place(universe: Universe, name: str, fault: str) -> dict[str, Callable[..., Any]]:
    """The functions of the faults that are named, by their names."""
    faults, names = _faults(universe, name), fault_names(fault)
    for own in names:
        if own not in faults:
            if universe.problems:
                raise ModelError(universe.problems)
            raise no_fault(name, own, faults)
        if names.count(own) > 1:
            raise LockstepError(f"the fault {own} is named twice", cure="name it once")
    return {own: faults[own] for own in names}


def no_fault(model: str, name: str, faults: Iterable[str]) -> LockstepError:
    """The error for a fault that a model does not have."""
    place = f"in models/faults/{model}.py"
    return unknown(f"{model} has no fault {name!r}", name, faults, "its faults are", place)


def _refuse_conflicts(universe: Universe, functions: Mapping[str, Callable[..., Any]]) -> None:
    """`LockstepError` where faults cannot be in place together."""
    marks = {own: _mark(function) for own, function in functions.items()}
    for one, other in combinations(functions, 2):
        for both in (old for old in marks[one].changed if old in marks[other].changed):
            what = f"the faults {one} and {other} both"
            replaced = [old is both for old in (marks[one].replaces, marks[other].replaces)]
            if any(replaced):
                how = "replace" if all(replaced) else "change"
                raise LockstepError(f"{what} {how} {both.__name__}", cure=_INSTEAD)
            edits = [*placed_edits(universe, functions[one])]
            edits += placed_edits(universe, functions[other])
            if overlapping(universe, [edit for edit in edits if edit.edit.function is both]):
                raise LockstepError(f"{what} edit one place of {both.__name__}", cure=_INSTEAD)
    for one, other in permutations(functions, 2):
        named = _named(universe, functions[one])
        for target in (old for old in marks[other].changed if old in named):
            how = "replaces" if target is marks[other].replaces else "edits"
            raise LockstepError(
                f"the fault {one} calls {target.__name__}, which the fault {other} {how}",
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
        body = (node for line in definition[0].body for node in ast.walk(line))
        words = {node.id for node in body if isinstance(node, ast.Name)}
        waiting += [reader.__globals__.get(word) for word in words]
    return named
