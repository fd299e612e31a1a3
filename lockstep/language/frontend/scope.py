"""What a name means while a function is lowered."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

from lockstep.errors import nearest
from lockstep.language import ir
from lockstep.language.domains import Domain, OptionDomain
from lockstep.language.frontend.facts import Facts
from lockstep.language.ir import Expression
from lockstep.language.loader import Universe
from lockstep.language.source import Diagnostic, Place
from lockstep.language.totality import may_fail

MOST_EXPRESSIONS = 10_000
"""The most expressions in an action or a property, those of all that it calls included."""


class Refused(Exception):
    """The text is outside the notation or not well typed.

    Without a diagnostic it follows from something that has been reported already.
    """

    def __init__(self, diagnostic: Diagnostic | None) -> None:
        super().__init__("" if diagnostic is None else diagnostic.what)
        self.diagnostic = diagnostic


@dataclass(frozen=True)
class StateName:
    """A name for the state before or, in a step invariant, the state after."""

    after: bool


@dataclass(frozen=True)
class NewName:
    """The name `new` in an action or procedure: it can only be written."""


@dataclass(frozen=True)
class Broken:
    """A local whose value was refused: what uses it is not reported again."""


Binding: TypeAlias = StateName | NewName | Broken | Expression


class Noted:
    """Reads all parts of something and notes the problems of those that are refused."""

    def __init__(self, problems: list[Diagnostic]) -> None:
        self._problems = problems
        self.any = False

    @contextmanager
    def noting(self) -> Iterator[None]:
        """Note what is refused in one part, and go on with the next."""
        try:
            yield
        except Refused as refused:
            self.any = True
            if refused.diagnostic is not None:
                self._problems.append(refused.diagnostic)


@dataclass
class Unit:
    """One action or property while it is lowered, with all that it inlines.

    `lower` lowers any expression; `variables` are the state's; `problems` are those so far.
    """

    universe: Universe
    variables: Mapping[str, Domain]
    lower: Callable[[Scope, ast.expr], Expression]
    slots: int = 0
    problems: list[Diagnostic] = field(default_factory=list)
    expressions: int = 0
    """How many expressions were lowered so far."""
    call: Place | None = None
    """The call in the action or property itself that is being inlined."""
    unreachable: bool = False
    """Whether a guard before this point can never be true: nothing here is ever executed."""

    @contextmanager
    def collecting(self) -> Iterator[Noted]:
        """Several parts, each of which may be refused; in the end so is the whole, if any was."""
        noted = Noted(self.problems)
        yield noted
        if noted.any:
            raise Refused(None)

    def fresh(self) -> int:
        """A slot that nothing else uses."""
        self.slots += 1
        return self.slots - 1


@dataclass
class Scope:
    """The names of one function, or of a comprehension in it.

    `names` are its parameters and locals, `unbound` the locals that have no value yet; `facts` is
    what guards and conditions before it say; `calls` is the chain of functions being inlined,
    outermost first.
    """

    unit: Unit
    file: Path
    module: Mapping[str, Any]
    calls: tuple[Callable[..., Any], ...]
    names: dict[str, Binding] = field(default_factory=dict)
    unbound: set[str] = field(default_factory=set)
    facts: Facts = field(default_factory=Facts)

    def inner(self, targets: Iterable[str] = (), facts: Facts | None = None) -> Scope:
        """The scope of a part of the function, in which more may be known.

        `targets` are the variables of a comprehension, none of them bound yet.
        """
        hidden = set(targets)
        return Scope(
            self.unit,
            self.file,
            self.module,
            self.calls,
            {name: bound for name, bound in self.names.items() if name not in hidden},
            self.unbound | hidden,
            (self.facts if facts is None else facts).copy(),
        )

    def bind(self, name: str, binding: Binding) -> None:
        """Give a name its meaning from here on."""
        self.names[name] = binding
        self.unbound.discard(name)

    def lower(self, node: ast.expr) -> Expression:
        """The IR of an expression; `Refused` when it is outside the notation or ill typed."""
        self.unit.expressions += 1
        if self.unit.expressions > MOST_EXPRESSIONS:
            is_first = self.unit.expressions == MOST_EXPRESSIONS + 1
            raise Refused(self._too_large(node) if is_first else None)
        return self.unit.lower(self, node)

    def _too_large(self, node: ast.expr) -> Diagnostic:
        place = self.unit.call if len(self.calls) > 1 else None
        return Diagnostic(
            "too-large",
            place or self.place(node),
            f"with this, {self.calls[0].__name__} has more than {MOST_EXPRESSIONS:,} expressions",
            "a function is written out wherever it is called, with all that it calls in turn",
            "call a function once and keep its value: `x = f(...)`, then use `x`",
        )

    def place(self, node: ast.AST) -> Place:
        """Where a node stands."""
        return Place.of(node, self.file)

    def refuse(self, node: ast.AST, code: str, what: str, why: str, cure: str) -> NoReturn:
        """Give up on a statement with a diagnostic at this node."""
        raise Refused(Diagnostic(code, self.place(node), what, why, cure))

    def is_local(self, name: str) -> bool:
        """Whether a name belongs to the function (or the comprehension), bound or not."""
        return name in self.names or name in self.unbound

    def global_value(self, node: ast.Name) -> object:
        """The module-level or built-in value of a name that has no local meaning."""
        if node.id in self.unbound:
            self.refuse(
                node,
                "unbound-local",
                f"{node.id} has no value yet",
                "a name that a function assigns is its own from the first line to the last",
                "assign it before this, or use another name",
            )
        if self.unit.universe.is_broken(self.module["__name__"], node.id):
            raise Refused(None)
        if node.id in self.module:
            return self.module[node.id]
        if hasattr(builtins, node.id):
            return getattr(builtins, node.id)
        names = sorted(set(self.names) | {n for n in self.module if not n.startswith("_")})
        self.refuse(
            node,
            "unknown-name",
            f"{node.id} is not defined",
            "a name is a parameter, a local, or something that the module defines or imports",
            nearest(node.id, names, "define it, or import it at the top of the file"),
        )


Make = Callable[[list[ir.Expression]], ir.Expression]


def operands_first(scope: Scope, operands: Sequence[ir.Expression], make: Make) -> ir.Expression:
    """The operation that `make` makes of its operands, options among them not yet unwrapped."""
    last = max((index for index, operand in enumerate(operands) if may_fail(operand)), default=0)
    unsure = any(isinstance(operand.domain, OptionDomain) for operand in operands[:last])
    return _bound_first(scope, operands, range(last + 1) if unsure else (), make)


def in_call_order(scope: Scope, values: Sequence[ir.Expression], make: Make) -> ir.Expression:
    """What `make` makes of values that it uses in another order than they are evaluated in."""
    failing = [index for index, value in enumerate(values) if may_fail(value)]
    return _bound_first(scope, values, failing if len(failing) > 1 else [], make)


def _bound_first(
    scope: Scope, values: Sequence[ir.Expression], which: Sequence[int], make: Make
) -> ir.Expression:
    """What `make` makes of the values, some of which are evaluated before everything else."""
    parts, held = list(values), []
    for index in which:
        value = parts[index]
        if not isinstance(value, ir.Literal | ir.Local):
            slot = scope.unit.fresh()
            parts[index] = ir.Local(value.place, value.domain, slot)
            held.append((slot, value))
    whole = make(parts)
    for slot, value in reversed(held):
        whole = ir.Let(whole.place, whole.domain, slot, value, whole)
    return whole
