"""What an induction asks, and what is known in the end."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import permutations

import z3

from lockstep.language import ir
from lockstep.language.domains import Domain, MapDomain, OptionDomain, RangeDomain, RecordDomain
from lockstep.language.notation import Kind
from lockstep.prove.relation import Relation, Values
from lockstep.prove.terms import Number, Truth, all_of, compare, implies, negated, term
from lockstep.prove.unrolling import Silence, Unrolling
from lockstep.prove.values import Option, Table, Value, listed
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


class Questions:
    """The terms of an induction over k steps, each made once."""

    def __init__(self, relation: Relation, k: int) -> None:
        self.relation = relation
        self.k = k
        self.unrolling = Unrolling(relation)
        self.steps = [self.unrolling.extend() for _ in range(k)]
        """For each step, that it is one."""
        self._terms: dict[tuple[str, int], Truth] = {}

    def declared(self) -> list[Candidate]:
        """The model's own invariants of states."""
        return [self._candidate(prop) for prop in self._of_kind(Kind.INVARIANT)]

    def provable_names(self) -> list[str]:
        """The names of all invariants, those of states first."""
        return [prop.name for prop in self._of_kind(Kind.INVARIANT, Kind.STEP_INVARIANT)]

    def holds(self, candidate: Candidate, steps: int) -> Truth:
        """That a candidate holds after so many steps."""
        key = candidate.name, steps
        if key not in self._terms:
            self._terms[key] = candidate.holds(self.unrolling.states[steps])
        return self._terms[key]

    def broken(self, candidate: Candidate, steps: int) -> Truth:
        """That a candidate does not hold after so many steps."""
        if candidate.broken is not None:
            return candidate.broken(self.unrolling.states[steps])
        return negated(self.holds(candidate, steps))

    def assumed(self, candidates: Iterable[Candidate], states: int) -> list[Truth]:
        """That all candidates hold in the first so many states, of which nothing else is known."""
        typed = self.relation.typed(self.unrolling.states[0])
        held = [self.holds(one, state) for one in candidates for state in range(states)]
        return [typed, *held]

    def from_initial(self, steps: int) -> Iterator[Part]:
        """The behaviours of so many steps from the initial state."""
        initial = self.relation.initial(self.unrolling.states[0])
        yield Part(f"initial-{steps}", [initial, *self.steps[:steps]], steps)

    def from_any(self, candidates: Sequence[Candidate], steps: int) -> Iterator[Part]:
        """So many steps from any state, all candidates holding before each: by the last action."""
        for position, action in enumerate(self.relation.actions):
            case = self.unrolling.moves[steps - 1].cases[position]
            if case is not False:
                assumed = self.assumed(candidates, steps)
                yield Part(f"step-{action.name}", [*assumed, *self.steps[: steps - 1], case], steps)

    def broken_by_a_step(self) -> dict[str, Truth]:
        """For each invariant of steps, that the first step breaks it."""
        before, after = self.unrolling.states[:2]
        return {
            prop.name: self.relation.broken(prop, before, after, f"claim {prop.name}")[0]
            for prop in self._of_kind(Kind.STEP_INVARIANT)
        }

    def meaningless(self) -> tuple[dict[str, Truth], dict[str, Truth]]:
        """That something has no meaning in the first state, and that it has none of its step."""
        relation, (before, after) = self.relation, self.unrolling.states[:2]
        of_states: dict[str, Truth] = {}
        of_steps: dict[str, Truth] = {}
        for code in relation.code.functions:
            is_step = isinstance(code, ir.PropertyCode) and code.kind is Kind.STEP_INVARIANT
            state = after if is_step else None
            fails, _ = relation.meaningless(code, before, state, f"any {code.name}")
            (of_steps if is_step else of_states)[code.name] = fails
        return _possible(of_states), _possible(of_steps)

    def _of_kind(self, *kinds: Kind) -> list[ir.PropertyCode]:
        return [prop for prop in self.relation.properties.values() if prop.kind in kinds]

    def _candidate(self, prop: ir.PropertyCode) -> Candidate:
        relation = self.relation

        def holds(state: Values) -> Truth:
            return relation.holds(prop, state, None)

        def broken(state: Values) -> Truth:
            return relation.broken(prop, state, None, f"claim {prop.name}")[0]

        return Candidate(prop.name, holds, broken=None if relation.is_written_out(prop) else broken)


def _possible(terms: dict[str, Truth]) -> dict[str, Truth]:
    return {name: term for name, term in terms.items() if term is not False}


_MOST = 600
"""The most candidates that are tried."""


def comparisons(relation: Relation) -> list[Candidate]:
    """All candidates `a <= b` of a model, the first `_MOST` of them."""
    candidates: list[Candidate] = []
    numbers = dict(_numbers(relation))
    for one, other in permutations(numbers, 2):
        if numbers[one] == numbers[other] and len(candidates) < _MOST:
            candidates.append(Candidate(f"{one} <= {other}", _at_most(relation, one, other), True))
    return candidates


def _numbers(relation: Relation) -> Iterator[tuple[str, Domain]]:
    state = relation.state("any")
    for name, domain in relation.domains.items():
        for path, inner, _, _ in _inside(name, domain, state[name], True):
            yield path, inner


def _inside(
    path: str, domain: Domain, value: Value, there: Truth
) -> Iterator[tuple[str, Domain, Number, Truth]]:
    """The integers inside a value: by what name, of what domain, and where they are there."""
    match domain, value:
        case RangeDomain(), _:
            yield path, domain, value, there
        case OptionDomain(some), Option(present, inside):
            if inside is not None:
                yield from _inside(path, some, inside, all_of((there, present)))
        case RecordDomain(record), tuple():
            for (field, part), inner in zip(record.fields.items(), value, strict=True):
                yield from _inside(f"{path}.{field}", part, inner, there)
        case MapDomain(key, part), Table(values):
            for name in listed(key, path):
                yield from _inside(f"{path}[{name}]", part, values[name], there)


def _at_most(relation: Relation, one: str, other: str) -> Callable[[Values], Truth]:
    def holds(state: Values) -> Truth:
        numbers = {
            path: (number, there)
            for name, domain in relation.domains.items()
            for path, _, number, there in _inside(name, domain, state[name], True)
        }
        (left, left_there), (right, right_there) = numbers[one], numbers[other]
        return implies(all_of((left_there, right_there)), compare("<=", left, right))

    return holds
