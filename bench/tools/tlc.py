"""TLC on the model's TLA+ twin."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.bench import Bench
from bench.cases import Case, liveness
from bench.process import Run, measure
from bench.rows import Checks, Counts, Entrant, Recipe, Row
from lockstep.errors import LockstepError
from lockstep.system.java import find_java
from lockstep.twin.config import scope_config, without_claims
from lockstep.twin.names import definition_name
from lockstep.twin.tlc import tlc_jar, twin_files

NAME = "TLC"
_ENTRANT = Entrant(
    NAME,
    Checks.ALL,
    "what the twin's .cfg names: TypeOK, invariants of states, properties of steps; deadlock; "
    "no liveness; two workers; keeps 64-bit fingerprints, so that states may be taken for one "
    "another",
)


def rows(case: Case, bench: Bench) -> Iterator[Row]:
    """One row, with all that the twin claims."""
    try:
        yield _row(case, bench)
    except LockstepError as error:
        yield _ENTRANT.not_measured(error.message)


def _row(case: Case, bench: Bench) -> Row:
    java, jar, files = find_java(), tlc_jar(), twin_files(case.root, case.spec)
    options = [
        f"-Xmx{_heap_gibibytes()}g",
        "-XX:+UseParallelGC",
        "-Duser.language=en",
        "-Duser.country=US",
    ]
    arguments = ["-workers", "2", "-checkpoint", "0"]
    arguments += ["-deadlock"] if case.spec.deadlock_allowed else []
    with tempfile.TemporaryDirectory(dir=bench.scratch) as folder:
        config = Path(folder, f"{case.model}-{case.scope}.cfg")
        config.write_text(_config(case, files.template), "utf-8")

        def once() -> Run:
            command: list[str | Path] = [java, *options, f"-Djava.io.tmpdir={folder}"]
            command += ["-cp", jar, "tlc2.TLC", *arguments, "-metadir", Path(folder, "states")]
            command += ["-config", config, files.module.stem]
            return measure(command, files.module.parent, limit=bench.limit)

        runs = bench.runs(once)
    output = runs[0].output
    holds = "No error has been found" in output
    return _ENTRANT.row(
        case,
        runs,
        _counts(output),
        complaint="" if holds else f"TLC found an error: {_error(output)}",
        recipe=Recipe(
            (
                f"java {' '.join(options)} -cp {jar.name} tlc2.TLC {' '.join(arguments)} "
                f"-config {config.name} {files.module.stem}",
            ),
        ),
    )


def _config(case: Case, template: Path) -> str:
    left_out = {definition_name(name) for name in liveness(case.root, case.model)}
    return scope_config(case.constants, without_claims(template.read_text("utf-8"), left_out))


def _heap_gibibytes() -> int:
    """A third of the machine's memory: TLC keeps what does not fit on disk."""
    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return max(1, round(total / 3 / 2**30))


def _counts(output: str) -> Counts:
    """The last that TLC said of its counts; it counts the initial state as generated."""
    matches = re.findall(r"([\d,]+) states generated.*?, ([\d,]+) distinct states found", output)
    if not matches:
        return Counts()
    generated, distinct = (int(number.replace(",", "")) for number in matches[-1])
    return Counts(distinct, generated - 1)


def _error(output: str) -> str:
    match = re.search(r"^Error: (.*)$", output, re.MULTILINE)
    return match.group(1) if match else "it does not say which"
