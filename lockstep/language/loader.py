"""Load a workspace's model files afresh, with the constants of one scope in place.

A scope's constants are written into the parsed text before it runs, so everything computed from
them (domains, helpers, other modules' imports) follows. Each load is a `Universe` of its own: two
scopes, or a model and its fault, never share a module. Only files of the workspace are loaded
this way; a model may import nothing but those, `lockstep` and `enum`.
"""

from __future__ import annotations

import ast
import builtins
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lockstep.errors import LockstepError
from lockstep.language.source import Diagnostic, ModelError, Place
from lockstep.language.values import NotInDomain

PACKAGES = ("models", "invariants")
"""Workspace folders that hold text in lockstep's notation."""

_ALLOWED = ("lockstep", "enum")


@dataclass(frozen=True)
class SourceFile:
    """One parsed file of a universe; `functions` finds a definition by name and first line."""

    path: Path
    text: str
    functions: Mapping[tuple[str, int], ast.FunctionDef]


@dataclass
class Universe:
    """The modules of one load.

    `root` is the workspace folder. `constants` are the scope's values; a name that no loaded
    module declares as `Constant` is an error once loading is done (`unused_constants`).
    """

    root: Path
    constants: Mapping[str, object] = field(default_factory=dict)
    modules: dict[str, types.ModuleType] = field(default_factory=dict)
    files: dict[str, SourceFile] = field(default_factory=dict)
    declared: dict[str, object] = field(default_factory=dict)
    """Every constant that was declared, with its value in this universe."""

    def load(self, name: str) -> types.ModuleType:
        """The module `models.x` or `invariants.x`, run once in this universe."""
        if name in self.modules:
            return self.modules[name]
        path = self.root.joinpath(*name.split(".")).with_suffix(".py")
        if not path.is_file():
            folder = path.with_suffix("")
            if folder.is_dir():
                return self._package(name)
            raise LockstepError(f"there is no module {name}: {path} does not exist")
        text = path.read_text(encoding="utf-8")
        try:
            tree = ast.parse(text, filename=str(path))
        except SyntaxError as error:
            raise ModelError([_syntax_diagnostic(path, error)]) from None
        self._set_constants(tree, path)
        self.files[str(path)] = SourceFile(path, text, _functions(tree))
        module = types.ModuleType(name, ast.get_docstring(tree))
        module.__file__ = str(path)
        module.__dict__["__builtins__"] = {**vars(builtins), "__import__": self._import}
        self.modules[name] = module
        self._run(tree, module, path)
        self.declared.update(
            (target, vars(module)[target])
            for target in _declared_constants(tree)
            if target in vars(module)
        )
        return module

    def unused_constants(self) -> list[str]:
        """Names in `constants` that no loaded module declares."""
        return sorted(set(self.constants) - set(self.declared))

    def substitute(self, old: Callable[..., Any], new: Callable[..., Any]) -> None:
        """Let `new` stand wherever a model knows `old`.

        Invariants keep the original: a fault changes what happens, not what is claimed. So does
        the module that defines `new`, so that a fault may call what it changes.
        """
        for module in self.modules.values():
            if module.__name__ == new.__module__ or not module.__name__.startswith("models."):
                continue
            for name, value in vars(module).items():
                if value is old:
                    setattr(module, name, new)

    def definition(self, function: Callable[..., Any]) -> tuple[ast.FunctionDef, Path] | None:
        """The syntax of a function of this universe; None for a function from elsewhere."""
        code = getattr(function, "__code__", None)
        if code is None or code.co_filename not in self.files:
            return None
        file = self.files[code.co_filename]
        found = file.functions.get((code.co_name, code.co_firstlineno))
        return None if found is None else (found, file.path)

    def _package(self, name: str) -> types.ModuleType:
        package = types.ModuleType(name)
        self.modules[name] = package
        return package

    def _import(
        self,
        name: str,
        importer: Mapping[str, object] | None = None,
        locals_: Mapping[str, object] | None = None,
        names: tuple[str, ...] = (),
        level: int = 0,
    ) -> types.ModuleType:
        top = name.partition(".")[0]
        if level or top not in PACKAGES:
            if not level and top in _ALLOWED:
                return builtins.__import__(name, None, None, names, 0)
            raise ImportError(name)
        module = self.load(name)
        for wanted in names:
            if not hasattr(module, wanted) and module.__file__ is None:
                setattr(module, wanted, self.load(f"{name}.{wanted}"))
        return module if names else self.load(top)

    def _set_constants(self, tree: ast.Module, path: Path) -> None:
        for node in tree.body:
            target = _constant_target(node)
            if target is None:
                continue
            assert isinstance(node, ast.AnnAssign)
            if target in self.constants:
                value = ast.parse(repr(self.constants[target]), mode="eval").body
                node.value = ast.fix_missing_locations(ast.copy_location(value, node.annotation))
            elif node.value is None:
                raise ModelError(
                    [
                        Diagnostic(
                            "constant-without-value",
                            Place.of(node, path),
                            f"{target} has no value",
                            "a constant needs one unless every scope sets it",
                            f"write `{target}: Constant = ...`",
                        )
                    ]
                )

    def _run(self, tree: ast.Module, module: types.ModuleType, path: Path) -> None:
        try:
            exec(compile(tree, str(path), "exec", dont_inherit=True), vars(module))
        except LockstepError:
            raise
        except Exception as error:
            raise ModelError([_load_diagnostic(error, path)]) from error


def _functions(tree: ast.Module) -> dict[tuple[str, int], ast.FunctionDef]:
    found: dict[tuple[str, int], ast.FunctionDef] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            found[node.name, first] = node
    return found


def _constant_target(node: ast.stmt) -> str | None:
    if (
        isinstance(node, ast.AnnAssign)
        and isinstance(node.target, ast.Name)
        and isinstance(node.annotation, ast.Name)
        and node.annotation.id == "Constant"
    ):
        return node.target.id
    return None


def _declared_constants(tree: ast.Module) -> list[str]:
    return [target for node in tree.body if (target := _constant_target(node)) is not None]


def _syntax_diagnostic(path: Path, error: SyntaxError) -> Diagnostic:
    line, column = error.lineno or 1, max(0, (error.offset or 1) - 1)
    return Diagnostic(
        "syntax",
        Place(path, line, column, line, column + 1),
        f"this is not Python: {error.msg}",
        "a model is a Python file first",
        "mend the line; the caret is where Python gave up",
    )


def _load_diagnostic(error: Exception, path: Path) -> Diagnostic:
    line = 1
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(path):
            line = trace.tb_lineno
        trace = trace.tb_next
    place = Place(path, line, 0, line, 1)
    if isinstance(error, NotInDomain):
        return Diagnostic(
            "outside-domain", place, str(error), "a record is checked when it is made",
            "give a value in the domain, or widen the domain",
        )  # fmt: skip
    if isinstance(error, ImportError):
        return Diagnostic(
            "import",
            place,
            f"a model cannot import {error.name or error}",
            "every engine must see all of a model's text",
            "import from lockstep, enum, models or invariants only",
        )
    return Diagnostic(
        "load",
        place,
        f"running the file failed: {type(error).__name__}: {error}",
        "constants, domains and the state class are built when a model is loaded",
        "mend the line shown",
    )
