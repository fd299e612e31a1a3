"""Which functions of a mutant are not those of its model."""

from pathlib import Path

import pytest

from lockstep.language.model import load_model, model_names
from lockstep.mutants.difference import difference
from lockstep.mutants.mutant import find_mutant
from lockstep.specs.scopes import DEFAULT_SCOPE, load_model_spec

ROOT = Path(__file__).parents[2]
TURNSTILE = ROOT / "tests" / "workspaces" / "turnstile"


@pytest.mark.daily(3)
@pytest.mark.parametrize("name", model_names(ROOT))
def test_a_model_that_is_loaded_twice_is_the_same(name: str) -> None:
    constants = load_model_spec(ROOT, name).scope(DEFAULT_SCOPE).constants
    first, second = (load_model(ROOT, name, constants) for _ in range(2))
    assert not difference(first, second)


@pytest.mark.parametrize(
    ("mutant", "actions", "guards", "properties"),
    [
        ("push: guard dropped: require(s.arm[g] == Arm.OPEN)", {"push"}, {"push"}, set()),
        ("push: member changed: Arm.LOCKED -> Arm.OPEN", {"push"}, set(), set()),
        (
            "has_room: comparison shifted: s.coins[g] < MAX_COINS -> s.coins[g] <= MAX_COINS",
            {"coin"},
            {"coin"},
            set(),
        ),
    ],
)
def test_only_what_uses_the_changed_text_differs(
    mutant: str, actions: set[str], guards: set[str], properties: set[str]
) -> None:
    model = load_model(TURNSTILE, "turnstile")
    change = find_mutant(model, f"turnstile.{mutant}").change
    changes = difference(model, load_model(TURNSTILE, "turnstile", change=change))
    assert {model.actions[number].name for number in changes.actions} == actions
    assert {model.actions[number].name for number in changes.guards} == guards
    assert {model.properties[number].name for number in changes.properties} == properties
    assert not changes.is_whole
