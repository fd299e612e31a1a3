"""The syntax of one file of a workspace: what it imports, declares and marks, found by parsing."""

from __future__ import annotations

import ast
from functools import cached_property, lru_cache
from pathlib import Path

import lockstep

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_BLOCKS = (ast.excepthandler, ast.match_case)


def syntax_of(file: Path) -> Syntax:
    """The syntax of a file as it is now; a text is parsed once."""
    try:
        return _syntax(file, file.read_bytes())
    except OSError:
        return _syntax(file, None)


@lru_cache(maxsize=2_000)
def _syntax(file: Path, content: bytes | None) -> Syntax:
    return Syntax(file, content)


class Syntax:
    """A file's syntax, parsed when it is asked for; None as content is of a file without any."""

    def __init__(self, file: Path, content: bytes | None) -> None:
        self.file = file
        self._content = content

    @cached_property
    def tree(self) -> ast.Module | None:
        """The syntax; None where the file cannot be read or is not Python."""
        try:
            return None if self._content is None else ast.parse(self._content)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None

    @cached_property
    def imported(self) -> dict[str, str]:
        """Each name that an import binds, and the dotted name that it stands for."""
        names: dict[str, str] = {}
        for node in self.statements:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    whole = alias.name if alias.asname else alias.name.partition(".")[0]
                    names[alias.asname or whole] = whole
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                for alias in node.names:
                    names[alias.asname or alias.name] = f"{node.module}.{alias.name}"
                if node.module == "lockstep" and "*" in names:
                    names |= {name: f"lockstep.{name}" for name in lockstep.__all__}
        return names

    def forget(self) -> None:
        """Free the memory of the syntax; it is made again when it is asked for."""
        for name in ("tree", "statements"):
            vars(self).pop(name, None)

    @cached_property
    def modules(self) -> set[str]:
        """The dotted names of all that is imported, and of the modules it is imported from."""
        names = set(self.imported.values())
        for node in self.statements:
            if isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                names.add(node.module)
        return names

    @cached_property
    def classes(self) -> dict[str, list[str]]:
        """Each class at the top, and the dotted names of what it is derived from."""
        return {
            node.name: [self.dotted(base) for base in node.bases]
            for node in self.statements
            if isinstance(node, ast.ClassDef)
        }

    @cached_property
    def has_marks(self) -> bool:
        """Whether a function is marked with a decorator of the notation."""
        return any(self.bears_mark(node) for node in self.statements if isinstance(node, FUNCTIONS))

    def bears_mark(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
        """Whether a function is written with a decorator of the notation."""
        marks = (mark.func if isinstance(mark, ast.Call) else mark for mark in node.decorator_list)
        return any(self.dotted(mark).startswith("lockstep.") for mark in marks)

    def dotted(self, node: ast.expr) -> str:
        """The dotted name that an expression stands for; empty for anything but a name."""
        if isinstance(node, ast.Attribute):
            owner = self.dotted(node.value)
            return owner and f"{owner}.{node.attr}"
        if not isinstance(node, ast.Name):
            return ""
        return self._aliases.get(node.id) or self.imported.get(node.id) or node.id

    @cached_property
    def _aliases(self) -> dict[str, str]:
        """Names that are assigned an imported name: `Variables = State`."""
        return {
            target.id: self.imported[node.value.id]
            for node in self.statements
            if isinstance(node, ast.Assign)
            and isinstance(node.value, ast.Name)
            and node.value.id in self.imported
            for target in node.targets
            if isinstance(target, ast.Name)
        }

    @cached_property
    def statements(self) -> list[ast.stmt]:
        """All statements but those inside functions and classes."""
        statements: list[ast.stmt] = [] if self.tree is None else list(self.tree.body)
        for statement in statements:
            if not isinstance(statement, (*FUNCTIONS, ast.ClassDef)):
                for node in ast.iter_child_nodes(statement):
                    inner = ast.iter_child_nodes(node)
                    within = inner if isinstance(node, _BLOCKS) else (node,)
                    statements += [part for part in within if isinstance(part, ast.stmt)]
        return statements

    def uses(self, module: str, name: str) -> bool:
        """Whether the file names something of a module elsewhere than in imports and decorators."""
        if self.tree is None:
            return False
        whole = {f"{module}.{name}", *([name] if f"{module}.*" in self.modules else ())}
        waiting: list[ast.AST] = [self.tree]
        while waiting:
            node = waiting.pop()
            if isinstance(node, ast.Name | ast.Attribute) and self.dotted(node) in whole:
                return True
            decorators = node.decorator_list if isinstance(node, FUNCTIONS) else ()
            waiting += [part for part in ast.iter_child_nodes(node) if part not in decorators]
        return False
