"""A checkpoint is that of one search: whatever its answer depends on, another search is refused."""

import json
import shutil
import zlib
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from lockstep.errors import LockstepError
from lockstep.explore.engines import explore
from lockstep.language.model import Model, load_model
from lockstep.machine.code.program import build_program
from lockstep.machine.search import checkpoint
from lockstep.machine.search.checkpoint import Checkpoint, search_identity
from lockstep.plain.exploration import Bounds, Exploration
from lockstep.results.verdict import Verdict

MODEL = """\
from lockstep import Constant, Range, State, action, require

STEP: Constant = 1


class Counter(State):
    count: Range(0, 9) = 0


@action
def add(s, new):
    require(s.count + STEP <= 6)
    new.count = s.count + STEP
"""
INVARIANTS = """\
from lockstep import invariant, sometimes


@invariant()
def stays_low(s):
    return s.count != 7


@sometimes()
def reaches_two(s):
    return s.count == 2
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    root = tmp_path / "workspace"
    for folder, text in (("models", MODEL), ("invariants", INVARIANTS)):
        (root / folder).mkdir(parents=True)
        (root / folder / "counter.py").write_text(text)
    return root


@pytest.fixture
def model(workspace: Path) -> Model:
    return load_model(workspace, "counter")


def started_at(model: Model, count: int) -> Model:
    return replace(model, initial=model.state.of([count]))


def refusal(model: Model, folder: Path, *, deadlock_allowed: bool = True) -> str:
    with pytest.raises(LockstepError, match="the checkpoint of another search") as caught:
        explore(
            model, Exploration("compiled", checkpoint=folder, deadlock_allowed=deadlock_allowed)
        )
    return caught.value.message.partition("another search: ")[2]


def test_another_initial_state(model: Model, tmp_path: Path) -> None:
    folder, other = tmp_path / "kept", started_at(model, 7)
    assert explore(model, Exploration("compiled", checkpoint=folder)).verdict is Verdict.HOLDS
    assert explore(other, Exploration("compiled")).verdict is Verdict.VIOLATED
    assert refusal(other, folder) == "the initial state is another"


def test_another_deadlock_rule(model: Model, tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    assert explore(model, Exploration("compiled", checkpoint=folder)).verdict is Verdict.HOLDS
    assert (
        explore(model, Exploration("compiled", deadlock_allowed=False)).verdict is Verdict.VIOLATED
    )
    assert refusal(model, folder, deadlock_allowed=False) == "the deadlock rule is another"


def test_another_program(workspace: Path, model: Model, tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    explore(model, Exploration("compiled", checkpoint=folder))
    other = load_model(workspace, "counter", {"STEP": 2})
    assert refusal(other, folder) == "the program is another"


def test_other_properties(model: Model, tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    explore(model, Exploration("compiled", checkpoint=folder))
    backwards = replace(model, properties=model.properties[::-1])
    assert "the properties" in refusal(backwards, folder)
    assert "the properties" in refusal(replace(model, properties=()), folder)


def test_symmetry(model: Model, tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    explore(model, Exploration("compiled", checkpoint=folder))
    with pytest.raises(LockstepError, match="the symmetry is another"):
        explore(model, Exploration("compiled", symmetry=True, checkpoint=folder))


def test_other_loops(model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "kept"
    explore(model, Exploration("compiled", checkpoint=folder))
    monkeypatch.setattr(checkpoint, "_own_code", lambda: "of another version")
    assert refusal(model, folder) == "the search's own code is another"


def test_the_searchs_own_code_is_all_of_its_sources(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = Path(checkpoint.__file__).parent
    digests = [checkpoint._own_code()]
    for source in ("kernels.py", "visited.py"):
        copy = tmp_path / source.removesuffix(".py")
        shutil.copytree(package, copy)
        (copy / source).write_text((copy / source).read_text() + "\n")
        monkeypatch.setattr(checkpoint, "__file__", str(copy / "checkpoint.py"))
        checkpoint._own_code.cache_clear()
        digests.append(checkpoint._own_code())
    checkpoint._own_code.cache_clear()
    assert len(set(digests)) == 3


def test_another_version_of_the_format(model: Model, tmp_path: Path) -> None:
    text = json.dumps({"format": 1, "program": "", "words": 1, "levels": []})
    sealed = json.dumps({"crc32": zlib.crc32(text.encode()), "checkpoint": text})
    (tmp_path / "checkpoint.json").write_text(sealed)
    assert refusal(model, tmp_path) == "another version of lockstep made it"


def test_bounds_and_threads_are_no_part_of_it(model: Model, tmp_path: Path) -> None:
    explore(model, Exploration("compiled", Bounds(max_depth=2), threads=2, checkpoint=tmp_path))
    assert (
        explore(model, Exploration("compiled", threads=1, checkpoint=tmp_path)).verdict
        is Verdict.HOLDS
    )


def test_the_first_level_is_the_initial_state(
    model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even where the identity of two searches is the same."""
    other = started_at(model, 7)
    own = search_identity(build_program(model), deadlock_allowed=True)
    checkpoints = "lockstep.machine.search.checkpoint.search_identity"
    monkeypatch.setattr(checkpoints, lambda program, **_: own)
    explore(model, Exploration("compiled", checkpoint=tmp_path))
    with pytest.raises(LockstepError, match="begins with another initial state"):
        explore(other, Exploration("compiled", checkpoint=tmp_path))


def test_a_closed_checkpoint_can_be_opened_again(model: Model, tmp_path: Path) -> None:
    program = build_program(model)
    for _ in range(2):
        with closing(Checkpoint(tmp_path, program)) as checkpoint:
            assert checkpoint.totals is None
