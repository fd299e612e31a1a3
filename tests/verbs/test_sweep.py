"""A sweep of a model of Kafka's: what it plans, and what comes of it."""

from pathlib import Path
from typing import Any

import pytest

from lockstep.errors import LockstepError
from lockstep.requests.campaign import SweepRequest
from lockstep.requests.search import SPARK
from lockstep.specs.scopes import load_model_spec
from lockstep.verbs.sweep import plan_sweep, sweep
from lockstep.workspace import find_workspace

WORKSPACE = find_workspace(Path(__file__))
SCOPES = load_model_spec(WORKSPACE.root, "snapshot_election").scopes
RESETS = "RESET=always,newer"
"""With each value the constants are those of another scope."""


def asked(*values: str, **options: Any) -> SweepRequest:
    models = ("snapshot_election", *values)
    return SweepRequest(models=models, workspace=WORKSPACE, scope="epochs", **options)


def test_a_check_with_the_constants_of_a_scope_may_have_its_states() -> None:
    plan = plan_sweep(asked(RESETS))
    assert [(task.constants, states) for task, states in plan.tasks] == [
        ({"RESET": "always"}, SCOPES["epochs"].pins.states),
        ({"RESET": "newer"}, SCOPES["newer"].pins.states),
    ]


def test_more_of_anything_may_have_more_states() -> None:
    voters = 'VOTERS=["v1", "v2"],["v1", "v2", "v3"]'
    plan = plan_sweep(asked("MAX_EPOCH=2..4", voters))
    states = {
        (task.constants["MAX_EPOCH"], len(task.constants["VOTERS"])): states or 0
        for task, states in plan.tasks
    }
    assert len(states) == 6
    assert states[2, 3] < states[3, 3] < states[4, 3]
    assert states[4, 2] < states[4, 3]


def test_all_of_a_text_are_the_values_that_the_model_knows() -> None:
    plan = plan_sweep(asked("RESET=all"))
    resets = [task.constants["RESET"] for task, _ in plan.tasks]
    assert resets == ["always", "newer"]


def test_too_many_checks_are_refused() -> None:
    with pytest.raises(LockstepError, match="1,000,000 checks of snapshot_election"):
        plan_sweep(asked("MAX_EPOCH=0..999", "MAX_OFFSET=0..999"))


@pytest.mark.verify
@pytest.mark.parametrize("engine", ["auto", SPARK])
def test_a_sweep_comes_to_what_the_scopes_pin(engine: str, tmp_path: Path) -> None:
    request = asked(
        RESETS,
        engine=engine,
        master="local[2]" if engine == SPARK else None,
        save=tmp_path,
        results=tmp_path / "results.jsonl",
    )
    run = sweep(request)
    pins = [SCOPES["epochs"].pins, SCOPES["newer"].pins]
    assert [(row.states, row.transitions, row.depth) for row in run.results] == [
        (pin.states, pin.transitions, pin.depth) for pin in pins
    ]
    assert (len(run.pending), len(run.kept)) == (0, 0)
