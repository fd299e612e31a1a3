"""Steps are taken, taken back and taken again as plain Python has them."""

import shutil
from collections.abc import Sequence
from math import prod
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lockstep.errors import LockstepError
from lockstep.language.model import Model, load_model
from lockstep.language.source import ModelError
from lockstep.plain.exploration import Bounds, Exploration
from lockstep.plain.run import PlainEngine
from lockstep.results.search_result import EvaluationError
from lockstep.results.trace import Step
from lockstep.trace.layout import show
from lockstep.walk.drawing import draw
from lockstep.walk.nearest import cover
from lockstep.walk.refusals import Standing
from lockstep.walk.walk import ActionHere, NotTaken, Walk
from tests.random_models.random_models import RandomModel, random_models

ROOT = Path(__file__).parents[1] / "workspaces" / "turnstile"
EXAMPLES = 40


@pytest.fixture
def walk() -> Walk:
    return Walk(load_model(ROOT, "turnstile"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("random")


def loaded(text: RandomModel, folder: Path) -> Walk | None:
    """A walk of a random model; None where its text is refused."""
    try:
        return Walk(text.load(folder))
    except ModelError:
        return None


def successors(model: Model, walk: Walk) -> list[Step] | None:
    """The engine's own steps from where a walk stands; None where the text has no meaning."""
    try:
        return list(PlainEngine(model).successors(walk.here))
    except EvaluationError:
        return None


@settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
@given(text=random_models(), data=st.data())
def test_enabled_instances_are_the_successors_and_names_round_trip(
    folder: Path, text: RandomModel, data: st.DataObject
) -> None:
    walk = loaded(text, folder)
    if walk is None:
        return
    for _ in range(4):
        here, before = walk.here, walk.position
        actions = walk.actions()
        expected = successors(walk.model, walk)
        assert (expected is None) == any(action.error for action in actions)
        steps = {name: step for action in actions for name, step in action.steps.items()}
        assert len(steps) == sum(len(action.steps) for action in actions)
        if expected is not None:
            assert list(steps.values()) == expected
            assert_refusals_are_the_rest(walk, actions)
        if not steps:
            break
        name = data.draw(st.sampled_from(sorted(steps)))
        assert walk.take(name) == steps[name]
        assert (walk.here, walk.position) == (steps[name].state, before + 1)
        walk.back()
        assert (walk.here, walk.position) == (here, before)
        walk.forward()
        assert walk.here == steps[name].state
    again = Walk(walk.model)
    again.go(walk.names, walk.position)
    assert (again.trace, again.names) == (walk.trace, walk.names)
    assert again.names_of(walk.trace) == walk.names


def assert_refusals_are_the_rest(walk: Walk, actions: Sequence[ActionHere]) -> None:
    """Each instance is either enabled or stopped by a guard."""
    for here in actions:
        refusals = walk.refusals(here.action.name)
        if not refusals.is_cut:
            every = prod(parameter.domain.size() for parameter in here.action.parameters)
            assert refusals.enabled == len(here.steps)
            assert sum(refusal.instances for refusal in refusals.refusals) == every - len(
                here.steps
            )


@settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
@given(text=random_models(risky=False))
def test_properties_say_what_the_engine_says(folder: Path, text: RandomModel) -> None:
    walk = loaded(text, folder)
    if walk is None:
        return
    engine = PlainEngine(walk.model)
    for prop in walk.properties():
        if prop.kind is not None and prop.standing in (Standing.TRUE, Standing.FALSE):
            stated = walk.model.property(prop.name)
            fails = engine.evaluate(stated, walk.here, None).failing is not None
            assert (prop.standing is Standing.FALSE) == fails


def test_a_step_in_another_direction_forgets_what_was_taken_back(walk: Walk) -> None:
    walk.go(["coin(g=east)", "push(g=east)", "coin(g=west)"], 1)
    assert (walk.position, len(walk.names)) == (1, 3)
    walk.forward()
    assert walk.trace.steps[-1].action == "push"
    walk.take("jam(g=west)")
    assert walk.names == ("coin(g=east)", "push(g=east)", "jam(g=west)")
    walk.forward()
    assert walk.position == 3


def test_a_walk_that_cannot_be_taken_ends_before_the_step(walk: Walk) -> None:
    with pytest.raises(NotTaken, match=r"step 2: coin\(g=east\) is not enabled"):
        walk.go(["coin(g=east)", "coin(g=east)", "push(g=east)"])
    assert walk.names == ("coin(g=east)",)
    with pytest.raises(NotTaken, match=r"step 1: .* no action 'coins'\n.*did you mean coin\?"):
        walk.go(["coins(g=east)"])
    assert (walk.position, walk.here) == (0, walk.model.initial)


def test_why_an_action_is_not_enabled(walk: Walk) -> None:
    walk.take("coin(g=east)")
    refusals = walk.refusals("push")
    assert refusals.enabled == 1
    (refusal,) = refusals.refusals
    assert (refusal.text, refusal.binding) == ("s.arm[g] == Arm.OPEN", "g=west")
    assert refusal.conjunct is not None
    assert [f"{name}={value.name}" for name, value in refusal.conjunct.values.items()] == [  # type: ignore[attr-defined]
        "s.arm[g]=LOCKED"
    ]
    with pytest.raises(NotTaken, match="no action"):
        walk.refusals("pull")


def test_what_is_broken_and_which_premise_is_true() -> None:
    walk = Walk(load_model(ROOT, "turnstile", fault="stays_open"))
    walk.go(["coin(g=east)", "push(g=east)", "push(g=east)"])
    properties = {prop.name: prop for prop in walk.properties()}
    broken = properties["entries_are_paid"]
    assert (broken.standing, broken.binding) == (Standing.FALSE, "g=east")
    assert broken.conjunct is not None
    assert broken.conjunct.text == "s.entries[g] <= s.coins[g]"
    assert properties["opens_only_for_a_coin"].standing is Standing.SILENT
    assert properties["somebody_gets_in"].standing is Standing.REACHED
    walk.go(["coin(g=east)"])
    assert {prop.name: prop.standing for prop in walk.properties()} == {
        "entries_are_paid": Standing.TRUE,
        "opens_only_for_a_coin": Standing.TRUE,
        "somebody_gets_in": Standing.NOT_HERE,
        "deadlock": Standing.TRUE,
    }


def test_a_jump_goes_by_a_shortest_way(walk: Walk) -> None:
    walk.take("jam(g=west)")
    nearest = walk.jump("s.entries['east'] == 1")
    assert nearest.steps is not None
    assert walk.names == ("jam(g=west)", "coin(g=east)", "push(g=east)")
    assert walk.jump("s.entries['east'] == 1").because == "true here already"
    away = walk.jump("s.entries['east'] > s.coins['east']")
    assert (away.steps, len(walk.names)) == (None, 3)
    assert "false in every state from here on" in away.because


def test_every_state_is_as_near_as_it_is_deep() -> None:
    walk = Walk(load_model(ROOT, "turnstile", {"CAN_JAM": False}))
    drawing = draw(walk.model)
    for state, depth in zip(drawing.space.states, drawing.depths, strict=True):
        values = (
            f"s.{name}[{gate!r}] == {'Arm.' * (name == 'arm')}{show(value)}"
            for name in state.fields
            for gate, value in getattr(state, name).items()
        )
        walk.go([])
        nearest = walk.jump(" and ".join(values))
        assert (walk.here, walk.position) == (state, depth)
        assert len(nearest.steps or ()) == depth


def test_a_jump_ends_at_its_bound(walk: Walk) -> None:
    nearest = walk.jump("s.entries['east'] == 2", Bounds(max_states=3))
    assert nearest.steps is None
    assert "stopped as bounded" in nearest.because


def test_where_the_text_has_no_meaning_the_rest_is_reported(tmp_path: Path) -> None:
    root = shutil.copytree(ROOT, tmp_path / "turnstile")
    file = root / "models" / "turnstile.py"
    file.write_text(file.read_text().replace(" and has_room(s, g)", ""))
    walk = Walk(load_model(root, "turnstile"))
    walk.go(["coin(g=west)", "push(g=west)"] * 2)
    coin = walk.actions()[0]
    assert list(coin.steps) == ["coin(g=east)"]
    assert coin.error is not None
    assert coin.error.seen_from(root).startswith("models/turnstile.py:37: coin: ")
    walk.take("coin(g=east)")
    with pytest.raises(NotTaken, match="has no meaning there"):
        walk.take("coin(g=west)")
    assert walk.properties()[-1].standing is Standing.ERROR
    coverage = cover(walk.model, Exploration())
    assert coverage.result.error_trace is not None
    walk.go(walk.names_of(coverage.result.error_trace))
    assert walk.position == 4


def test_looking_at_a_state_is_bounded() -> None:
    walk = Walk(load_model(ROOT, "turnstile"), seconds=0.0)
    with pytest.raises(LockstepError, match="takes more than 0 s"):
        walk.actions()
