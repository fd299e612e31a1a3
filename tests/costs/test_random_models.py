"""Random models: both engines count the same, and so does the oracle on the plain graph."""

import random
import tempfile
from dataclasses import replace
from pathlib import Path

from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

from lockstep.costs.scenario import ScenarioCost, costs_of
from lockstep.explore.engines import explore
from lockstep.language.model import Model, Property
from lockstep.language.notation import Kind, State
from lockstep.plain.exploration import Bounds, Exploration
from lockstep.plain.run import PlainEngine
from lockstep.plain.space import Limits, build_space
from lockstep.results.search_result import EvaluationError
from lockstep.results.verdict import Verdict
from lockstep.specs.costs import Scenario
from tests.costs.routes import Costs, costs
from tests.random_models.random_models import RandomModel, random_models

MOST_STATES = 60
SMALL = Exploration("python", Bounds(max_states=MOST_STATES))
LIMITS = Limits(MOST_STATES)


@settings(max_examples=40, suppress_health_check=[HealthCheck.filter_too_much])
@given(random_models(), st.randoms(use_true_random=False))
def test_both_engines_and_the_oracle_agree(text: RandomModel, chance: random.Random) -> None:
    with tempfile.TemporaryDirectory() as folder:
        model = text.accepted(Path(folder))
        goals = [prop.name for prop in model.of_kind(Kind.SOMETIMES)]
        bare = replace(model, properties=())  # a search that ends early says nothing of the rest
        assume(goals and explore(bare, SMALL).verdict is Verdict.HOLDS)
        actions = [action.name for action in model.actions]
        scenario = Scenario(
            "way",
            "",
            chance.choice([None, *goals]),
            chance.choice(goals),
            tuple(chance.sample(actions, len(actions) // 3)),
            {"steps": tuple(chance.sample(actions, 1 + len(actions) // 2)), "size": "size"},
        )
        measure = Property("size", Kind.MEASURE, size, (), (), "")
        goal = model.lowered.properties[model.property(goals[0])]
        model.lowered.properties[measure] = goal  # the function is none of the notation
        model = replace(model, measures=(measure,))
        (plain,) = costs_of(model, [scenario], LIMITS, SMALL)
        (machine,) = costs_of(model, [scenario], LIMITS, Exploration("auto"))
        try:
            expected = by_the_oracle(model, scenario)
        except EvaluationError:
            assert plain.unknown == machine.unknown
            assert "has no value in" in plain.unknown
            return
        assert numbers(plain) == numbers(machine) == expected
        event("reached" if plain.counts else "not reached")


def size(s: State, new: State) -> int:
    """Some small number that depends on both states."""
    return max(0, len(repr(new)) % 5 - len(repr(s)) % 3)


def numbers(cost: ScenarioCost) -> list[Costs]:
    assert cost.unknown == ""
    assert bool(cost.never) != bool(cost.counts)
    if cost.never:
        return [None, None]
    numbers: list[Costs] = []
    for count in cost.counts:
        assert count.fewest.number is not None
        numbers.append((count.fewest.number, count.most.number))
    return numbers


def by_the_oracle(model: Model, scenario: Scenario) -> list[Costs]:
    """The numbers of actions, and of the measure."""
    space, engine = build_space(model, LIMITS), PlainEngine(model)

    def marks(name: str) -> list[bool]:
        goal = model.property(name)
        return [engine.evaluate(goal, state, None).failing is None for state in space.states]

    begins = None if scenario.begin is None else marks(scenario.begin)
    steps = [space.step(edge) for edge in range(len(space.targets))]
    usable = [step.action not in scenario.without for step in steps]
    counted = [int(step.action in scenario.counts["steps"]) for step in steps]
    sizes = [size(space.states[space.source(n)], step.state) for n, step in enumerate(steps)]
    ends = marks(scenario.goal)
    return [costs(space, begins, ends, usable, weights) for weights in (counted, sizes)]
