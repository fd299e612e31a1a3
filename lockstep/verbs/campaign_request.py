"""What is asked of a campaign: which checks, and where their rows are kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from lockstep.specs.tables import Plain
from lockstep.verbs.option import option
from lockstep.verbs.sweep_values import read_range, read_sweeps


@dataclass(frozen=True)
class CampaignRequest:
    """Many checks in place of one; every field has a default.

    `sweeps` are the values of each constant, None for all of them.
    """

    sweeps: Mapping[str, tuple[Plain, ...] | None] = option(
        "--sweep",
        default={},
        gather=read_sweeps,
        metavar="NAME=VALUES",
        help="Check with each value of a constant: 2..5, or 2,4,8, or all.",
    )
    seeds: range | None = option(
        "--seeds",
        parse=read_range,
        metavar="FIRST..LAST",
        help="Take the random walks of --simulate or --hypothesis once for each seed.",
    )
    results: Path | None = option(
        "--results",
        metavar="FILE",
        is_asked_again=False,
        help="The table of results of --faults, --mutants, --sweep and --seeds; "
        "default: .lockstep/results.jsonl.",
    )

    @property
    def is_sweep(self) -> bool:
        """Whether more than one check is asked for."""
        return bool(self.sweeps) or self.seeds is not None
