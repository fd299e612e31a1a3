"""Run the text of modules, and where something in it fails, what is left of it all the same."""

from __future__ import annotations

import ast
import types
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lockstep.errors import LockstepError
from lockstep.language import load_problems
from lockstep.language.notation import marked_functions
from lockstep.language.source import Diagnostic, ModelError, Place
from lockstep.language.values import IS_LOADING


@dataclass(kw_only=True)
class Runner:
    """Runs modules, and keeps what is wrong with them and what has no value therefore."""

    collects: bool = False
    """Whether loading goes on after a problem, and `problems` holds them all."""
    problems: list[Diagnostic] = field(default_factory=list)
    broken: dict[str, set[str]] = field(default_factory=dict)
    """By module, the names that have no value because of a problem; `*` where all have none."""
    broken_parts: set[str] = field(default_factory=set)
    """The variables and fields that are left out because of a problem."""
    marked: dict[str, list[Callable[..., Any]]] = field(default_factory=dict)
    """By module, every function that was marked, also those whose names are something else now."""

    def is_broken(self, module: object, name: str) -> bool:
        """Whether a name has no value because of a problem that is reported already."""
        return not self.broken.get(str(module), set()).isdisjoint((name, "*"))

    def report(self, problems: Iterable[Diagnostic]) -> None:
        """Note problems and go on; `ModelError` where loading does not."""
        found = list(problems)
        if found and not self.collects:
            raise ModelError(found)
        self.problems += found

    def refuse(self, place: Place, code: str, what: str, why: str, cure: str) -> None:
        """Report one problem."""
        self.report([Diagnostic(code, place, what, why, cure)])

    @contextmanager
    def noting(self) -> Iterator[None]:
        """Report what is not well formed in the block, and go on after it."""
        try:
            yield
        except ModelError as error:
            self.report(error.diagnostics)

    def run(self, tree: ast.Module, module: types.ModuleType, path: Path, text: str) -> None:
        """Run the tree of a file's text in its module."""
        is_loading = IS_LOADING.set(True)
        try:
            self._run_whole(tree, module, path, text)
        finally:
            IS_LOADING.reset(is_loading)
        vars(module).pop("__getattr__", None)  # it is reported, and would answer everything

    def _run_whole(self, tree: ast.Module, module: types.ModuleType, path: Path, text: str) -> None:
        try:
            code = _compiled(tree, path)
            with marked_functions() as self.marked[module.__name__]:
                exec(code, vars(module))
        except LockstepError:
            raise
        except SyntaxError as error:
            raise ModelError([load_problems.not_python(error, path)]) from None
        except (RecursionError, MemoryError) as error:
            if error.__traceback__ is not None and error.__traceback__.tb_next is None:
                raise ModelError([load_problems.too_deep(path, text)]) from None
            raise ModelError([load_problems.failed(error, path)]) from error
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # `exit(0)` must not end the command as if all was well
            if not self.collects:
                raise ModelError([load_problems.failed(error, path)]) from error
            with marked_functions() as self.marked[module.__name__]:
                self._run_in_parts(tree, module, path)

    def _run_in_parts(self, tree: ast.Module, module: types.ModuleType, path: Path) -> None:
        """Run a module that failed once more, a statement at a time, and go on after each failure.

        What fails for want of a name that a failed statement should have defined is not reported.
        """
        broken = self.broken.setdefault(module.__name__, set())
        for node in _in_parts(tree):
            broken -= _defined(node)
            try:
                exec(_compiled(ast.Module([node], []), path), vars(module))
            except (LockstepError, KeyboardInterrupt):
                raise
            except BaseException as error:
                if isinstance(node, ast.ClassDef) and self._run_class(node, module, path):
                    continue
                broken |= _defined(node)
                if not self._follows(error, module.__name__, node):
                    self.problems.append(load_problems.failed(error, path))

    def _run_class(self, node: ast.ClassDef, module: types.ModuleType, path: Path) -> bool:
        """Make a class without the lines that fail; False where that is not what is wrong."""
        lines = load_problems.failing_lines(node, vars(module), path)
        if not lines:
            return False
        left_out = [line for line, _ in lines]
        kept = [line for line in node.body if line not in left_out]
        whole = ast.ClassDef(node.name, node.bases, node.keywords, [*kept, ast.Pass()], [])
        try:
            ast.fix_missing_locations(ast.copy_location(whole, node))
            exec(_compiled(ast.Module([whole], []), path), vars(module))
        except Exception:
            return False
        for line, error in lines:
            self.broken_parts.add(ast.unparse(line.target))
            if not self._follows(error, module.__name__, node):
                self.problems.append(load_problems.failed_in(line, error, path))
        return True

    def _follows(self, error: BaseException, module: str, node: ast.stmt) -> bool:
        """Whether an error is but the consequence of another one."""
        if isinstance(error, NameError):
            return self.is_broken(module, error.name or "")
        if isinstance(error, ImportError) and isinstance(node, ast.ImportFrom):
            return any(self.is_broken(node.module, alias.name) for alias in node.names)
        return False


def _compiled(tree: ast.Module, path: Path) -> types.CodeType:
    with warnings.catch_warnings():
        # What Python merely warns of, as `x is 0`, is refused with a place later on.
        warnings.simplefilter("ignore", SyntaxWarning)
        return compile(tree, str(path), "exec", dont_inherit=True, optimize=0)


def _in_parts(tree: ast.Module) -> Iterator[ast.stmt]:
    """The statements of a module, an import of several names as one import a name."""
    for node in tree.body:
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield ast.copy_location(ast.ImportFrom(node.module, [alias], node.level), node)
        else:
            yield node


def _defined(node: ast.stmt) -> set[str]:
    """The names that a statement of a module gives a value."""
    match node:
        case ast.FunctionDef(name) | ast.AsyncFunctionDef(name) | ast.ClassDef(name):
            return {name}
        case ast.Import(names) | ast.ImportFrom(names=names):
            return {(alias.asname or alias.name).partition(".")[0] for alias in names}
    parts = (part for part in ast.walk(node) if isinstance(part, ast.Name))
    return {part.id for part in parts if isinstance(part.ctx, ast.Store)}
