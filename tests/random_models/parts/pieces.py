"""Expressions as text with their types, and the names that may be read where one stands."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass

from lockstep.language.domains import BoolDomain, Domain, RangeDomain
from lockstep.language.types import is_disjoint, join

CONDITIONAL, OR, AND, NOT, COMPARISON, UNION, DIFFERENCE, COMMON, SUM, PRODUCT, MINUS, ATOM = range(
    12
)
"""How tightly an expression's outermost operator binds, the loosest first."""

BOOL = BoolDomain()


@dataclass(frozen=True)
class Expr:
    """An expression of the language.

    `domain` is the type that the front end gives it, `level` how tightly it binds. With `fails`
    the front end cannot show that it always has a value, with `stable` the expression only reads
    (so that the front end remembers that it is not None). `broken` is its text over several
    lines, in brackets, where it has such a form.
    """

    text: str
    domain: Domain
    level: int = ATOM
    fails: bool = False
    stable: bool = False
    broken: str | None = None

    def at(self, level: int) -> str:
        """The text as an operand of an operator that binds just less tightly than `level`."""
        return self.text if self.level >= level else f"({self.text})"


@dataclass(frozen=True)
class Env:
    """Where an expression stands: what it may read and do there.

    `roots` are what can be read as it is: variables, parameters, locals, and whatever is known
    not to be None. `states` are the names of states that may be passed to helpers. `depth` is how
    many more levels of operators may be nested. Where `risky`, an evaluation may fail; where
    `total`, the front end must see that it cannot.
    """

    roots: tuple[Expr, ...]
    states: tuple[str, ...] = ("s",)
    depth: int = 3
    risky: bool = False
    total: bool = False

    def deeper(self) -> Env:
        """One level of operators further in."""
        return dataclasses.replace(self, depth=self.depth - 1)

    def strict(self) -> Env:
        """The same, where nothing may fail in the front end's eyes."""
        return dataclasses.replace(self, total=True, risky=False)

    def knowing(self, *roots: Expr) -> Env:
        """The same, with more to read."""
        return dataclasses.replace(self, roots=self.roots + roots)

    def naming(self, name: str, domain: Domain) -> Env:
        """The same, in which a name has a meaning of its own, whatever it meant outside."""
        kept = tuple(root for root in self.roots if not re.search(rf"\b{name}\b", root.text))
        return dataclasses.replace(self, roots=(*kept, Expr(name, domain, stable=True)))

    def known(self, text: str) -> Expr | None:
        """What is known of an expression with this text, at the latest."""
        return next((root for root in reversed(self.roots) if root.text == text), None)


def fits(value: Domain, target: Domain) -> bool:
    """Whether the front end lets a value of the first type be stored in the second domain."""
    return join(value, target) is not None and not is_disjoint(value, target)


def interval(expression: Expr) -> tuple[int, int]:
    """The smallest and the largest value that an integer expression may have."""
    assert isinstance(expression.domain, RangeDomain)
    return expression.domain.low, expression.domain.high


def indented(text: str) -> str:
    """The text with each of its lines four columns further right."""
    return "\n".join("    " + line if line else line for line in text.split("\n"))
