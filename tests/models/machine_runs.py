"""One fault given to the state machine of its model, for tests that do so on all cores."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from lockstep.cli.faulting import FAULT_SCOPE
from lockstep.explore.plain import PlainEngine
from lockstep.explore.search import Search
from lockstep.language.model import fault_marks, load_model
from lockstep.specs.scopes import load_model_spec
from lockstep.testing.guide import BACKEND
from lockstep.testing.state_machine import Violated, state_machine_for

ROOT = Path(__file__).parents[2]

BEHAVIOURS = 20_000
"""How many behaviours a machine may try before a fault counts as not found."""


@dataclass(frozen=True)
class MachineRun:
    """What a machine that checks but the property named by the fault found.

    `found` is how many steps the violation takes once shrunk, None without one, and `shortest` how
    many the shortest takes that breadth-first search finds. `text` is what the failure prints.
    """

    breaks: str
    shortest: int | None
    found: int | None
    fired: Mapping[str, int]
    text: str


def run_fault(name: str, fault: str) -> MachineRun:
    """Search for the violation with a machine, with Hypothesis's profile as it is loaded here."""
    mark, _ = fault_marks(ROOT, name)[fault]
    spec = load_model_spec(ROOT, name)
    constants = {**spec.scope(mark.scope or FAULT_SCOPE).constants, **mark.constants}
    model = load_model(ROOT, name, constants, fault=fault)
    model = replace(model, properties=(model.property(mark.breaks),))
    violation = Search(PlainEngine(model), deadlock_allowed=spec.deadlock_allowed).run().violation
    shortest = None if violation is None else len(violation.trace.steps)
    machine = state_machine_for(model, deadlock_allowed=spec.deadlock_allowed, fault=fault)
    found, text = None, ""
    try:
        run_state_machine_as_test(
            machine,
            settings=settings(
                backend=BACKEND,
                max_examples=BEHAVIOURS,
                phases=(Phase.generate, Phase.shrink),
                suppress_health_check=list(HealthCheck),
            ),
        )
    except Violated as violated:
        found, text = len(violated.violation.trace.steps), str(violated)
    return MachineRun(mark.breaks, shortest, found, machine.fired(), text)
