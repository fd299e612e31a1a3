"""Whatever is said to be proved holds in every state that an exhaustive search reaches.

`LOCKSTEP_PROFILE=wide` looks at thousands of random models.
"""

from itertools import islice

import pytest
from hypothesis import assume, given, reject
from hypothesis import strategies as st

from lockstep.language.model import Model
from lockstep.language.notation import Kind, State
from lockstep.language.source import ModelError
from lockstep.plain.run import PlainEngine, walked
from lockstep.prove.induction import prove
from lockstep.prove.proofs import MEANING, Induction, comparisons
from lockstep.prove.relation import Relation
from lockstep.prove.values import NotProvable
from lockstep.results.search_result import EvaluationError
from lockstep.results.trace import Trace
from tests.day import drawn_daily
from tests.random_models.random_models import RandomModel, random_models

MOST_STATES = 400
MOST_INSTANCES = 20_000


def assert_true_where_reached(model: Model, induction: Induction) -> None:
    """Every proved claim, in every state and step of a search that goes on past violations."""
    engine = PlainEngine(model)
    proved = {proof.name for proof in induction.proofs if proof.proved}
    properties = [prop for prop in model.properties if prop.name in proved]
    reached: list[State] = [model.initial]
    known = set(reached)
    asked = 0
    for state in reached:
        for prop in properties:
            if prop.kind is Kind.INVARIANT:
                assert fails(engine, prop.name, state, None, MEANING in proved) is None
        for action in model.actions:
            try:
                for step in engine.instances(action, state):
                    asked += 1
                    assume(asked < MOST_INSTANCES)
                    for prop in properties:
                        if prop.kind is Kind.STEP_INVARIANT:
                            broken = fails(engine, prop.name, state, step.state, MEANING in proved)
                            assert broken is None
                    if step.state not in known:
                        known.add(step.state)
                        reached.append(step.state)
            except EvaluationError:
                assert MEANING not in proved
        assume(len(known) < MOST_STATES)


def fails(
    engine: PlainEngine, name: str, before: State, after: State | None, has_meaning: bool
) -> object:
    try:
        return engine.evaluate(engine.model.property(name), before, after).failing
    except EvaluationError:
        assert not has_meaning
        return None


def assert_examples_are_steps(model: Model, induction: Induction, k: int) -> None:
    """What is shown of a claim that is not proved are steps of the model, and break the claim."""
    engine = PlainEngine(model)
    for proof in induction.proofs:
        if proof.example is None or proof.name == MEANING:
            continue
        trace = walked(engine, proof.example)
        assert len(trace.steps) <= k
        assert breaks(engine, proof.name, trace)


def breaks(engine: PlainEngine, name: str, trace: Trace) -> bool:
    """Whether a claim is false at the end, or has no value for parameters that come before."""
    prop = engine.model.property(name)
    is_step = prop.kind is Kind.STEP_INVARIANT
    states = trace.states[-2:] if is_step else (trace.last, None)
    try:
        return engine.evaluate(prop, *states).failing is not None
    except EvaluationError:
        return True


@pytest.mark.slow
@drawn_daily(50)
@given(text=random_models(), k=st.integers(1, 3), infers=st.booleans())
def test_what_is_proved_is_true(
    text: RandomModel, k: int, infers: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    try:
        model = text.load(tmp_path_factory.mktemp("random"))
        relation = Relation(model)
        helps = list(islice(comparisons(relation), 40)) if infers else []
        induction = prove(relation, k=k, inferred=helps)
    except (ModelError, NotProvable):
        reject()
    assert_true_where_reached(model, induction)
    assert_examples_are_steps(model, induction, k)
