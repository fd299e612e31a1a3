"""The mutants of a model: each is its text with one small change, under a name that lasts.

Plain Python and every other engine load the changed text, so that all see the same change. What
may be changed is found in the IR: the functions of `models/` that the actions really use.
"""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from lockstep.errors import LockstepError, nearest
from lockstep.language import ir
from lockstep.language.frontend import lower
from lockstep.language.loader import SourceFile
from lockstep.language.model import Model
from lockstep.language.source import Change, Place
from lockstep.language.totality import walk
from lockstep.mutants.edits import Edit, Editor
from lockstep.mutants.writes import writes_of


@dataclass(frozen=True)
class Mutant:
    """One small change of a model.

    The name has the function, the kind of change and the text before and after, but no line: it
    stays the same while other lines come and go. `before` and `after` are the text of what is
    changed on one line each; `after` is empty where it is left out. `probe` is another change, with
    which the model has no meaning as soon as the code runs that the mutant changes.
    """

    name: str
    kind: str
    line: int
    before: str
    after: str
    change: Change
    probe: Change

    @property
    def file(self) -> Path:
        """The file in the workspace."""
        return self.change.file


def mutants_of(model: Model) -> tuple[Mutant, ...]:
    """Every mutant of a model, in the order of its files and their lines."""
    places = _places(model)
    mutants: list[Mutant] = []
    for name, module in model.universe.modules.items():
        file = model.universe.files.get(str(getattr(module, "__file__", None)))
        if file is not None and file.path in places and name.startswith("models."):
            mutants += _of_file(model, module, file, places[file.path])
    return tuple(mutants)


def find_mutant(model: Model, name: str) -> Mutant:
    """The mutant of that name; `LockstepError` when there is none."""
    mutants = {mutant.name: mutant for mutant in mutants_of(model)}
    if name not in mutants:
        there = f"`lockstep mutants {model.name}` lists those that are not killed"
        raise LockstepError(
            f"{model.name} has no mutant {name!r}", cure=nearest(name, mutants, there)
        )
    return mutants[name]


_Codes = Mapping[Place, list[ir.Expression]]


def _places(model: Model) -> dict[Path, _Codes]:
    """What the actions are made of, by file and place."""
    places: dict[Path, dict[Place, list[ir.Expression]]] = {}
    for action in lower(model).actions:
        for node in walk(action):
            place = getattr(node, "place", None)
            if isinstance(place, Place):
                codes = places.setdefault(place.file, defaultdict(list))[place]
                if isinstance(node, ir.Expression):
                    codes.append(node)
    return {file: dict(codes) for file, codes in places.items()}


def _of_file(model: Model, module: ModuleType, file: SourceFile, codes: _Codes) -> Iterator[Mutant]:
    lines = {place.line for place in codes}
    functions = sorted(file.functions.values(), key=lambda node: node.lineno)
    editor = Editor(
        lambda node: tuple(codes.get(Place.of(node, file.path), ())),
        lambda node: _value(node, vars(module)),
        model.variables,
        writes_of(functions),
    )
    path = file.path.relative_to(model.universe.root)
    stem = ".".join(path.with_suffix("").parts[1:])
    for function in functions:
        if lines.isdisjoint(range(function.lineno, (function.end_lineno or 0) + 1)):
            continue
        names: Counter[str] = Counter()
        seen: set[str] = set()
        for edit in editor.edits(function):
            change = _change(path, edit.old, edit.new)
            text = "".join(change.applied(file.text).split())
            if text in seen:
                continue  # two kinds of change may give the same
            seen.add(text)
            before, after = _shown(file.text, edit, change)
            arrow = f" -> {after}" if after else ""
            name = f"{stem}.{function.name}: {edit.kind}: {before}{arrow}"
            names[name] += 1
            again = f" ({names[name]})" if names[name] > 1 else ""
            yield Mutant(
                f"{name}{again}",
                edit.kind,
                edit.old.lineno,
                before,
                after,
                change,
                _probe(path, edit.run),
            )


def _value(node: ast.expr, names: Mapping[str, Any]) -> Any:
    """The value of a constant, or of a member of an enum; None for anything else."""
    match node:
        case ast.Name(name) if type(names.get(name)) in (int, bool):
            return names[name]
        case ast.Attribute(ast.Name(name), member) if isinstance(names.get(name), type):
            return getattr(names[name], member, None)
    return None


_NO_MEANING = "(0,)[1:][0] == 0"
"""A condition that has no value, which nothing but running it shows."""


def _probe(path: Path, run: ast.expr | ast.stmt) -> Change:
    """The change that has no meaning where some code runs."""
    if isinstance(run, ast.Assign | ast.Expr):
        guard = ast.parse(f"require({_NO_MEANING})").body[0]
        if isinstance(run, ast.Expr):
            return _change(path, run, guard)
        run = run.value
    assert isinstance(run, ast.expr)
    return _change(path, run, ast.IfExp(ast.parse(_NO_MEANING, mode="eval").body, run, run))


def _change(path: Path, old: ast.expr | ast.stmt, new: ast.expr | ast.stmt | None) -> Change:
    end_line, end_column = old.end_lineno or old.lineno, old.end_col_offset or 0
    room = "\n" * (end_line - old.lineno)
    if new is None:
        text = f"pass{room}"
    elif isinstance(new, ast.stmt):
        text = f"{ast.unparse(new)}{room}"
    else:
        text = ast.unparse(new)
        if room or type(new) is not type(old) or isinstance(old, ast.IfExp):
            text = f"({text}{room})"
    return Change(path, old.lineno, old.col_offset, end_line, end_column, text)


def _shown(text: str, edit: Edit, change: Change) -> tuple[str, str]:
    """What is changed, before and after, each on one line."""
    shown = edit.shown
    lines = text.encode().split(b"\n")[shown.lineno - 1 : shown.end_lineno]

    def between(line: int, column: int, end_line: int, end_column: int) -> str:
        part = lines[line - shown.lineno : end_line - shown.lineno + 1]
        part[-1] = part[-1][:end_column]
        part[0] = part[0][column:]
        return b"\n".join(part).decode()

    end = shown.end_lineno or shown.lineno, shown.end_col_offset or 0
    before = between(shown.lineno, shown.col_offset, *end)
    if edit.new is None:
        return _on_one_line(before), ""
    ahead = between(shown.lineno, shown.col_offset, change.line, change.column)
    behind = between(change.end_line, change.end_column, *end)
    return _on_one_line(before), _on_one_line(f"{ahead}{ast.unparse(edit.new)}{behind}")


def _on_one_line(text: str) -> str:
    text = " ".join(text.split())
    return text.replace("( ", "(").replace(" )", ")")
