"""The syntax of one file of a workspace: what it imports, declares and marks, found by parsing."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
        return _dotted(node, self.names)

    @cached_property
    def names(self) -> dict[str, str]:
        """What the names that are imported, or that are assigned a name, stand for."""
        names = dict(self.imported)
        for name, values in self.named_values.items():
            if whole := _dotted(values[-1], names):  # `Variables = State`, `Base = base.Base`
                names[name] = whole
        return names

    @cached_property
    def stars(self) -> list[str]:
        """The modules of which all is imported."""
        return [
            node.module
            for node in self.statements
            if isinstance(node, ast.ImportFrom) and node.module and not node.level
            if any(alias.name == "*" for alias in node.names)
        ]

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

    @cached_property
    def named_values(self) -> dict[str, list[ast.expr]]:
        """The values at the top that have a name, but for lambdas: `STEPS = (one, other)`."""
        values: dict[str, list[ast.expr]] = {}
        for line in self.statements:
            if not isinstance(line, ast.Assign | ast.AnnAssign) or line.value is None:
                continue
            targets = line.targets if isinstance(line, ast.Assign) else [line.target]
            names = [target.id for target in targets if isinstance(target, ast.Name)]
            if len(names) == len(targets) and not isinstance(line.value, ast.Lambda):
                for name in names:
                    values.setdefault(name, []).append(line.value)
        return values

    def uses(self, module: str, name: str) -> bool:
        """Whether the file reads something of a module elsewhere than in imports and decorators."""
        words = self._words(module, name)
        tree = [] if self.tree is None else [self.tree]
        read = read_names([*tree, *self.made_by], self.named_values, in_decorators=False)
        return any(self.dotted(node) in words for node in read)

    @property
    def made_by(self) -> list[ast.expr]:
        """What is called to make the values that have a name, which is read at once."""
        values = (value for several in self.named_values.values() for value in several)
        parts = (part for value in values for part in ast.walk(value))
        return [part.func for part in parts if isinstance(part, ast.Call)]

    def names_for(self, module: str | None, name: str) -> list[str]:
        """The names whose values have in them something of a module, or of this one."""
        words = {name} if module is None else self._words(module, name)
        return [
            own
            for own, values in self.named_values.items()
            if any(
                isinstance(node, ast.Name | ast.Attribute) and self.dotted(node) in words
                for value in values
                for node in ast.walk(value)
            )
        ]

    def _words(self, module: str, name: str) -> set[str]:
        """What something of another module can be called here."""
        return {f"{module}.{name}", *([name] if f"{module}.*" in self.modules else ())}


def read_names(
    nodes: Iterable[ast.AST],
    named: Mapping[str, Sequence[ast.AST]],
    *,
    in_decorators: bool = True,
) -> Iterator[ast.Name | ast.Attribute]:
    """The names that some syntax reads.

    What is `named`, such as a list of functions, is read where its name is, and not before.
    """
    named, waiting = dict(named), [*nodes]
    apart = {id(part) for parts in named.values() for part in parts}
    while waiting:
        node = waiting.pop()
        if id(node) in apart:
            continue
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
            yield node
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            read = named.pop(node.id, ())
            apart -= set(map(id, read))
            waiting += read
        left_out = node.decorator_list if isinstance(node, FUNCTIONS) and not in_decorators else ()
        waiting += [part for part in ast.iter_child_nodes(node) if part not in left_out]


def _dotted(node: ast.expr, names: Mapping[str, str]) -> str:
    if isinstance(node, ast.Attribute):
        owner = _dotted(node.value, names)
        return owner and f"{owner}.{node.attr}"
    return names.get(node.id, node.id) if isinstance(node, ast.Name) else ""
