"""Faults as edits; several at once: all of them are in place, or they are refused."""

import itertools
import re
from pathlib import Path

import pytest

from lockstep.errors import LockstepError, nearest_of
from lockstep.explore.engines import explore
from lockstep.language.faults import (
    described_faults,
    fault_constants,
    fault_marks,
    fault_scope_name,
    marks_in_place,
)
from lockstep.language.likeness import made_by
from lockstep.language.model import load_model
from lockstep.plain.exploration import Exploration
from lockstep.plain.run import PlainEngine
from lockstep.trace.conjuncts import excerpt, false_requirement

ROOT = Path(__file__).parents[2]
MODEL = """\
from lockstep import Constant, Range, State, action, require

MOST: Constant = 3


class Case(State):
    n: Range(0, 9) = 0
    reported: bool = False


def step():
    return 1


def tell(new):
    new.reported = True


@action
def count(s, new):
    require(s.n < MOST)
    new.n = s.n + step()
    tell(new)


@action
def hush(s, new):
    require(s.reported)
    new.reported = False
"""
FAULTS = '''\
from lockstep import edit, fault, require
from models import case
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


@fault(replaces=hush, harmless="Never hushed.", unchanged=("reported",), scope="small")
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


@fault(replaces=tell, harmless="Silent.", unchanged=("reported",))
def silent(new):
    pass


@fault(harmless="Two steps.")
@edit(count, "s.n+step( )", "s.n + 2 * step()")
def two_steps():
    """One step more."""


@fault(harmless="Any state.")
@edit(case.count, "s.n < MOST", "s.n < MOST + 1")
def one_more():
    """One more may be counted."""


@fault(harmless="The same place.")
@edit(count, "require(...)", "require(s.n < 2)")
def bounded():
    """Two are counted."""


@fault(harmless="Of two functions.", constants={"MOST": 2}, scope="default")
@edit(
    count,
    """
    new.n = s.n + step()
    tell(new)
    """,
    """
    reached = s.n + step()
    new.n = back_to(reached)
    new.reported = reached >= MOST
    """,
)
@edit(hush, "False", "not s.reported")
def counts_down():
    """It goes on from the start."""


def back_to(n):
    return 0 if n >= MOST_OF_ALL else n


MOST_OF_ALL = 2


@fault(harmless="Never reported.", unchanged=("reported",))
@edit(tell, "new.reported = ...", "")
def mute():
    """Nothing is reported."""


@fault(replaces=hush, harmless="Hush.")
@edit(step, "1", "2")
def hushes_and_jumps(s, new):
    """It replaces one function and edits another."""
    hush(s, new)
    new.reported = s.n > 3
'''


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for path, text in (("case.py", MODEL), ("faults/case.py", FAULTS)):
        file = tmp_path / "models" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return tmp_path


def reached(root: Path, fault: str | None) -> set[tuple[object, ...]]:
    """The states that the model reaches with faults in place, by an own walk."""
    model = load_model(
        root, "case", fault_constants(marks_in_place(root, "case", fault)), fault=fault
    )
    engine = PlainEngine(model)
    found, waiting = {model.initial}, [model.initial]
    while waiting:
        for step in engine.successors(waiting.pop()):
            if step.state not in found:
                found.add(step.state)
                waiting.append(step.state)
    return {tuple(state) for state in found}


def test_of_many_names_a_few_are_shown_and_where_the_others_are() -> None:
    names = [f"fault_{number}" for number in range(20)]
    cure = nearest_of("wholly_other", names, "its faults are", "in models/faults/lock.py")
    assert re.fullmatch(r"its faults are: (fault_\d+, ){5}fault_\d+ and 14 more, in \S+", cure)
    assert nearest_of("nothing", names[:2], "they are") == "they are: fault_0, fault_1"
    assert nearest_of("wholly_other", names, "they are").endswith(" and 14 more")


def test_each_of_two_faults_is_in_place(root: Path) -> None:
    assert {n for n, _ in reached(root, "by_two")} == {0, 2, 4}
    assert reached(root, "never_hushed") == {(0, False), (1, True), (2, True), (3, True)}
    both = reached(root, "by_two+never_hushed")
    assert both == {(0, False), (2, True), (4, True)}
    assert reached(root, "never_hushed+by_two") == both
    added = load_model(root, "case", fault="never_hushed+back")
    assert [action.name for action in added.actions] == ["count", "hush", "back"]


def test_an_edit_changes_one_place(root: Path) -> None:
    assert {n for n, _ in reached(root, "two_steps")} == {0, 2, 4}
    assert {n for n, _ in reached(root, "one_more")} == {0, 1, 2, 3, 4}
    assert {n for n, _ in reached(root, "bounded")} == {0, 1, 2}
    assert reached(root, "mute") == {(n, False) for n in range(4)}


def test_edits_of_several_functions_are_in_place_together(root: Path) -> None:
    assert reached(root, "counts_down") == {(0, False), (1, False), (0, True)}
    assert {n for n, _ in reached(root, "hushes_and_jumps")} == {0, 2, 4}


def test_two_faults_may_edit_one_function(root: Path) -> None:
    both = reached(root, "two_steps+one_more")
    assert {n for n, _ in both} == {0, 2, 4}
    assert {n for n, _ in reached(root, "two_steps+bounded")} == {0, 2}
    assert reached(root, "one_more+two_steps") == both
    assert {n for n, _ in reached(root, "one_more+mute")} == {0, 1, 2, 3, 4}
    assert {reported for _, reported in reached(root, "one_more+mute")} == {False}


