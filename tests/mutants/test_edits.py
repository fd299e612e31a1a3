"""Each kind of change, on a line that has it; and that the changed text is what was meant."""

import ast
from pathlib import Path

import pytest

from lockstep.language.model import load_model, model_names
from lockstep.mutants.mutant import mutants_of
from lockstep.specs.scopes import DEFAULT_SCOPE, load_model_spec
from tests.mutants.conftest import Load

ROOT = Path(__file__).parents[2]

MODEL = """
MOST: Constant = 3
OPEN: Constant = True
Number = Range(0, MOST)
Name = OneOf(("a", "b", "c"))

class Phase(Enum):
    IDLE = 0
    BUSY = 1
    DONE = 2

class Sample(State):
    n: Number = 0
    other: Number = 0
    names: Set[Name] = set()
    queue: Sequence[Name, 2] = ()
    phase: Phase = Phase.IDLE
    flag: bool = False
    maybe: Number | None = None

def put(new, value):
    new.other = value

@action
def act(s, new, x: Name):
    {line}
    new.flag = s.flag
"""


OF_OTHERS = {"field changed", "write of another action"}
"""The kinds that depend on what else the model has."""


def changes(load: Load, line: str, more: str = "") -> set[tuple[str, str, str]]:
    """Kind, before and after of each mutant of a line of an action."""
    lines = line.splitlines()
    model = load(MODEL.replace("{line}", "\n    ".join(lines)) + more, "")
    first = next(n for n, text in enumerate(MODEL.splitlines(), 3) if text == "    {line}")
    return {
        (mutant.kind, mutant.before, mutant.after)
        for mutant in mutants_of(model)
        if first <= mutant.line < first + len(lines)
    }


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            "require(s.flag and x in s.names)",
            {
                ("guard dropped", "require(s.flag and x in s.names)", "require(x in s.names)"),
                ("guard dropped", "require(s.flag and x in s.names)", "require(s.flag)"),
                (
                    "guard negated",
                    "require(s.flag and x in s.names)",
                    "require(not s.flag and x in s.names)",
                ),
                (
                    "guard negated",
                    "require(s.flag and x in s.names)",
                    "require(s.flag and x not in s.names)",
                ),
                ("connective changed", "s.flag and x in s.names", "s.flag or x in s.names"),
            },
        ),
        (
            "require(not s.flag)",
            {
                ("guard dropped", "require(not s.flag)", ""),
                ("guard negated", "require(not s.flag)", "require(s.flag)"),
            },
        ),
        (
            "new.flag = s.n < s.other",
            {
                ("assignment dropped", "new.flag = s.n < s.other", ""),
                ("comparison shifted", "s.n < s.other", "s.n <= s.other"),
                ("comparison negated", "s.n < s.other", "s.n >= s.other"),
            },
        ),
        (
            "new.flag = s.n == s.other",
            {
                ("assignment dropped", "new.flag = s.n == s.other", ""),
                ("comparison shifted", "s.n == s.other", "s.n <= s.other"),
                ("comparison shifted", "s.n == s.other", "s.n >= s.other"),
                ("comparison negated", "s.n == s.other", "s.n != s.other"),
            },
        ),
        (
            "new.flag = s.phase == Phase.BUSY",
            {
                ("assignment dropped", "new.flag = s.phase == Phase.BUSY", ""),
                ("comparison negated", "s.phase == Phase.BUSY", "s.phase != Phase.BUSY"),
                ("member changed", "Phase.BUSY", "Phase.DONE"),
            },
        ),
        (
            "new.flag = s.n > 1",
            {
                ("assignment dropped", "new.flag = s.n > 1", ""),
                ("comparison shifted", "s.n > 1", "s.n >= 1"),
                ("comparison negated", "s.n > 1", "s.n <= 1"),
                ("constant shifted", "1", "2"),
            },
        ),
        (
            "new.names = s.names | {x}",
            {
                ("assignment dropped", "new.names = s.names | {x}", ""),
                ("set operation changed", "s.names | {x}", "s.names & {x}"),
                ("set operation changed", "s.names | {x}", "s.names - {x}"),
            },
        ),
        (
            "new.queue = s.queue[:1] + (x,)",
            {
                ("assignment dropped", "new.queue = s.queue[:1] + (x,)", ""),
                ("operand dropped", "s.queue[:1] + (x,)", "s.queue[:1]"),
                ("operand dropped", "s.queue[:1] + (x,)", "(x,)"),
                ("constant shifted", "1", "2"),
                ("constant shifted", "1", "0"),
            },
        ),
        (
            "new.n = s.n - s.other if s.flag else MOST",
            {
                ("assignment dropped", "new.n = s.n - s.other if s.flag else MOST", ""),
                (
                    "branches swapped",
                    "s.n - s.other if s.flag else MOST",
                    "MOST if s.flag else s.n - s.other",
                ),
                ("operator changed", "s.n - s.other", "s.n + s.other"),
                ("constant shifted", "MOST", "MOST + 1"),
                ("constant shifted", "MOST", "MOST - 1"),
            },
        ),
        (
            "new.flag = any(y in s.names for y in Name if y != x)",
            {
                (
                    "assignment dropped",
                    "new.flag = any(y in s.names for y in Name if y != x)",
                    "",
                ),
                (
                    "quantifier changed",
                    "any(y in s.names for y in Name if y != x)",
                    "all(y in s.names for y in Name if y != x)",
                ),
                ("condition dropped", "y != x", "True"),
                ("comparison negated", "y != x", "y == x"),
                ("comparison negated", "y in s.names", "y not in s.names"),
            },
        ),
        (
            "new.n = min(s.n, s.other)",
            {
                ("assignment dropped", "new.n = min(s.n, s.other)", ""),
                ("extremum changed", "min(s.n, s.other)", "max(s.n, s.other)"),
            },
        ),
        (
            "new.flag = not (s.flag or s.n in (1, 2))",
            {
                ("assignment dropped", "new.flag = not (s.flag or s.n in (1, 2))", ""),
                ("negation dropped", "not (s.flag or s.n in (1, 2))", "s.flag or s.n in (1, 2)"),
                ("connective changed", "s.flag or s.n in (1, 2)", "s.flag and s.n in (1, 2)"),
                ("operand dropped", "s.flag or s.n in (1, 2)", "s.flag"),
                ("operand dropped", "s.flag or s.n in (1, 2)", "s.n in (1, 2)"),
                ("comparison negated", "s.n in (1, 2)", "s.n not in (1, 2)"),
                ("constant shifted", "1", "2"),
                ("constant shifted", "1", "0"),
                ("constant shifted", "2", "3"),
                ("constant shifted", "2", "1"),
                ("subcase", "(1, 2)", "(1,)"),
                ("subcase", "(1, 2)", "(2,)"),
            },
        ),
        (
            "put(new, s.n)\nnew.maybe = None if OPEN else s.n",
            {
                ("call dropped", "put(new, s.n)", ""),
                ("assignment dropped", "new.maybe = None if OPEN else s.n", ""),
                ("branches swapped", "None if OPEN else s.n", "s.n if OPEN else None"),
                ("truth changed", "OPEN", "not OPEN"),
            },
        ),
        (
            "new.flag = True",
            {
                ("assignment dropped", "new.flag = True", ""),
                ("truth changed", "True", "False"),
            },
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_changes_of_a_line(load: Load, line: str, expected: set[tuple[str, str, str]]) -> None:
    found = changes(load, line)
    assert {change for change in found if change[0] not in OF_OTHERS} == expected


WRITES = """
@action
def put_next(s, new, y: Name):
    put(new, MOST)
    new.n = s.other
    new.flag = y in s.names

@action
def reset(s, new):
    new.n = 0
    new.maybe = s.n
"""


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("new.n = min(s.n, 1)", {
            ("write of another action", "new.n = min(s.n, 1)", "new.n = s.other"),
            ("field changed", "new.n = min(s.n, 1)", "new.other = min(s.n, 1)"),
            ("field changed", "s.n", "s.other"),
        }),
        ("put(new, s.n)", {
            ("write of another action", "put(new, s.n)", "put(new, MOST)"),
            ("field changed", "s.n", "s.other"),
        }),
        ("new.names = {x}", set()),
        ("new.flag = s.n <= 2", {
            ("field changed", "s.n", "s.other"),
            ("write of another action", "new.flag = s.n <= 2", "new.flag = s.flag"),
            ("subcase", "s.n <= 2", "s.n == 2"),
        }),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_what_another_action_writes_and_another_field_of_the_type(
    load: Load, line: str, expected: set[tuple[str, str, str]]
) -> None:
    """What needs a name that the action does not have, as `y` here, is no write for it."""
    found = changes(load, line, WRITES)
    assert {change for change in found if change[0] in {*OF_OTHERS, "subcase"}} == expected


def test_what_a_comprehension_binds_is_no_name_of_a_function(load: Load) -> None:
    """`x` of a comprehension is needed by nobody, and of no use to another's write."""
    both = """
@action
def keep(s, new):
    new.names = {x for x in s.names if x != "c"}

@action
def add(s, new, x: Name):
    new.names = s.names | {x}
"""
    found = {
        (m.before, m.after)
        for m in mutants_of(load(MODEL.replace("{line}", "pass") + both, ""))
        if m.kind == "write of another action" and "names" in m.before
    }
    kept, added = ('new.names = {x for x in s.names if x != "c"}', "new.names = s.names | {x}")
    assert found == {(added, kept.replace('"', "'"))}


def test_one_field_of_a_record_is_not_replaced(load: Load) -> None:
    record = "class Pair(Record):\n    one: bool\n    two: bool\n\n"
    own = "    pair: Pair = Pair(False, False)\n\ndef put"
    text = MODEL.replace("class Sample", f"{record}class Sample").replace("\ndef put", own)
    text = text.replace("{line}", "new.pair = replace(s.pair, one=True, two=s.pair.one)")
    found = {(mutant.kind, mutant.after) for mutant in mutants_of(load(text, ""))}
    assert ("assignment dropped", "replace(s.pair, two=s.pair.one)") in found
    assert ("assignment dropped", "replace(s.pair, one=True)") in found
    assert ("field changed", "s.pair.two") in found


def test_a_helper_always_says_the_same(load: Load) -> None:
    text = "class Lamp(State):\n    on: bool = False\n\ndef is_off(s):\n    return not s.on\n\n"
    text += "@action\ndef switch(s, new):\n    new.on = is_off(s)\n"
    found = {m.name for m in mutants_of(load(text, "")) if m.kind == "helper made constant"}
    name = "sample.is_off: helper made constant: not s.on -> "
    assert found == {f"{name}True", f"{name}False"}


HELPER = """
class Sample(State):
    n: Range(0, 3) = 0

def unused(s):
    return s.n + 1

def next_of(s):
    if s.n == 3:
        return 0
    return (
        s.n
        + 1  # the next
    )

@action
def act(s, new):
    '''It counts 1, 2, 3.'''
    new.n = next_of(s)
"""


def test_only_what_actions_use_is_changed(load: Load) -> None:
    names = [mutant.name for mutant in mutants_of(load(HELPER, ""))]
    assert "sample.next_of: branches swapped: s.n == 3 -> s.n != 3" in names
    assert not [name for name in names if ".unused" in name]
    assert [name for name in names if ".act" in name] == [
        "sample.act: assignment dropped: new.n = next_of(s)"
    ]


def test_a_name_stays_when_other_lines_come_and_lines_keep_their_numbers(load: Load) -> None:
    model = load(HELPER, "")
    mutants = mutants_of(model)
    text = next(iter(model.universe.files.values())).text
    for mutant in mutants:
        changed = mutant.change.applied(text)
        assert changed.count("\n") == text.count("\n")
        assert changed.splitlines()[-1] == text.splitlines()[-1] or ".act" in mutant.name
    lower = mutants_of(load("\n\n" + HELPER, ""))
    assert [mutant.name for mutant in lower] == [mutant.name for mutant in mutants]
    assert [mutant.line for mutant in lower] == [mutant.line + 2 for mutant in mutants]


@pytest.mark.daily(3)
@pytest.mark.parametrize("name", model_names(ROOT))
def test_each_mutant_of_a_real_model_is_another_text_under_a_name_of_its_own(name: str) -> None:
    model = load_model(ROOT, name, load_model_spec(ROOT, name).scope(DEFAULT_SCOPE).constants)
    mutants = mutants_of(model)
    assert len(mutants) > 50
    assert len({mutant.name for mutant in mutants}) == len(mutants)
    texts: set[tuple[Path, str]] = set()
    for mutant in mutants:
        file = model.universe.files[str(ROOT / mutant.file)]
        changed = mutant.change.applied(file.text)
        ast.parse(changed)
        texts.add((file.path, "".join(changed.split())))
    texts |= {(file.path, "".join(file.text.split())) for file in model.universe.files.values()}
    assert len(texts) == len(mutants) + len(model.universe.files), "two mutants are one text"
