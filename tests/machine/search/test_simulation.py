"""Random behaviours: reproducible, honest about what they did not see, and of the model."""

import re
from pathlib import Path

import pytest

from lockstep.explore.engines import explore, simulate
from lockstep.language.model import Model, load_model
from lockstep.plain.exploration import Bounds, Exploration, Walks
from lockstep.plain.run import PlainEngine
from lockstep.results.verdict import Verdict

ROOT = Path(__file__).parents[3]
TURNSTILE = ROOT / "tests" / "workspaces" / "turnstile"


@pytest.fixture(scope="module")
def model() -> Model:
    return load_model(ROOT, "session_cache")


def test_the_same_seed_takes_the_same_walks_whatever_the_threads(model: Model) -> None:
    one = simulate(model, Walks(300, steps=40, seed=5), Exploration(threads=1))
    four = simulate(model, Walks(300, steps=40, seed=5), Exploration(threads=4))
    other = simulate(model, Walks(300, steps=40, seed=6), Exploration(threads=1))
    assert (one.states, one.transitions, one.fired) == (four.states, four.transitions, four.fired)
    assert one.fired != other.fired
    assert one.because == four.because


def test_what_was_seen_is_part_of_what_there_is(model: Model) -> None:
    whole = explore(model, Exploration("compiled"))
    some = simulate(model, Walks(400, steps=30))
    assert some.verdict is Verdict.INCONCLUSIVE
    assert "400 random behaviours of up to 30 steps (seed 0)" in some.because
    assert 1000 < some.states < whole.states
    assert some.transitions == sum(some.fired.values()) == 400 * 30
    assert some.applied <= whole.applied
    assert some.depth == 30


def test_few_states_are_all_seen() -> None:
    turnstile = load_model(TURNSTILE, "turnstile", {"GATES": ("east",)})
    whole = explore(turnstile, Exploration("python"))
    walked = simulate(turnstile, Walks(500, steps=60))
    assert walked.states == whole.states
    assert walked.reached == whole.reached
    assert {name for name, count in walked.fired.items() if count} == {
        name for name, count in whole.fired.items() if count
    }


@pytest.mark.parametrize("fault", ["stays_open", "kicked_open"])
def test_a_violation_is_a_behaviour_of_the_model(fault: str) -> None:
    broken = load_model(TURNSTILE, "turnstile", fault=fault)
    results = [
        simulate(broken, Walks(2000, seed=3), Exploration(threads=threads)) for threads in (1, 3)
    ]
    violation = results[0].violation
    assert violation is not None
    assert results[1].violation == violation
    plain = PlainEngine(broken)
    for before, step in zip(violation.trace.states, violation.trace.steps, strict=False):
        action = broken.action(step.action)
        assert plain.run(action, before, step.parameters) == step.state


def test_a_deadlock_ends_a_walk() -> None:
    letters = load_model(TURNSTILE, "letters", {"SACK": 1})
    assert simulate(letters, Walks(50)).violation is None
    violation = simulate(letters, Walks(50), Exploration(deadlock_allowed=False)).violation
    assert violation is not None
    assert violation.properties == ("deadlock",)


def test_time_is_bounded(model: Model) -> None:
    result = simulate(model, Walks(10**9), Exploration(bounds=Bounds(max_seconds=0.2)))
    assert result.verdict is Verdict.INCONCLUSIVE
    assert re.match(r"stopped after \d s as bounded: \d+ random behaviours", result.because)
