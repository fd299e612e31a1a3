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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import NamedTuple

import z3

from lockstep.prove.evaluation import read
from lockstep.prove.proofs import MEANING, Candidate, Induction, Obligation, Part, Proof, Questions
from lockstep.prove.relation import Relation
from lockstep.prove.solver import NO_TIME, Answer, ask, new_solver
from lockstep.prove.terms import Truth, all_of, any_of, term
from lockstep.prove.unrolling import silence
from lockstep.results.trace import Trace
from lockstep.words import plural

_JOINT_SECONDS = 10.0
"""For asking whether any candidate at all is broken: without an answer each is asked for itself."""


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


_KEPT = "it does not keep itself up"


class _Flaw(NamedTuple):
    """Why something is not proved, with an example if there is one."""

    because: str
    example: Trace | None = None


@dataclass
class _Attempt:
    """A proof as far as it has come: the questions so far, and the first with another answer."""

    seconds: float = 0.0
    flaw: _Flaw | None = None
    obligations: list[Obligation] = field(default_factory=list)


def _among(goals: Mapping[str, Truth]) -> Callable[[str, int], Truth]:
    """Each goal by its name, whatever the number of steps."""
    return lambda name, _: goals[name]


class _Induction:
    def __init__(
        self,
        relation: Relation,
        k: int,
        inferred: Sequence[Candidate],
        limit: float | None,
        on_progress: Callable[[str], None] | None,
    ) -> None:
        self._questions = Questions(relation, k)
        self._limit = limit
        self._on_progress = on_progress or (lambda _: None)
        self._candidates = [*self._questions.declared(), *inferred]
        self._proofs: dict[str, Proof] = {}
        self._result = Induction(k)
        self._started = time.perf_counter()

    def run(self) -> Induction:
        """Drop what the rest does not keep up, then prove each of the rest by itself."""
        result, questions = self._result, self._questions
        try:
            for steps in range(questions.k):
                self._drop_refuted(questions.from_initial, steps)
            if any(candidate.inferred for candidate in self._candidates):
                # There are far more of them than can be kept.
                self._drop_refuted(self._from_any, questions.k)
                self._drop_what_helps_nothing()
            self._prove_states()
            self._prove_steps()
            self._prove_meaning()
            kept = questions.assumed(self._candidates, 1)
            result.silence = silence(questions.relation, questions.unrolling, kept, self._limit)
        except KeyboardInterrupt:
            result.interrupted = True
        result.proofs = [
            self._proofs.get(name) or Proof(name, False, 0.0, "interrupted")
            for name in (*questions.provable_names(), MEANING)
        ]
        result.seconds = time.perf_counter() - self._started
        return result

    def _from_any(self, steps: int) -> Iterator[Part]:
        return self._questions.from_any(self._candidates, steps)

    def _drop_refuted(self, parts: Callable[[int], Iterator[Part]], steps: int) -> None:
        """Drop what is broken after so many steps, until nothing is that the solver can find."""
        while any([self._drop_broken(part) for part in parts(steps)]):
            pass

    def _drop_broken(self, part: Part) -> bool:
        """Drop what a solver finds to be broken in one part; whether there was anything."""
        terms = [(one, self._questions.broken(one, part.steps)) for one in self._candidates]
        answer = self._ask([*part.premises, any_of(term for _, term in terms)], _JOINT_SECONDS)
        if not isinstance(answer, z3.ModelRef):
            return False  # if it is not known, each will be asked about by itself
        broken = [candidate for candidate, term in terms if read(answer, term)]
        flaw = self._explained(answer, part, _KEPT)
        for candidate in broken:
            self._drop(candidate, flaw)
        return bool(broken)

    def _drop(self, candidate: Candidate, flaw: _Flaw) -> None:
        self._candidates.remove(candidate)
        if not candidate.inferred:
            self._conclude(candidate.name, _Attempt(flaw=flaw))

    def _drop_what_helps_nothing(self) -> None:
        """Keep of what was inferred only that on which a proof rests, directly or through more."""
        questions = self._questions
        unused = {one.name: one for one in self._candidates if one.inferred}
        if not unused:
            return
        declared = [candidate for candidate in self._candidates if not candidate.inferred]
        any_broken = any_of(questions.broken(candidate, questions.k) for candidate in declared)
        goals = [
            (any_broken, questions.k),
            *((goal, 1) for goal in questions.broken_by_a_step().values()),
            *(
                (any_of(terms.values()), steps)
                for steps, terms in enumerate(questions.meaningless())
            ),
        ]
        helping: list[Candidate] = []
        while goals:
            goal, steps = goals.pop()
            premises = [*questions.assumed([*declared, *helping], steps or 1), goal]
            names = self._names_of_helps([*premises, *questions.steps[:steps]], unused, steps or 1)
            if names is None:
                return  # who knows which of them help
            for name in names:
                candidate = unused.pop(name)
                helping.append(candidate)
                goals.append((questions.broken(candidate, questions.k), questions.k))
        for candidate in unused.values():
            self._drop(candidate, _Flaw(""))

    def _names_of_helps(
        self, question: Sequence[Truth], candidates: Mapping[str, Candidate], states: int
    ) -> list[str] | None:
        """The candidates with which no solver can satisfy a question; None if it is not known.

        There are none where it cannot be satisfied without them, nor with all of them.
        """
        solver = new_solver()
        solver.set("core.minimize", True)
        solver.add(*map(term, question))
        literals = {name: z3.Bool(f"with {name}") for name in candidates}
        for name, literal in literals.items():
            held = all_of(self._questions.holds(candidates[name], at) for at in range(states))
            solver.add(z3.Implies(literal, term(held)))
        if ask(solver, self._limit) is None:
            return []
        answer = ask(solver, self._limit, *literals.values())
        if isinstance(answer, str):
            return None
        if answer is not None:
            return []
        core = {str(literal) for literal in solver.unsat_core()}
        return [name for name, literal in literals.items() if str(literal) in core]

    def _prove_states(self) -> None:
        """Each candidate by itself, from all; again without those that all do not keep up."""
        while True:
            candidates = {candidate.name: candidate for candidate in self._candidates}
            attempts = self._attempt_states(candidates)
            flaws = [(name, one.flaw) for name, one in attempts.items() if one.flaw is not None]
            if not flaws:
                break
            for name, flaw in flaws:
                self._drop(candidates[name], flaw)
        for candidate in self._candidates:
            attempt = attempts[candidate.name]
            if candidate.inferred:
                self._result.inferred.append(candidate.name)
                self._result.obligations += attempt.obligations
            else:
                self._conclude(candidate.name, attempt)

    def _attempt_states(self, candidates: Mapping[str, Candidate]) -> dict[str, _Attempt]:
        questions = self._questions
        initial = (part for steps in range(questions.k) for part in questions.from_initial(steps))

        def broken(name: str, steps: int) -> Truth:
            return questions.broken(candidates[name], steps)

        parts = chain(initial, self._from_any(questions.k))
        return self._attempted(candidates, parts, broken, _KEPT)

    def _prove_steps(self) -> None:
        """Each invariant of steps, from all that is proved of states."""
        goals = self._questions.broken_by_a_step()
        parts = self._from_any(1) if goals else ()
        attempts = self._attempted(goals, parts, _among(goals), "a step breaks it")
        for name, attempt in attempts.items():
            self._conclude(name, attempt)

    def _prove_meaning(self) -> None:
        """That everything has a value, from all that is proved of states."""
        of_states, of_steps = self._questions.meaningless()
        whole = _Attempt()
        state = Part("state", self._questions.assumed(self._candidates, 1), 0)
        for goals, parts in ((of_states, [state]), (of_steps, self._from_any(1))):
            needed = parts if goals else ()
            attempts = self._attempted(goals, needed, _among(goals), "it has no meaning somewhere")
            for name, attempt in attempts.items():
                whole.seconds += attempt.seconds
                if whole.flaw is None and (flaw := attempt.flaw) is not None:
                    about = "" if flaw.because == NO_TIME else f"{name}: "
                    whole.flaw = _Flaw(f"{about}{flaw.because}", flaw.example)
                whole.obligations += [
                    replace(obligation, name=f"meaning-of-{obligation.name}")
                    for obligation in attempt.obligations
                ]
        self._conclude(MEANING, whole)

    def _attempted(
        self,
        names: Iterable[str],
        parts: Iterable[Part],
        broken: Callable[[str, int], Truth],
        otherwise: str,
    ) -> dict[str, _Attempt]:
        """Look for a flaw in each proof, in one part after the other.

        What the solver learns about the premises of a part serves all that is asked there.
        """
        attempts = {name: _Attempt() for name in names}
        for part in parts:
            self._on_progress(part.name)
            solver = new_solver()
            solver.add(*map(term, part.premises))
            for name, attempt in attempts.items():
                if attempt.flaw is not None:
                    continue
                started = time.perf_counter()
                goal = broken(name, part.steps)
                solver.push()
                solver.add(term(goal))
                answer = ask(solver, self._limit)
                solver.pop()
                attempt.seconds += time.perf_counter() - started
                if answer is not None:
                    attempt.flaw = self._explained(answer, part, otherwise)
                attempt.obligations.append(part.asking(name, goal))
        return attempts

    def _conclude(self, name: str, attempt: _Attempt) -> None:
        """Say what became of a proof."""
        if attempt.flaw is None:
            proof = Proof(name, True, attempt.seconds)
            self._result.obligations += attempt.obligations
        else:
            flaw = attempt.flaw
            proof = Proof(name, False, attempt.seconds, flaw.because, flaw.example)
        self._proofs[name] = proof
        self._on_progress(f"{name}: {proof.because or 'proved'}")

    def _explained(self, answer: z3.ModelRef | str, part: Part, otherwise: str) -> _Flaw:
        if isinstance(answer, str):
            return _Flaw(answer if answer == NO_TIME else f"{answer}, asked of {_asked_of(part)}")
        because = "it is broken" if part.name.startswith("initial") else otherwise
        return _Flaw(because, self._questions.unrolling.trace(answer, part.steps))

    def _ask(self, question: Sequence[Truth], most: float) -> Answer:
        """A model in which all of it is true; None if there is none; why that is not known.

        `most` seconds bound this question, beside what bounds all.
        """
        solver = new_solver()
        solver.add(*map(term, question))
        return ask(solver, most if self._limit is None else min(self._limit, most))


def _asked_of(part: Part) -> str:
    """The states or steps that a part of a proof is about."""
    kind, _, of = part.name.partition("-")
    match kind:
        case "initial":
            return "the initial state" if of == "0" else f"{plural(int(of), 'step')} from the start"
        case "step":
            return f"a step of {of}"
    return "any state"
