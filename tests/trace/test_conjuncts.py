"""The conjunct of a property that is false, found by taking its text apart."""

from pathlib import Path

import pytest

from lockstep.language.model import load_model
from lockstep.trace.conjuncts import Conjunct, false_conjunct, false_requirement

MODEL = """\
from lockstep import Map, OneOf, Range, State, action

Box = OneOf(("a", "b"))
MOST = 3


class Boxes(State):
    full: Map[Box, Range(0, 9)] = {"a": 2, "b": 5}
    used: Map[Box, bool] = {"a": False, "b": True}
    key: Box | None = None


@action
def nothing(s, new, x: Box):
    new.key = x
"""

HEAD = """\
from lockstep import invariant, when
from models.boxes import Box, MOST


def is_small(s, box):
    return s.full[box] <= MOST


def is_small_or_unused(s, box):
    unused = not s.used[box]
    return unused or is_small(s, box)


@invariant
def other(s, x: Box):
    return is_small_or_unused(s, x)


@invariant
def claim(s, x: Box):
    'Something of boxes.'
"""


def false_part(root: Path, body: str) -> Conjunct | None:
    for folder in ("models", "invariants"):
        (root / folder).mkdir()
    (root / "models/boxes.py").write_text(MODEL)
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    (root / "invariants/boxes.py").write_text(HEAD + lines)
    model = load_model(root, "boxes")
    function = model.property("claim").function
    return false_conjunct(model.universe, function, (model.initial, "b"))


@pytest.mark.parametrize(
    ("body", "text", "bound", "values"),
    [
        ("return s.full[x] < MOST", "s.full[x] < MOST", {}, {"s.full[x]": 5}),
        (
            "return s.used[x] and s.full[x] in (1, 2) and s.key is None",
            "s.full[x] in (1, 2)",
            {},
            {"s.full[x]": 5},
        ),
        ("return not s.used[x]", "not s.used[x]", {}, {"s.used[x]": True}),
        (
            "return s.full[x] < 3 or s.full['a'] > 3",
            "s.full[x] < 3 or s.full['a'] > 3",
            {},
            {"s.full[x]": 5, "s.full['a']": 2},
        ),
        (
            "return all(s.full[b] < 4 and s.key is None for b in Box if b != 'c')",
            "s.full[b] < 4",
            {"b": "b"},
            {"s.full[b]": 5},
        ),
        (
            "return all(s.used[b] == s.used[c] for b in Box for c in Box)",
            "s.used[b] == s.used[c]",
            {"b": "a", "c": "b"},
            {"s.used[b]": False, "s.used[c]": True},
        ),
        ("return s.full[x] < 4 if s.used[x] else True", "s.full[x] < 4", {}, {"s.full[x]": 5}),
        ("return is_small(s, x)", "s.full[box] <= MOST", {"box": "b"}, {"s.full[box]": 5}),
        (
            "return all(is_small_or_unused(s, b) for b in Box)",
            "unused or is_small(s, box)",
            {"box": "b"},
            {"unused": False, "is_small(s, box)": False},
        ),
        ("when(s.used[x])\nheld = s.full[x]\nreturn held < 4", "held < 4", {}, {"held": 5}),
        (
            "return s.key is not None and s.full[s.key] < 4",
            "s.key is not None",
            {},
            {"s.key": None},
        ),
        (
            "return not any(s.full[b] > 4 for b in Box)",
            "not any((s.full[b] > 4 for b in Box))",
            {},
            {},
        ),
    ],
)
def test_the_first_conjunct_that_is_false(
    tmp_path: Path, body: str, text: str, bound: dict[str, object], values: dict[str, object]
) -> None:
    conjunct = false_part(tmp_path, body)
    assert conjunct is not None
    assert (conjunct.text, conjunct.bound, conjunct.values) == (text, bound, values)
    line = conjunct.file.read_text().splitlines()[conjunct.line - 1]
    assert text.split("(")[0].split(" ")[0] in line


@pytest.mark.parametrize(
    "body",
    [
        "return s.full[x] == 5",
        "when(not s.used[x])\nreturn s.full[x] < 4",
        "return all(s.full[b] > 0 for b in Box)",
    ],
)
def test_nothing_is_said_where_nothing_is_false(tmp_path: Path, body: str) -> None:
    assert false_part(tmp_path, body) is None


