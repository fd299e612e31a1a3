"""States that memory has no room for go to disk, and nothing else changes."""

import errno
from pathlib import Path

import numpy as np
import pytest

from lockstep.errors import LockstepError
from lockstep.explore.engine import Verdict
from lockstep.explore.engines import Bounds, explore
from lockstep.explore.parallel.spill import Spill, is_on_disk
from lockstep.language.model import Model, load_model

ROOT = Path(__file__).parents[3]
MIB = 2**20
SCOPE = {"SLOTS": ("slot1", "slot2", "slot3"), "MAX_TIME": 2, "MAX_SIZE": 2}


@pytest.fixture(scope="module")
def model() -> Model:
    return load_model(ROOT, "session_cache", SCOPE)


@pytest.mark.parametrize("threads", [1, 2])
def test_what_does_not_fit_goes_to_disk(model: Model, tmp_path: Path, threads: int) -> None:
    whole = explore(model, "compiled")
    bounded = explore(model, "compiled", Bounds(memory=MIB), threads=threads)
    spilled = explore(model, "compiled", Bounds(memory=MIB, spill=tmp_path), threads=threads)
    assert bounded.verdict is Verdict.INCONCLUSIVE
    assert spilled.verdict is Verdict.HOLDS
    for counted in ("states", "transitions", "depth", "fired", "applied", "reached"):
        assert getattr(spilled, counted) == getattr(whole, counted)
    assert list(tmp_path.iterdir()) == []


def test_a_trace_is_rebuilt_from_disk(tmp_path: Path) -> None:
    model = load_model(ROOT, "session_cache", {**SCOPE, "LETTER_OF_RULE_THREE": True})
    in_memory = explore(model, "compiled")
    spilled = explore(model, "compiled", Bounds(memory=MIB, spill=tmp_path))
    assert in_memory.violation is not None
    assert spilled.violation == in_memory.violation


def test_arrays_on_disk_are_what_was_written(tmp_path: Path) -> None:
    spill = Spill(tmp_path)
    table = spill.zeros(1000)
    assert is_on_disk(table)
    assert not table.any()
    table[7] = 7
    parts = [np.arange(3, dtype=np.uint64), np.arange(5, dtype=np.uint64)]
    kept = spill.kept(parts)
    assert is_on_disk(kept)
    assert kept.tolist() == [0, 1, 2, 0, 1, 2, 3, 4]
    assert len(spill.kept([])) == 0
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_ends_the_search_with_what_is_covered(
    model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int, offset: int, size: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.posix_fallocate", full)
    result = explore(model, "compiled", Bounds(memory=MIB, spill=tmp_path))
    assert result.verdict is Verdict.INCONCLUSIVE
    assert "No space left on device" in result.because
    assert "every behaviour of up to" in result.because


def test_a_folder_that_cannot_be_used(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(LockstepError, match="no states can be kept"):
        Spill(file / "folder")
