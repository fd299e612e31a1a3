"""The graph that is drawn is that of all states, in layers."""

from pathlib import Path

import pytest

from lockstep.language.model import load_model
from lockstep.plain.exploration import Exploration
from lockstep.walk.drawing import TooLarge, draw
from lockstep.walk.nearest import cover

ROOT = Path(__file__).parents[1] / "workspaces" / "turnstile"


def test_every_state_and_step_is_drawn_once() -> None:
    model = load_model(ROOT, "turnstile", {"GATES": ("east",), "CAN_JAM": False})
    drawing = draw(model)
    assert list(drawing.depths) == [0, 1, 2, 3, 4]
    assert list(drawing.places) == [0.0] * 5
    assert drawing.broken == frozenset()
    assert [(edge.source, edge.target, edge.instances) for edge in drawing.edges] == [
        (0, 1, ("coin(g=east)",)),
        (1, 2, ("push(g=east)",)),
        (2, 3, ("coin(g=east)",)),
        (2, 0, ("collect(g=east)",)),
        (3, 4, ("push(g=east)",)),
        (4, 0, ("collect(g=east)",)),
    ]
    assert drawing.number(model.initial) == 0


def test_states_of_a_layer_have_places_of_their_own() -> None:
    drawing = draw(load_model(ROOT, "turnstile"))
    assert len(drawing.places) == 64
    assert len(set(zip(drawing.depths, drawing.places, strict=True))) == 64


def test_what_is_too_large_is_not_drawn() -> None:
    with pytest.raises(TooLarge, match="of up to 10 states is drawn, and this one is not"):
        draw(load_model(ROOT, "turnstile"), most=10)


def test_states_that_violate_an_invariant_are_marked() -> None:
    model = load_model(ROOT, "turnstile", fault="stays_open")
    drawing = draw(model)
    broken = {
        number
        for number, state in enumerate(drawing.space.states)
        if any(state.entries[gate] > state.coins[gate] for gate in ("east", "west"))  # type: ignore[attr-defined]
    }
    assert drawing.broken == broken != set()


def test_coverage_is_that_of_a_search() -> None:
    coverage = cover(load_model(ROOT, "turnstile", {"CAN_JAM": False}), Exploration())
    assert coverage.result.states == 25
    assert coverage.fired["jam"] == 0
    assert coverage.fired["coin"] > 0
    assert coverage.premises == {"entries_are_paid": True, "opens_only_for_a_coin": True}
    assert coverage.goals == {"somebody_gets_in": True}
