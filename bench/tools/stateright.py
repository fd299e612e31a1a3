"""Stateright, with the models written for it in Rust."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import replace

from bench.bench import Bench
from bench.cases import Case
from bench.process import measure
from bench.rows import Checks, Entrant, Recipe, Row, printed_counts

NAME = "Stateright"
_ENTRANT = Entrant(
    NAME,
    Checks.STATES,
    "invariants of states and goals, which is what it has; breadth first by two threads, the "
    "depth not exact; keeps 64-bit fingerprints, so that states may be taken for one another",
)


def rows(case: Case, bench: Bench) -> Iterator[Row]:
    """Build the program, which is one for all scopes, then run it."""
    cargo = shutil.which("cargo")
    if cargo is None:
        yield _ENTRANT.not_measured("cargo is not installed")
        return
    folder = case.root / "bench" / "peers" / "stateright"
    target = bench.build / "stateright"
    built = measure(
        [cargo, "build", "--release"],
        folder,
        environment={"CARGO_TARGET_DIR": str(target), "RUSTFLAGS": "-C target-cpu=native"},
    )
    if built.exit_code:
        yield _ENTRANT.not_measured(f"it does not compile: {built.last_words}")
        return
    took = target / "compile-seconds"
    if "Compiling stateright v" in built.everything:
        # A build from nothing: the time is kept for the runs that find it done.
        took.write_text(f"{built.seconds:.1f}", "utf-8")
    constants = [f"{name}={value}" for name, value in case.numbers.items()]
    command = [str(target / "release" / "stateright-peer"), case.model, *constants]
    runs = bench.runs(lambda: measure(command, case.root, limit=bench.limit))
    if refusal := re.search(r"this model is for scopes with .*", runs[0].everything):
        yield _ENTRANT.not_measured(f"{refusal.group()}")
        return
    complaint = re.search(r"^violated .*", runs[0].output, re.MULTILINE)
    yield _ENTRANT.row(
        case,
        runs,
        replace(printed_counts(runs[0].output), depth=None),
        complaint=complaint.group() if complaint else "",
        recipe=Recipe(
            (
                "RUSTFLAGS='-C target-cpu=native' cargo build --release",
                f"./stateright-peer {case.model} {' '.join(constants)}",
            ),
            prepared=float(took.read_text("utf-8")) if took.is_file() else None,
        ),
    )
