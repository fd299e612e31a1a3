from __future__ import annotations

from pathlib import Path

import pytest

from lockstep.errors import LockstepError
from lockstep.language.model import Model, load_model
from lockstep.language.notation import State
from lockstep.twin.findings import INITIAL_LABEL, TraceStep
from lockstep.twin.names import (
    Foreign,
    StateReader,
    encode,
    render_tlc_trace,
    twin_changes,
    variable_name,
)
from lockstep.twin.tla_parser import TlaFunction, TlaValue

ROOT = Path(__file__).parents[1] / "workspaces" / "turnstile"


@pytest.fixture(scope="module")
def model() -> Model:
    return load_model(ROOT, "turnstile", {"GATES": ("east",)})


def _values(model: Model, **changed: TlaValue) -> dict[str, TlaValue]:
    initial = {
        variable_name(name): encode(domain, getattr(model.initial, name))
        for name, domain in model.variables.items()
    }
    return initial | changed


def test_a_state_is_read(model: Model) -> None:
    assert StateReader(model).read(_values(model)) == model.initial


def test_a_value_outside_its_domain_makes_a_state_foreign(model: Model) -> None:
    values = _values(model, coins=TlaFunction({"east": 3}))
    read = StateReader(model).read(values)
    assert isinstance(read, Foreign)
    assert read.problem.startswith("coins: 3 is not in ")
    assert list(twin_changes(model.initial, read)) == [
        f"which is no state of the model: {read.problem}",
        "coins: [east |-> 0] -> [east |-> 3]",
    ]


def test_foreign_states_are_distinguished(model: Model) -> None:
    reader = StateReader(model)
    three, four = (reader.read(_values(model, coins=TlaFunction({"east": n}))) for n in (3, 4))
    assert three != four
    assert len({three, four, reader.read(_values(model, coins=TlaFunction({"east": 3})))}) == 2


def test_other_variables_are_named(model: Model) -> None:
    values = _values(model)
    values["money"] = values.pop("coins")
    with pytest.raises(LockstepError, match="coins is missing, money is not one of them"):
        StateReader(model).read(values)


def test_changes_to_a_state_of_the_model(model: Model) -> None:
    after = StateReader(model).read(_values(model, arm=TlaFunction({"east": "OPEN"})))
    assert isinstance(after, State)
    assert list(twin_changes(model.initial, after)) == ["arm[east]: LOCKED -> OPEN"]


def test_a_trace_is_reported_step_by_step(model: Model) -> None:
    opened = _values(model, arm=TlaFunction({"east": "OPEN"}), coins=TlaFunction({"east": 1}))
    trace = [
        TraceStep(INITIAL_LABEL, _values(model)),
        TraceStep("Coin", opened),
        TraceStep("Shake", opened),
        TraceStep("Push", {**opened, "coins": TlaFunction({"east": 9})}),
    ]
    lines = list(render_tlc_trace(model, trace))
    reported = lines[next(i for i, line in enumerate(lines) if line.endswith("coin")) :]
    assert [line.strip() for line in reported[:5]] == [
        "1  coin",
        "arm[east]: LOCKED -> OPEN",
        "coins[east]: 0 -> 1",
        "2  Shake",
        "nothing changes",
    ]
    assert reported[5] == "3  push"
    assert "9 is not in" in reported[6]
