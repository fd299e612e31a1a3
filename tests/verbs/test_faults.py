"""Faults explored by several processes come to the same as one after the other."""

from pathlib import Path

import pytest

from lockstep.campaign.processes import Processes, Share, Work
from lockstep.language.faults import fault_marks
from lockstep.verbs.faults import FaultsOfModel, FaultsRequest, faults
from lockstep.workspace import find_workspace

MODELS = ("fetch_response", "snapshot_offsets")


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The widths of the groups of processes that are started."""
    widths: list[int] = []

    def counted(work: Work, workspace: Path, width: int, whole: Share) -> Processes:
        widths.append(width)
        return Processes(work, workspace, width, whole)

    monkeypatch.setattr("lockstep.verbs.campaign.Processes", counted)
    return widths


def results(folder: Path, threads: int) -> list[FaultsOfModel]:
    """What comes of the faults, printed in the order in which it is."""
    reported: list[FaultsOfModel] = []
    # Another engine may find another counterexample of the same length.
    request = FaultsRequest(
        MODELS,
        find_workspace(Path(__file__)),
        engine="python",
        threads=threads,
        results=folder / f"{threads}.jsonl",
        save=folder / "traces",
    )
    run = faults(request, on_result=reported.append)
    assert run.exit_code == 0
    assert reported == list(run.results)
    return reported


@pytest.mark.slow
def test_several_processes_find_what_one_finds(tmp_path: Path, processes: list[int]) -> None:
    one, several = results(tmp_path, 1), results(tmp_path, 2)
    assert processes == [2]
    for model in (*one, *several):
        for run in model.runs:
            assert run.trace is not None
            assert Path(run.trace).is_file()
            run.seconds, run.since = 0.0, None
    assert one == several
    assert [model.name for model in one] == list(MODELS)
    root = find_workspace(Path(__file__)).root
    assert [len(model.runs) for model in one] == [len(fault_marks(root, name)) for name in MODELS]


def test_with_little_memory_there_is_one_process(
    tmp_path: Path, processes: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lockstep.verbs.campaign._LEAST_MEMORY", 2**60)
    workspace, results = find_workspace(Path(__file__)), tmp_path / "results.jsonl"
    run = faults(FaultsRequest(MODELS[1:], workspace, threads=2, results=results))
    assert (run.exit_code, processes) == (0, [])
