"""What a name means while a function is lowered."""

from __future__ import annotations

import ast
import builtins
import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

from lockstep.language.domains import Domain
from lockstep.language.ir import Expression
from lockstep.language.loader import Universe
from lockstep.language.source import Diagnostic, Place


class Refused(Exception):
    """The text is outside the notation or not well typed."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.what)
        self.diagnostic = diagnostic


@dataclass(frozen=True)
class StateName:
    """A name for the state before or, in a step invariant, the state after."""

    after: bool


@dataclass(frozen=True)
class NewName:
    """The name `new` in an action or procedure: it can only be written."""


Binding: TypeAlias = StateName | NewName | Expression


@dataclass
class Slots:
    """Hands out slot numbers; one counter for an action or property with all it inlines."""

    used: int = 0
    unreachable: bool = False
    """Whether a guard before this point can never be true: nothing here is ever executed."""

    def fresh(self) -> int:
        """A slot that nothing else uses."""
        self.used += 1
        return self.used - 1


@dataclass
class Scope:
    """The names of one function while it is lowered.

    `variables` are the state's; `names` the function's parameters and locals; `calls` the chain
    of functions being inlined, outermost first.
    """

    universe: Universe
    variables: Mapping[str, Domain]
    slots: Slots
    file: Path
    module: Mapping[str, Any]
    names: dict[str, Binding] = field(default_factory=dict)
    calls: tuple[Callable[..., Any], ...] = ()

    def inner(self, names: Mapping[str, Binding]) -> Scope:
        """The scope of a comprehension: these names on top of the present ones."""
        return Scope(
            self.universe, self.variables, self.slots, self.file, self.module,
            {**self.names, **names}, self.calls,
        )  # fmt: skip

    def place(self, node: ast.AST) -> Place:
        """Where a node stands."""
        return Place.of(node, self.file)

    def refuse(self, node: ast.AST, code: str, what: str, why: str, cure: str) -> NoReturn:
        """Give up on the function with a diagnostic at this node."""
        raise Refused(Diagnostic(code, self.place(node), what, why, cure))

    def global_value(self, node: ast.Name) -> object:
        """The module-level or built-in value of a name that is not local."""
        if node.id in self.module:
            return self.module[node.id]
        if hasattr(builtins, node.id):
            return getattr(builtins, node.id)
        known = sorted(set(self.names) | {n for n in self.module if not n.startswith("_")})
        self.refuse(
            node,
            "unknown-name",
            f"{node.id} is not defined",
            "a name is a parameter, a local, or something that the module defines or imports",
            nearest(node.id, known, "define it, or import it at the top of the file"),
        )


def nearest(name: str, known: list[str], otherwise: str) -> str:
    """A cure that offers the closest known name, or `otherwise`."""
    close = difflib.get_close_matches(name, known, n=1)
    return f"did you mean {close[0]}?" if close else otherwise
