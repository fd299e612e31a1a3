"""How a model's files are found, run with a scope's constants, and kept apart."""

from collections.abc import Callable
from pathlib import Path

import pytest

from lockstep.errors import LockstepError
from lockstep.language.faults import fault_marks
from lockstep.language.loader import Universe
from lockstep.language.model import load_model, model_names
from lockstep.language.source import ModelError
from lockstep.plain.run import PlainEngine
from lockstep.plain.search import Search

COUNTER = """
from lockstep import Constant, Range, State, action, require
from models.limits import MOST, Count

STEP: Constant = 1


class Counter(State):
    count: Count = 0


def after(count):
    return count + STEP


@action
def up(s, new):
    '''One more.'''
    require(after(s.count) <= MOST)
    new.count = after(s.count)


@action
def reset(s, new):
    require(s.count == MOST)
    new.count = 0
"""
LIMITS = """
from lockstep import Constant, Range

MOST: Constant = 3
Count = Range(0, MOST)
"""
CLAIMS = """
from lockstep import invariant
from models.counter import after


@invariant("9-1")
def goes_on(s):
    return after(s.count) > s.count
"""
FAULTS = """
from lockstep import fault
from models.counter import after, up


@fault(replaces=after, breaks="none")
def two_at_a_time(count):
    return after(count) + 1


@fault(replaces=up, breaks="none")
def up_at_will(s, new):
    new.count = min(after(s.count), 3)


@fault(breaks="none")
def down(s, new):
    new.count = max(s.count - 1, 0)
"""

