"""Several faults at once: all of them are in place, or they are refused."""

import itertools
from pathlib import Path

import pytest

from lockstep.errors import LockstepError
from lockstep.language.faults import (
    described_faults,
    fault_constants,
    fault_marks,
    fault_scope_name,
    together,
)
from lockstep.language.model import load_model
from lockstep.plain.run import PlainEngine

ROOT = Path(__file__).parents[2]
MODEL = """\
from lockstep import Constant, Range, State, action, require

MOST: Constant = 3


class Case(State):
    n: Range(0, 9) = 0
    told: bool = False


def step():
    return 1


def tell(new):
    new.told = True


@action
def count(s, new):
    require(s.n < MOST)
    new.n = s.n + step()
    tell(new)


@action
def hush(s, new):
    require(s.told)
    new.told = False
"""
FAULTS = """\
from lockstep import fault, require
from models.case import count, hush, step, tell


def twice(s, new):
    require(s.n < 8)
    new.n = s.n + 2 * step()


@fault(replaces=step, harmless="Two.", constants={"MOST": 4})
def by_two():
    return 2


@fault(replaces=step, harmless="Three.")
def by_three():
    return 3


@fault(replaces=hush, harmless="Never hushed.", unchanged=("told",), scope="small")
def never_hushed(s, new):
    require(False)


@fault(harmless="Back.", constants={"MOST": 5}, scope="default")
def back(s, new):
    require(s.n > 0)
    new.n = s.n - 1


@fault(replaces=count, harmless="Silent.")
def counts_twice(s, new):
    twice(s, new)
    tell(new)


@fault(replaces=tell, harmless="Silent.", unchanged=("told",))
def silent(new):
    pass
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for path, text in (("case.py", MODEL), ("faults/case.py", FAULTS)):
        file = tmp_path / "models" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return tmp_path


def reached(root: Path, fault: str | None) -> set[tuple[object, ...]]:
    """The states that the model reaches with faults in place, by an own walk."""
    model = load_model(root, "case", fault_constants(root, "case", fault), fault=fault)
    engine = PlainEngine(model)
    found, waiting = {model.initial}, [model.initial]
    while waiting:
        for step in engine.successors(waiting.pop()):
            if step.state not in found:
                found.add(step.state)
                waiting.append(step.state)
    return {tuple(state) for state in found}


def test_each_of_two_faults_is_in_place(root: Path) -> None:
    assert {n for n, _ in reached(root, "by_two")} == {0, 2, 4}
    assert reached(root, "never_hushed") == {(0, False), (1, True), (2, True), (3, True)}
    both = reached(root, "by_two+never_hushed")
    assert both == {(0, False), (2, True), (4, True)}
    assert reached(root, "never_hushed+by_two") == both
    added = load_model(root, "case", fault="never_hushed+back")
    assert [action.name for action in added.actions] == ["count", "hush", "back"]


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ("by_two+by_three", "the faults by_two and by_three both replace step"),
        ("counts_twice+silent", "the fault counts_twice calls tell, which the fault silent repl"),
        ("silent+counts_twice", "the fault counts_twice calls tell, which the fault silent repl"),
        ("by_two+counts_twice", "the fault counts_twice calls step, which the fault by_two repl"),
        ("by_two+by_two", "the fault by_two is named twice"),
        ("by_two+by_tow", "case has no fault 'by_tow'"),
    ],
)
def test_what_cannot_be_in_place_together_is_refused(root: Path, fault: str, says: str) -> None:
    with pytest.raises(LockstepError) as raised:
        load_model(root, "case", fault=fault)
    assert says in str(raised.value)


def test_constants_and_scopes_must_agree(root: Path) -> None:
    assert fault_constants(root, "case", "by_two+never_hushed") == {"MOST": 4}
    with pytest.raises(LockstepError, match="by_two and back set MOST to 4 and 5"):
        fault_constants(root, "case", "by_two+back")
    assert fault_scope_name(root, "case", "by_two+back") == "default"
    assert fault_scope_name(root, "case", "by_two") is None
    with pytest.raises(LockstepError, match="are about other scopes: small, default"):
        fault_scope_name(root, "case", "never_hushed+back")


def test_how_faults_are_named() -> None:
    assert together(()) is None
    assert together(("a",)) == "a"
    assert together(("a", "b", "c")) == "a+b+c"
    assert described_faults("a") == "the fault a"
    assert described_faults("a+b+c") == "the faults a, b and c"


def test_any_two_shipped_faults_are_in_place_in_either_order_or_refused() -> None:
    names = list(fault_marks(ROOT, "snapshot_offsets"))
    outcomes = {"loaded": 0, "refused": 0}
    for one, other in itertools.combinations(names, 2):
        models = []
        for fault in (f"{one}+{other}", f"{other}+{one}"):
            try:
                constants = fault_constants(ROOT, "snapshot_offsets", fault)
                models.append(load_model(ROOT, "snapshot_offsets", constants, fault=fault))
            except LockstepError:
                outcomes["refused"] += 1
        assert len(models) in (0, 2)
        outcomes["loaded"] += len(models)
    assert outcomes["loaded"] > 10
    assert outcomes["refused"] > 2
