"""The protocol `delivery` beside the tests of your code: `pytest` runs them all."""

from pathlib import Path

from lockstep.language.model import load_model
from lockstep.testing.state_machine import state_machine_for
from lockstep.trace.behaviour import Behaviour
from lockstep.verbs.check import CheckRequest, check
from lockstep.workspace import find_workspace

WORKSPACE = find_workspace(Path(__file__).parent)


def test_every_reachable_state() -> None:
    run = check(CheckRequest(models=("delivery",), workspace=WORKSPACE))
    assert run.exit_code == 0


def test_a_message_that_comes_again_is_answered_again() -> None:
    behaviour = Behaviour("delivery", workspace=WORKSPACE.root)
    for action in ("send", "deliver", "lose_answer", "send", "answer_again", "confirm"):
        behaviour.take(action)
    assert behaviour.refused is None
    assert behaviour.trace.last.delivered == 1


# Hypothesis draws behaviours of as many messages as 31 bits can count.
WIDE = load_model(WORKSPACE.root, "delivery", {"MESSAGES": 2**31 - 1})
TestRandomBehaviours = state_machine_for(WIDE).TestCase
