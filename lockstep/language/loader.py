"""Load a workspace's model files afresh, with the constants of one scope in place.

A scope's constants are written into the parsed text before it runs, so everything computed from
them (domains, helpers, other modules' imports) follows. Each load is a `Universe` of its own: two
scopes, or a model and its fault, never share a module. Only files of the workspace are loaded
this way; a model may import nothing but those, the notation from `lockstep`, and `Enum`.

That is so that every engine sees all of a model's text, and no protection from it: a model is code,
which can do what its reader can. Load models only of workspaces whose code you would run.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from lockstep.errors import LockstepError
from lockstep.language import load_problems, python_subset
from lockstep.language.running import Runner
from lockstep.language.source import (
    WRITTEN_AT,
    Change,
    Diagnostic,
    Place,
    Span,
    allow_nesting,
)
from lockstep.system.text_files import is_file, read_text
from lockstep.words import place_text

PACKAGES = ("models", "invariants")
"""Workspace folders that hold text in lockstep's notation."""


@dataclass(frozen=True)
class SourceFile:
    """One parsed file of a universe; `functions` finds a definition by name and first line."""

    path: Path
    text: str
    tree: ast.Module
    functions: Mapping[tuple[str, int], ast.FunctionDef]


@dataclass(frozen=True)
class EditedFunction:
    """A function with edits: its syntax, its code, and the text of its file with the same edits.

    `last` is the function's last line in that text.
    """

    node: ast.FunctionDef
    code: types.CodeType
    file: Path
    text: str
    last: int


