"""The state machine of every model: what it finds in the model, and in each of its faults.

Of the models and of the faults, each day has its own few: `tests/day.py`.
"""

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest
from hypothesis import settings

from lockstep.language.notation import Kind
from lockstep.specs.scopes import DEFAULT_SCOPE, load_model_spec
from tests.kafka_models import MODELS, ROOT, kafka_faults, kafka_model
from tests.models.machine_runs import (
    MachineRun,
    run_at_real_widths,
    run_fault,
    run_model,
)

PENDING = {
    (name, prop.name)
    for name in MODELS
    for prop in kafka_model(name).properties
    if prop.kind in (Kind.LEADS_TO, Kind.SOMETIMES)
}
DEEP = ("snapshot_election", "snapshot_fetch", "snapshot_log")
"""Models whose faults take up to twenty steps to show: an exhaustive search finds them, a random
one hardly ever."""
RARE = {
    "leader_discovery": {"lose_refresh"},
    "snapshot_fetch": {
        "answer_fenced",
        "answer_not_leader",
        "damage_chunk",
        "lose_response",
        "receive_damaged",
        "receive_fenced",
        "restart_follower",
    },
    "snapshot_log": {
        "forget_records",
        "forget_rename",
        "forget_truncation",
        "refuse_to_boot",
        "tear",
    },
}
"""Actions that so few behaviours come to that a thousand of them may well have none."""

# What is harmless breaks nothing, and no behaviour that ends breaks liveness or misses a goal.
FAULTS = [
    (name, fault)
    for name in MODELS
    if name not in DEEP
    for fault, mark in kafka_faults(name).items()
    if mark.breaks is not None and (name, mark.breaks) not in PENDING
]
LONG = ("fetch_session_draft", "leader_discovery")
"""Models whose faults take minutes together to find and shrink: left for `make verify`."""
DAYS = 48
"""Of the faults of the others, one in so many is tried on a day: together they take minutes too."""
LEFT_LONG = {("fair_consumption", "pause_of_any_ends_the_wait")}
"""Faults that are found, but by behaviours that Hypothesis hardly shortens."""


@pytest.mark.daily(4)
@pytest.mark.parametrize("name", MODELS)
def test_machine_finds_nothing_wrong(name: str) -> None:
    assert_nothing_wrong(name, 200)


@pytest.mark.verify
@pytest.mark.parametrize("name", MODELS)
def test_machine_takes_every_action(name: str) -> None:
    idle, allowed = assert_nothing_wrong(name, 1_000)
    taken = "every action was taken that the scope does not rule out"
    assert idle - RARE.get(name, set()) == allowed, taken


def assert_nothing_wrong(name: str, behaviours: int) -> tuple[set[str], set[str]]:
    """No behaviour violates anything; which actions none took, and which the scope rules out."""
    profile = settings()
    run = run_model(name, max(behaviours, profile.max_examples), profile.derandomize)
    assert run.text == ""
    idle = {action for action, count in run.fired.items() if count == 0}
    allowed = set(load_model_spec(ROOT, name).scope(DEFAULT_SCOPE).idle)
    assert allowed <= idle, "no action was taken that the scope rules out"
    return idle, allowed


def of_faults(name: str) -> tuple[pytest.MarkDecorator, ...]:
    return (pytest.mark.verify,) if name in LONG else (pytest.mark.daily(DAYS),)


@pytest.mark.parametrize(
    ("name", "fault"), [pytest.param(*case, marks=of_faults(case[0])) for case in FAULTS]
)
def test_machine_finds_and_shrinks(name: str, fault: str) -> None:
    run = run_fault(name, fault)
    assert run.steps is not None, run.text or "no behaviour breaks what the fault says it does"
    assert run.shortest is not None
    if (name, fault) in LEFT_LONG:
        assert run.steps > 2 * run.shortest + 2, "it is shortened: strike it from the list"
        return
    assert run.shortest <= run.steps <= 2 * run.shortest + 2
    (broken,) = run.broken
    assert run.text.startswith(f"{broken} is violated after {run.steps} step")
    assert f'    assert not behaviour.violates("{broken}")' in run.text


@pytest.mark.slow
@pytest.mark.daily(12)
def test_machine_works_at_real_widths() -> None:
    run = alone(500)
    assert run.text == ""
    # Few behaviours come to a session, and fewer on: which ones do is drawn again as texts change.
    assert min(run.fired[name] for name in ("receive_full", "send_incremental", "evict")) > 0


@pytest.mark.slow
@pytest.mark.daily(12)
def test_machine_finds_a_fault_at_real_widths() -> None:
    run = alone(1_000, "leader_epoch_not_cached")
    assert run.steps is not None, run.text or "the fault was not found"


def alone(behaviours: int, fault: str | None = None) -> MachineRun:
    """The run at real widths in a process of its own.

    Hypothesis also draws constants from the text of all modules that a process has loaded: what a
    worker ran before would decide which behaviours there are.
    """
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(run_at_real_widths, behaviours, fault).result()
