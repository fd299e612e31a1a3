"""SPIN, with the models written for it in Promela."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.bench import Bench
from bench.cases import Case
from bench.process import Run, measure
from bench.rows import Checks, Counts, Entrant, Recipe, Row

NAME = "SPIN"
_TRANSLATION = ("-a", "-o2")
"""Without SPIN's elimination of dead variables: on fetch_session it loses states."""
# The fastest of those that keep every state whole; -DCOLLAPSE takes twice the time and, on states
# this small, more memory. The parallel search, -DBFS_PAR, takes twice the processor time.
_OPTIONS = (
    *("-O3", "-march=native", "-w", "-DSAFETY", "-DNOREDUCE", "-DNOBOUNDCHECK", "-DNOFAIR"),
    *("-DSFH", "-DNOCOMP", "-DMEMLIM=16000"),
)
_DEPTH = 5_000_000
"""The longest path that SPIN may follow: a search that needs more is not complete."""

_ENTRANTS = {
    Entrant(
        NAME,
        Checks.STATES,
        "invariants of states as assertions after each step, deadlock; depth first, one thread",
    ): (),
    Entrant(NAME, Checks.NONE, "deadlock only; depth first, one thread"): ("-DUNCHECKED",),
}


def rows(case: Case, bench: Bench) -> Iterator[Row]:
    """With the assertions, then without."""
    for entrant, macros in _ENTRANTS.items():
        missing = [name for name in ("spin", "gcc") if shutil.which(name) is None]
        if missing:
            yield entrant.not_measured(f"{' and '.join(missing)} not installed")
            continue
        with tempfile.TemporaryDirectory(dir=bench.scratch) as folder:
            yield _row(entrant, case, bench, Path(folder), macros)


def _row(entrant: Entrant, case: Case, bench: Bench, folder: Path, extra: tuple[str, ...]) -> Row:
    source = case.root / "bench" / "peers" / "spin" / f"{case.model}.pml"
    if not source.is_file():
        return entrant.not_measured(f"{case.model} is not written in Promela")
    macros = [f"-D{name}={value}" for name, value in case.numbers.items()] + list(extra)
    translated = measure(["spin", *_TRANSLATION, *macros, source], folder)
    if translated.exit_code or not (folder / "pan.c").is_file():
        return entrant.not_measured(
            f"spin refuses it: {translated.last_words}".replace(f"{source.parent}/", "")
        )
    compiled = measure(["gcc", *_OPTIONS, "-o", "pan", "pan.c"], folder)
    if compiled.exit_code:
        return entrant.not_measured(f"it does not compile: {compiled.last_words}")
    # The table has 2**w lists of states: more than states, so that they are short.
    arguments = [f"-m{_DEPTH}", f"-w{max(16, case.states.bit_length() + 1)}"]
    runs = bench.runs(lambda: measure([folder / "pan", *arguments], folder, limit=bench.limit))
    return entrant.row(
        case,
        runs,
        _counts(case, runs[0]),
        complaint=_complaint(runs[0].output),
        recipe=Recipe(
            (
                f"spin {' '.join([*_TRANSLATION, *macros])} {source.name}",
                f"gcc {' '.join(_OPTIONS)} -o pan pan.c",
                f"./pan {' '.join(arguments)}",
            ),
            prepared=translated.seconds + compiled.seconds,
        ),
    )


def _counts(case: Case, run: Run) -> Counts:
    """What SPIN printed. It counts the start as a transition, and prints eight digits at most."""
    states = re.search(r"^\s*(\S+) states, stored", run.output, re.MULTILINE)
    transitions = re.search(r"^\s*(\S+) transitions \(=", run.output, re.MULTILINE)
    if states is None or transitions is None:
        return Counts()
    is_right = transitions.group(1) == f"{case.transitions + 1:.8g}"
    counted = case.transitions if is_right else round(float(transitions.group(1))) - 1
    return Counts(round(float(states.group(1))), counted)


def _complaint(output: str) -> str:
    for sign in ("max search depth too small", "Search not completed", "assertion violated"):
        if sign in output:
            return f"SPIN says: {sign}"
    errors = re.search(r"errors: (\d+)", output)
    return "" if errors and errors.group(1) == "0" else "SPIN found an error"
