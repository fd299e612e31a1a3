"""The state machine of every model: what it says of the model, and of each of its faults."""

import multiprocessing
import os
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from lockstep.language.model import fault_marks, load_model, model_names
from lockstep.specs.scopes import DEFAULT_SCOPE, load_model_spec
from lockstep.testing.state_machine import state_machine_for
from tests.models.machine_runs import ROOT, MachineRun, run_fault

MODELS = model_names(ROOT)
FAULTS = [(name, fault) for name in MODELS for fault in fault_marks(ROOT, name)]


@pytest.fixture(scope="module")
def runs() -> Iterator[dict[tuple[str, str], Future[MachineRun]]]:
    """A run of each fault, all begun at once and spread over the cores."""
    context = multiprocessing.get_context("spawn")
    profile = os.environ.get("LOCKSTEP_PROFILE", "ci")
    with ProcessPoolExecutor(
        mp_context=context, initializer=settings.load_profile, initargs=(profile,)
    ) as pool:
        yield {fault: pool.submit(run_fault, *fault) for fault in FAULTS}
        pool.shutdown(cancel_futures=True)


@pytest.mark.parametrize("name", MODELS)
def test_machine_finds_nothing_wrong(name: str) -> None:
    spec = load_model_spec(ROOT, name)
    scope = spec.scope(DEFAULT_SCOPE)
    machine = state_machine_for(
        load_model(ROOT, name, scope.constants), deadlock_allowed=spec.deadlock_allowed
    )
    behaviours = max(1_000, settings().max_examples)
    run_state_machine_as_test(
        machine, settings=settings(machine.TestCase.settings, max_examples=behaviours)
    )
    idle = {action for action, count in machine.fired().items() if count == 0}
    assert idle == set(scope.idle), "every action was taken that the scope does not rule out"


@pytest.mark.parametrize(("name", "fault"), FAULTS)
def test_machine_finds_and_shrinks(
    name: str, fault: str, runs: dict[tuple[str, str], Future[MachineRun]]
) -> None:
    run = runs[name, fault].result()
    assert run.found is not None, f"no behaviour breaks {run.breaks}"
    assert run.shortest is not None
    assert run.shortest <= run.found <= 2 * run.shortest + 2
    assert run.text.startswith(f"{run.breaks} is violated after {run.found} step")
    assert f'    assert not behaviour.violates("{run.breaks}")' in run.text
