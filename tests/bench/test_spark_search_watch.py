"""What a benchmark notes of a search while it runs."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from bench.spark_search_watch import SearchWatch
from lockstep.machine.search.workers import Totals
from lockstep.spark.search.work_folder import Manifest
from lockstep.system.sealed import write_document


def wait_until(is_so: Callable[[], bool]) -> None:
    ends = time.monotonic() + 60
    while not is_so() and time.monotonic() < ends:
        time.sleep(0.05)
    assert is_so()


def test_levels_and_files_are_noted(tmp_path: Path) -> None:
    search, blocks = tmp_path / "search" / "model-default", tmp_path / "blocks"
    search.mkdir(parents=True)
    blocks.mkdir()
    levels = ((1,), (1, 4), (1, 4, 9), (1, 4, 9, 16, 25))
    with SearchWatch(search.parent, blocks) as watch:
        for count, committed in enumerate(levels, start=1):
            time.sleep(0.05)  # for another time of the file
            manifest = Manifest(1, committed, Totals([], [], []))
            write_document(search / "spark.json", {"content": manifest})
            wait_until(lambda count=count: len(watch.commits) == count)  # type: ignore[misc]
        (blocks / "block").write_bytes(b"x" * 10**6)
        wait_until(lambda: watch.peak_bytes > 10**6)
        (blocks / "block").unlink()
    assert watch.load >= 0.0
    assert watch.last_bytes == (search / "spark.json").stat().st_size
    assert watch.peak_bytes == watch.last_bytes + 10**6
    assert watch.longest_level is not None
    seconds, states = watch.longest_level
    whole = watch.commits[-1][0] - watch.commits[1][0]
    assert 0 < seconds < whole, "the first job is left out, and two levels of one commit share it"
    assert states in (9, 25)
