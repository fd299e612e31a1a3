"""What an induction asks: of which behaviours, what is assumed of them, and what may be broken.

Each action is a question of its own: one transition is far less to think about than all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from lockstep.language import ir
from lockstep.language.notation import Kind
from lockstep.prove.proofs import Candidate, Part
from lockstep.prove.relation import Relation, Values
from lockstep.prove.terms import Truth, all_of, any_of, negated
from lockstep.prove.unrolling import Unrolling


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
        for action in relation.actions:
            arguments, typed = relation.parameters(action.parameters, f"any {action.name}")
            failures = relation.take(action, before, arguments).failures
            of_states[action.name] = all_of((typed, any_of(one.when for one in failures)))
        of_steps: dict[str, Truth] = {}
        for prop in relation.properties.values():
            arguments, typed = relation.parameters(prop.parameters, f"any {prop.name}")
            is_step = prop.kind is Kind.STEP_INVARIANT
            claim = relation.claim(prop, before, after if is_step else None, arguments)
            (of_steps if is_step else of_states)[prop.name] = all_of((typed, claim.fails))
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
