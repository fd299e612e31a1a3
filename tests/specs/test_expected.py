"""The file of what a change may break, and what is said where it is wrong."""

from pathlib import Path

import pytest

from lockstep.errors import LockstepError
from lockstep.specs.expected import Subject, read_expected

ENTRY = '[[review.expected]]\nmodel = "m"\nproperty = "p"\nbecause = "it is meant"\n'


def write(folder: Path, text: str) -> Path:
    file = folder / "review.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_each_entry_has_its_line(tmp_path: Path) -> None:
    other = '[[ review . expected ]]\nbase = "m"\nhead = "m.f"\nscope = "small"\n'
    other += 'behaviours = "added"\nbecause = "it is\\nmeant"\n'
    first, second = read_expected(write(tmp_path, f"# why\n\n{ENTRY}\n{other}"), "here")
    assert (first.place, first.subject, first.name) == ("here:3", Subject.PROPERTY, "p")
    assert (second.place, second.subject, second.scope) == ("here:8", Subject.BEHAVIOURS, "small")
    assert (second.model, second.base, second.head) == (None, "m", "m.f")
    assert str(first) == "property p of m (here:3)"
    assert str(second) == "behaviours of m -> m.f in scope small (here:8)"


def test_entries_in_one_line_have_that_line(tmp_path: Path) -> None:
    line = '[review]\nexpected = [{ model = "m", fault = "f", because = "it is meant" }]\n'
    (entry,) = read_expected(write(tmp_path, line), "here")
    assert entry.place == "here:2"


def test_no_entry_is_no_mistake(tmp_path: Path) -> None:
    assert read_expected(write(tmp_path, ""), "here") == ()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            ENTRY.replace("because", "reason"),
            "here:4: review.expected[1].reason: is not a key that is known here",
        ),
        (
            ENTRY.replace('because = "it is meant"\n', ""),
            "here:1: review.expected[1]: because is missing",
        ),
        (f'{ENTRY}why = "?"\n', "here:5: review.expected[1].why: is not a key that is known here"),
        (ENTRY.replace('"p"', "3"), "here:3: review.expected[1].property: is 3, not a text"),
        (f'{ENTRY}fault = "f"\n', "here:1: review.expected[1]: it expects one thing, and this"),
        (ENTRY.replace('property = "p"\n', ""), "expects one thing, and this has none"),
        (f'{ENTRY}base = "m"\n', "it is of a model or of two versions"),
        (f'{ENTRY}base = "m"\nhead = "n"\n', "it is of a model or of two versions"),
        (ENTRY.replace('model = "m"\n', ""), "it is of a model or of two versions"),
        (
            ENTRY.replace('property = "p"', 'behaviours = "removed"'),
            "here:3: review.expected[1].behaviours: is 'removed'",
        ),
        ("[review]\nother = 1\n", "here:2: review.other: is not a key that is known here"),
        ("[[expected]]\n", "here:1: expected: is not a key that is known here"),
        ("[[review.expected\n", "here is not TOML: "),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(LockstepError) as caught:
        read_expected(write(tmp_path, text), "here")
    assert words in str(caught.value)
    assert str(tmp_path) not in str(caught.value)
