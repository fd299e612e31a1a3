"""What a fault leaves out of the step that it replaces, read through procedures and parts."""

from pathlib import Path

import pytest

from lockstep.language import ir
from lockstep.language.faults import changed_functions, fault_marks
from lockstep.language.frontend import lower
from lockstep.language.loader import Universe
from lockstep.language.model import load_model, model_names
from lockstep.language.notation import FAULT
from lockstep.language.source import ModelError
from lockstep.language.unwritten import unwritten_parts

ROOT = Path(__file__).parents[2]
MODEL = """\
from lockstep import Record, State, action


class Disk(Record):
    log: bool
    name: bool


class Case(State):
    disk: Disk = Disk(log=False, name=False)
    open: bool = False
    epoch: bool = False


def flush(target, to):
    target.disk.log = to
    target.disk.name = to


def reset(s, new):
    new.epoch = True
    flush(to=True, target=new)


@action
def boot(s, new):
    new.open = True
    reset(s, new)
"""
HEAD = """\
from lockstep import fault
from models import case
from models.case import Disk, boot, flush, reset


"""


def problems(root: Path, decorator: str, *body: str) -> list[str]:
    """What is wrong with a fault that has this body."""
    lines = "\n    ".join(body)
    text = f'{HEAD}@fault(harmless="It is a test.", {decorator})\ndef wrong(s, new):\n    {lines}\n'
    for path, content in (("case.py", MODEL), ("faults/case.py", text)):
        file = root / "models" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding="utf-8")
    try:
        load_model(root, "case", fault="wrong")
    except ModelError as error:
        return [problem.what for problem in error.diagnostics]
    return []


@pytest.mark.parametrize(
    ("body", "missing"),
    [
        (("reset(s, new)",), "open"),
        (("new.open = True",), "disk.log, disk.name, epoch"),
        (("new.open = True", "new.epoch = True", "new.disk.log = True"), "disk.name"),
        (("new.open = True", "flush(new, False)"), "epoch"),
    ],
)
def test_parts_and_procedures_are_looked_into(
    tmp_path: Path, body: tuple[str, ...], missing: str
) -> None:
    assert problems(tmp_path, "replaces=boot", *body) == [
        f"wrong leaves out {missing}, which boot writes"
    ]


@pytest.mark.parametrize(
    "body",
    [
        ("boot(s, new)",),
        ("case.boot(s, new)",),
        ("new.open = s.open", "new.epoch = s.epoch", "new.disk = s.disk"),
        ("new.open = True", "reset(s, new)", "new.disk.log = False"),
        ("new.open += 1", "reset(s, new)"),
    ],
)
def test_a_step_that_is_written_in_full_is_no_problem(
    tmp_path: Path, body: tuple[str, ...]
) -> None:
    assert problems(tmp_path, "replaces=boot", *body) == []


def test_what_is_meant_is_said(tmp_path: Path) -> None:
    decorator = 'replaces=boot, unchanged=("open", "epoch", "disk.name")'
    assert problems(tmp_path, decorator, "new.disk.log = True") == []
    (twice,) = problems(tmp_path, 'replaces=boot, unchanged=("nothing",)', "boot(s, new)")
    assert twice == "wrong says that nothing is unchanged"
    (own,) = problems(tmp_path, 'unchanged=("open",)', "new.epoch = True")
    assert own == "wrong says that open is unchanged"
    (text,) = problems(tmp_path, 'replaces=boot, unchanged="open"', "reset(s, new)")
    assert "unchanged='open' is no tuple of names" in text


def test_the_late_download_raises_the_high_watermark_as_one_in_time_does() -> None:
    """A fault that adds a step shares with the step that it resembles what both write."""
    model = load_model(ROOT, "snapshot_fetch", fault="download_ends_in_a_newer_epoch")
    written = {
        statement.variable
        for action in lower(model).actions
        if action.name == "download_ends_in_a_newer_epoch"
        for statement in action.statements
        if isinstance(statement, ir.Write)
    }
    in_time = {"response", "download", "snapshots", "log_start", "log", "high_watermark"}
    assert written == in_time


@pytest.mark.parametrize("name", model_names(ROOT))
def test_every_shipped_fault_says_what_it_leaves_out(name: str) -> None:
    universe = Universe(ROOT)
    file = ROOT / "models" / "faults" / f"{name}.py"
    members = vars(universe.load(f"models.faults.{name}")).values() if file.exists() else ()
    faults = [member for member in members if hasattr(member, FAULT)]
    for fault in faults:
        changed = changed_functions(universe, [fault])[fault.__name__]
        unchanged = set(getattr(fault, FAULT).unchanged)
        assert not list(unwritten_parts(universe, fault, changed, unchanged))
    assert len(faults) == len(fault_marks(ROOT, name))
