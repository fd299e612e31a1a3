"""A search survives being killed at any moment, and never goes on from what is damaged."""

import os
import random
import signal
import sys
import time
from pathlib import Path

import pytest

from lockstep.errors import LockstepError
from lockstep.explore.engines import explore
from lockstep.language.model import Model, load_model
from lockstep.machine.code.program import build_program
from lockstep.machine.search import checkpoint
from lockstep.machine.search.checkpoint import Checkpoint
from lockstep.plain.exploration import Bounds, Exploration
from lockstep.results.search_result import SearchResult
from lockstep.results.verdict import Verdict
from tests.processes import started_program

ROOT = Path(__file__).parents[3]
SCOPE = {
    "PARTITIONS": ("p1",),
    "SESSION_IDS": (1,),
    "MAX_EPOCH": 2,
    "MAX_FAILURES": 1,
    "MAX_DISTURBANCES": 1,
}
SEARCH = """
import sys
from pathlib import Path
from lockstep.explore.engines import explore
from lockstep.plain.exploration import Exploration
from lockstep.machine.search import checkpoint
from lockstep.language.model import load_model
from tests.machine.search.test_checkpoint import ROOT, SCOPE
model = load_model(ROOT, "fetch_session", SCOPE)
checkpoint._PAUSE = 0
print("begins", flush=True)
explore(model, Exploration("compiled", checkpoint=Path(sys.argv[1])))
"""


@pytest.fixture
def commits_every_level(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoint, "_PAUSE", 0)


@pytest.fixture(scope="module")
def model() -> Model:
    return load_model(ROOT, "fetch_session", SCOPE)


@pytest.fixture(scope="module")
def whole(model: Model) -> SearchResult:
    return explore(model, Exploration("compiled"))


def counts(result: SearchResult) -> tuple[object, ...]:
    return (
        result.verdict,
        result.states,
        result.transitions,
        result.depth,
        result.levels,
        result.deadlocks,
        result.fired,
        result.applied,
        result.reached,
    )


def levels_in(folder: Path) -> int:
    file = folder / "levels.index"
    return file.read_bytes().count(b"\n") if file.exists() else 0


@pytest.mark.daily(2)
def test_killed_at_any_moment_it_goes_on_to_the_same_counts(
    tmp_path: Path, model: Model, whole: SearchResult
) -> None:
    moments = random.Random(7)
    reached = [0]
    for _ in range(4):
        with started_program([sys.executable, "-c", SEARCH, str(tmp_path)], ROOT) as search:
            search.line()
            wanted = reached[-1] + moments.randint(1, 5)
            deadline = time.monotonic() + 60
            while levels_in(tmp_path) < wanted and search.process.poll() is None:
                assert time.monotonic() < deadline
            time.sleep(moments.random() / 100)
            search.send(signal.SIGKILL)
            search.ended()
        reached.append(levels_in(tmp_path))
    assert reached == sorted(reached)
    assert reached[1] < whole.depth, "the first was killed before it was done"
    assert counts(explore(model, Exploration("compiled", checkpoint=tmp_path))) == counts(whole)
    again = explore(model, Exploration("compiled", checkpoint=tmp_path))
    assert counts(again) == counts(whole), "a finished search is reported again"


def test_a_bounded_search_goes_on(tmp_path: Path, model: Model, whole: SearchResult) -> None:
    first = explore(model, Exploration("compiled", Bounds(max_depth=6), checkpoint=tmp_path))
    assert first.verdict is Verdict.INCONCLUSIVE
    assert levels_in(tmp_path) == 7
    for threads in (1, 2):
        bounded = explore(
            model,
            Exploration(
                "compiled", Bounds(max_depth=6 + threads), threads=threads, checkpoint=tmp_path
            ),
        )
        assert bounded.depth == 6 + threads
    assert counts(explore(model, Exploration("compiled", checkpoint=tmp_path))) == counts(whole)