Write = Callable[[str, str], None]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a file below the workspace; a counter with its parts is there already."""

    def write_file(name: str, text: str) -> None:
        path = tmp_path / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    write_file("models/counter", COUNTER)
    write_file("models/limits", LIMITS)
    write_file("invariants/counter", CLAIMS)
    write_file("models/faults/counter", FAULTS)
    return write_file


def states(root: Path, fault: str | None = None, **constants: object) -> int:
    return Search(PlainEngine(load_model(root, "counter", constants, fault=fault))).run().states


@pytest.mark.usefixtures("write")
def test_a_model_is_what_its_files_say(tmp_path: Path) -> None:
    model = load_model(tmp_path, "counter")
    assert [action.name for action in model.actions] == ["up", "reset"]
    assert model.action("up").doc == "One more."
    assert [prop.requirements for prop in model.properties] == [("9-1",)]
    assert model.constants == {"MOST": 3, "STEP": 1}
    assert model.initial == (0,)
    assert model_names(tmp_path) == ["counter"]
    assert states(tmp_path) == 4


@pytest.mark.usefixtures("write")
def test_constants_reach_every_module_and_no_other_load(tmp_path: Path) -> None:
    large = load_model(tmp_path, "counter", {"MOST": 7, "STEP": 2})
    assert large.constants == {"MOST": 7, "STEP": 2}
    assert str(large.variables["count"]) == "0..7"
    assert states(tmp_path, MOST=7, STEP=2) == 4
    small = load_model(tmp_path, "counter")
    assert small.constants == {"MOST": 3, "STEP": 1}
    assert small.state is not large.state
    assert small.universe.modules["models.limits"] is not large.universe.modules["models.limits"]


@pytest.mark.usefixtures("write")
def test_a_list_is_a_tuple_in_a_model(tmp_path: Path, write: Write) -> None:
    write("models/counter", COUNTER.replace("STEP: Constant = 1", "STEP: Constant = ()"))
    loaded = load_model(tmp_path, "counter", {"STEP": [1, [2, "a"], True, None]})
    assert loaded.constants["STEP"] == (1, (2, "a"), True, None)


@pytest.mark.usefixtures("write")
@pytest.mark.parametrize(
    ("constants", "message"),
    [
        ({"MOOST": 3}, "counter has no constant MOOST(.|\n)*did you mean MOST"),
        ({"WIDTH": 3}, "counter has no constant WIDTH(.|\n)*MOST, STEP"),
        ({"MOST": 2.5}, "the constant MOST cannot be 2.5(.|\n)*an integer"),
        ({"MOST": {"a": 1}}, "the constant MOST cannot be"),
    ],
)
def test_a_constant_that_cannot_be(
    tmp_path: Path, constants: dict[str, object], message: str
) -> None:
    with pytest.raises(LockstepError, match=message):
        load_model(tmp_path, "counter", constants)


@pytest.mark.usefixtures("write")
@pytest.mark.parametrize(
    ("most", "code", "message"),
    [
        (-1, "load", r"Range\(0, -1\)(.|\n)*limits.py:5:9"),
        ("three", "constant-type", r"MOST is set to 'three', which is a text"),
        (None, "load", r"Range\(0, None\)"),
    ],
)
def test_a_constant_for_which_a_domain_cannot_be_made(
    tmp_path: Path, most: object, code: str, message: str
) -> None:
    with pytest.raises(ModelError, match=message) as raised:
        load_model(tmp_path, "counter", {"MOST": most})
    assert [problem.code for problem in raised.value.diagnostics] == [code]


def test_a_constant_that_puts_the_first_value_outside(tmp_path: Path, write: Write) -> None:
    write("models/counter", COUNTER.replace("count: Count = 0", "count: Count = STEP"))
    assert load_model(tmp_path, "counter", {"STEP": 3}).constants["STEP"] == 3
    with pytest.raises(ModelError, match=r"count = 4 is not in 0\.\.3"):
        load_model(tmp_path, "counter", {"STEP": 4})


def test_what_is_missing(tmp_path: Path, write: Write) -> None:
    with pytest.raises(LockstepError, match=r"no model 'count'(.|\n)*did you mean counter\?"):
        load_model(tmp_path, "count")
    with pytest.raises(LockstepError, match=r"there is no module models\.nowhere"):
        Universe(tmp_path).load("models.nowhere")
    write("models/counter", COUNTER.partition("@action")[0])
    with pytest.raises(LockstepError, match=r"models/counter.py has no action(.|\n)*@action"):
        load_model(tmp_path, "counter")


def test_one_state_class(tmp_path: Path, write: Write) -> None:
    other = "\n\nclass Other(State):\n    flag: bool = False\n"
    write("models/counter", COUNTER + other)
    with pytest.raises(LockstepError, match="one state class; it has Counter, Other"):
        load_model(tmp_path, "counter")
    write("models/counter", COUNTER.replace("(State)", "(object)"))
    with pytest.raises(LockstepError, match="one state class; it has none"):
        load_model(tmp_path, "counter")
    write("models/counter", COUNTER + other.replace("State", "Counter"))
    assert list(load_model(tmp_path, "counter").variables) == ["count", "flag"]


def test_a_mark_on_what_is_no_function(tmp_path: Path, write: Write) -> None:
    write("models/counter", COUNTER + "\nquick = action(lambda s, new: None)\n")
    with pytest.raises(LockstepError, match=r"is not a function of its text(.|\n)*`def`"):
        load_model(tmp_path, "counter")


def test_claims_may_be_left_out(tmp_path: Path, write: Write) -> None:
    (tmp_path / "invariants" / "counter.py").unlink()
    assert load_model(tmp_path, "counter").properties == ()


def test_a_file_that_is_no_text(tmp_path: Path, write: Write) -> None:
    (tmp_path / "models" / "limits.py").write_bytes(b"MOST = '\xff\xfe'\n")
    with pytest.raises(LockstepError, match=r"limits.py is not UTF-8(.|\n)*save it as UTF-8"):
        load_model(tmp_path, "counter")
    assert model_names(tmp_path) == ["counter"]


def test_files_may_import_each_other_in_a_row_but_not_in_a_ring(
    tmp_path: Path, write: Write
) -> None:
    write("models/limits", LIMITS + "from models.counter import after\n")
    with pytest.raises(ModelError) as raised:
        load_model(tmp_path, "counter")
    (problem,) = raised.value.diagnostics
    assert (problem.code, problem.place.file.name, problem.place.line) == (
        "import-cycle",
        "limits.py",
        6,
    )


def test_a_failed_load_leaves_nothing_behind(tmp_path: Path, write: Write) -> None:
    write("models/limits", "MOST: Constant = \n")
    with pytest.raises(ModelError):
        load_model(tmp_path, "counter")
    write("models/limits", LIMITS)
    assert states(tmp_path) == 4


@pytest.mark.usefixtures("write")
def test_a_model_cannot_reach_out(tmp_path: Path) -> None:
    """Only the text that the front end can see has a part in a model."""
    for outside in ("os", "random", "tests.conftest", "models_of_mine"):
        module = tmp_path / "models" / "limits.py"
        module.write_text(f"import {outside}\n" + LIMITS, encoding="utf-8")
        with pytest.raises(ModelError) as raised:
            load_model(tmp_path, "counter")
        assert [problem.code for problem in raised.value.diagnostics] == ["import"]


@pytest.mark.usefixtures("write")
def test_a_fault_takes_the_place_of_a_helper_everywhere_but_in_claims(tmp_path: Path) -> None:
    faulty = load_model(tmp_path, "counter", fault="two_at_a_time")
    modules = faulty.universe.modules
    changed = modules["models.faults.counter"].two_at_a_time
    assert modules["models.counter"].after is changed
    assert modules["invariants.counter"].after is not changed
    assert modules["models.faults.counter"].after is not changed, "it may call what it changes"
    steps = list(PlainEngine(faulty).successors(faulty.initial))
    assert [step.state for step in steps] == [(2,)]
    assert states(tmp_path, fault="two_at_a_time") == 2


@pytest.mark.usefixtures("write")
def test_a_fault_takes_the_place_of_an_action_under_its_name(tmp_path: Path) -> None:
    faulty = load_model(tmp_path, "counter", fault="up_at_will")
    assert [action.name for action in faulty.actions] == ["up", "reset"]
    assert faulty.action("up").function.__name__ == "up_at_will"


@pytest.mark.usefixtures("write")
def test_a_fault_may_be_one_action_more(tmp_path: Path) -> None:
    faulty = load_model(tmp_path, "counter", fault="down")
    assert [action.name for action in faulty.actions] == ["up", "reset", "down"]
    assert [action.name for action in load_model(tmp_path, "counter").actions] == ["up", "reset"]


@pytest.mark.usefixtures("write")
def test_faults_are_listed_in_order_and_unknown_ones_refused(tmp_path: Path) -> None:
    assert list(fault_marks(tmp_path, "counter")) == ["two_at_a_time", "up_at_will", "down"]
    assert fault_marks(tmp_path, "limits") == {}
    for name in ("sideways", "after"):
        with pytest.raises(
            LockstepError, match=rf"no fault '{name}'(.|\n)*two_at_a_time, up_at_will, down"
        ):
            load_model(tmp_path, "counter", fault=name)
