"""Proofs by k-induction: for behaviours of any length.

What holds in the first k states of every behaviour, and after any k states in which it holds, holds
always (Sheeran, Singh and Stalmarck, "Checking Safety Properties Using Induction and a SAT-Solver",
2000). All invariants of a model are taken together, each as a help for the others, with what was
inferred beside them. Those that the others cannot keep up are dropped until the rest keeps itself
up: that rest is proved, and it is the most that can be (Flanagan and Leino, "Houdini, an Annotation
Assistant for ESC/Java", 2001). Invariants of steps are proved from it.

Each action is a question of its own: one transition is far less to think about than all of them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

import z3

from lockstep.language import ir
from lockstep.language.notation import Kind
from lockstep.prove.proofs import MEANING, Candidate, Induction, Obligation, Part, Proof
from lockstep.prove.reading import read
from lockstep.prove.relation import Relation, Values
from lockstep.prove.silence import silence
from lockstep.prove.solver import Answer, ask, new_solver
from lockstep.prove.terms import Truth, all_of, any_of, negated, term
from lockstep.prove.unrolling import Unrolling
from lockstep.results.trace import Trace

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


@dataclass(frozen=True)
class _Flaw:
    """Why something is not proved, with an example if there is one."""

    because: str
    example: Trace | None


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
                self._drop_refuted(self._from_initial, steps)
            if any(each.inferred for each in self._candidates):  # far more than can be kept
                self._drop_refuted(self._from_any, self._k)
                self._drop_what_helps_nothing()
            self._prove_states()
            self._prove_steps()
            self._prove_meaning()
            kept = self._kept(self._candidates, 1)
            result.silence = silence(self._relation, self._unrolling, kept, self._limit)
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

    def _from_initial(self, steps: int) -> Iterator[Part]:
        """The behaviours of so many steps from the initial state."""
        initial = self._relation.initial(self._unrolling.states[0])
        yield Part(f"initial-{steps}", [initial, *self._steps[:steps]], steps)

    def _from_any(self, steps: int) -> Iterator[Part]:
        """So many steps from any state, all candidates holding before each: by the last action."""
        for position, action in enumerate(self._relation.actions):
            case = self._unrolling.moves[steps - 1].cases[position]
            if case is not False:
                kept = self._kept(self._candidates, steps)
                before = self._steps[: steps - 1]
                yield Part(f"step-{action.name}", [*kept, *before, case], steps)

    def _kept(self, candidates: Iterable[Candidate], states: int) -> list[Truth]:
        typed = self._relation.typed(self._unrolling.states[0])
        kept = [self._holds(each, state) for each in candidates for state in range(states)]
        return [typed, *kept]

    def _drop_refuted(self, parts: Callable[[int], Iterator[Part]], steps: int) -> None:
        """Drop what is broken after so many steps, until nothing is that the solver can find."""
        while any([self._drop_found(part) for part in parts(steps)]):
            pass

    def _drop_found(self, part: Part) -> bool:
        """Drop what a solver finds to be broken in one part; whether there was anything."""
        broken = [(each, self._broken(each, part.steps)) for each in self._candidates]
        answer = self._ask([*part.premises, any_of(term for _, term in broken)], _JOINT_SECONDS)
        if not isinstance(answer, z3.ModelRef):
            return False  # if it is not known, each will be asked about by itself
        found = [each for each, term in broken if read(answer, term)]
        flaw = self._explained(answer, part, _KEPT)
        for each in found:
            self._drop(each, flaw)
        return bool(found)

    def _drop(self, candidate: Candidate, flaw: _Flaw) -> None:
        self._candidates.remove(candidate)
        if not candidate.inferred:
            self._prove(candidate.name, _Attempt(flaw=flaw))

    def _drop_what_helps_nothing(self) -> None:
        """Keep of what was inferred only that on which a proof rests, directly or through more."""
        left = {each.name: each for each in self._candidates if each.inferred}
        if not left:
            return
        declared = [each for each in self._candidates if not each.inferred]
        goals = [
            (any_of(self._broken(each, self._k) for each in declared), self._k),
            *((goal, 1) for goal in self._step_goals().values()),
            *((any_of(failing.values()), steps) for steps, failing in enumerate(self._failing())),
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
            self._drop(each, _Flaw("", None))

    def _prove_states(self) -> None:
        """Each candidate by itself, from all; again without those that all do not keep up."""
        while True:
            candidates = {each.name: each for each in self._candidates}
            attempts = self._attempt_states(candidates)
            flaws = {name: each.flaw for name, each in attempts.items() if each.flaw is not None}
            if not flaws:
                break
            for name, flaw in flaws.items():
                self._drop(candidates[name], flaw)
        for each in self._candidates:
            attempt = attempts[each.name]
            if each.inferred:
                self._result.inferred.append(each.name)
                self._result.obligations += attempt.obligations
            else:
                self._prove(each.name, attempt)

    def _attempt_states(self, candidates: Mapping[str, Candidate]) -> dict[str, _Attempt]:
        initial = (part for steps in range(self._k) for part in self._from_initial(steps))

        def broken(name: str, steps: int) -> Truth:
            return self._broken(candidates[name], steps)

        return self._attempted(candidates, chain(initial, self._from_any(self._k)), broken, _KEPT)

    def _prove_steps(self) -> None:
        """Each invariant of steps, from all that is proved of states."""
        goals = self._step_goals()
        parts = self._from_any(1) if goals else ()
        attempts = self._attempted(goals, parts, _among(goals), "a step breaks it")
        for name, attempt in attempts.items():
            self._prove(name, attempt)

    def _step_goals(self) -> dict[str, Truth]:
        """That each invariant of steps is broken."""
        before, after = self._unrolling.states[:2]
        return {
            prop.name: self._relation.broken(prop, before, after, f"claim {prop.name}")[0]
            for prop in self._of_kind(Kind.STEP_INVARIANT)
        }

    def _prove_meaning(self) -> None:
        """That everything has a value, from all that is proved of states."""
        of_states, of_steps = self._failing()
        whole = _Attempt()
        state = Part("state", self._kept(self._candidates, 1), 0)
        for failing, parts in ((of_states, [state]), (of_steps, self._from_any(1))):
            asked = parts if failing else ()
            attempts = self._attempted(failing, asked, _among(failing), "it has none somewhere")
            for attempt in attempts.values():
                whole.seconds += attempt.seconds
                whole.flaw = whole.flaw or attempt.flaw
                whole.obligations += [
                    replace(each, name=f"meaning-of-{each.name}") for each in attempt.obligations
                ]
        self._prove(MEANING, whole)

    def _failing(self) -> tuple[dict[str, Truth], dict[str, Truth]]:
        """That something has no meaning in a state, and that it has none of a step."""
        relation, (before, after) = self._relation, self._unrolling.states[:2]
        of_states: dict[str, Truth] = {}
        for action in relation.actions:
            given, typed = relation.parameters(action.parameters, f"any {action.name}")
            taken = relation.take(action, before, given)
            of_states[action.name] = all_of((typed, any_of(each.when for each in taken.failures)))
        of_steps: dict[str, Truth] = {}
        for prop in relation.properties.values():
            given, typed = relation.parameters(prop.parameters, f"any {prop.name}")
            is_step = prop.kind is Kind.STEP_INVARIANT
            claim = relation.claim(prop, before, after if is_step else None, given)
            (of_steps if is_step else of_states)[prop.name] = all_of((typed, claim.fails))
        of_states = {name: each for name, each in of_states.items() if each is not False}
        of_steps = {name: each for name, each in of_steps.items() if each is not False}
        return of_states, of_steps

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
            self._told(part.name)
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

    def _prove(self, name: str, attempt: _Attempt) -> None:
        """Say what became of a proof."""
        if attempt.flaw is None:
            self._proofs[name] = Proof(name, True, attempt.seconds)
            self._result.obligations += attempt.obligations
        else:
            flaw = attempt.flaw
            self._proofs[name] = Proof(name, False, attempt.seconds, flaw.because, flaw.example)
        self._told(f"{name}: {self._proofs[name].because or 'proved'}")

    def _explained(self, answer: z3.ModelRef | str, part: Part, otherwise: str) -> _Flaw:
        if isinstance(answer, str):
            return _Flaw(answer, None)
        because = "it is broken" if part.name.startswith("initial") else otherwise
        return _Flaw(because, self._unrolling.trace(answer, part.steps))

    def _ask(self, question: list[Truth], most: float | None = None) -> Answer:
        """A model in which all of it is true; None if there is none; why that is not known.

        `most` seconds bound this question, beside what bounds all.
        """
        solver = new_solver()
        solver.add(*(term(each) for each in question))
        limits = [limit for limit in (self._limit, most) if limit is not None]
        return ask(solver, min(limits, default=None))
