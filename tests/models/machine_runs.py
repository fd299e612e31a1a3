"""One run of a model's state machine, and what it found."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from lockstep.language.faults import fault_marks
from lockstep.language.model import Model, load_model
from lockstep.plain.exploration import Exploration
from lockstep.plain.run import PlainEngine
from lockstep.plain.search import Search
from lockstep.specs.scopes import DEFAULT_SCOPE, FAULT_SCOPE, ModelSpec, load_model_spec
from lockstep.testing.guide import BACKEND
from lockstep.testing.state_machine import Violated, state_machine_for

ROOT = Path(__file__).parents[2]

BEHAVIOURS = 20_000
"""How many behaviours a machine may try before a fault counts as not found."""

REAL_WIDTHS: Mapping[str, object] = {
    "FETCHERS": ("consumer", "follower"),
    "FOLLOWERS": ("follower",),
    "PARTITIONS": ("p1", "p2", "p3"),
    "MAX_EPOCH": 2**31 - 1,
    "MAX_OFFSET": 2**63 - 1,
    "MAX_BYTES": 2**31 - 1,
    "MAX_FETCHER_LOG_START": 2**63 - 1,
    "MAX_LEADER_EPOCH": 2**31 - 1,
    "MAX_FETCHED_EPOCH": 2**31 - 1,
}
"""Fetch sessions with offsets of 64 bits and epochs of 32, as Kafka has them."""


@dataclass(frozen=True)
class MachineRun:
    """What a machine found: `broken` properties after so many `steps`, once shrunk.

    `fired` says how often each action was taken, `text` is what the failure prints. `shortest` is
    how many steps breadth-first search needs to break the property that a fault names; None where
    there is no fault, or no violation.
    """

    broken: tuple[str, ...]
    steps: int | None
    fired: Mapping[str, int]
    text: str
    shortest: int | None = None


def run_model(name: str, behaviours: int, derandomize: bool) -> MachineRun:
    """The machine of a model in its default scope."""
    spec = load_model_spec(ROOT, name)
    model = load_model(ROOT, name, spec.scope(DEFAULT_SCOPE).constants)
    return _run(model, spec, None, behaviours, derandomize)


def run_fault(name: str, fault: str) -> MachineRun:
    """The machine of a model with a fault, checking nothing but the property that the fault names.

    Any other violation would count as well, but then it could not be compared with the shortest.
    For the same reason the same behaviours are tried in every run.
    """
    mark, _ = fault_marks(ROOT, name)[fault]
    assert mark.breaks is not None
    spec = load_model_spec(ROOT, name)
    constants = {**spec.scope(mark.scope or FAULT_SCOPE).constants, **mark.constants}
    model = load_model(ROOT, name, constants, fault=fault)
    model = replace(model, properties=(model.property(mark.breaks),))
    run = _run(model, spec, fault, BEHAVIOURS, True)
    violation = (
        Search(PlainEngine(model), Exploration(deadlock_allowed=spec.deadlock_allowed))
        .run()
        .violation
    )
    return replace(run, shortest=None if violation is None else len(violation.trace.steps))


def run_at_real_widths(behaviours: int, fault: str | None = None) -> MachineRun:
    """The machine of fetch sessions where hardly any parameter can be listed; nothing is shrunk."""
    model = load_model(ROOT, "fetch_session", REAL_WIDTHS, fault=fault)
    spec = load_model_spec(ROOT, model.name)
    return _run(model, spec, fault, behaviours, True, shrinks=False)


def _run(
    model: Model,
    spec: ModelSpec,
    fault: str | None,
    behaviours: int,
    derandomize: bool,
    *,
    shrinks: bool = True,
) -> MachineRun:
    machine = state_machine_for(model, deadlock_allowed=spec.deadlock_allowed, fault=fault)
    broken: tuple[str, ...] = ()
    steps, text = None, ""
    try:
        run_state_machine_as_test(
            machine,
            settings=settings(
                backend=BACKEND,
                max_examples=behaviours,
                derandomize=derandomize,
                database=None,
                deadline=None,
                phases=(Phase.generate, Phase.shrink) if shrinks else (Phase.generate,),
                suppress_health_check=list(HealthCheck),
            ),
        )
    except Violated as violated:
        broken, steps = violated.violation.properties, len(violated.violation.trace.steps)
        text = str(violated)
    return MachineRun(broken, steps, machine.fired(), text)
