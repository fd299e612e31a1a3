"""What a type checker, and so an editor, sees of a model."""

import subprocess
import sys
from pathlib import Path

import lockstep
from lockstep.language.domain import Domain

ROOT = Path(__file__).parents[2]

MODEL = '''\
"""A lamp at each gate."""

from lockstep import Constant, Domain, Map, OneOf, Range, Record, Set, State, action, require

GATES: Constant = ("east", "west")

Gate: Domain = OneOf(GATES)
Level: Domain = Range(0, 3)


class Lamp(Record):
    level: Level
    lit: bool


class Gates(State):
    lamps: Map[Gate, Lamp | None] = {g: None for g in Gate}
    broken: Set[Gate] = set()


def brighter(lamp, level):
    return Lamp(level=level, lit=True)


@action
def light(s: Gates, new: Gates, g: Gate, level: Level):
    require(s.lamps[g] is not None and s.lamps[g].level < level)
    require(g not in s.broken)
    new.lamps[g] = brighter(s.lamps[g], level)
'''

MISTAKES = {
    "s.broken": ("s.brokn", '"Gates" has no attribute "brokn"'),
    "s.lamps[g].level": ("s.lamps[g].height", '"Lamp" has no attribute "height"'),
    ", lit=True": ("", 'Missing positional argument "lit" in call to "Lamp"'),
    "brighter(s.lamps[g], level)": (
        "brighter(s.lamps[g])",
        'Missing positional argument "level" in call to "brighter"',
    ),
    "= set()": ("= 0", 'expression has type "int", variable has type "set[Any]"'),
}


def check_types(tmp_path: Path) -> str:
    """What mypy says of the modules there, with the settings for models."""
    flags = ["--strict-equality", "--check-untyped-defs", "--no-strict-optional"]
    command = [sys.executable, "-m", "mypy", *flags, "--follow-imports=silent", "--config-file="]
    modules = sorted(map(str, tmp_path.glob("*.py")))
    ran = subprocess.run(
        [*command, f"--cache-dir={tmp_path / 'cache'}", *modules],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    return ran.stdout + ran.stderr


def test_a_model_is_checked_for_names_and_arguments(tmp_path: Path) -> None:
    (tmp_path / "right.py").write_text(MODEL, encoding="utf-8")
    for number, (old, (new, _)) in enumerate(MISTAKES.items()):
        assert old in MODEL
        text = MODEL.replace(old, new, 1)
        (tmp_path / f"wrong_{number}.py").write_text(text, encoding="utf-8")
    message = check_types(tmp_path)
    for number, (_, what) in enumerate(MISTAKES.values()):
        lines = [line for line in message.splitlines() if f"wrong_{number}.py" in line]
        assert [what in line for line in lines] == [True], message
    assert "right.py" not in message, message


def test_a_name_of_a_domain_stands_for_a_domain_when_it_runs() -> None:
    assert vars(lockstep)["Domain"] is Domain
    assert Path(lockstep.__file__).with_name("py.typed").is_file()
