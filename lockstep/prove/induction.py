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
class _Part:
    """Some of the behaviours in which something might be broken."""

    name: str
    premises: list[Truth]

    def asking(self, name: str, goal: Truth) -> Obligation:
        """That nothing of that kind is broken here."""
        return Obligation(f"{name}-{self.name}", (*self.premises, goal))

    @property
    def otherwise(self) -> str:
        """What it means if something is."""
        return "it is broken" if self.name.startswith("initial") else "it does not keep itself up"


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
                self._drop_refuted(self._from_initial, steps)
            if any(each.inferred for each in self._candidates):  # far more than can be kept
                self._drop_refuted(self._from_any, self._k)
                self._drop_what_helps_nothing()
            self._prove_states()
            self._prove_steps()
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

    def _from_initial(self, steps: int) -> Iterator[_Part]:
        """The behaviours of so many steps from the initial state."""
        initial = self._relation.initial(self._unrolling.states[0])
        yield _Part(f"initial-{steps}", [initial, *self._steps[:steps]])

    def _from_any(self, steps: int) -> Iterator[_Part]:
        """So many steps from any state, all candidates holding before each: by the last action."""
        for position, action in enumerate(self._relation.actions):
            case = self._unrolling.moves[steps - 1].cases[position]
            if case is not False:
                kept = self._kept(self._candidates, steps)
                yield _Part(f"step-{action.name}", [*kept, *self._steps[: steps - 1], case])

    def _kept(self, candidates: Iterable[Candidate], states: int) -> list[Truth]:
        typed = self._relation.typed(self._unrolling.states[0])
        kept = [self._holds(each, state) for each in candidates for state in range(states)]
        return [typed, *kept]

    def _drop_refuted(self, parts: Callable[[int], Iterator[_Part]], steps: int) -> None:
        """Drop what is broken after so many steps, until nothing is that the solver can find."""
        while any([self._drop_found(part, steps) for part in parts(steps)]):
            pass

    def _drop_found(self, part: _Part, steps: int) -> bool:
        """Drop what a solver finds to be broken in one part; whether there was anything."""
        broken = [(each, self._broken(each, steps)) for each in self._candidates]
        answer = self._ask([*part.premises, any_of(term for _, term in broken)], _JOINT_SECONDS)
        if not isinstance(answer, z3.ModelRef):
            return False  # if it is not known, each will be asked about by itself
        found = [each for each, term in broken if read(answer, term)]
        trace = self._unrolling.trace(answer, steps)
        for each in found:
            self._drop(each, part.otherwise, trace)
        return bool(found)

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
            *((any_of(failing.values()), steps) for failing, steps in self._failing()),
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
            seconds = dict.fromkeys((each.name for each in self._candidates), 0.0)
            obligations: dict[str, list[Obligation]] = {each.name: [] for each in self._candidates}
            failed: dict[str, tuple[str, Trace | None]] = {}
            for steps in range(self._k):
                for part in self._from_initial(steps):
                    self._settle(part, steps, seconds, obligations, failed)
            for part in self._from_any(self._k):
                self._settle(part, self._k, seconds, obligations, failed)
            if not failed:
                break
            for each in [each for each in self._candidates if each.name in failed]:
                self._drop(each, *failed[each.name])
        for each in self._candidates:
            self._result.obligations += obligations[each.name]
            if each.inferred:
                self._result.inferred.append(each.name)
            else:
                self._prove(each.name, None, seconds[each.name])

    def _settle(
        self,
        part: _Part,
        steps: int,
        seconds: dict[str, float],
        obligations: dict[str, list[Obligation]],
        failed: dict[str, tuple[str, Trace | None]],
    ) -> None:
        """Ask what would be a flaw in the proof of each candidate."""
        goals = {
            each.name: self._broken(each, steps)
            for each in self._candidates
            if each.name not in failed
        }
        for name, answer, took in self._ask_each(part, goals):
            seconds[name] += took
            if answer is not None:
                failed[name] = self._explained(answer, part.otherwise, steps)
            obligations[name].append(part.asking(name, goals[name]))

    def _prove_steps(self) -> None:
        """Each invariant of steps, from all that is proved of states."""
        goals = {each.name: self._step_broken(each) for each in self._of_kind(Kind.STEP_INVARIANT)}
        seconds = dict.fromkeys(goals, 0.0)
        flaws: dict[str, Answer] = {}
        obligations: dict[str, list[Obligation]] = {name: [] for name in goals}
        for part in self._from_any(1) if goals else ():
            left = {name: goal for name, goal in goals.items() if name not in flaws}
            for name, answer, took in self._ask_each(part, left):
                seconds[name] += took
                if answer is not None:
                    flaws[name] = answer
                obligations[name].append(part.asking(name, goals[name]))
        for name in goals:
            if name not in flaws:
                self._result.obligations += obligations[name]
            self._prove(name, flaws.get(name), seconds[name], "a step breaks it", 1)

    def _step_broken(self, prop: ir.PropertyCode) -> Truth:
        before, after = self._unrolling.states[:2]
        return self._relation.broken(prop, before, after, f"claim {prop.name}")[0]

    def _prove_meaning(self) -> None:
        started = time.perf_counter()
        kept = _Part("state", self._kept(self._candidates, 1))
        (of_states, _), (of_steps, _) = self._failing()
        asked = [(kept, of_states, 0)]
        asked += [(part, of_steps, 1) for part in self._from_any(1)] if of_steps else []
        for part, failing, steps in asked:
            for name, answer, _ in self._ask_each(part, failing):
                if answer is not None:
                    took = time.perf_counter() - started
                    self._prove(MEANING, answer, took, "it has none somewhere", steps)
                    return
                self._result.obligations.append(part.asking(f"meaning-of-{name}", failing[name]))
        self._prove(MEANING, None, time.perf_counter() - started)

    def _failing(self) -> list[tuple[dict[str, Truth], int]]:
        """That something has no meaning in a state, or of a step; and how many steps that takes."""
        relation, (before, after) = self._relation, self._unrolling.states[:2]
        of_state: dict[str, Truth] = {}
        for action in relation.actions:
            given, typed = relation.parameters(action.parameters, f"any {action.name}")
            taken = relation.take(action, before, given)
            of_state[action.name] = all_of((typed, any_of(each.when for each in taken.failures)))
        of_step: dict[str, Truth] = {}
        for prop in relation.properties.values():
            given, typed = relation.parameters(prop.parameters, f"any {prop.name}")
            is_step = prop.kind is Kind.STEP_INVARIANT
            claim = relation.claim(prop, before, after if is_step else None, given)
            (of_step if is_step else of_state)[prop.name] = all_of((typed, claim.fails))
        return [
            ({name: each for name, each in failing.items() if each is not False}, steps)
            for failing, steps in ((of_state, 0), (of_step, 1))
        ]

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

    def _ask_each(
        self, part: _Part, goals: Mapping[str, Truth]
    ) -> Iterator[tuple[str, Answer, float]]:
        """What there is of each goal by itself beside the same premises, and the seconds it took.

        What the solver learns about the premises serves all goals.
        """
        solver = new_solver()
        solver.add(*map(term, part.premises))
        for name, goal in goals.items():
            started = time.perf_counter()
            solver.push()
            solver.add(term(goal))
            answer = ask(solver, self._limit)
            solver.pop()
            yield name, answer, time.perf_counter() - started

    def _ask(self, question: list[Truth], most: float | None = None) -> Answer:
        """A model in which all of it is true; None if there is none; why that is not known.

        `most` seconds bound this question, beside what bounds all.
        """
        solver = new_solver()
        solver.add(*(term(each) for each in question))
        limits = [limit for limit in (self._limit, most) if limit is not None]
        return ask(solver, min(limits, default=None))
