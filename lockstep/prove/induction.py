"""Proofs by k-induction: for behaviours of any length.

What holds in the first k states of every behaviour, and after any k states in which it holds, holds
always (Sheeran, Singh and Stalmarck, "Checking Safety Properties Using Induction and a SAT-Solver",
2000). All invariants of a model are taken together, each as a help for the others, with what was
inferred beside them. Those that the others cannot keep up are dropped until the rest keeps itself
up: that rest is proved, and it is the most that can be (Flanagan and Leino, "Houdini, an Annotation
Assistant for ESC/Java", 2001). Invariants of steps are proved from it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import z3

from lockstep.explore.search import Trace
from lockstep.language.notation import Kind
from lockstep.prove.relation import Relation, Values
from lockstep.prove.terms import Truth, all_of, any_of, negated, term
from lockstep.prove.unrolling import Unrolling, read

MEANING = "the text always has a meaning"
"""The claim that no action of a reachable state lacks a meaning. Without it, what is proved is
proved of behaviours in which none does."""


@dataclass(frozen=True)
class Candidate:
    """What may be an invariant: `holds` says it of a state."""

    name: str
    holds: Callable[[Values], Truth]
    inferred: bool = False


@dataclass(frozen=True)
class Obligation:
    """Terms that no solver can satisfy together, if the proof is right; as SMT-LIB 2."""

    name: str
    text: str


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
    """What was proved of a model, property by property, and what was inferred for that."""

    k: int
    proofs: list[Proof] = field(default_factory=list)
    inferred: list[str] = field(default_factory=list)
    obligations: list[Obligation] = field(default_factory=list)
    seconds: float = 0.0


def prove(
    relation: Relation,
    *,
    k: int = 1,
    inferred: Sequence[Candidate] = (),
    max_seconds: float | None = None,
    on_progress: Callable[[str], None] | None = None,
) -> Induction:
    """Prove what can be proved of all invariants of states and steps, by induction over k steps.

    `inferred` are tried as helps. `max_seconds` bounds each question to the solver.
    """
    return _Induction(relation, k, inferred, max_seconds, on_progress).run()


class _Induction:
    def __init__(
        self,
        relation: Relation,
        k: int,
        inferred: Sequence[Candidate],
        limit: float | None,
        on_progress: Callable[[str], None] | None,
    ) -> None:
        self._relation = relation
        self._k = k
        self._limit = limit
        self._told = on_progress or (lambda _: None)
        self._candidates = [*self._declared(), *inferred]
        self._unrolling = Unrolling(relation)
        self._steps = [self._unrolling.extend() for _ in range(k)]
        self._dropped: dict[str, Proof] = {}
        self._result = Induction(k)
        self._started = time.perf_counter()

    def run(self) -> Induction:
        """Drop what the rest does not keep up, then prove each of the rest by itself."""
        self._drop_until_kept(self._from_initial, initially=True)
        self._drop_until_kept(self._from_any, initially=False)
        properties = self._relation.properties
        for candidate in self._candidates:
            self._prove_state(candidate)
        for name, prop in properties.items():
            if prop.kind is Kind.STEP_INVARIANT:
                self._prove_step(name)
        self._prove_meaning()
        order = {name: position for position, name in enumerate((*properties, MEANING))}
        proofs = [*self._result.proofs, *self._dropped.values()]
        shown = [proof for proof in proofs if proof.name in order]
        self._result.proofs = sorted(shown, key=lambda proof: order[proof.name])
        self._result.inferred = [each.name for each in self._candidates if each.inferred]
        self._result.seconds = time.perf_counter() - self._started
        return self._result

    def _declared(self) -> list[Candidate]:
        def candidate(name: str) -> Candidate:
            prop = self._relation.properties[name]
            return Candidate(name, lambda state: self._relation.holds(prop, state, None))

        found = self._relation.properties.values()
        return [candidate(prop.name) for prop in found if prop.kind is Kind.INVARIANT]

    def _from_initial(self, depth: int) -> tuple[list[Truth], Values]:
        """The behaviours of `depth` steps from the initial state, and where they end."""
        states = self._unrolling.states
        return [self._relation.initial(states[0]), *self._steps[:depth]], states[depth]

    def _from_any(self, _: int) -> tuple[list[Truth], Values]:
        """Some k steps from any state, all candidates holding before each; and where they end."""
        states = self._unrolling.states
        typed = self._relation.typed(states[0])
        return [typed, *self._kept(), *self._steps], states[self._k]

    def _kept(self) -> list[Truth]:
        states = self._unrolling.states[: self._k]
        return [each.holds(state) for state in states for each in self._candidates]

    def _drop_until_kept(
        self, situation: Callable[[int], tuple[list[Truth], Values]], *, initially: bool
    ) -> None:
        depths = range(self._k) if initially else range(1)
        for depth in depths:
            while self._candidates:
                premises, state = situation(depth)
                claims = [(each, each.holds(state)) for each in self._candidates]
                answer = self._ask([*premises, any_of(negated(claim) for _, claim in claims)])
                if answer is None:
                    break
                if isinstance(answer, str):
                    self._drop_slow(premises, claims)
                    break
                self._drop_false(answer, claims, depth if initially else self._k, initially)

    def _drop_false(
        self,
        model: z3.ModelRef,
        claims: list[tuple[Candidate, Truth]],
        steps: int,
        initially: bool,
    ) -> None:
        for candidate, claim in claims:
            if read(model, claim):
                continue
            if candidate.inferred:
                self._candidates.remove(candidate)
                continue
            trace = self._unrolling.trace(model, steps)
            because = "it is broken" if initially else "it does not keep itself up"
            self._drop(candidate, because, trace)

    def _drop_slow(self, premises: list[Truth], claims: list[tuple[Candidate, Truth]]) -> None:
        """All together are too much for the solver: ask for each by itself."""
        for candidate, claim in claims:
            answer = self._ask([*premises, negated(claim)])
            if answer is not None:
                because = answer if isinstance(answer, str) else "it does not keep itself up"
                self._drop(candidate, because, None)

    def _drop(self, candidate: Candidate, because: str, trace: Trace | None) -> None:
        self._candidates.remove(candidate)
        if not candidate.inferred:
            self._told(f"{candidate.name}: {because}")
            self._dropped[candidate.name] = Proof(candidate.name, False, 0.0, because, trace)

    def _prove_state(self, candidate: Candidate) -> None:
        started = time.perf_counter()
        questions = []
        for depth in range(self._k):
            premises, state = self._from_initial(depth)
            questions.append((f"initial-{depth}", [*premises, negated(candidate.holds(state))]))
        premises, state = self._from_any(0)
        questions.append(("step", [*premises, negated(candidate.holds(state))]))
        because = self._settle(candidate.name, questions)
        if not candidate.inferred:
            self._told(f"{candidate.name}: {because or 'proved'}")
            seconds = time.perf_counter() - started
            self._result.proofs.append(Proof(candidate.name, not because, seconds, because))

    def _prove_step(self, name: str) -> None:
        started = time.perf_counter()
        prop = self._relation.properties[name]
        states = self._unrolling.states
        premises = [self._relation.typed(states[0])]
        premises += [each.holds(states[0]) for each in self._candidates]
        premises.append(self._steps[0])
        broken, _ = self._relation.broken(prop, states[0], states[1], f"claim {name}")
        answer = self._ask([*premises, broken])
        example = (
            None if answer is None or isinstance(answer, str) else self._unrolling.trace(answer, 1)
        )
        because = "" if answer is None else answer if isinstance(answer, str) else "not kept"
        if answer is None:
            self._oblige(f"{name}-step", [*premises, broken])
        self._told(f"{name}: {because or 'proved'}")
        seconds = time.perf_counter() - started
        self._result.proofs.append(Proof(name, answer is None, seconds, because, example))

    def _prove_meaning(self) -> None:
        started = time.perf_counter()
        state = self._unrolling.states[0]
        premises = [self._relation.typed(state)]
        premises += [each.holds(state) for each in self._candidates]
        failing: list[Truth] = []
        for action in self._relation.actions:
            given, typed = self._relation.parameters(action.parameters, f"any {action.name}")
            taken = self._relation.take(action, state, given)
            failing.append(all_of((typed, any_of(each.when for each in taken.failures))))
        question = [*premises, any_of(failing)]
        answer = self._ask(question)
        example = (
            None if answer is None or isinstance(answer, str) else self._unrolling.trace(answer, 0)
        )
        because = "" if answer is None else answer if isinstance(answer, str) else "not kept"
        if answer is None:
            self._oblige("meaning", question)
        seconds = time.perf_counter() - started
        self._result.proofs.append(Proof(MEANING, answer is None, seconds, because, example))

    def _settle(self, name: str, questions: list[tuple[str, list[Truth]]]) -> str:
        """Ask what is to be impossible; why it is not known to be, or nothing."""
        for _, question in questions:
            answer = self._ask(question)
            if answer is not None:
                return answer if isinstance(answer, str) else "it does not keep itself up"
        for part, question in questions:
            self._oblige(f"{name}-{part}", question)
        return ""

    def _oblige(self, name: str, question: list[Truth]) -> None:
        solver = z3.Solver()
        solver.add(*(term(each) for each in question))
        self._result.obligations.append(Obligation(name, solver.to_smt2()))

    def _ask(self, question: list[Truth]) -> z3.ModelRef | str | None:
        """A model in which all of it is true; None if there is none; why that is not known."""
        solver = z3.Solver()
        if self._limit is not None:
            solver.set("timeout", max(1, int(self._limit * 1000)))
        solver.add(*(term(each) for each in question))
        answer = solver.check()
        if answer == z3.sat:
            return solver.model()
        if answer == z3.unsat:
            return None
        reason = solver.reason_unknown()
        return f"no answer within {self._limit:g} s" if self._limit else f"Z3 gave up: {reason}"
