from pathlib import Path

import pytest

from lockstep.errors import LockstepError
from lockstep.results.search_result import EvaluationError
from lockstep.trace.behaviour import Behaviour

ROOT = Path(__file__).parents[1] / "workspaces" / "turnstile"


def turnstile(fault: str | None = None) -> Behaviour:
    return Behaviour("turnstile", constants={"GATES": ("east",)}, fault=fault, workspace=ROOT)


def test_a_behaviour_violates_where_it_ends() -> None:
    behaviour = turnstile("stays_open")
    behaviour.take("coin", g="east")
    behaviour.take("push", g="east")
    assert not behaviour.violates("entries_are_paid")
    assert not behaviour.violates("deadlock")
    behaviour.take("push", g="east")
    assert behaviour.violates("entries_are_paid")
    assert not behaviour.violates("opens_only_for_a_coin")
    assert behaviour.violates("deadlock"), "the arm stays open, and nobody may push any more"
    assert len(behaviour.trace.steps) == 3


def test_a_step_invariant_is_about_the_last_step() -> None:
    behaviour = turnstile("kicked_open")
    assert not behaviour.violates("opens_only_for_a_coin")
    behaviour.take("kicked_open", g="east")
    assert behaviour.violates("opens_only_for_a_coin")


def test_a_step_that_is_refused_ends_it_and_violates_nothing() -> None:
    behaviour = turnstile()
    behaviour.take("push", g="east")
    behaviour.take("coin", g="east")
    assert behaviour.refused == "push"
    assert behaviour.why_refused is not None
    assert "push(g=east) is not enabled" in behaviour.why_refused
    assert "s.arm[g] == Arm.OPEN" in behaviour.why_refused
    assert repr(behaviour) == f"<Behaviour of turnstile: {behaviour.why_refused}>"
    assert behaviour.trace.steps == ()
    assert not behaviour.violates("entries_are_paid")


def test_parameters_are_values_of_the_model() -> None:
    behaviour = Behaviour("letters", constants={"SACK": 1}, workspace=ROOT)
    letter = behaviour.named("models.letters.Letter")(to="ann", urgent=False)
    behaviour.take("write", letter=letter)
    behaviour.take("pick", letter=letter)
    behaviour.take("deliver", letter=letter)
    assert behaviour.refused is behaviour.why_refused is None
    assert repr(behaviour) == "<Behaviour of letters: 3 steps>"
    assert behaviour.violates("deadlock")


def test_wrong_names_are_errors_and_never_pass() -> None:
    behaviour = turnstile()
    with pytest.raises(LockstepError, match="turnstile has no action 'pay'"):
        behaviour.take("pay", g="east")
    with pytest.raises(LockstepError, match="coin is given nothing"):
        behaviour.take("coin")
    with pytest.raises(LockstepError, match="coin cannot be given g = 'north' is not in"):
        behaviour.take("coin", g="north")
    for place in ("models.turnstile.Door", "models.turnstile.coin", "models.door.Arm", "Arm"):
        with pytest.raises(LockstepError, match=f"turnstile has no type '{place}'"):
            behaviour.named(place)
    with pytest.raises(LockstepError, match="turnstile has no property 'paid'"):
        behaviour.violates("paid")
    with pytest.raises(LockstepError, match="somebody_gets_in is a goal"):
        behaviour.violates("somebody_gets_in")
    with pytest.raises(LockstepError, match="there is no model 'gate'"):
        Behaviour("gate", workspace=ROOT)


def test_text_without_meaning_fails_the_test() -> None:
    behaviour = turnstile("stays_open")
    behaviour.take("coin", g="east")
    behaviour.take("push", g="east")
    behaviour.take("push", g="east")
    behaviour.take("push", g="east")
    assert behaviour.refused == "push"
    unbound = Behaviour("letters", constants={"SACK": 3}, workspace=ROOT)
    letter = unbound.named("models.letters.Letter")(to="ann", urgent=False)
    for _ in range(3):
        unbound.take("write", letter=letter)
    for action in ("pick", "deliver", "pick", "deliver", "pick"):
        unbound.take(action, letter=letter)
    with pytest.raises(EvaluationError, match="box"):
        unbound.take("deliver", letter=letter)
