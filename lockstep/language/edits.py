"""Edits: a piece of a function's text, and what stands there instead while a fault is in place.

A piece is found by its syntax, so that spaces and line breaks do not matter; `...` stands for any
expression. It stands in the function exactly once, or the edit is refused. What is put there has
its place in the file of the fault; all else stays where it is.
"""

from __future__ import annotations

import ast
import textwrap
import types
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import lockstep
from lockstep.language import notation, python_subset
from lockstep.language.loader import EditedFunction, Universe
from lockstep.language.notation import EDITS, Edit
from lockstep.language.source import WRITTEN_AT, Change, Diagnostic, ModelError, Place
from lockstep.language.unwritten import called_function

_Position = tuple[int, int]
"""A line from 1 and a column in bytes from 0."""

_WHY = "an edit changes one place, which is known by its text"


@dataclass(frozen=True)
class PlacedEdit:
    """An edit, with the fault that it is of and where its texts stand in the file of faults."""

    fault: str
    edit: Edit
    text: ast.expr
    """The new text as it is written there."""
    file: Path
    place: Place
    """The old text."""

    @property
    def new_place(self) -> Place:
        """The new text."""
        return Place.of(self.text, self.file)


@dataclass(frozen=True)
class _Found:
    """Where an edit's old text stands: an expression, or statements that follow one another."""

    placed: PlacedEdit
    nodes: tuple[ast.expr | ast.stmt, ...]

    @property
    def start(self) -> _Position:
        return self.nodes[0].lineno, self.nodes[0].col_offset

    @property
    def end(self) -> _Position:
        last = self.nodes[-1]
        return last.end_lineno or last.lineno, last.end_col_offset or last.col_offset

    def overlaps(self, other: _Found) -> bool:
        return self.start < other.end and other.start < self.end


def placed_edits(universe: Universe, fault: Callable[..., Any]) -> list[PlacedEdit]:
    """The edits of a fault in the order in which they are written."""
    edits: tuple[Edit, ...] = getattr(fault, EDITS, ())
    definition = universe.definition(fault)
    if not edits or definition is None:
        return []
    node, file = definition
    calls = [
        call
        for call in node.decorator_list
        if isinstance(call, ast.Call) and called_function(fault, call.func) is notation.edit
    ]
    return [
        PlacedEdit(
            fault.__name__,
            edit,
            _argument(call, 2, "new"),
            file,
            Place.of(_argument(call, 1, "old"), file),
        )
        for call, edit in zip(calls, edits, strict=True)
    ]


def edit_problems(universe: Universe, edits: Sequence[PlacedEdit]) -> Iterator[Diagnostic]:
    """What is wrong with the edits of a fault."""
    for function in dict.fromkeys(one.edit.function for one in edits):
        own = [one for one in edits if one.edit.function is function]
        try:
            edited_text(universe, function, own)
        except ModelError as error:
            yield from error.diagnostics


def overlapping(universe: Universe, edits: Sequence[PlacedEdit]) -> tuple[str, str] | None:
    """Two faults that edit the same place of a function; None where no two do."""
    definition = universe.definition(edits[0].edit.function)
    assert definition is not None
    found = [_find(definition[0], one, definition[1]) for one in edits]
    for number, one in enumerate(found):
        for other in found[:number]:
            if one.overlaps(other):
                return other.placed.fault, one.placed.fault
    return None


