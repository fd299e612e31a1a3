from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from lockstep.errors import LockstepError
from lockstep.language.model import DEADLOCK, Model, load_model
from lockstep.plain.run import PlainEngine
from lockstep.results.search_result import EvaluationError
from lockstep.testing.guide import BACKEND
from lockstep.testing.state_machine import ModelMachine, Violated, state_machine_for

TURNSTILE = Path(__file__).parents[1] / "workspaces" / "turnstile"
ALL = 2**63 - 1

LOCK = """
from lockstep import Constant, OneOf, Range, State, action, require

DIGITS: Constant = (3, 1, 4, 1, 5, 9, 2, 6, 5, 3)
WEAR: Constant = 0

class Lock(State):
    right: Range(0, len(DIGITS)) = 0

@action
def dial(s, new, digit: OneOf((0, 1, 2, 3, 4, 5, 6, 7, 8, 9))):
    require(s.right < len(DIGITS))
    new.right = s.right + 1 if digit == DIGITS[s.right] else 0

@action
def lock_again(s, new):
    require(s.right == len(DIGITS))
    new.right = 0
"""
STAYS_SHUT = """
from lockstep import invariant
from models.lock import DIGITS

@invariant("1")
def stays_shut(s):
    return s.right < len(DIGITS)
"""
LEDGER = """
from lockstep import Constant, Map, OneOf, Range, State, action, require

MAX: Constant = 9
SLIPS: Constant = False
Account = OneOf(("a", "b"))
Amount = Range(0, MAX)

class Ledger(State):
    owed: Map[Account, Amount] = {x: 0 for x in Account}
    paid: Map[Account, Amount] = {x: 0 for x in Account}

@action
def lend(s, new, x: Account, to: Amount):
    require(s.owed[x] == 0)
    require(to > 0)
    new.owed[x] = to

@action
def pay(s, new, x: Account, to: Amount):
    require(s.paid[x] < to)
    require(to <= s.owed[x] or (SLIPS and s.owed[x] > 1_000 and to == s.owed[x] + 1))
    new.paid[x] = to

@action
def forgive(s, new, x: Account):
    require(s.owed[x] > 0)
    new.owed[x] = 0
    new.paid[x] = 0
"""
NEVER_OVERPAID = """
from lockstep import invariant
from models.ledger import Account

@invariant("1")
def never_overpaid(s, x: Account):
    return s.paid[x] <= s.owed[x]
"""


def written(folder: Path, name: str, model: str, invariants: str, **constants: object) -> Model:
    for kind, text in (("models", model), ("invariants", invariants)):
        (folder / kind).mkdir()
        (folder / kind / f"{name}.py").write_text(text, encoding="utf-8")
    return load_model(folder, name, constants)


