"""`python -m bench.growth`: the same model from 10^5 states to as many as the machine holds.

Each row is a whole process of `lockstep check session_cache --engine compiled` in a larger scope,
with everything checked that is always checked, and no liveness. The last one is `counters` in
`bench/capacity/`, which has 10^9 states and nothing else to say; its levels are on disk.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from bench.cases import check_command
from bench.machine import this_machine
from bench.process import measure
from bench.table import machine_text

_HEAD = ("constants", "states", "transitions", "depth", "wall s", "peak MiB", "B/state", "M/s")


@dataclass(frozen=True)
class Growth:
    """One scope of `session_cache`, and about how many states it has."""

    slots: int
    max_time: int
    max_size: int
    about: int

    @property
    def settings(self) -> list[str]:
        """The scope as options of `lockstep check`."""
        names = json.dumps([f"slot{number + 1}" for number in range(self.slots)])
        values = {"SLOTS": names, "MAX_TIME": self.max_time, "MAX_SIZE": self.max_size}
        return [part for name, value in values.items() for part in ("--set", f"{name}={value}")]

    def __str__(self) -> str:
        return f"{self.slots} slots, MAX_TIME {self.max_time}, MAX_SIZE {self.max_size}"


GROWTH = (
    Growth(3, 2, 2, 179_470),
    Growth(3, 3, 2, 868_680),
    Growth(4, 2, 2, 4_198_110),
    Growth(4, 3, 2, 32_455_720),
    Growth(4, 2, 4, 110_915_766),
)
BILLION = 10**9


def main() -> int:
    """Measure scopes up to the size on the command line, print a table of them, and keep it."""
    root = Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(prog="python -m bench.growth", description=__doc__)
    parser.add_argument("--most", type=int, default=2 * 10**8, help="leave out scopes beyond")
    parser.add_argument("--limit", type=float, default=1200.0, help="seconds for each")
    parser.add_argument("--spill", type=Path, help="a folder with 10 GB of room")
    parser.add_argument("--results", type=Path, default=root / "bench" / "results")
    options = parser.parse_args()
    lines = [" | ".join(("", *_HEAD, "")).strip(), "|" + "---|" * len(_HEAD)]
    for growth in GROWTH:
        if growth.about <= options.most:
            settings = [*growth.settings, "--engine", "compiled"]
            command = check_command(root, "session_cache", *settings)
            lines.append(_row(str(growth), command, root, options.limit))
            print(lines[-1], flush=True)
    if options.most >= BILLION:
        with tempfile.TemporaryDirectory(dir=options.spill) as spill:
            workspace = root / "bench" / "capacity"
            settings = ["--scope", "billion", "--spill", spill]
            command = check_command(workspace, "counters", *settings)
            lines.append(_row("9 decimal counters", command, workspace, options.limit))
            print(lines[-1], flush=True)
    machine = this_machine(root)
    text = "\n".join(["# Growth", "", machine_text(machine), "", *lines, ""])
    options.results.mkdir(parents=True, exist_ok=True)
    file = options.results / f"{machine.date}-growth.md"
    file.write_text(text, "utf-8")
    print(f"kept in {file}")
    return 0


def _row(name: str, command: list[str], folder: Path, limit: float) -> str:
    run = measure([sys.executable, *command], folder, limit=limit)
    if run.exit_code != 0:
        return f"| {name} | not finished: {run.last_words} |" + " |" * (len(_HEAD) - 2)
    (sizes,) = json.loads(run.output)["results"]
    cells = (
        name,
        f"{sizes['states']:,}",
        f"{sizes['transitions']:,}",
        str(sizes["depth"]),
        f"{run.seconds:.1f}",
        f"{run.peak_bytes / 2**20:,.0f}",
        f"{run.peak_bytes / sizes['states']:.0f}",
        f"{sizes['states'] / run.seconds / 1e6:.2f}",
    )
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    sys.exit(main())
