"""Two states side by side."""

from pathlib import Path

from lockstep.trace.changes import Compared, compare
from tests.diagram.post import post, walk


def test_what_changed_is_distinguished(tmp_path: Path) -> None:
    model = post(tmp_path)
    trace = walk(model, "write")
    rows = compare(trace.initial, trace.last)
    assert [row for row in rows if row.is_changed] == [
        Compared("letter", "letter[ann]", "None", "Letter(number=1)"),
        Compared("written", "written[ann]", "0", "1"),
    ]
    assert Compared("written", "written[bo]", "0", "0") in rows
    assert Compared("spare", "spare", "{all: None}", "{all: None}") in rows


def test_a_state_beside_itself(tmp_path: Path) -> None:
    model = post(tmp_path)
    rows = compare(model.initial, model.initial)
    assert [row.place for row in rows] == list(model.variables)
    assert not any(row.is_changed for row in rows)


def test_fields_of_a_record_are_compared(tmp_path: Path) -> None:
    model = post(tmp_path)
    trace = walk(model, "write", "smudge")
    (row,) = [row for row in compare(*trace.states[1:]) if row.is_changed]
    assert row == Compared("letter", "letter[ann].number", "1", "0")
