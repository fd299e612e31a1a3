"""Functions that look like part of a model, or are marked as part of one, and that nothing reads.

A claim without its decorator would be left out in silence, and so would one whose name another
thing has taken. A function is read if it is marked, if one that is read names it, if the file does
so outside its functions, or if another file does. To import it, or to promise fairness to it, is
not to read it; nor does a fault that stands in its place.
"""

from __future__ import annotations

import ast
import textwrap
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias

from lockstep.language.inventory import Inventory
from lockstep.language.loader import PACKAGES, Universe
from lockstep.language.notation import EDITS, FAULT, MARK, REPLACES, State
from lockstep.language.source import Diagnostic, Place
from lockstep.language.syntax import FUNCTIONS, Syntax, read_names, syntax_of
from lockstep.language.unwritten import written_target

_FAULTS = "models.faults."
_CHANGES = (_FAULTS, "models.proposals.")
"""The packages of what changes a model."""

_Written: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda"


def unread_functions(universe: Universe, module: types.ModuleType) -> Iterator[Diagnostic]:
    """The functions of a loaded file that look like an action, a claim or a fault and are neither.

    In `models/` these have the parameters `s` and `new`, in any order. Files of claims and of
    faults have nothing but claims or faults, and what they call.
    """
    path = Path(str(module.__file__))
    if str(path) not in universe.files:  # it is no Python: that is a problem of its own
        return
    syntax = syntax_of(path)
    functions = dict(_functions(syntax))
    marks = (MARK, FAULT, REPLACES)
    own = vars(module)
    marked = {name for name in functions if any(hasattr(own.get(name), mark) for mark in marks)}
    reached = _reached(syntax, functions, marked | _in_edits(module))
    for name, node in functions.items():
        looks_like_one = not module.__name__.startswith("models.") or _has_the_form(node)
        looks_like_one = looks_like_one or module.__name__.startswith(_CHANGES)
        is_made = name in own  # why it could not be is a problem of its own
        if name in reached or not looks_like_one or not is_made:
            continue
        if not _is_used(universe.root, module.__name__, path, name):
            yield _unread(name, node, module.__name__, path)


def is_of_model(module: str) -> bool:
    """Whether a module is a model's, or a part of one, and no change of it."""
    return module.startswith("models.") and not module.startswith(_CHANGES)


def missing_functions(
    universe: Universe, model: str, taken: Iterable[object], modules: Iterable[str]
) -> Iterator[Diagnostic]:
    """The functions marked in some modules that are not among what a model takes up.

    Their name stands for something else in the end, or the model does not import them. What other
    models mark for themselves is theirs, unless the model's state is derived from theirs.
    """
    taken = list(taken)
    kept = {id(function) for function in taken}
    states = (one for one in taken if isinstance(one, type) and issubclass(one, State))
    derived_from = {base.__module__ for state in states for base in state.__mro__}
    twice = {problem.place.file for problem in universe.problems if problem.code == "defined-twice"}
    inventory = Inventory(universe.root)
    for module in modules:
        missing = [one for one in universe.marked.get(module, ()) if id(one) not in kept]
        if not missing or universe.broken.get(module):
            continue
        name = module.rpartition(".")[2]
        if name != model and module not in derived_from and name in inventory.models:
            continue
        for function in missing:
            if Path(function.__code__.co_filename) not in twice:
                yield _left_out(universe, function)


def _functions(syntax: Syntax) -> Iterator[tuple[str, _Written]]:
    for node in syntax.statements:
        if isinstance(node, FUNCTIONS):
            if not syntax.bears_mark(node):  # `missing_functions` says what becomes of those
                yield node.name, node
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    yield target.id, node.value


def _has_the_form(node: _Written) -> bool:
    """Whether it has the parameters of a step, in any order, or writes to its second one."""
    arguments = node.args
    every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    names = [argument.arg for argument in every]
    return {"s", "new"} <= set(names) or any(
        isinstance(part, ast.Attribute | ast.Subscript)
        and isinstance(part.ctx, ast.Store)
        and names[1:2] == [written_target(part)[0]]
        for line in _body(node)
        for part in ast.walk(line)
    )


def _reached(syntax: Syntax, functions: Mapping[str, _Written], marked: set[str]) -> set[str]:
    """The functions of a file that are marked, or named by what is read."""
    bodies: dict[str, Sequence[ast.AST]] = {name: _body(node) for name, node in functions.items()}
    named = {name: parts for name, parts in bodies.items() if name not in marked}
    begun = [part for name in marked for part in bodies.get(name, ())]
    called = [node for node in syntax.made_by if isinstance(node, ast.Name)]
    nodes = [*syntax.statements, *begun, *called]
    return marked | _names(read_names(nodes, {**named, **syntax.named_values}))


def _in_edits(module: types.ModuleType) -> set[str]:
    """The names in the new texts of the edits of a file; those that are not Python have none."""
    names: set[str] = set()
    for member in vars(module).values():
        for edit in getattr(member, EDITS, ()):
            with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
                tree = ast.parse(textwrap.dedent(edit.new).strip())
                names |= _names(read_names([tree], {}))
    return names


def _body(node: _Written) -> list[ast.AST]:
    return [node.body] if isinstance(node, ast.Lambda) else list(node.body)


def _names(nodes: Iterable[ast.AST]) -> set[str]:
    return {node.id for node in nodes if isinstance(node, ast.Name)}


def _is_used(
    root: Path, module: str, own: Path, name: str, seen: frozenset[tuple[Path, str]] = frozenset()
) -> bool:
    """Whether another file of the workspace reads something of this one, by whatever name.

    What a change names of a model's own file is for the model itself to read.
    """
    changes = [root.joinpath(*change.split(".")) for change in _CHANGES]
    is_change = any(own.is_relative_to(folder) for folder in changes)
    files = (path for package in PACKAGES for path in root.joinpath(package).rglob("*.py"))
    for path in files:
        is_other_change = not is_change and any(path.is_relative_to(folder) for folder in changes)
        if path.name.startswith(".") or is_other_change or (path, name) in seen:
            continue
        syntax = syntax_of(path)
        if path != own and syntax.uses(module, name):
            return True
        its_module = ".".join(path.relative_to(root).with_suffix("").parts)
        for other in syntax.names_for(None if path == own else module, name):
            if _is_used(root, its_module, path, other, seen | {(path, name)}):
                return True
    return False


def _unread(name: str, node: _Written, module: str, path: Path) -> Diagnostic:
    mark = "@action" if module.startswith("models.") else "@invariant"
    if module.startswith(_FAULTS):
        mark = "@fault(...)"
    elif module.startswith(_CHANGES):
        mark = "@replaces(...), @action or @shows"
    return Diagnostic(
        "unread",
        Place(path, node.lineno, node.col_offset, node.lineno, node.col_offset + len("def")),
        f"nothing reads {name}",
        "a function is part of a model if it is marked, or if one that is marked calls it",
        f"mark it with {mark}, call it, or remove it",
    )


def _left_out(universe: Universe, function: Callable[..., Any]) -> Diagnostic:
    definition = universe.definition(function)
    code = function.__code__
    place = Place.beginning(Path(code.co_filename), code.co_firstlineno)
    if definition is not None:
        place = Place.of(*definition)
    return Diagnostic(
        "left-out",
        place,
        f"{function.__name__} is marked, and the model does not have it",
        "its name stands for something else in the end, or no file of the model imports it",
        "give it a name of its own at the top of the file, or import it where it belongs",
    )
