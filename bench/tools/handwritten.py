"""The explorer written by hand in C++: the practical limit on this machine."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator

from bench.bench import Bench
from bench.cases import Case
from bench.process import measure
from bench.rows import Checks, Entrant, Recipe, Row, printed_counts

NAME = "C++ by hand"
_OPTIONS = ("-std=c++20", "-O3", "-march=native", "-pthread")
_ENTRANT = Entrant(
    NAME,
    Checks.NONE,
    "nothing; its table is made for the number of states, never grows, and is all that it keeps",
)


def rows(case: Case, bench: Bench) -> Iterator[Row]:
    """Compile the program for the scope, then run it."""
    compiler = shutil.which("g++") or shutil.which("c++") or shutil.which("clang++")
    if compiler is None:
        yield _ENTRANT.not_measured("no C++ compiler is installed")
        return
    bench.build.mkdir(parents=True, exist_ok=True)
    program = bench.build / f"{case.model}-{case.scope}"
    source = case.root / "bench" / "peers" / "cpp" / f"{case.model}.cpp"
    macros = [f"-D{name}={value}" for name, value in case.numbers.items()]
    build = [compiler, *_OPTIONS, *macros, str(source), "-o", str(program)]
    compiled = measure(build, case.root)
    if refusal := re.search(r"static assertion failed: (.+)", compiled.everything):
        yield _ENTRANT.not_measured(f"it is written for other scopes: {refusal.group(1)}")
        return
    if compiled.exit_code:
        yield _ENTRANT.not_measured(f"it does not compile: {compiled.last_words}")
        return
    command = [str(program), str(case.states)]
    runs = bench.runs(lambda: measure(command, case.root, limit=bench.limit))
    yield _ENTRANT.row(
        case,
        runs,
        printed_counts(runs[0].output),
        recipe=Recipe(
            (
                f"g++ {' '.join([*_OPTIONS, *macros])} {source.name} -o {program.name}",
                f"./{program.name} {case.states}",
            ),
            prepared=compiled.seconds,
        ),
    )
