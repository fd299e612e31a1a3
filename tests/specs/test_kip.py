from pathlib import Path

import pytest

from lockstep.errors import LockstepError
from lockstep.specs.kip import Reference, load_kip, load_kips

SPECS = Path(__file__).parents[1] / "workspaces" / "turnstile" / "specs"
TEXT = (SPECS / "kip_9.toml").read_text(encoding="utf-8")


def test_everything_is_read() -> None:
    kip = load_kip(SPECS / "kip_9.toml")
    assert (kip.number, kip.title, kip.revision) == (9, "Turnstiles", "The only one.")
    assert [row.id for row in kip.requirements] == ["9-1", "9-2", "9-3", "9-4"]
    assert kip.requirements[0].answered_by == (Reference("fault turnstile.stays_open"),)
    assert kip.requirements[3].unanswerable == "Taste is not a state."
    assert kip.requirements[3].references == ()
    assert kip.constants[0].value == 2
    assert kip.deviations[0].title == "A jammed gate"


def test_the_files_of_a_workspace_come_by_number(tmp_path: Path) -> None:
    (tmp_path / "specs").mkdir()
    for number in (10, 9):
        text = TEXT.replace("number = 9", f"number = {number}").replace('"9-', f'"{number}-')
        text = text.replace("deviation 9-", f"deviation {number}-")
        (tmp_path / "specs" / f"kip_{number}.toml").write_text(text)
    assert [kip.number for kip in load_kips(tmp_path)] == [9, 10]


def test_another_version_has_ids_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "specs").mkdir()
    draft = TEXT.replace("number = 9", 'number = 9\nlabel = "9d"').replace('"9-', '"9d-')
    (tmp_path / "specs" / "kip_9.toml").write_text(TEXT)
    (tmp_path / "specs" / "kip_9_draft.toml").write_text(
        draft.replace("deviation 9-", "deviation 9d-")
    )
    kips = load_kips(tmp_path)
    assert [(kip.number, kip.label) for kip in kips] == [(9, "9"), (9, "9d")]
    assert kips[1].requirements[0].id == "9d-1"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('id = "9-2"', 'id = "9-1"', r"requirement\[2\].id: 9-1 is there twice"),
        ('id = "9-2"', 'id = "8-2"', r"requirement\[2\].id: is '8-2'(.|\n)*write 9-1, 9-2"),
        ('id = "9-2"', 'id = "9-02"', r"requirement\[2\].id: is '9-02'"),
        ("action turnstile.coin", "axiom turnstile.coin", r"'axiom turnstile.coin' refers to"),
        ("action turnstile.coin", "action coin", r"answered_by: 'action coin' refers to nothing"),
        ("deviation 9-D1", "test somewhere", r"'test somewhere' refers to nothing"),
        (
            'answered_by = ["fault turnstile.stays',
            'refuted_by = ["action turnstile.stays',
            r"refuted_by: 'action (.|\n)*`invariant MODEL.NAME` or `fault MODEL.NAME` or `scope ",
        ),
        (
            'answered_by = ["fault turnstile.stays',
            'shown_by = ["invariant turnstile.entries',
            r"shown_by: 'invariant (.|\n)*write `test FILE.py::FUNCTION`$",
        ),
        ("unanswerable =", "unanswerable_ =", r"requirement\[4\].unanswerable_: is not a key"),
        (
            "value = 2\nsection",
            'value = 2\nchapter = ""\nsection',
            r"constant\[1\].chapter: is not",
        ),
        ('kafka = "Stays shut."', "kafka = 1", r"deviation\[1\].kafka: is 1, not a text"),
        ("number = 9", 'number = "9"', r"kip.number: is '9', not a whole number"),
    ],
)
def test_errors_name_file_and_key(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in TEXT
    file = tmp_path / "kip_9.toml"
    file.write_text(TEXT.replace(old, new, 1))
    with pytest.raises(LockstepError, match=message) as error:
        load_kip(file)
    assert str(error.value).startswith(str(file))


def test_a_requirement_is_answered_or_not_never_both(tmp_path: Path) -> None:
    file = tmp_path / "kip_9.toml"
    file.write_text(TEXT.replace("unanswerable =", 'answered_by = ["action a.b"]\nunanswerable ='))
    with pytest.raises(LockstepError, match="9-4 has both of what answers it and unanswerable"):
        load_kip(file)
