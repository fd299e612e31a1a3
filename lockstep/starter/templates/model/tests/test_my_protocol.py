"""The protocol `my_protocol` beside the tests of your code: `pytest` runs them all."""

from pathlib import Path

from lockstep.trace.behaviour import Behaviour
from lockstep.verbs.check import CheckRequest, check
from lockstep.workspace import find_workspace

WORKSPACE = find_workspace(Path(__file__).parent)


def test_every_reachable_state() -> None:
    run = check(CheckRequest(models=("my_protocol",), workspace=WORKSPACE))
    assert run.exit_code == 0


def test_a_request_is_answered() -> None:
    behaviour = Behaviour("my_protocol", workspace=WORKSPACE.root)
    behaviour.take("request")
    behaviour.take("answer")
    assert behaviour.refused is None
    assert behaviour.trace.last.answered == 1
