"""States that memory has no room for go to disk, and nothing else changes."""

import errno
import gc
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from lockstep.errors import LockstepError
from lockstep.explore.engines import explore
from lockstep.language.model import Model, load_model
from lockstep.machine.search.interface import Array
from lockstep.machine.search.state_file import Spill, is_on_disk
from lockstep.machine.search.visited import VisitedStates
from lockstep.plain.exploration import Bounds, Exploration
from lockstep.results.search_result import SearchResult
from lockstep.results.verdict import Verdict
from lockstep.system.resident import resident_memory

ROOT = Path(__file__).parents[3]
MIB = 2**20
SCOPE = {"SLOTS": ("slot1", "slot2", "slot3"), "MAX_TIME": 2, "MAX_SIZE": 2}


def scarce() -> int:
    """A bound on memory that leaves room for the beginning of a search, and for translating it."""
    return resident_memory() + 100 * MIB


@pytest.fixture(scope="module")
def whole(model: Model) -> SearchResult:
    return explore(model, Exploration("compiled"))


@pytest.fixture
def spilled_tables(monkeypatch: pytest.MonkeyPatch) -> list[Array]:
    """Every table that goes to disk; whichever is to grow does, whatever memory is left.

    What a bound leaves depends on what this process did before, and holds in reserve.
    """
    tables: list[Array] = []
    zeros, growth = Spill.zeros, VisitedStates.growth

    def noted(spill: Spill, words: int) -> Array:
        tables.append(zeros(spill, words))
        return tables[-1]

    monkeypatch.setattr(Spill, "zeros", noted)
    monkeypatch.setattr(VisitedStates, "growth", lambda *arguments: growth(*arguments) and 2**38)
    return tables


@pytest.fixture(scope="module")
def model() -> Model:
    return load_model(ROOT, "session_cache", SCOPE)


@pytest.mark.parametrize("threads", [1, 2])
def test_what_does_not_fit_goes_to_disk(
    model: Model,
    whole: SearchResult,
    tmp_path: Path,
    threads: int,
    spilled_tables: list[Array],
) -> None:
    bounded = explore(model, Exploration("compiled", Bounds(memory=scarce()), threads=threads))
    assert bounded.verdict is Verdict.INCONCLUSIVE
    assert "MiB of memory as bounded" in bounded.because
    spilled = explore(
        model, Exploration("compiled", Bounds(memory=scarce(), spill=tmp_path), threads=threads)
    )
    assert spilled.verdict is Verdict.HOLDS
    assert all(is_on_disk(table) for table in spilled_tables)
    assert len(spilled_tables) > 64, "they have grown more than once"
    for counted in ("states", "transitions", "depth", "fired", "applied", "reached"):
        assert getattr(spilled, counted) == getattr(whole, counted)
    assert list(tmp_path.iterdir()) == []


def test_a_trace_is_rebuilt_from_disk(tmp_path: Path, spilled_tables: list[Array]) -> None:
    model = load_model(ROOT, "session_cache", {**SCOPE, "LETTER_OF_RULE_THREE": True})
    in_memory = explore(model, Exploration("compiled", Bounds(memory=2**40)))
    assert not spilled_tables
    spilled = explore(model, Exploration("compiled", Bounds(memory=scarce(), spill=tmp_path)))
    assert spilled_tables
    assert in_memory.violation is not None
    assert spilled.violation == in_memory.violation


def test_new_states_wait_on_disk_for_the_end_of_their_level(
    model: Model, whole: SearchResult, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lockstep.machine.search.workers._MOST_UNWRITTEN", 100)
    monkeypatch.setattr("lockstep.machine.search.workers.BUFFER", 64)
    monkeypatch.setattr("lockstep.machine.search.workers._FEWEST", 64)
    on_disk = (
        Exploration("compiled", checkpoint=tmp_path / "kept"),
        Exploration("compiled", Bounds(spill=tmp_path)),
    )
    for request in on_disk:
        written = explore(model, request)
        assert (written.states, written.transitions) == (whole.states, whole.transitions)
        assert (written.depth, written.levels) == (whole.depth, whole.levels)


def test_two_searches_share_a_folder(model: Model, tmp_path: Path) -> None:
    """Their files are nameless, so neither meets those of the other."""
    with closing(Spill(tmp_path)) as first, closing(Spill(tmp_path)) as second:
        one, other = first.states(1), second.states(1)
        one.append(np.arange(3, dtype=np.uint64))
        other.append(np.arange(5, 8, dtype=np.uint64))
        extents = one.finish(), other.finish()
        assert [part.tolist() for part in one.read(extents[0])] == [[0, 1, 2]]
        assert [part.tolist() for part in other.read(extents[1])] == [[5, 6, 7]]


def test_no_descriptor_is_left(model: Model, tmp_path: Path) -> None:
    gc.collect()  # what earlier tests left open is none of this one's
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(2):
        explore(model, Exploration("compiled", Bounds(max_depth=3, spill=tmp_path)))
        explore(model, Exploration("compiled", Bounds(max_depth=3), checkpoint=tmp_path / "kept"))
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_tables_on_disk_are_zeros_to_be_written(tmp_path: Path) -> None:
    table = Spill(tmp_path).zeros(1000)
    assert is_on_disk(table)
    assert not table.any()
    table[7] = 7
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_ends_the_search_with_what_is_covered(
    model: Model,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    spilled_tables: list[Array],
) -> None:
    def full(descriptor: int, offset: int, size: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.posix_fallocate", full)
    result = explore(model, Exploration("compiled", Bounds(memory=scarce(), spill=tmp_path)))
    assert not spilled_tables
    assert result.verdict is Verdict.INCONCLUSIVE
    assert "No space left on device" in result.because
    assert "every behaviour of up to" in result.because


def test_a_folder_that_cannot_be_used(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(LockstepError, match="no states can be kept"):
        Spill(file / "folder")
