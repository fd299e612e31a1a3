"""What is the same in the evaluation of every expression: what is bound, and what fails.

Where Python would find no value, the condition under which that happens is noted as a `Failure`;
what the term says there means nothing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

from lockstep.language import ir
from lockstep.language.domains import Domain
from lockstep.language.source import Place
from lockstep.language.totality import may_fail
from lockstep.language.types import is_within
from lockstep.prove.terms import Number, Truth, all_of, any_of, negated
from lockstep.prove.values import Value, fitted, within


@dataclass(frozen=True)
class Failure:
    """When the text has no value at a place, and why."""

    when: Truth
    place: Place
    reason: str


class Evaluation(ABC):
    """The evaluation of one function on one state, or on the two of a step.

    `slots` are the values that are bound, and `failures` grows with what is evaluated.
    """

    def __init__(
        self, before: Mapping[str, Value], after: Mapping[str, Value] | None = None
    ) -> None:
        self.before = before
        self.after = before if after is None else after
        self.slots: dict[int, Value] = {}
        self.failures: list[Failure] = []
        self._path: list[Truth] = []

    @abstractmethod
    def value(self, node: ir.Expression) -> Value:
        """The value of an expression."""

    def truth(self, node: ir.Expression) -> Truth:
        """The value of an expression that is true or false."""
        return self.value(node)

    def number(self, node: ir.Expression) -> Number:
        """The value of an expression that is an integer."""
        return self.value(node)

    def until(self, items: tuple[ir.Expression, ...], *, stop: bool) -> Truth:
        """Conjunction (`stop` is False) or disjunction, up to the first item that is `stop`."""
        values: list[Truth] = []
        for item in items:
            reached = all_of(negated(value) if stop else value for value in values)
            if reached is False:
                break
            with self.under(reached if may_fail(item) else True):
                values.append(self.truth(item))
        return any_of(values) if stop else all_of(values)

    @contextmanager
    def under(self, condition: Truth) -> Iterator[None]:
        """What is evaluated within is evaluated only if the condition holds."""
        self._path.append(condition)
        try:
            yield
        finally:
            self._path.pop()

    def fails(self, when: Truth, place: Place, reason: str) -> None:
        """Note that what is evaluated here has no value under a condition."""
        condition = all_of((*self._path, when))
        if condition is not False:
            self.failures.append(Failure(condition, place, reason))

    def stored(
        self, value: Value, domain: Domain, target: Domain, place: Place, what: str
    ) -> Value:
        """A value of a domain as one of another, which it has to lie in."""
        if not is_within(domain, target):
            self.fails(negated(within(value, target)), place, f"{what} is not in {target}")
        return fitted(value, target)
