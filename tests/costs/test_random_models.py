"""Random models: both engines count the same, and so does the oracle on the plain graph."""

import random
import tempfile
from dataclasses import replace
from pathlib import Path

from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from lockstep.costs.scenario import ScenarioCost, costs_of
from lockstep.explore.engines import explore
from lockstep.language.model import Model
from lockstep.language.notation import Kind
from lockstep.plain.exploration import Bounds, Exploration
from lockstep.plain.graph import Limits, build_graph
from lockstep.plain.run import PlainEngine
from lockstep.results.verdict import Verdict
from lockstep.specs.costs import Scenario
from tests.costs.routes import costs
from tests.random_models.random_models import RandomModel, random_models

MOST_STATES = 60
SMALL = Exploration("python", Bounds(max_states=MOST_STATES))
LIMITS = Limits(MOST_STATES)


@settings(max_examples=40)
@given(random_models(), st.randoms(use_true_random=False))
def test_both_engines_and_the_oracle_agree(text: RandomModel, chance: random.Random) -> None:
    with tempfile.TemporaryDirectory() as folder:
        model = text.load(Path(folder))
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
            {"steps": tuple(chance.sample(actions, 1 + len(actions) // 2))},
        )
        (plain,) = costs_of(model, [scenario], LIMITS, SMALL)
        (machine,) = costs_of(model, [scenario], LIMITS, Exploration("auto"))
        assert numbers(plain) == numbers(machine) == by_the_oracle(model, scenario)
        event(str(numbers(plain)))


def numbers(cost: ScenarioCost) -> tuple[int | None, int | None] | None:
    assert cost.unknown == ""
    assert bool(cost.never) != bool(cost.counts)
    for count in cost.counts:
        return count.fewest.number, count.most.number
    return None


def by_the_oracle(model: Model, scenario: Scenario) -> tuple[int, int | None] | None:
    graph, engine = build_graph(model, LIMITS), PlainEngine(model)

    def marks(name: str) -> list[bool]:
        goal = model.property(name)
        return [engine.evaluate(goal, state, None).failing is None for state in graph.states]

    return costs(
        graph,
        None if scenario.begin is None else marks(scenario.begin),
        marks(scenario.goal),
        lambda edge: graph.step(edge).action not in scenario.without,
        lambda edge: int(graph.step(edge).action in scenario.counts["steps"]),
    )
