"""What an expression may be made of: each kind is written in a file of its own, from any other."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from lockstep.language.domains import Domain
from tests.random_models.parts.choices import Choices
from tests.random_models.parts.pieces import Env, Expr
from tests.random_models.parts.vocabulary import Vocabulary


@dataclass(frozen=True)
class Function:
    """A helper (with a result) or a procedure (that writes some variables), and its text."""

    name: str
    states: tuple[str, ...]
    parameters: tuple[tuple[str, Domain], ...]
    text: str
    risky: bool
    result: Expr | None = None
    written: frozenset[str] = frozenset()


class Writer(ABC):
    """Writes expressions. `functions` are the helpers and procedures that there are so far."""

    def __init__(self, choices: Choices, vocabulary: Vocabulary) -> None:
        self.choices = choices
        self.vocabulary = vocabulary
        self.functions: list[Function] = []

    @abstractmethod
    def value(self, env: Env, target: Domain) -> Expr:
        """An expression whose value, wherever it has one, lies in `target`.

        Where `env` is risky its evaluation may fail; else it always has a value, even though the
        front end may be unable to see so.
        """

    @abstractmethod
    def within(self, env: Env, target: Domain) -> Expr:
        """The same, and the front end sees that the value lies in `target`."""

    @abstractmethod
    def literal(self, domain: Domain) -> Expr:
        """A value written out; now and then a larger one as a name of the module."""

    @abstractmethod
    def number(self, env: Env) -> Expr:
        """Any integer expression, with whatever interval it has."""

    @abstractmethod
    def condition(self, env: Env) -> Expr:
        """Any condition."""

    @abstractmethod
    def guard(self, env: Env) -> tuple[Expr, Env]:
        """A condition that stands as a guard, and what can be read after it."""

    @abstractmethod
    def conditional(self, env: Env, target: Domain) -> Expr:
        """`then if test else otherwise`; each branch may rely on what the test says of None."""

    @abstractmethod
    def helper_call(self, env: Env, target: Domain) -> Expr | None:
        """A call of a helper whose result always lies in `target`."""

    @abstractmethod
    def arguments(self, env: Env, function: Function) -> tuple[str, bool] | None:
        """The call of a function, and whether an argument may fail in the front end's eyes.

        None where no argument of the right type can be written. A body is typed again for every
        call: one that asks for None needs an option, one that may fail just what it was
        written for.
        """