def edited_text(
    universe: Universe, function: Callable[..., Any], edits: Sequence[PlacedEdit]
) -> EditedFunction:
    """The syntax of a function with edits; `ModelError` where one does not fit."""
    definition = universe.definition(function)
    if definition is None or not function.__module__.startswith("models."):
        what = f"{function.__name__} is no function of a file in models/"
        raise _refused(edits[0], what, "name a function of the model, not one of its claims")
    node, file = deepcopy(definition[0]), definition[1]
    found, problems = [], []
    for edit in edits:
        try:
            found.append(_find(node, edit, file))
        except ModelError as error:
            problems += error.diagnostics
    if problems:
        raise ModelError(problems)
    for number, one in enumerate(found):
        if any(one.overlaps(other) for other in found[:number]):
            what = "another edit of this fault changes the same place"
            raise _refused(one.placed, what, "make one edit of the two")
    texts = [_new_text(one) for one in found]
    replacing = _Replacing(dict(zip((one.nodes for one in found), texts, strict=True)))
    edited = replacing.visit(node)
    assert isinstance(edited, ast.FunctionDef)
    problems += python_subset.misplaced_parts(ast.Module([edited], []), edits[0].file)
    if problems:
        raise ModelError(problems)
    text = universe.files[function.__code__.co_filename].text
    for one in sorted(found, key=lambda one: one.start, reverse=True):
        text = _changed(one, file).applied(text)
    last = max(part.end_lineno or 0 for part in definition[0].body)
    added = text.count("\n") - universe.files[function.__code__.co_filename].text.count("\n")
    bare = ast.FunctionDef(**{**vars(edited), "decorator_list": []})
    module = python_subset.runnable(ast.Module([bare], []))
    try:
        code = compile(module, str(file), "exec", dont_inherit=True, optimize=0)
    except (SyntaxError, ValueError) as error:
        what = f"{function.__name__} is then not Python: {error}"
        raise _refused(edits[0], what, "mend the new text", "a model is Python first") from None
    own = next(one for one in code.co_consts if isinstance(one, types.CodeType))
    return EditedFunction(edited, own, file, text, last + added)


def edited_function(
    universe: Universe, function: Callable[..., Any], edits: Sequence[PlacedEdit]
) -> Callable[..., Any]:
    """A function with edits, in the module of the one that it stands for."""
    text = edited_text(universe, function, edits)
    _find_names(universe, function.__globals__, text.node, edits)
    changed = types.FunctionType(text.code, function.__globals__, function.__name__)
    changed.__annotations__ = function.__annotations__
    changed.__doc__ = function.__doc__
    setattr(changed, EDITS, tuple(one.edit for one in edits))
    universe.know_edited(text)
    return changed


def _argument(call: ast.Call, number: int, name: str) -> ast.expr:
    if len(call.args) > number:
        return call.args[number]
    return next((word.value for word in call.keywords if word.arg == name), call)


def _refused(edit: PlacedEdit, what: str, cure: str, why: str = _WHY) -> ModelError:
    return ModelError([Diagnostic("edit", edit.place, what, why, cure)])


def _parsed(text: str, place: Place) -> list[ast.stmt]:
    try:
        return ast.parse(_dedented(text)).body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        what = f"this is not Python: {getattr(error, 'msg', error)}"
        why = "an edit's texts are an expression, or whole statements"
        cure = "write a whole expression or statement"
        raise ModelError([Diagnostic("edit", place, what, why, cure)]) from None


def _dedented(text: str) -> str:
    return textwrap.dedent(text).strip()


def _expression(statements: list[ast.stmt]) -> ast.expr | None:
    match statements:
        case [ast.Expr(value)]:
            return value
    return None


def _find(function: ast.FunctionDef, placed: PlacedEdit, file: Path) -> _Found:
    """Where an edit's old text stands; `ModelError` unless that is one place."""
    edit, name = placed.edit, function.name
    old = _parsed(edit.old, placed.place)
    new = _parsed(edit.new, placed.new_place)
    if not old:
        raise _refused(placed, "an edit of nothing", "name the text that is changed")
    if len(old) == len(new) and all(map(_is_same, old, new)):
        raise _refused(placed, "both texts say the same", "write what stands there instead")
    expression = None if _expression(new) is None else _expression(old)
    found: list[tuple[ast.expr | ast.stmt, ...]]
    if expression is not None:
        found = [
            (node,)
            for statement in function.body
            for node in ast.walk(statement)
            if isinstance(node, ast.expr) and _is_same(node, expression)
        ]
    else:
        found = [
            tuple(block[start : start + len(old)])
            for block in _blocks(function)
            for start in range(len(block) - len(old) + 1)
            if all(map(_is_same, block[start:], old))
        ]
    if not found:
        raise _refused(
            placed,
            f"this does not stand in {name}",
            f"copy it from {Place.of(function, file)}, whole expressions or statements",
        )
    if len(found) > 1:
        lines = " and ".join(str(nodes[0].lineno) for nodes in found[:2])
        what = f"this stands {len(found)} times in {name}"
        raise _refused(placed, what, f"name more of the text around it: see lines {lines}")
    return _Found(placed, found[0])