def run(machine: type[ModelMachine], behaviours: int = 200, backend: str = BACKEND) -> None:
    profile = settings(
        max_examples=behaviours,
        backend=backend,
        database=None,
        derandomize=True,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(machine, settings=profile)


def violated(machine: type[ModelMachine], **options: object) -> Violated:
    with pytest.raises(Violated) as caught:
        run(machine, **options)  # type: ignore[arg-type]
    return caught.value


def turnstile(fault: str | None = None) -> type[ModelMachine]:
    return state_machine_for(load_model(TURNSTILE, "turnstile", fault=fault), fault=fault)


@pytest.mark.parametrize("backend", [BACKEND, "hypothesis"])
def test_a_model_without_a_fault_passes(backend: str) -> None:
    machine = turnstile()
    run(machine, backend=backend)
    assert all(machine.fired().values())


@pytest.mark.parametrize("backend", [BACKEND, "hypothesis"])
@pytest.mark.parametrize(
    ("fault", "broken", "steps"),
    [("stays_open", "entries_are_paid", 3), ("kicked_open", "opens_only_for_a_coin", 1)],
)
def test_a_fault_is_found_and_shrunk(backend: str, fault: str, broken: str, steps: int) -> None:
    failure = violated(turnstile(fault), backend=backend)
    violation, model = failure.violation, failure.model
    assert violation.properties == (broken,)
    assert violation.parameters == ("east",)
    assert len(violation.trace.steps) == steps
    for before, step in zip(violation.trace.states, violation.trace.steps, strict=False):
        action = model.action(step.action)
        assert PlainEngine(model).run(action, before, step.parameters) == step.state


def test_a_failure_prints_its_steps_and_a_test_to_paste(monkeypatch: pytest.MonkeyPatch) -> None:
    failure = violated(turnstile("stays_open"))
    assert failure.__notes__[1:4] == [
        "state = TurnstileMachine()",
        "state.take(step=coin(g=east))",
        "state.take(step=push(g=east))",
    ]
    first, blank, program = str(failure).split("\n", 2)
    assert first == "entries_are_paid is violated after 3 steps, for g=east"
    assert blank == ""
    assert '        fault="stays_open")\n' in program
    monkeypatch.chdir(TURNSTILE)
    scope: dict[str, object] = {}
    exec(compile(program, "pasted", "exec"), scope)
    pasted = scope["test_turnstile_keeps_entries_are_paid"]
    assert callable(pasted)
    with pytest.raises(AssertionError):
        pasted()


def test_everything_that_fails_at_the_same_step_is_named(tmp_path: Path) -> None:
    both = STAYS_SHUT + STAYS_SHUT[STAYS_SHUT.index("@") :].replace("stays", "remains")
    failure = violated(state_machine_for(written(tmp_path, "lock", LOCK, both, DIGITS=(7,))))
    assert failure.violation.properties == ("stays_shut", "remains_shut")
    assert str(failure).startswith("stays_shut is violated after 1 step; and with it: remains_shut")


def test_the_machine_runs_as_a_unittest_in_the_profile_that_is_loaded() -> None:
    case = turnstile("kicked_open").TestCase
    assert case.settings.backend == BACKEND
    assert case.settings.derandomize is settings().derandomize
    assert case.settings.deadline is None
    with pytest.raises(Violated):
        case("runTest").debug()


def test_the_initial_state_is_checked(tmp_path: Path) -> None:
    wrong = STAYS_SHUT.replace("s.right <", "s.right >")
    failure = violated(state_machine_for(written(tmp_path, "lock", LOCK, wrong)))
    assert failure.violation.trace.steps == ()
    assert str(failure).startswith("stays_shut is violated after 0 steps\n")


def test_a_deadlock_is_found_unless_it_is_allowed() -> None:
    model = load_model(TURNSTILE, "letters", {"SACK": 1})
    failure = violated(state_machine_for(model))
    assert failure.violation.properties == (DEADLOCK,)
    assert len(failure.violation.trace.steps) == 3
    assert 'assert not behaviour.violates("deadlock")' in str(failure)
    machine = state_machine_for(model, deadlock_allowed=True)
    run(machine)
    run(machine, backend="hypothesis")
    assert all(machine.fired().values())


def test_text_without_meaning_is_an_error_with_its_behaviour(tmp_path: Path) -> None:
    overflows = LOCK.replace("s.right + 1 if", "s.right + 5 if")
    machine = state_machine_for(written(tmp_path, "lock", overflows, "", DIGITS=(7, 7, 7)))
    with pytest.raises(EvaluationError, match=r"dial: right = 5 is not in 0\.\.3") as caught:
        run(machine)
    assert "It happens after these steps:" in "\n".join(caught.value.__notes__)


def test_a_violation_comes_before_an_error_in_the_same_state(tmp_path: Path) -> None:
    stuck = LOCK.replace("require(s.right == len(DIGITS))", "require(1 // (s.right - 1) < 5)")
    model = written(tmp_path, "lock", stuck, STAYS_SHUT.replace("len(DIGITS)", "1"))
    assert len(violated(state_machine_for(model)).violation.trace.steps) == 1


def test_the_guide_leads_to_where_chance_does_not(tmp_path: Path) -> None:
    model = written(tmp_path, "lock", LOCK, STAYS_SHUT)
    run(state_machine_for(model), backend="hypothesis")
    failure = violated(state_machine_for(model))
    digits = [step.parameters for step in failure.violation.trace.steps]
    assert digits == [(3,), (1,), (4,), (1,), (5,), (9,), (2,), (6,), (5,), (3,)]


def test_steps_between_known_states_are_tried_too(tmp_path: Path) -> None:
    jumps = """
from lockstep import step_invariant

@step_invariant("1")
def never_from_seven_to_three(s, new):
    return not (s.place == 7 and new.place == 3)
"""
    ring = """
from lockstep import Range, State, action, require

class Ring(State):
    place: Range(0, 9) = 0

@action
def go(s, new, to: Range(0, 9)):
    require(to != s.place)
    new.place = to
"""
    failure = violated(state_machine_for(written(tmp_path, "ring", ring, jumps)))
    assert [step.parameters for step in failure.violation.trace.steps] == [(7,), (3,)]


def ledger(folder: Path, **constants: object) -> type[ModelMachine]:
    return state_machine_for(written(folder, "ledger", LEDGER, NEVER_OVERPAID, **constants))


def fires_everything(fired: Mapping[str, int]) -> bool:
    return fired.keys() == {"lend", "pay", "forgive"} and min(fired.values()) > 20


@pytest.mark.parametrize("backend", [BACKEND, "hypothesis"])
def test_parameters_too_many_to_list_are_drawn(tmp_path: Path, backend: str) -> None:
    machine = ledger(tmp_path, MAX=ALL)
    run(machine, 100, backend)
    assert fires_everything(machine.fired())


def test_a_fault_in_one_of_many_parameters_is_found_and_shrunk(tmp_path: Path) -> None:
    lend, pay = violated(ledger(tmp_path, MAX=ALL, SLIPS=True)).violation.trace.steps
    assert (lend.action, pay.action) == ("lend", "pay")
    account, amount = lend.parameters
    assert (amount, pay.parameters) == (1_001, (account, 1_002))


def test_a_property_with_too_many_bindings_is_refused(tmp_path: Path) -> None:
    wide = NEVER_OVERPAID.replace("import Account", "import Account, Amount")
    wide = wide.replace("x: Account", "x: Account, y: Amount")
    model = written(tmp_path, "ledger", LEDGER, wide, MAX=ALL)
    with pytest.raises(LockstepError, match="never_overpaid of ledger has more than 10,000") as err:
        state_machine_for(model)
    assert err.value.cure is not None


def test_the_same_behaviours_in_every_run() -> None:
    def traces() -> list[str]:
        seen: list[str] = []

        class Watched(turnstile()):  # type: ignore[misc]
            def teardown(self) -> None:
                seen.append(str(self.trace.steps))

        run(Watched, 50)
        return seen

    first = traces()
    assert len(set(first)) > 20
    assert first == traces()