def test_nothing_is_said_of_what_has_no_value(tmp_path: Path) -> None:
    assert false_part(tmp_path, "return s.full[x] < 4") is not None
    model = load_model(tmp_path, "boxes")
    function = model.property("claim").function
    assert false_conjunct(model.universe, function, (None, "b")) is None
    assert false_conjunct(model.universe, print, (model.initial, "b")) is None


GUARDED = """\
from lockstep import Map, OneOf, Range, State, action, present, require

Box = OneOf(("a", "b"))
MOST = 3


class Boxes(State):
    full: Map[Box, Range(0, 9)] = {"a": 2, "b": 5}
    used: Map[Box, bool] = {"a": False, "b": True}
    key: Box | None = None


def is_small(s, box):
    return s.full[box] <= MOST


def claim_key(s, new, box):
    require(s.key == box and s.used[box])
    new.key = box


@action
def claim(s, new, x: Box):
    require(is_small(s, x))
    claim_key(s, new, x)


@action
def guarded(s, new, x: Box, amount: Range(0, 9)):
"""


def false_guard(root: Path, body: str) -> Conjunct | None:
    (root / "models").mkdir()
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    (root / "models/boxes.py").write_text(GUARDED + lines)
    model = load_model(root, "boxes")
    action = next(action for action in model.actions if action.name == "guarded")
    return false_requirement(model.universe, action, model.initial, ("b", 4))


@pytest.mark.parametrize(
    ("body", "text", "bound", "values"),
    [
        (
            "require(s.full[x] < MOST)\nnew.key = x",
            "s.full[x] < MOST",
            {},
            {"s.full[x]": 5},
        ),
        (
            "require(s.used[x])\nrequire(s.full[x] == amount)\nnew.key = x",
            "s.full[x] == amount",
            {},
            {"s.full[x]": 5, "amount": 4},
        ),
        (
            "new.key = x\nrequire(s.used[x] and is_small(s, x))",
            "s.full[box] <= MOST",
            {"box": "b"},
            {"s.full[box]": 5},
        ),
        (
            "rest = 9 - s.full[x]\nrequire(\n    rest\n    > amount\n)\nnew.key = x",
            "rest > amount",
            {},
            {"rest": 4, "amount": 4},
        ),
        (
            "require(all(s.full[b] + amount < 9 for b in Box))\nnew.key = x",
            "s.full[b] + amount < 9",
            {"b": "b"},
            {"s.full[b]": 5, "amount": 4},
        ),
        ("new.key = present(s.key)", "s.key is not None", {}, {}),
        (
            "claim_key(s, new, x)",
            "s.key == box",
            {},
            {"s.key": None, "box": "b"},
        ),
        (
            "if s.used[x]:\n    require(amount > 4)\nnew.key = x",
            "amount > 4",
            {},
            {"amount": 4},
        ),
    ],
)
def test_the_requirement_that_stops_an_action(
    tmp_path: Path, body: str, text: str, bound: dict[str, object], values: dict[str, object]
) -> None:
    conjunct = false_guard(tmp_path, body)
    assert conjunct is not None
    assert (conjunct.text, conjunct.bound, conjunct.values) == (text, bound, values)
    assert conjunct.file == tmp_path / "models/boxes.py"
    line = conjunct.file.read_text().splitlines()[conjunct.line - 1]
    assert text.split("(")[0].split(" ")[0] in line


@pytest.mark.parametrize(
    "body",
    [
        "require(s.used[x])\nnew.key = x",
        "new.key = x",
        "require(all(s.full[b] > 0 for b in Box))\nnew.key = x",
    ],
)
def test_nothing_stops_an_action_that_can_be_taken(tmp_path: Path, body: str) -> None:
    assert false_guard(tmp_path, body) is None


@pytest.mark.parametrize(
    "body",
    [
        "require(9 // (s.full[x] - 5) > 1)\nnew.key = x",
        "new.full[x] = s.full[x] + amount + 1\nrequire(s.used['a'])",
    ],
)
def test_a_mistake_of_an_action_is_no_requirement(tmp_path: Path, body: str) -> None:
    assert false_guard(tmp_path, body) is None