@dataclass
class Universe(Runner):
    """The modules of one load.

    `root` is the workspace folder. `constants` are the scope's values; a name that no loaded
    module declares as `Constant` is an error once loading is done (`unused_constants`).
    """

    root: Path
    constants: Mapping[str, object] = field(default_factory=dict)
    modules: dict[str, types.ModuleType] = field(default_factory=dict)
    files: dict[str, SourceFile] = field(default_factory=dict)
    change: Change | None = None
    """A change of the text of one file."""
    declared: dict[str, object] = field(default_factory=dict)
    """Every constant that was declared, with its value in this universe."""
    edited: dict[types.CodeType, EditedFunction] = field(default_factory=dict)
    """By its code, each function that a fault edits."""
    edited_places: dict[tuple[types.CodeType, Span], Place] = field(default_factory=dict)
    """Where code of these functions is written, other than in their file."""
    _running: set[str] = field(default_factory=set)

    @property
    def places(self) -> list[Path]:
        """Where each module was looked for, a file; those that are folders have none there."""
        return [self._file(name) for name in self.modules]

    @property
    def of_models(self) -> dict[str, types.ModuleType]:
        """The modules of models and of their parts, proposals among them, but none of faults."""
        return {
            name: module
            for name, module in self.modules.items()
            if name.startswith("models.") and not name.startswith("models.faults")
        }

    def load(self, name: str) -> types.ModuleType:
        """The module `models.x` or `invariants.x`, run once in this universe."""
        if name in self.modules:
            return self.modules[name]
        path = self._file(name)
        if not is_file(path):
            if path.with_suffix("").is_dir():
                return self._new_module(name)
            raise LockstepError(f"there is no module {name}: {path} does not exist")
        return self.load_file(name, path)

    def load_file(self, name: str, path: Path) -> types.ModuleType:
        """The module of that name from a file, which need not be one of the workspace."""
        allow_nesting()
        text = read_text(path)
        if self.change is not None and path == self.root / self.change.file:
            text = self.change.applied(text)
        try:
            tree = ast.parse(text, filename=str(path))
        except SyntaxError as error:
            return self._broken_file(name, path, load_problems.not_python(error, path))
        except ValueError as error:  # so says Python 3.11 of a NUL character
            problem = load_problems.not_python(SyntaxError(str(error)), path)
            return self._broken_file(name, path, problem)
        except (RecursionError, MemoryError):
            return self._broken_file(name, path, load_problems.too_deep(path, text))
        problems = [*load_problems.duplicates(tree, path), *self._set_constants(name, tree, path)]
        self.report([*problems, *_misplaced_parts(text, path)])
        self.files[str(path)] = SourceFile(path, text, tree, _functions(tree))
        module = self._new_module(name, path, ast.get_docstring(tree))
        self._running.add(name)
        self.run(python_subset.runnable(tree), module, path, text)
        self._running.remove(name)
        self.declared.update(
            (target, vars(module)[target])
            for node in tree.body
            if (target := _constant_name(node)) is not None and target in vars(module)
        )
        return module

    def changed_constants(self) -> list[str]:
        """Constants that no longer have the value that was set, or that their text gives them."""
        now = {
            name: vars(module)[name]
            for module in self.modules.values()
            for name in self.declared
            if name in vars(module)
        }
        wanted = {**self.declared, **{n: _tuples(value) for n, value in self.constants.items()}}
        known = now.keys() - set().union(*self.broken.values())
        return sorted(name for name in known if now[name] != wanted[name])

    def in_file_order(self, problems: Iterable[Diagnostic]) -> list[Diagnostic]:
        """Each problem once, file by file as they were loaded, from the first line to the last."""
        order = {path: number for number, path in enumerate(self.files)}

        def rank(problem: Diagnostic) -> tuple[int, int, int]:
            place = problem.place
            return order.get(str(place.file), len(order)), place.line, place.column

        return sorted(dict.fromkeys(problems), key=rank)

    def _broken_file(self, name: str, path: Path, problem: Diagnostic) -> types.ModuleType:
        """An empty module in place of a file that cannot be parsed."""
        self.report([problem])
        self.broken[name] = {"*"}
        return self._new_module(name, path)

    def unused_constants(self) -> list[str]:
        """Names in `constants` that no loaded module declares."""
        return sorted(set(self.constants) - set(self.declared))

    def substitute(self, old: Callable[..., Any], new: Callable[..., Any]) -> None:
        """Let `new` stand wherever a model knows `old`.

        Invariants keep the original: a fault changes what happens, not what is claimed. So does
        another module that defines `new`, so that a fault may call what it changes.
        """
        for module in self.modules.values():
            if not module.__name__.startswith("models."):
                continue
            if module.__name__ == new.__module__ != old.__module__:
                continue
            for name, value in vars(module).items():
                if value is old:
                    setattr(module, name, new)

    def definition(self, function: Callable[..., Any]) -> tuple[ast.FunctionDef, Path] | None:
        """The syntax of a function of this universe; None for a function from elsewhere."""
        code = getattr(function, "__code__", None)
        return None if code is None else self.definition_of_code(code)

    def place_text(self, function: Callable[..., Any]) -> str | None:
        """Where a function begins, as `FILE:LINE`; None for a function from elsewhere."""
        if (definition := self.definition(function)) is None:
            return None
        return place_text(definition[1], definition[0].lineno, self.root)

    def know_edited(self, edited: EditedFunction) -> None:
        """Take a function with edits for one of this universe."""
        self.edited[edited.code] = edited
        places = {
            (one.lineno, one.end_lineno, one.col_offset, one.end_col_offset): Place.of(
                one, edited.file
            )
            for one in ast.walk(edited.node)
            if isinstance(one, ast.expr | ast.stmt) and hasattr(one, WRITTEN_AT)
        }
        for code in _codes(edited.code):
            self.edited_places |= {(code, span): place for span, place in places.items()}

    def definition_of_code(self, code: types.CodeType) -> tuple[ast.FunctionDef, Path] | None:
        """The same for the code of a function."""
        if (edited := self.edited.get(code)) is not None:
            return edited.node, edited.file
        if code.co_filename not in self.files:
            return None
        file = self.files[code.co_filename]
        node = file.functions.get((code.co_name, code.co_firstlineno))
        return None if node is None else (node, file.path)

    def _file(self, name: str) -> Path:
        return self.root.joinpath(*name.split(".")).with_suffix(".py")

    def _new_module(
        self, name: str, path: Path | None = None, doc: str | None = None
    ) -> types.ModuleType:
        """An empty module, known to this universe and to its package."""
        module = types.ModuleType(name, doc)
        if path is not None:
            module.__file__ = str(path)
            names = {**python_subset.BUILTINS, "__import__": self._import}
            module.__dict__["__builtins__"] = names
        self.modules[name] = module
        package, _, last = name.rpartition(".")
        if package:
            setattr(self.load(package), last, module)
        return module

    def _import(
        self,
        name: str,
        importer: Mapping[str, object] | None = None,
        locals_: Mapping[str, object] | None = None,
        names: tuple[str, ...] | None = (),
        level: int = 0,
    ) -> types.ModuleType:
        top = name.partition(".")[0]
        if level or top not in PACKAGES:
            notation = None if level else python_subset.namespace(name, names or ())
            if notation is None:
                raise load_problems.ForeignImport(name)
            return notation
        self._require_module(name)
        module = self.load(name)
        for wanted in names or ():
            if hasattr(module, wanted):
                continue
            if name in self._running:
                raise load_problems.ImportCycle(wanted, name=name)
            if getattr(module, "__file__", None) is None:
                self._require_module(f"{name}.{wanted}")
                self.load(f"{name}.{wanted}")
        return module if names else self.load(top)

    def _require_module(self, name: str) -> None:
        path = self._file(name)
        if not is_file(path) and not path.with_suffix("").is_dir():
            raise ModuleNotFoundError(str(path.relative_to(self.root)), name=name)

    def _set_constants(self, module: str, tree: ast.Module, path: Path) -> list[Diagnostic]:
        """Write the scope's values into the text; the constants that are left without one."""
        problems = []
        for node in tree.body:
            name = _constant_name(node)
            if name is None:
                continue
            assert isinstance(node, ast.AnnAssign)
            if name in self.constants:
                value = _syntax_of(name, self.constants[name])
                if (other := load_problems.another_type(node, value, path)) is not None:
                    problems.append(other)
                    self.broken.setdefault(module, set()).add(name)
                    continue
                node.value = ast.copy_location(value, node.annotation)
                ast.fix_missing_locations(node)
            elif node.value is None:
                problems.append(load_problems.no_value(node, name, path))
                self.broken.setdefault(module, set()).add(name)
        return problems


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """A function's code, and all that is inside it."""
    yield code
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from _codes(inner)