def _blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    for part in ast.walk(node):
        for field in ("body", "orelse"):
            block = getattr(part, field, None)
            if isinstance(block, list):
                yield block


def _is_same(one: object, pattern: object) -> bool:
    """Whether a piece of syntax says what another one does, in which `...` is any expression."""
    if isinstance(one, list) and isinstance(pattern, list):
        return len(one) == len(pattern) and all(map(_is_same, one, pattern))
    if isinstance(pattern, ast.Constant) and pattern.value is Ellipsis:
        return isinstance(one, ast.expr)
    if type(one) is not type(pattern):
        return False
    if isinstance(one, ast.AST):
        return all(_is_same(getattr(one, name), getattr(pattern, name)) for name in one._fields)
    return one == pattern


def _new_text(found: _Found) -> list[ast.stmt]:
    """The new text; to Python it all stands in the line where the old text begins."""
    placed = found.placed
    text, (line, column) = _dedented(placed.edit.new), found.start
    starts = [0]
    for one in text.encode().split(b"\n"):
        starts.append(starts[-1] + len(one) + 1)
    statements = _parsed(text, placed.new_place)
    exact = _is_written_out(placed)
    for node in (part for statement in statements for part in ast.walk(statement)):
        if not isinstance(node, ast.expr | ast.stmt | ast.arg | ast.keyword):
            continue
        first = starts[node.lineno - 1] + node.col_offset
        end = starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
        place = placed.new_place
        if exact:
            shift = place.column + 1
            place = Place(place.file, place.line, shift + first, place.line, shift + end)
        node.lineno = node.end_lineno = line
        node.col_offset, node.end_col_offset = column + first, column + end
        setattr(node, WRITTEN_AT, place)
    return statements


def _is_written_out(placed: PlacedEdit) -> bool:
    """Whether the new text stands in the file letter by letter, between two quotes."""
    node = placed.text
    if not isinstance(node, ast.Constant) or node.lineno != node.end_lineno:
        return False
    length = (node.end_col_offset or 0) - node.col_offset
    return placed.edit.new == _dedented(placed.edit.new) and (
        length == len(placed.edit.new.encode()) + 2
    )


class _Replacing(ast.NodeTransformer):
    """Puts new text in place of nodes, each of which is an expression or first of statements."""

    def __init__(self, texts: dict[tuple[ast.expr | ast.stmt, ...], list[ast.stmt]]) -> None:
        self._texts = {id(nodes[0]): text for nodes, text in texts.items()}
        self._gone = {id(node) for nodes in texts for node in nodes[1:]}

    def visit(self, node: ast.AST) -> Any:
        if id(node) in self._gone:
            return None
        if (text := self._texts.get(id(node))) is not None:
            return _expression(text) if isinstance(node, ast.expr) else text
        self.generic_visit(node)
        if isinstance(node, ast.FunctionDef | ast.If) and not node.body:
            node.body = [ast.copy_location(ast.Pass(), node)]
        return node


def _changed(found: _Found, file: Path) -> Change:
    indented = textwrap.indent(_dedented(found.placed.edit.new) or "pass", " " * found.start[1])
    return Change(file, *found.start, *found.end, indented.lstrip())


def _find_names(
    universe: Universe,
    names: dict[str, Any],
    function: ast.FunctionDef,
    edits: Sequence[PlacedEdit],
) -> None:
    """Give a module what new texts name and it does not have: from the fault's file, or another."""
    modules = map(vars, universe.of_models.values())
    faults = [vars(one) for n, one in universe.modules.items() if n.startswith("models.faults.")]
    words = {word: getattr(lockstep, word) for word in lockstep.__all__}
    own = {node.arg for node in function.args.args}
    for node in (part for one in edits for part in ast.walk(ast.parse(_dedented(one.edit.new)))):
        if not isinstance(node, ast.Name) or node.id in names or node.id in own:
            continue
        if node.id in python_subset.BUILTINS:
            continue
        for known in (*faults, *modules, words):
            if node.id in known:
                names[node.id] = known[node.id]
                break
