"""Runs TLC on a module and reads back what it found."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from lockstep.errors import ExitCode, LockstepError
from lockstep.twin.artifacts import tlc_jar
from lockstep.twin.java import find_java
from lockstep.twin.tlc_output import OutputReader, TlcProgress, TraceStep
from lockstep.twin.tool_messages import read_messages


@dataclass(frozen=True)
class TlcRun:
    """What one run of TLC found. The counts are TLC's own, and 0 where it stopped before counting."""

    verdict: Literal["holds", "violated", "deadlock", "error"]
    """`error`: the module or its configuration cannot be checked, or an expression has no value."""
    violated: str | None
    """The invariant or property violated; None also where TLC does not name it (liveness)."""
    message: str
    """TLC's own words on what is wrong; empty when everything holds."""
    initial: int
    """Distinct initial states."""
    initial_generated: int
    """Initial states as TLC generated them: one that `Init` yields twice is counted twice."""
    generated: int
    """States generated: the initial ones (as generated) and one for every transition.

    A successor that a constraint keeps out of the model is counted here, and is in no dump.
    """
    distinct: int
    depth: int
    """States on the longest of the shortest paths. Exact with one worker only: several workers
    do not keep breadth-first order, and may report more."""
    workers: int
    seconds: float
    """Wall-clock time of the whole process, the start of the Java runtime included."""
    trace: tuple[TraceStep, ...]
    """The states that lead to the violation, deadlock or error, from an initial one; empty if none.

    Shortest with one worker only, as for `depth`.
    """
    loops_to: int | None
    """For a liveness violation: the index in `trace` of the state that follows the last one, its
    own index when the counterexample ends in stuttering."""
    warnings: tuple[str, ...]

    @property
    def transitions(self) -> int:
        """Transitions: states generated without the initial ones, which TLC counts among them."""
        return self.generated - self.initial_generated

    @property
    def steps(self) -> int:
        """Steps on the longest of the shortest paths: one less than `depth`, which counts states."""
        return max(0, self.depth - 1)


class TlcTimeout(LockstepError):
    """TLC did not finish in time and was stopped: nothing was refuted, not everything was seen."""

    exit_code = ExitCode.INCONCLUSIVE

    def __init__(self, module: Path, timeout: float, progress: TlcProgress | None) -> None:
        seen = (
            "it had reported no progress"
            if progress is None
            else f"{progress.distinct:,} distinct states had been found, {progress.queued:,} waited"
        )
        super().__init__(
            f"TLC did not finish {module} in {timeout:g} s and was stopped; {seen}.",
            cure="give it more time, or check a smaller scope",
        )
        self.progress = progress


def run_tlc(
    module: Path,
    config: Path,
    *,
    workers: int = 2,
    dump: Path | None = None,
    check_deadlock: bool = False,
    heap: str = "2g",
    timeout: float | None = None,
    on_progress: Callable[[TlcProgress], None] | None = None,
) -> TlcRun:
    """Checks `module` (a .tla file) under `config` (a .cfg file) with TLC.

    Modules that it extends are looked for in its own folder and among the standard ones. The seed
    of the fingerprints is fixed, so equal runs give states equal fingerprints.

    `workers`: threads that search; the counts are the same for any number, but `depth` and the
    length of a trace are exact for 1 only. `dump`: where to write the labelled graph for
    `read_dump`; the file appears when TLC has ended, and holds the part that was searched if
    something is wrong. `check_deadlock`: whether a state without successors is a failure.
    `heap`: Java's heap, as in `512m` or `2g`. `timeout`: seconds, then TlcTimeout. `on_progress` is
    called when TLC reports, that is after some seconds, every minute, and at the end.

    TLC is gone, and so are its files, when this returns or raises, Ctrl-C included.

    Raises LockstepError when TLC cannot be run: no Java, no jar, no such file, or it does not start.
    What TLC has to say about the module is a TlcRun, with the verdict `error` at worst.
    """
    _check_inputs(module, config, workers, heap)
    java, jar = find_java(), tlc_jar()
    reader = OutputReader(on_progress)
    started = time.monotonic()
    with _scratch(dump) as (scratch, written):
        command = [
            str(java),
            f"-Xmx{heap}",
            "-XX:+UseParallelGC",
            "-Dfile.encoding=UTF-8",
            # Numbers in messages are grouped as the locale has it.
            "-Duser.language=en",
            "-Duser.country=US",
            # TLC unpacks the standard modules here; in a shared folder two runs would meet.
            f"-Djava.io.tmpdir={scratch}",
            "-cp",
            str(jar),
            "tlc2.TLC",
            "-tool",
            *("-workers", str(workers)),
            *("-metadir", str(scratch / "states")),
            *("-checkpoint", "0"),
            *("-fp", "0"),
            *("-config", str(config.absolute())),
        ]
        if not check_deadlock:
            command.append("-deadlock")
        if written is not None:
            command += ["-dump", "dot,actionlabels", str(written)]
        command.append(module.stem)

        complaints = scratch / "stderr"
        with complaints.open("wb") as stderr:
            exit_code, timed_out = _run(command, module.absolute().parent, stderr, timeout, reader)
        if timed_out and timeout is not None:
            raise TlcTimeout(module, timeout, reader.progress)
        reader.finish(exit_code, complaints.read_text("utf-8", errors="replace"))
        if written is not None and dump is not None and written.is_file():
            os.replace(written, dump)
    return TlcRun(
        verdict=reader.verdict,
        violated=reader.violated,
        message=reader.message,
        initial=reader.initial,
        initial_generated=reader.initial_generated,
        generated=reader.generated,
        distinct=reader.distinct,
        depth=reader.depth,
        workers=workers,
        seconds=time.monotonic() - started,
        trace=tuple(reader.trace),
        loops_to=reader.loops_to,
        warnings=tuple(reader.warnings),
    )