@lru_cache(maxsize=256)
def _misplaced_parts(text: str, path: Path) -> tuple[Diagnostic, ...]:
    """What a text has that is not in the notation. A campaign loads one text hundreds of times."""
    return tuple(python_subset.misplaced_parts(ast.parse(text, filename=str(path)), path))


def _functions(tree: ast.Module) -> dict[tuple[str, int], ast.FunctionDef]:
    functions: dict[tuple[str, int], ast.FunctionDef] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            functions[node.name, first] = node
    return functions


def _constant_name(node: ast.stmt) -> str | None:
    if (
        isinstance(node, ast.AnnAssign)
        and isinstance(node.target, ast.Name)
        and isinstance(node.annotation, ast.Name)
        and node.annotation.id == "Constant"
    ):
        return node.target.id
    return None


def _tuples(value: object) -> object:
    """A constant as a model has it: lists become tuples."""
    return tuple(map(_tuples, value)) if isinstance(value, list | tuple) else value


def _syntax_of(name: str, value: object) -> ast.expr:
    """The value of a constant as Python text; a list becomes a tuple, which is what models use."""
    if value is None or type(value) in (bool, int, str):
        assert isinstance(value, bool | int | str | None)
        return ast.Constant(value)
    if isinstance(value, list | tuple):
        return ast.Tuple([_syntax_of(name, part) for part in value], ast.Load())
    raise LockstepError(
        f"the constant {name} cannot be {value!r}",
        cure="a constant is an integer, a boolean, a text, or a list of these",
    )
