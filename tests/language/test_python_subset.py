"""What a model's files make is the same in every process, and its classes are lockstep's own."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lockstep.language import python_subset
from lockstep.language.likeness import made_by
from lockstep.language.model import Model, load_model
from lockstep.language.source import ModelError
from lockstep.language.values import OrderedSet

ROOT = Path(__file__).parents[2]
STATE = """

class Case(State):
    flag: bool = False


@action
def step(s, new):
    new.flag = True
"""
NAMES = """
from lockstep import Constant, OneOf, Range, Record, Set, State, action

BROKERS: Constant = ("b1", "b2", "b3", "b4", "b5")


def others():
    return tuple({name + "x" for name in BROKERS} | {"z", "y"})


Displayed = OneOf(tuple({"b1", "b2", "b3", "b4", "b5"}))
Made = OneOf(tuple(set(BROKERS)))
Frozen = OneOf((*frozenset(BROKERS), *others()))
Joined = OneOf(tuple((set("abc") | set("def")) - {"b"} ^ {"q"} & frozenset("qrs")))
Least = Range(0, len(min({"bb", "aa"}, key=len)) + ord(list({"k", "m", "n"})[0]))
First = OneOf(tuple(BROKERS[:3]))
OLD = {"b1": 1, "b2": 2}
Views = OneOf(tuple(OLD.keys() | {"b3": 3, "b4": 4}.keys()))
Left = OneOf(tuple(name for name, _ in {"x": 1, "y": 2, "z": 3}.items() - {("x", 1)}))
Copied = OneOf(tuple({"b1", "b2", "b3", "b4"}.copy()))


class Group(Record):
    members: Set[First]


Members = OneOf(tuple(Group({"b1", "b2", "b3"}).members))
Parts = OneOf(tuple(tuple(part) for part in Set[First])[-1])
""" + STATE.replace("flag: bool = False", "flag: bool = False\n    live: Set[First] = {'b2', 'b1'}")


def load(root: Path, text: str) -> Model:
    (root / "models").mkdir(exist_ok=True)
    (root / "models" / "case.py").write_text(text, encoding="utf-8")
    return load_model(root, "case")


def test_a_model_is_the_same_whatever_the_hashes_of_texts(tmp_path: Path) -> None:
    load(tmp_path, NAMES)
    program = (
        "from pathlib import Path\n"
        "from lockstep.language.likeness import made_by\n"
        "from lockstep.language.model import load_model\n"
        f"print(made_by(load_model(Path({str(tmp_path)!r}), 'case').universe))"
    )
    made = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            cwd=ROOT,
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for seed in range(4)
    }
    (text,) = made
    assert "models.case.Displayed = " in text
    assert "('b1', 'b2', 'b3', 'b4', 'b5')" in text


def test_what_loading_makes_is_more_than_the_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same text with another value somewhere is another model."""
    text = "from lockstep import Range, State, action\nCount = Range(0, max(1, 2))\n" + STATE
    before = made_by(load(tmp_path, text).universe)
    assert made_by(load(tmp_path, text).universe) == before
    builtins = {**python_subset.BUILTINS, "max": lambda *_: 3}
    monkeypatch.setattr(python_subset, "BUILTINS", builtins)
    assert made_by(load(tmp_path, text).universe) != before