def test_a_violation_is_found_again_with_its_trace(tmp_path: Path) -> None:
    broken = load_model(ROOT, "fetch_session", SCOPE, fault="epoch_not_advanced")
    straight = explore(broken, Exploration("compiled"))
    assert straight.violation is not None
    explore(broken, Exploration("compiled", Bounds(max_depth=3), checkpoint=tmp_path))
    resumed = explore(broken, Exploration("compiled", checkpoint=tmp_path))
    assert resumed.violation is not None
    assert resumed.violation.properties == straight.violation.properties
    assert resumed.violation.trace == straight.violation.trace


def damage(folder: Path, kind: str) -> None:
    states, index, manifest = (
        folder / name for name in ("levels.states", "levels.index", "checkpoint.json")
    )
    match kind:
        case "states flipped":
            data = bytearray(states.read_bytes())
            data[len(data) // 2] ^= 4
            states.write_bytes(data)
        case "states cut":
            states.write_bytes(states.read_bytes()[:-8])
        case "states removed":
            states.unlink()
        case "index line changed":
            index.write_bytes(index.read_bytes().replace(b"[1,", b"[2,", 1))
        case "index line removed":
            lines = index.read_bytes().splitlines(keepends=True)
            index.write_bytes(b"".join(lines[:2] + lines[3:]))
        case "index removed":
            index.unlink()
        case "manifest changed":
            text = manifest.read_text("utf-8")
            manifest.write_text(text.replace("program", "programs", 1), "utf-8")
        case "manifest cut":
            manifest.write_text(manifest.read_text("utf-8")[:-20], "utf-8")


@pytest.mark.parametrize(
    "kind",
    [
        "states flipped",
        "states cut",
        "states removed",
        "index line changed",
        "index line removed",
        "index removed",
        "manifest changed",
        "manifest cut",
    ],
)
def test_a_damaged_checkpoint_is_refused(tmp_path: Path, model: Model, kind: str) -> None:
    explore(model, Exploration("compiled", Bounds(max_depth=5), checkpoint=tmp_path))
    damage(tmp_path, kind)
    with pytest.raises(LockstepError, match="the checkpoint is damaged"):
        explore(model, Exploration("compiled", checkpoint=tmp_path))


def test_what_was_not_committed_is_dropped(
    tmp_path: Path, model: Model, whole: SearchResult
) -> None:
    explore(model, Exploration("compiled", Bounds(max_depth=5), checkpoint=tmp_path))
    index, states = tmp_path / "levels.index", tmp_path / "levels.states"
    index.write_bytes(index.read_bytes()[:-7])
    with states.open("ab") as file:
        file.write(b"half a level")
    resumed = explore(model, Exploration("compiled", Bounds(max_depth=6), checkpoint=tmp_path))
    assert resumed.depth == 6
    assert counts(explore(model, Exploration("compiled", checkpoint=tmp_path))) == counts(whole)


def test_the_index_of_another_checkpoint_is_damage(tmp_path: Path, model: Model) -> None:
    other = load_model(ROOT, "fetch_session", {**SCOPE, "MAX_EPOCH": 3})
    for folder, owner in (("one", model), ("other", other)):
        explore(owner, Exploration("compiled", Bounds(max_depth=3), checkpoint=tmp_path / folder))
    for name in ("levels.states", "levels.index"):
        (tmp_path / "one" / name).write_bytes((tmp_path / "other" / name).read_bytes())
    with pytest.raises(LockstepError, match="checksum of line 1"):
        explore(model, Exploration("compiled", checkpoint=tmp_path / "one"))


@pytest.mark.usefixtures("commits_every_level")
def test_a_full_disk_keeps_what_was_kept(
    tmp_path: Path, model: Model, whole: SearchResult, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.fsync
    writes = [12]

    def full(descriptor: int) -> None:
        writes[0] -= 1
        if writes[0] < 0:
            raise OSError(28, "No space left on device")
        real(descriptor)

    monkeypatch.setattr(os, "fsync", full)
    result = explore(model, Exploration("compiled", checkpoint=tmp_path))
    assert result.verdict is Verdict.INCONCLUSIVE
    assert "no more can be kept on disk: No space left on device" in result.because
    monkeypatch.setattr(os, "fsync", real)
    assert counts(explore(model, Exploration("compiled", checkpoint=tmp_path))) == counts(whole)


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path: Path, model: Model) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(LockstepError, match="cannot be made"):
        Checkpoint(tmp_path / "file", build_program(model))
