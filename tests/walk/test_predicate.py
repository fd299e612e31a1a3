"""What is typed is read, and refused where it is outside of the notation; it is never run."""

from pathlib import Path

import pytest

from lockstep.language.model import Model, load_model
from lockstep.plain.run import PlainEngine
from lockstep.walk.nearest import MOST_LETTERS, Refused, parse_predicate

ROOT = Path(__file__).parents[1] / "workspaces" / "turnstile"


@pytest.fixture
def model() -> Model:
    return load_model(ROOT, "turnstile")


@pytest.mark.parametrize(
    ("text", "is_true"),
    [
        ("s.coins['east'] == 0", True),
        (" not s.arm['east'] == Arm.LOCKED  ", False),
        ("any(s.entries[g] > 0 for g in Gate) or has_room(s, 'west')  # in words", True),
        ("(s.coins['east'] == 1) or (False)", False),
    ],
)
def test_a_predicate_rules_out_where_it_is_true(
    model: Model, tmp_path: Path, text: str, is_true: bool
) -> None:
    ruled_out = parse_predicate(model, text, tmp_path)
    outcome = PlainEngine(model).evaluate(ruled_out, model.initial, None)
    assert (outcome.failing is not None) == is_true


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("", "empty"),
        ("s.coins['east'] ==", "this is not Python"),
        ("s.enters['east'] > 0", "did you mean entries?"),
        ("s.arm['east'] == 3", "error["),
        ("s.coins", "error["),
        ("x" * (MOST_LETTERS + 1), "one line of up to"),
        ("any(n == 5 for n in range(1000000000))", "too-many-rounds"),
        ("any(a == b for a in range(10000) for b in range(10000))", "too-many-rounds"),
        ("(" * 300 + "True" + ")" * 300, "error["),
    ],
)
def test_a_text_that_is_no_predicate_is_refused(
    model: Model, tmp_path: Path, text: str, reported: str
) -> None:
    with pytest.raises(Refused) as refused:
        parse_predicate(model, text, tmp_path)
    assert reported in str(refused.value)
    assert str(tmp_path) not in str(refused.value)


def test_the_caret_is_below_what_is_wrong(model: Model, tmp_path: Path) -> None:
    with pytest.raises(Refused) as refused:
        parse_predicate(model, "True and s.enters['east'] > 0", tmp_path)
    lines = str(refused.value).splitlines()
    assert lines[1] == " --> predicate:1:10"
    assert lines[3:5] == ["1 | True and s.enters['east'] > 0", "  |          ^^^^^^^^"]


@pytest.mark.parametrize(
    "text",
    [
        "open(MARK, 'w').write('run') == 3",
        "__import__('pathlib').Path(MARK).touch() is None",
        "True\nopen(MARK, 'w')",
        "True\r    open(MARK, 'w')",
        "True; open(MARK, 'w')",
        "True) or (open(MARK, 'w')",
        "[open(MARK, 'w') for g in Gate] == []",
        "(lambda: open(MARK, 'w'))()",
        "(f := open)(MARK, 'w') is None",
        "f'{open(MARK, 'w')}' == ''",
        'f"{open(MARK, chr(119))}" == ""',
        "s.__class__.__init_subclass__() is None",
        "(yield open(MARK, 'w'))",
        "any(open(MARK, 'w') for g in ())",
    ],
)
def test_no_code_is_run(model: Model, tmp_path: Path, text: str) -> None:
    mark = tmp_path / "mark"
    with pytest.raises(Refused):
        parse_predicate(model, text.replace("MARK", repr(str(mark))), tmp_path)
    assert not mark.exists()
