"""What an induction asks, and what is known in the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import z3

from lockstep.prove.relation import Values
from lockstep.prove.silence import Silence
from lockstep.prove.terms import Truth, term
from lockstep.results.trace import Trace

MEANING = "the text always has a meaning"
"""The claim that in no reachable state an action or a property lacks a meaning. Without it, what is
proved is proved of behaviours in which no action does, and of states in which the property has one.
"""


@dataclass(frozen=True)
class Candidate:
    """What may be an invariant: `holds` says it of a state.

    `broken` is its negation, where that can be said in a simpler way.
    """

    name: str
    holds: Callable[[Values], Truth]
    inferred: bool = False
    broken: Callable[[Values], Truth] | None = None


@dataclass(frozen=True)
class Obligation:
    """Terms that no solver can satisfy together, if the proof is right."""

    name: str
    question: tuple[Truth, ...]

    @property
    def text(self) -> str:
        """The question as SMT-LIB 2."""
        solver = z3.Solver()
        solver.add(*map(term, self.question))
        _, declared = solver.to_smt2().split("(set-info :status unknown)\n", 1)
        return f"; {self.name}\n(set-info :status unsat)\n(set-logic ALL)\n{declared}"


@dataclass(frozen=True)
class Part:
    """Some of the behaviours in which something might be broken."""

    name: str
    premises: list[Truth]
    steps: int
    """After how many steps that would be."""

    def asking(self, name: str, goal: Truth) -> Obligation:
        """That nothing of that kind is broken here."""
        return Obligation(f"{name}-{self.name}", (*self.premises, goal))


@dataclass
class Proof:
    """What is known of one property.

    `proved`, with the seconds that its own last questions took; or not, with `because`. `example`
    are states in a row, from any state on, that keep all proved invariants up and end in one that
    breaks it: if they cannot be reached, an invariant more has to say why.
    """

    name: str
    proved: bool
    seconds: float
    because: str = ""
    example: Trace | None = None


@dataclass
class Induction:
    """What was proved of a model, property by property, and what was inferred for that.

    Invariants of states and steps have a proof each, and so has `MEANING`; what a model sometimes
    does, and what must come to pass in it, are no questions for an induction.
    """

    k: int
    proofs: list[Proof] = field(default_factory=list)
    inferred: list[str] = field(default_factory=list)
    obligations: list[Obligation] = field(default_factory=list)
    silence: Silence = field(default_factory=Silence)
    seconds: float = 0.0
    interrupted: bool = False
