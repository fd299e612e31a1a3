"""What a proof is silent about: actions that are never enabled, premises that are never true.

Nothing can go wrong in them, so that a proof says nothing by them. Here that is asked of all states
in which holds what is proved: an action that is enabled in none of them never happens. One that is
enabled in some may still never happen; `lockstep check` knows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lockstep.language import ir
from lockstep.language.notation import Kind
from lockstep.prove.relation import Relation
from lockstep.prove.solver import ask, new_solver
from lockstep.prove.terms import Truth, all_of, term
from lockstep.prove.unrolling import Unrolling


@dataclass(frozen=True)
class Silence:
    """Actions that are never enabled, and invariants whose premise is never true."""

    idle: tuple[str, ...] = ()
    vacuous: tuple[str, ...] = ()


def silence(
    relation: Relation, unrolling: Unrolling, kept: Sequence[Truth], max_seconds: float | None
) -> Silence:
    """What never happens in the first state of some steps in which `kept` is true, or after it.

    What the solver has no answer to within `max_seconds` is taken for something that happens.
    """
    before = unrolling.states[0]
    solver = new_solver()
    solver.add(*map(term, kept))

    def never(condition: Truth) -> bool:
        solver.push()
        solver.add(term(condition))
        answer = ask(solver, max_seconds)
        solver.pop()
        return answer is None

    def enabled(action: ir.ActionCode) -> Truth:
        arguments, typed = relation.parameters(action.parameters, f"some {action.name}")
        return all_of((typed, relation.take(action, before, arguments).enabled))

    idle = tuple(action.name for action in relation.actions if never(enabled(action)))
    vacuous = []
    for kind in (Kind.INVARIANT, Kind.STEP_INVARIANT):
        after = unrolling.states[1] if kind is Kind.STEP_INVARIANT else None
        if after is not None:
            solver.add(term(unrolling.moves[0].happens))
        for prop in _with_premise(relation, kind):
            arguments, typed = relation.parameters(prop.parameters, f"some {prop.name}")
            applies = relation.claim(prop, before, after, arguments).applies
            if never(all_of((typed, applies))):
                vacuous.append(prop.name)
    return Silence(idle, tuple(vacuous))


def _with_premise(relation: Relation, kind: Kind) -> Iterator[ir.PropertyCode]:
    for prop in relation.properties.values():
        if prop.kind is kind and any(isinstance(part, ir.Guard) for part in prop.statements):
            yield prop
