"""What the solver is given of a model is what plain Python does.

A disagreement is shown as the smallest model that Hypothesis finds; `LOCKSTEP_PROFILE=wide` looks
at thousands.
"""

from collections.abc import Iterator
from itertools import islice, product
from pathlib import Path
from typing import Any

import pytest
import z3
from hypothesis import assume, given, reject

from lockstep.language.model import DEADLOCK, Model, load_model, model_names
from lockstep.language.notation import Kind, State
from lockstep.language.source import ModelError
from lockstep.plain.engine import is_stuck
from lockstep.plain.exploration import Bounds, Exploration
from lockstep.plain.run import PlainEngine
from lockstep.plain.search import Search
from lockstep.prove.bounded import BoundedResult, Target, check_bounded
from lockstep.prove.evaluation import as_python, read, value_in
from lockstep.prove.relation import Relation
from lockstep.prove.terms import term
from lockstep.prove.unrolling import move
from lockstep.prove.values import NotProvable, constant, same
from lockstep.results.search_result import EvaluationError
from lockstep.results.trace import Step
from lockstep.results.verdict import Verdict
from lockstep.specs.scopes import load_model_spec
from tests.day import drawn_daily
from tests.random_models.random_models import RandomModel, random_models

ROOT = Path(__file__).parents[2]
MOST_DEPTH = 3
MOST_STATES = 300
SEEN = 12
"""States of a model in which every instance of every action is evaluated."""
ASKED = 3
"""States of a model of which the solver is asked for all successors."""
MOST_SUCCESSORS = 40

MEANINGLESS = "meaningless"


def states_of(model: Model, most: int) -> list[State]:
    """Some states near the first."""
    states: dict[State, list[Step]] = {}
    engine = PlainEngine(model)
    search = Search(
        engine,
        Exploration(bounds=Bounds(max_states=most, max_depth=MOST_DEPTH)),
        on_state=states.__setitem__,
    )
    search.run()
    return list(islice(states, most))


def plain_outcome(
    engine: PlainEngine, action: str, state: State, arguments: tuple[Any, ...]
) -> Any:
    try:
        return engine.run(engine.model.action(action), state, arguments)
    except EvaluationError:
        return MEANINGLESS


def known_outcome(relation: Relation, number: int, state: State, arguments: tuple[Any, ...]) -> Any:
    """What the terms say of a step of which everything is known: nothing is left to a solver."""
    action = relation.actions[number]
    values = [constant(argument) for argument in arguments]
    taken = relation.take(action, relation.constant(state), values)
    if taken.fails is True:
        return MEANINGLESS
    if not taken.enabled:
        return None
    domains = relation.domains
    return type(state).of(as_python(taken.after[name], domains[name]) for name in domains)


def asked_successors(
    relation: Relation, state: State
) -> Iterator[tuple[str, tuple[Any, ...], State]]:
    """All steps from a state, one by one from the solver; none twice."""
    before, after = relation.state("before"), relation.state("after")
    moved = move(relation, before, after, "step")
    solver = z3.Solver()
    first = relation.constant(state)
    solver.add(*(term(same(before[name], first[name])) for name in before))
    solver.add(term(moved.happens))
    while solver.check() == z3.sat:
        model = solver.model()
        number = int(read(model, moved.action))
        action, values = relation.actions[number], moved.arguments[number]
        arguments = tuple(
            value_in(model, value, parameter.domain)
            for value, parameter in zip(values, action.parameters, strict=True)
        )
        reached = type(state).of(
            value_in(model, after[name], domain) for name, domain in relation.domains.items()
        )
        yield action.name, arguments, reached
        again = [
            same(value, constant(argument))
            for value, argument in zip(values, arguments, strict=True)
        ]
        is_it = z3.And(term(moved.action == number), *map(term, again))
        solver.add(z3.Not(is_it))


def assert_agrees_on_steps(model: Model, relation: Relation) -> None:
    engine = PlainEngine(model)
    seen = states_of(model, SEEN)
    for state in seen:
        for number, action in enumerate(relation.actions):
            for arguments in product(*(parameter.domain for parameter in action.parameters)):
                ours = known_outcome(relation, number, state, arguments)
                assert ours == plain_outcome(engine, action.name, state, arguments)
    for state in seen[:ASKED]:
        try:
            steps = [
                (step.action, step.parameters, step.state) for step in engine.successors(state)
            ]
        except EvaluationError:
            continue
        if len(steps) <= MOST_SUCCESSORS:
            asked = list(islice(asked_successors(relation, state), MOST_SUCCESSORS + 1))
            assert len(asked) == len(steps)
            assert all(step in asked for step in steps)


def assert_agrees_on_behaviours(model: Model, relation: Relation, depth: int) -> None:
    for deadlock_allowed in (True, False):
        oracle = Search(
            PlainEngine(model),
            Exploration(
                bounds=Bounds(max_depth=depth, max_states=MOST_STATES),
                deadlock_allowed=deadlock_allowed,
            ),
        ).run()
        assume(oracle.states < MOST_STATES)
        ours = check_bounded(relation, depth, Target(deadlock_allowed))
        if oracle.error is not None:
            # A search goes no further from a state where some action has no meaning; the solver
            # may, and find a violation beyond.
            assert ours.verdict is not Verdict.HOLDS
        elif ours.error is not None:
            assert_is_without_meaning(model, ours)
        elif oracle.violation is None:
            # A search does not look whether the states at its bound can be left.
            violation = ours.violation
            if (
                violation is not None
                and ours.depth == depth
                and violation.properties == (DEADLOCK,)
            ):
                last = violation.trace.last
                assert is_stuck(last, PlainEngine(model).successors(last))
            else:
                assert ours.verdict is Verdict.HOLDS
        else:
            assert ours.violation is not None
            assert ours.depth == len(oracle.violation.trace.steps)
            engine = PlainEngine(model)
            trace = ours.violation.trace
            for before, step in zip(trace.states, trace.steps, strict=False):
                action = model.action(step.action)
                assert engine.run(action, before, step.parameters) == step.state


def assert_is_without_meaning(model: Model, result: BoundedResult) -> None:
    """A search does not evaluate a `leads_to`; the solver asks whether it has a value."""
    assert result.error is not None
    assert result.meaningless is not None
    prop = model.property(result.error.function)
    assert prop.kind is Kind.LEADS_TO
    with pytest.raises(EvaluationError):
        list(PlainEngine(model).pledges(prop, result.meaningless.last))


@drawn_daily(15)
@given(text=random_models())
def test_solver_agrees_on_random_models(
    text: RandomModel, tmp_path_factory: pytest.TempPathFactory
) -> None:
    try:
        model = text.load(tmp_path_factory.mktemp("random"))
        relation = Relation(model)
        assert_agrees_on_steps(model, relation)
        assert_agrees_on_behaviours(model, relation, 2)
    except (ModelError, NotProvable):
        reject()


@pytest.mark.daily(3)
@pytest.mark.parametrize("name", model_names(ROOT))
def test_solver_agrees_on_every_model(name: str) -> None:
    scope = load_model_spec(ROOT, name).scope("small")
    model = load_model(ROOT, name, scope.constants)
    relation = Relation(model)
    assert all(prop.kind in Kind for prop in model.properties)
    assert_agrees_on_steps(model, relation)
