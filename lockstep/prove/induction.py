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
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import z3

from lockstep.explore.search import Trace
from lockstep.language import ir
from lockstep.language.notation import Kind
from lockstep.prove.relation import Relation, Values
from lockstep.prove.solver import Answer, ask, new_solver
from lockstep.prove.terms import Truth, all_of, any_of, negated, term
from lockstep.prove.unrolling import Unrolling, read

_JOINT_SECONDS = 10.0
"""For asking whether any candidate at all is broken: without an answer each is asked for itself."""

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
    """What was proved of a model, property by property, and what was inferred for that.

    Invariants of states and steps have a proof each, and so has `MEANING`; what a model sometimes
    does, and what must come to pass in it, are no questions for an induction.
    """

    k: int
    proofs: list[Proof] = field(default_factory=list)
    inferred: list[str] = field(default_factory=list)
    obligations: list[Obligation] = field(default_factory=list)
    seconds: float = 0.0
    interrupted: bool = False


def prove(
    relation: Relation,
    *,
    k: int = 1,
    inferred: Sequence[Candidate] = (),
    max_seconds: float | None = None,
    on_progress: Callable[[str], None] | None = None,
) -> Induction:
    """Prove what can be proved of all invariants of states and steps, by induction over k steps.

    `inferred` are tried as helps, and those kept that help. `max_seconds` bounds each question to
    the solver. Ctrl-C ends the work: what is proved until then is in the result.
    """
    if k < 1:
        raise ValueError(f"induction over {k} steps")
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
        self._terms: dict[tuple[str, int], Truth] = {}
        self._proofs: dict[str, Proof] = {}
        self._result = Induction(k)
        self._started = time.perf_counter()

    def run(self) -> Induction:
        """Drop what the rest does not keep up, then prove each of the rest by itself."""
        result = self._result
        try:
            for steps in range(self._k):
                self._drop_refuted(self._from_initial, steps, "it is broken")
            self._drop_refuted(self._from_any, self._k, _NOT_KEPT)
            self._drop_what_helps_nothing()
            self._prove_states()
            for prop in self._of_kind(Kind.STEP_INVARIANT):
                self._prove_step(prop)
            self._prove_meaning()
        except KeyboardInterrupt:
            result.interrupted = True
        asked = [each.name for each in self._of_kind(Kind.INVARIANT, Kind.STEP_INVARIANT)]
        result.proofs = [
            self._proofs.get(name) or Proof(name, False, 0.0, "interrupted")
            for name in (*asked, MEANING)
        ]
        result.seconds = time.perf_counter() - self._started
        return result

    def _of_kind(self, *kinds: Kind) -> list[ir.PropertyCode]:
        return [prop for prop in self._relation.properties.values() if prop.kind in kinds]

    def _declared(self) -> list[Candidate]:
        relation = self._relation

        def candidate(prop: ir.PropertyCode) -> Candidate:
            def holds(state: Values) -> Truth:
                return relation.holds(prop, state, None)

            def broken(state: Values) -> Truth:
                return relation.broken(prop, state, None, f"claim {prop.name}")[0]

            return Candidate(
                prop.name, holds, broken=None if relation.is_written_out(prop) else broken
            )

        return [candidate(prop) for prop in self._of_kind(Kind.INVARIANT)]

    def _holds(self, candidate: Candidate, steps: int) -> Truth:
        """That a candidate holds after so many steps."""
        key = candidate.name, steps
        if key not in self._terms:
            self._terms[key] = candidate.holds(self._unrolling.states[steps])
        return self._terms[key]

    def _broken(self, candidate: Candidate, steps: int) -> Truth:
        if candidate.broken is not None:
            return candidate.broken(self._unrolling.states[steps])
        return negated(self._holds(candidate, steps))

    def _from_initial(self, steps: int) -> list[Truth]:
        """The behaviours of so many steps from the initial state."""
        return [self._relation.initial(self._unrolling.states[0]), *self._steps[:steps]]

    def _from_any(self, steps: int) -> list[Truth]:
        """So many steps from any state, all candidates holding before each."""
        return [*self._kept(self._candidates, steps), *self._steps[:steps]]

    def _kept(self, candidates: Iterable[Candidate], states: int) -> list[Truth]:
        typed = self._relation.typed(self._unrolling.states[0])
        kept = [self._holds(each, state) for each in candidates for state in range(states)]
        return [typed, *kept]

    def _drop_refuted(
        self, premises: Callable[[int], list[Truth]], steps: int, because: str
    ) -> None:
        """Drop what is broken after so many steps, until nothing is that the solver can find."""
        while self._candidates:
            broken = [(each, self._broken(each, steps)) for each in self._candidates]
            joint = [*premises(steps), any_of(term for _, term in broken)]
            answer = self._ask(joint, _JOINT_SECONDS)
            if not isinstance(answer, z3.ModelRef):
                return  # if it is not known, each will be asked about by itself
            found = [each for each, term in broken if read(answer, term)]
            trace = self._unrolling.trace(answer, steps)
            for each in found:
                self._drop(each, because, trace)
            if not found:
                return

    def _drop(self, candidate: Candidate, because: str, trace: Trace | None) -> None:
        self._candidates.remove(candidate)
        if not candidate.inferred:
            self._proofs[candidate.name] = Proof(candidate.name, False, 0.0, because, trace)
            self._told(f"{candidate.name}: {because}")

    def _drop_what_helps_nothing(self) -> None:
        """Keep of what was inferred only that on which a proof rests, directly or through more."""
        left = {each.name: each for each in self._candidates if each.inferred}
        if not left:
            return
        declared = [each for each in self._candidates if not each.inferred]
        goals = [
            (any_of(self._broken(each, self._k) for each in declared), self._k),
            *((self._step_broken(prop), 1) for prop in self._of_kind(Kind.STEP_INVARIANT)),
            *((failing, steps) for failing, steps in self._failing()),
        ]
        helping: list[Candidate] = []
        while goals:
            goal, steps = goals.pop()
            solver = new_solver()
            solver.set("core.minimize", True)
            solver.add(*map(term, [*self._kept([*declared, *helping], steps or 1), goal]))
            solver.add(*map(term, self._steps[:steps]))
            literals = {name: z3.Bool(f"with {name}") for name in left}
            for name, literal in literals.items():
                help_given = all_of(self._holds(left[name], at) for at in range(steps or 1))
                solver.add(z3.Implies(literal, term(help_given)))
            if ask(solver, self._limit) is None:
                continue  # nor is any needed
            answer = ask(solver, self._limit, *literals.values())
            if isinstance(answer, str):
                return  # who knows which of them help
            if answer is not None:
                continue  # none of them helps here
            core = {str(literal) for literal in solver.unsat_core()}
            for name in [name for name, literal in literals.items() if str(literal) in core]:
                found = left.pop(name)
                helping.append(found)
                goals.append((self._broken(found, self._k), self._k))
        for each in left.values():
            self._drop(each, "", None)

    def _prove_states(self) -> None:
        """Each candidate by itself, from all; again without those for which that was too much."""
        while True:
            settled = [(each, *self._settle(each)) for each in self._candidates]
            failed = [(each, answer) for each, answer, _, _ in settled if answer is not None]
            if not failed:
                break
            for candidate, answer in failed:
                because, trace = self._explained(answer, _NOT_KEPT, self._k)
                self._drop(candidate, because, trace)
        for candidate, _, obligations, seconds in settled:
            self._result.obligations += obligations
            if candidate.inferred:
                self._result.inferred.append(candidate.name)
            else:
                self._prove(candidate.name, None, seconds)

    def _settle(self, candidate: Candidate) -> tuple[Answer, list[Obligation], float]:
        """Ask what would be a flaw in the proof of a candidate; what there is, or the questions."""
        started = time.perf_counter()
        questions = {
            f"initial-{steps}": [*self._from_initial(steps), self._broken(candidate, steps)]
            for steps in range(self._k)
        }
        questions["step"] = [*self._from_any(self._k), self._broken(candidate, self._k)]
        # The step first: what breaks a candidate near the initial state is found and dropped.
        for part in reversed(questions):
            answer = self._ask(questions[part])
            if answer is not None:
                known = part == "step" or isinstance(answer, str)
                return (answer if known else "it is broken"), [], 0.0
        obligations = [
            _obligation(f"{candidate.name}-{part}", questions[part]) for part in questions
        ]
        return None, obligations, time.perf_counter() - started

    def _prove_step(self, prop: ir.PropertyCode) -> None:
        started = time.perf_counter()
        question = [*self._from_any(1), self._step_broken(prop)]
        answer = self._ask(question)
        if answer is None:
            self._result.obligations.append(_obligation(f"{prop.name}-step", question))
        self._prove(prop.name, answer, time.perf_counter() - started, "a step breaks it", 1)

    def _step_broken(self, prop: ir.PropertyCode) -> Truth:
        before, after = self._unrolling.states[:2]
        return self._relation.broken(prop, before, after, f"claim {prop.name}")[0]

    def _prove_meaning(self) -> None:
        started = time.perf_counter()
        answer: Answer = None
        for failing, steps in self._failing():
            kept = [*self._kept(self._candidates, 1), *self._steps[:steps]]
            answer = self._ask([*kept, failing])
            if answer is not None:
                break
            name = "meaning-of-a-step" if steps else "meaning-of-a-state"
            self._result.obligations.append(_obligation(name, [*kept, failing]))
        self._prove(MEANING, answer, time.perf_counter() - started, "it has none somewhere", steps)

    def _failing(self) -> list[tuple[Truth, int]]:
        """That something has no meaning in a state, or of a step; and how many steps that takes."""
        relation, (before, after) = self._relation, self._unrolling.states[:2]
        of_state: list[Truth] = []
        for action in relation.actions:
            given, typed = relation.parameters(action.parameters, f"any {action.name}")
            taken = relation.take(action, before, given)
            of_state.append(all_of((typed, any_of(each.when for each in taken.failures))))
        of_step: list[Truth] = []
        for prop in relation.properties.values():
            given, typed = relation.parameters(prop.parameters, f"any {prop.name}")
            is_step = prop.kind is Kind.STEP_INVARIANT
            claim = relation.claim(prop, before, after if is_step else None, given)
            (of_step if is_step else of_state).append(all_of((typed, claim.fails)))
        return [(any_of(of_state), 0), (any_of(of_step), 1)]

    def _prove(
        self, name: str, answer: Answer, seconds: float, otherwise: str = "", steps: int = 0
    ) -> None:
        because, trace = self._explained(answer, otherwise, steps)
        self._proofs[name] = Proof(name, answer is None, seconds, because, trace)
        self._told(f"{name}: {because or 'proved'}")

    def _explained(self, answer: Answer, because: str, steps: int) -> tuple[str, Trace | None]:
        if answer is None:
            return "", None
        if isinstance(answer, str):
            return answer, None
        return because, self._unrolling.trace(answer, steps)

    def _ask(self, question: list[Truth], most: float | None = None) -> Answer:
        """A model in which all of it is true; None if there is none; why that is not known.

        `most` seconds bound this question, beside what bounds all.
        """
        solver = new_solver()
        solver.add(*(term(each) for each in question))
        limits = [limit for limit in (self._limit, most) if limit is not None]
        return ask(solver, min(limits, default=None))


_NOT_KEPT = "it does not keep itself up"


def _obligation(name: str, question: list[Truth]) -> Obligation:
    solver = z3.Solver()
    solver.add(*(term(each) for each in question))
    _, declared = solver.to_smt2().split("(set-info :status unknown)\n", 1)
    head = f"; {name}\n(set-info :status unsat)\n(set-logic ALL)\n"
    return Obligation(name, head + declared)
