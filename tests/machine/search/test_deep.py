"""Depth has no limit but the disk: levels take neither a descriptor nor address space each."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
MODEL = """\
from lockstep import Constant, Range, State, action, require

LAST: Constant = 5000
FAULTY: Constant = False


class Counter(State):
    count: Range(0, 2000000) = 0


@action
def add(s, new):
    require(s.count < LAST)
    new.count = s.count + 1
"""
INVARIANTS = """\
from lockstep import invariant

from models.counter import FAULTY, LAST


@invariant()
def is_never_at_the_end(s):
    return not FAULTY or s.count != LAST
"""
SEARCH = """
import resource, sys
from pathlib import Path

folder, descriptors, last, kind, faulty = sys.argv[1:]
from lockstep.explore.engines import explore
from lockstep.plain.exploration import Bounds, Exploration
from lockstep.language.model import load_model

model = load_model(Path(folder), "counter", {"LAST": int(last), "FAULTY": faulty == "faulty"})
resource.setrlimit(resource.RLIMIT_NOFILE, (int(descriptors), int(descriptors)))
place = Path(folder) / kind
for bounds in (Bounds(max_depth=int(last) // 2), Bounds()):
    if kind == "checkpoint":
        result = explore(model, Exploration("compiled", bounds, checkpoint=place))
    else:
        result = explore(model, Exploration("compiled", Bounds(spill=place)))
steps = len(result.violation.trace.steps) if result.violation else 0
print(result.verdict, result.states, result.depth, steps)
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    for folder, text in (("models", MODEL), ("invariants", INVARIANTS)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "counter.py").write_text(text)
    return tmp_path


def explored(workspace: Path, descriptors: int, last: int, kind: str, fault: str = "fine") -> str:
    command = [sys.executable, "-c", SEARCH, str(workspace)]
    command += [str(descriptors), str(last), kind, fault]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=1500)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout.strip()


@pytest.mark.parametrize("kind", ["checkpoint", "spill"])
def test_there_are_more_levels_than_descriptors(workspace: Path, kind: str) -> None:
    assert explored(workspace, 48, 5000, kind) == "holds 5001 5000 0"


@pytest.mark.parametrize("kind", ["checkpoint", "spill"])
def test_a_trace_goes_through_all_levels(workspace: Path, kind: str) -> None:
    assert explored(workspace, 48, 5000, kind, "faulty") == "violated 5001 5000 5000"


@pytest.mark.verify
@pytest.mark.parametrize("kind", ["checkpoint", "spill"])
def test_there_are_more_levels_than_mappings(workspace: Path, kind: str) -> None:
    """More than Linux maps at a time, which is 65,530 unless it is set otherwise."""
    assert explored(workspace, 48, 200_000, kind) == "holds 200001 200000 0"
