"""`python -m tests.agreement`: thousands of random models before all judges, on all cores.

Models are drawn in blocks, one a seed; each block has a process of its own, so that one which
crashes is a difference as well. What each came to is kept in a file: the same command goes on where
it was interrupted, as long as the code is the same. Ends with 0 when there is no difference, with 1
when there is one (the model is shown), with 130 when it was interrupted.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import subprocess
import sys
import time
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path

from lockstep.system.interruption import INTERRUPTION
from tests.agreement.block import DRAWN
from tests.agreement.census import Census, digest_of_tree
from tests.agreement.judges import JUDGES

ROOT = Path(__file__).parents[2]
LONGEST = 3600
"""Seconds after which a block counts as one that hangs."""


@dataclass
class Run:
    """Blocks that are judged, and those that are done; `kept` is the file that lists them."""

    kept: Path
    tree: str
    judges: list[str]
    done: dict[int, Census] = field(default_factory=dict)
    processes: dict[int, subprocess.Popen[str]] = field(default_factory=dict)

    def read(self) -> None:
        """Take in what was done before, with the same code."""
        if not self.kept.exists():
            return
        for line in self.kept.read_text("utf-8").splitlines():
            document = json.loads(line)
            if document["tree"] == self.tree and document["judges"] == self.judges:
                self.done[document["block"]] = Census.of_json(document["census"])

    def judge(self, block: int) -> str:
        """Judge one block in a process of its own; what went wrong, in words, or nothing."""
        environment = {**os.environ, "LOCKSTEP_CACHE": str(self.kept.parent / "cache")}
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.agreement.block", str(block), *self.judges],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.processes[block] = process
        try:
            out, err = process.communicate(timeout=LONGEST)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return f"it took longer than {LONGEST} s"
        finally:
            del self.processes[block]
        if process.returncode:
            return f"it ended with {process.returncode}\n{err}"
        self._keep(block, out.strip().splitlines()[-1])
        return ""

    def _keep(self, block: int, line: str) -> None:
        document = {
            "tree": self.tree,
            "judges": self.judges,
            "block": block,
            "date": datetime.date.today().isoformat(),
            "census": line,
        }
        with self.kept.open("a", encoding="utf-8") as out:
            out.write(json.dumps(document) + "\n")
        self.done[block] = Census.of_json(line)

    def stop(self) -> None:
        """End what was started."""
        for process in list(self.processes.values()):
            process.kill()


def main() -> int:
    """Judge as many models as the command line says."""
    options = _arguments()
    INTERRUPTION.listen()
    options.kept.parent.mkdir(parents=True, exist_ok=True)
    run = Run(options.kept, digest_of_tree(ROOT), options.judges)
    run.read()
    blocks = range(options.first, options.first + -(-options.models // DRAWN))
    before, started = len(run.done), time.monotonic()
    differences: dict[int, str] = {}
    with ThreadPoolExecutor(options.jobs) as pool:
        waiting: dict[Future[str], int] = {
            pool.submit(run.judge, block): block for block in blocks if block not in run.done
        }
        try:
            for future in as_completed(waiting):
                block, wrong = waiting[future], future.result()
                if wrong:
                    differences[block] = wrong
                    print(f"block {block}: {wrong}", file=sys.stderr, flush=True)
                _tell(len(run.done), len(blocks), time.monotonic() - started)
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            run.stop()
            return 130
    total = Census()
    for block in blocks:
        total.add(run.done.get(block, Census()))
    print(*total.lines(), sep="\n")
    judges = ", ".join(run.judges)
    print(f"code {run.tree}, {len(run.done) - before} blocks judged now, by {judges}")
    for block in sorted(differences):
        print(f"a difference in block {block}: python -m tests.agreement.block {block}")
    print(f"{len(differences)} blocks with a difference")
    return 1 if differences else 0


def _tell(done: int, blocks: int, seconds: float) -> None:
    print(f"{done} of {blocks} blocks after {seconds:.0f} s", file=sys.stderr, flush=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.agreement", description=__doc__)
    parser.add_argument("--models", type=int, default=20_000, help="how many are drawn")
    parser.add_argument("--first", type=int, default=0, help="the seed of the first block")
    parser.add_argument(
        "--judges", nargs="+", choices=JUDGES, default=list(JUDGES), help="who judges them"
    )
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument(
        "--kept",
        type=Path,
        default=ROOT / "build" / "agreement" / "blocks.jsonl",
        help="the file that says which blocks are done",
    )
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