@pytest.mark.parametrize("fault", ["two_steps", "counts_down", "mute", "hushes_and_jumps"])
def test_engines_agree_on_an_edited_model(root: Path, fault: str) -> None:
    model = load_model(
        root, "case", fault_constants(marks_in_place(root, "case", fault)), fault=fault
    )
    results = [explore(model, Exploration(engine)) for engine in ("python", "compiled")]
    assert len({(r.states, r.transitions, r.depth, r.verdict) for r in results}) == 1
    assert results[0].states == len(reached(root, fault))


def test_an_edited_model_is_another_one(root: Path) -> None:
    """What is kept of a model is not taken for that of its faults, nor of one for another."""
    faults = (None, "two_steps", "one_more", "mute", "two_steps+one_more")
    made = {made_by(load_model(root, "case", fault=fault).universe) for fault in faults}
    assert len(made) == len(faults)


def test_the_text_of_an_edited_function_is_shown_with_its_edit(root: Path) -> None:
    model = load_model(root, "case", fault="counts_down")
    shown = excerpt(model.universe, model.action("count").function)
    assert shown is not None
    assert (shown.file, shown.lines[1:]) == (
        "models/case.py",
        (
            "def count(s, new):",
            "    require(s.n < MOST)",
            "    reached = s.n + step()",
            "    new.n = back_to(reached)",
            "    new.reported = reached >= MOST",
        ),
    )
    assert shown.lines[0] == "@action"


def test_what_has_no_meaning_is_shown_where_the_edit_is_written(root: Path) -> None:
    file = root / "models" / "faults" / "case.py"
    text = file.read_text(encoding="utf-8")
    edit = '@fault(harmless="It is none.")\n@edit(count, "step()", "10 // s.n")\n'
    file.write_text(f'{text}\n\n{edit}def divides():\n    """It divides."""\n', encoding="utf-8")
    model = load_model(root, "case", fault="divides")
    errors = [explore(model, Exploration(engine)).error for engine in ("python", "compiled")]
    assert errors[0] is not None
    assert errors[0].place is not None
    assert errors[0].place.file == file
    assert str(errors[0]) == str(errors[1])
    assert '@edit(count, "step()", "10 // s.n")' in str(errors[0])


def test_why_an_edited_guard_is_false_is_said_in_its_own_words(root: Path) -> None:
    model = load_model(root, "case", fault="bounded")
    state = model.state.of((2, True))
    conjunct = false_requirement(model.universe, model.action("count"), state, ())
    assert conjunct is not None
    assert conjunct.text == "s.n < 2"


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ("by_two+by_three", "the faults by_two and by_three both replace step"),
        ("counts_twice+silent", "the fault counts_twice calls tell, which the fault silent repl"),
        ("silent+counts_twice", "the fault counts_twice calls tell, which the fault silent repl"),
        ("by_two+counts_twice", "the fault counts_twice calls step, which the fault by_two repl"),
        ("by_two+by_two", "the fault by_two is named twice"),
        ("one_more+bounded", "the faults one_more and bounded both edit one place of count"),
        ("counts_twice+two_steps", "the faults counts_twice and two_steps both change count"),
        ("counts_twice+mute", "the fault counts_twice calls tell, which the fault mute edits"),
        ("by_two+hushes_and_jumps", "the faults by_two and hushes_and_jumps both change step"),
        ("by_two+by_tow", "case has no fault 'by_tow'"),
    ],
)
def test_what_cannot_be_in_place_together_is_refused(root: Path, fault: str, says: str) -> None:
    with pytest.raises(LockstepError) as raised:
        load_model(root, "case", fault=fault)
    assert says in str(raised.value)


def test_constants_and_scopes_must_agree(root: Path) -> None:
    assert fault_constants(marks_in_place(root, "case", "by_two+never_hushed")) == {"MOST": 4}
    with pytest.raises(LockstepError, match="by_two and back set MOST to 4 and 5"):
        fault_constants(marks_in_place(root, "case", "by_two+back"))
    assert fault_scope_name(marks_in_place(root, "case", "by_two+back")) == "default"
    assert fault_scope_name(marks_in_place(root, "case", "by_two")) is None
    with pytest.raises(LockstepError, match="are about other scopes: small, default"):
        fault_scope_name(marks_in_place(root, "case", "never_hushed+back"))


def test_how_faults_are_named() -> None:
    assert described_faults("a") == "the fault a"
    assert described_faults("a+b+c") == "the faults a, b and c"


def test_any_two_shipped_faults_are_in_place_in_either_order_or_refused() -> None:
    names = list(fault_marks(ROOT, "snapshot_offsets"))
    outcomes = {"loaded": 0, "refused": 0}
    for one, other in itertools.combinations(names, 2):
        models = []
        for fault in (f"{one}+{other}", f"{other}+{one}"):
            try:
                constants = fault_constants(marks_in_place(ROOT, "snapshot_offsets", fault))
                models.append(load_model(ROOT, "snapshot_offsets", constants, fault=fault))
            except LockstepError:
                outcomes["refused"] += 1
        assert len(models) in (0, 2)
        outcomes["loaded"] += len(models)
    assert outcomes["loaded"] > 10
    assert outcomes["refused"] > 2
