"""Looks on at a search: load, what is on disk, and how long each level takes."""

from __future__ import annotations

import json
import os
import threading
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType

_LOOK_SECONDS = 0.25


@dataclass
class SearchWatch:
    """What a search takes beside time while the block runs.

    `checkpoint` is the folder of a search on Spark, `blocks` the one for Spark's own files.
    """

    checkpoint: Path | None = None
    blocks: Path | None = None
    peak_bytes: int = 0
    """The most that both folders held at a time."""
    last_bytes: int = 0
    """What the checkpoint held last."""
    commits: list[tuple[float, tuple[int, ...]]] = field(default_factory=list)
    """When levels were committed, and the states of all levels by then."""
    _loads: list[float] = field(default_factory=list)
    _end: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> SearchWatch:
        self._thread = threading.Thread(target=self._look_until_the_end, daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._end.set()
        self._thread.join()
        self._look()

    @property
    def load(self) -> float:
        """The mean of the one-minute load averages: the search's own threads are part of it."""
        return sum(self._loads) / len(self._loads)

    @property
    def longest_level(self) -> tuple[float, int] | None:
        """The seconds of the level that took longest, and its states; None where there are few.

        The first job is left out: Spark is started for it.
        """
        pairs = zip(self.commits[1:], self.commits[2:], strict=False)
        levels = [
            ((at - before) / (len(levels) - len(earlier)), levels[-1])
            for (before, earlier), (at, levels) in pairs
        ]
        return max(levels, default=None)

    def _look_until_the_end(self) -> None:
        while not self._end.wait(_LOOK_SECONDS):
            self._look()

    def _look(self) -> None:
        self._loads.append(os.getloadavg()[0])
        if self.checkpoint is None:
            return
        self.last_bytes = _size(self.checkpoint)
        blocks = 0 if self.blocks is None else _size(self.blocks)
        self.peak_bytes = max(self.peak_bytes, self.last_bytes + blocks)
        for file in self.checkpoint.glob("*/spark.json"):  # a search of each model
            self._note(file)

    def _note(self, file: Path) -> None:
        """Note a level that was committed."""
        with suppress(OSError):
            at = file.stat().st_mtime
            if not self.commits or self.commits[-1][0] != at:
                manifest = json.loads(file.read_bytes())["document"]["content"]
                self.commits.append((at, tuple(manifest["levels"])))


def _size(folder: Path) -> int:
    """The bytes of all files below a folder that are there long enough to be counted."""
    total = 0
    for path, _, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                total += os.stat(os.path.join(path, name)).st_size
    return total
