"""How measurements are made, the same for every tool."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench.process import Run

_SHORT = 30.0
"""Seconds; a run that takes less is repeated, for it is easily disturbed."""


@dataclass(frozen=True)
class Bench:
    """Where and how often things are run.

    `build` is where peers are compiled, `scratch` an empty folder for all else; `limit` is how
    many seconds a run may take, `repeats` how often a short one is made.
    """

    build: Path
    scratch: Path
    limit: float
    repeats: int

    def runs(self, once: Callable[[], Run]) -> list[Run]:
        """One run, or several where they are short."""
        runs = [once()]
        while len(runs) < self.repeats and runs[0].seconds < _SHORT and not runs[0].exit_code:
            runs.append(once())
        return runs
