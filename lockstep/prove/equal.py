"""Whether two actions are two ways to write the same rule."""

from __future__ import annotations

from dataclasses import dataclass

from lockstep.errors import LockstepError, unknown
from lockstep.language import ir
from lockstep.language.notation import State
from lockstep.plain.run import PlainEngine
from lockstep.prove.evaluation import values_in
from lockstep.prove.relation import Relation
from lockstep.prove.solver import ask, new_solver
from lockstep.prove.terms import all_of, any_of, equals, negated, term
from lockstep.prove.values import NotProvable, same
from lockstep.results.search_result import EvaluationError
from lockstep.results.trace import Step, Trace


@dataclass(frozen=True)
class Contrast:
    """A state in which two actions differ: what each does there, as plain Python says.

    An action does nothing where it is not enabled (None), or where its text has no meaning (why).
    """

    before: State
    parameters: tuple[object, ...]
    does: tuple[Trace | str | None, Trace | str | None]


def contrast(
    relation: Relation, one: str, other: str, max_seconds: float | None = None
) -> Contrast | None:
    """A state and parameters for which two actions differ; None if there are none at all.

    Any state counts whose variables are in their domains, reached or not. The actions have the
    same parameters. LockstepError for actions that cannot be compared, and NotProvable where the
    solver gives up.
    """
    first, second = _action(relation, one), _action(relation, other)
    domains = [[parameter.domain for parameter in one.parameters] for one in (first, second)]
    if domains[0] != domains[1]:
        raise LockstepError(
            f"{one} and {other} have other parameters", cure="compare actions with the same"
        )
    before = relation.state("s")
    arguments, typed = relation.parameters(first.parameters, "of both")
    does, would = (relation.take(action, before, arguments) for action in (first, second))
    after = all_of(same(does.after[name], would.after[name]) for name in before)
    differ = any_of(
        (
            negated(equals(does.fails, would.fails)),
            negated(equals(does.steps, would.steps)),
            all_of((does.steps, would.steps, negated(after))),
        )
    )
    solver = new_solver()
    solver.add(term(relation.typed(before)), term(typed), term(differ))
    model = ask(solver, max_seconds)
    if model is None:
        return None
    if isinstance(model, str):
        raise NotProvable(f"whether {one} and {other} are the same is not known: {model}")
    state = relation.state_in(model, before)
    values = values_in(model, arguments, first.parameters)
    outcomes = (_effect(relation, one, state, values), _effect(relation, other, state, values))
    return Contrast(state, values, outcomes)


def _action(relation: Relation, name: str) -> ir.ActionCode:
    for action in relation.actions:
        if action.name == name:
            return action
    names = [action.name for action in relation.actions]
    raise unknown(f"{relation.model.name} has no action {name!r}", name, names, "its actions are")


def _effect(
    relation: Relation, name: str, state: State, values: tuple[object, ...]
) -> Trace | str | None:
    model = relation.model
    try:
        after = PlainEngine(model).run(model.action(name), state, values)
    except EvaluationError as error:
        return error.message
    return None if after is None else Trace(state, (Step(name, values, after),))