@pytest.mark.parametrize(
    ("part", "other"),
    [
        ("Range(0, 2)", "Range(0, 3)"),
        ("LEFT = 1", "LEFT = 2"),
        ("    LEFT = 1\n", "    LEFT = 1\n    RIGHT = 7\n"),
        ("last: Side | None = None", "last: Side | None = Side.LEFT"),
        ("first: bool", "first: Side"),
        ("@action\ndef extra", "\n@action\ndef extra"),
        ("s, new, c: Count", "s, new, c: Range(0, 1)"),
        ("SIZES = (1, 2)", "SIZES = (1, {2})"),
    ],
)
def test_each_part_of_what_is_made_is_seen(tmp_path: Path, part: str, other: str) -> None:
    text = (
        "from enum import Enum\n"
        "from lockstep import Range, Record, State, action\n"
        "class Side(Enum):\n"
        "    LEFT = 1\n"
        "Count = Range(0, 2)\n"
        "SIZES = (1, 2)\n"
        "class Pair(Record):\n"
        "    first: bool\n"
        "class Case(State):\n"
        "    last: Side | None = None\n"
        "@action\n"
        "def extra(s, new, c: Count):\n"
        "    new.last = Side.LEFT\n"
    )
    assert part in text
    before = made_by(load(tmp_path, text).universe)
    assert made_by(load(tmp_path, text.replace(part, other)).universe) != before


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (
            "def patch(kind):\n    kind.size = 3\n    return kind\n\npatched = patch(Side)",
            "class-body",
        ),
        ("def patch(kind):\n    kind.size = 3\n    return kind\n\npatched = patch(Pair)", "load"),
        ("def patch(kind):\n    del kind.first\n    return kind\n\npatched = patch(Pair)", "load"),
        ("def patch(kind):\n    kind.of = 3\n    return kind\n\npatched = patch(State)", "load"),
        ("def patch(kind):\n    kind.of = 3\n    return kind\n\npatched = patch(Record)", "load"),
        ("def __getattr__(name):\n    return 3", "internal-name"),
    ],
)
def test_a_class_that_is_changed_after_it_was_made(tmp_path: Path, change: str, code: str) -> None:
    text = (
        "from enum import Enum\n"
        "from lockstep import Record, State, action\n\n"
        "class Side(Enum):\n    LEFT = 1\n\n"
        "class Pair(Record):\n    first: bool\n\n"
        f"{change}\n"
    )
    with pytest.raises(ModelError) as raised:
        load(tmp_path, text + STATE)
    assert [problem.code for problem in raised.value.diagnostics] == [code]


@pytest.mark.parametrize(
    "line",
    [
        "from lockstep.language.records import Fielded",
        "import lockstep.errors",
        "from lockstep import language",
        "from enum import sys",
        "import lockstep\nLOADER = lockstep.language",
        "import enum\nPATH = enum.sys.path",
    ],
)
def test_only_the_notation_is_imported(tmp_path: Path, line: str) -> None:
    with pytest.raises(ModelError) as raised:
        load(tmp_path, f"from lockstep import State, action\n{line}\n{STATE}")
    assert {problem.code for problem in raised.value.diagnostics} <= {"import", "no-name", "load"}


def test_the_notation_by_the_name_of_its_module(tmp_path: Path) -> None:
    text = (
        "import enum\nimport lockstep\n\nclass Side(enum.Enum):\n    LEFT = 1\n\n"
        + STATE.replace("(State)", "(lockstep.State)").replace("@action", "@lockstep.action")
    )
    assert [action.name for action in load(tmp_path, text).actions] == ["step"]


ITEMS = st.lists(st.text(max_size=2), max_size=6)


@given(ITEMS, ITEMS)
def test_an_ordered_set_is_a_set_in_the_order_of_its_items(
    one: list[str], other: list[str]
) -> None:
    first, second = OrderedSet(one), OrderedSet(other)
    operations: list[Callable[[frozenset[str], frozenset[str]], frozenset[str]]] = [
        lambda a, b: a | b,
        lambda a, b: a & b,
        lambda a, b: a - b,
        lambda a, b: a ^ b,
        lambda a, b: a.union(b),
        lambda a, b: a.difference(b),
    ]
    assert list(first) == list(dict.fromkeys(one))
    for operation in operations:
        result = operation(first, second)
        assert result == operation(frozenset(one), frozenset(other))
        assert list(result) == [item for item in dict.fromkeys([*one, *other]) if item in result]
        assert hash(result) == hash(frozenset(result))
