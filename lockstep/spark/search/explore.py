"""`check --engine spark`: what it needs, and what it does not do."""

from __future__ import annotations

import hashlib
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING

from lockstep.errors import LockstepError
from lockstep.machine.code.program import Program
from lockstep.machine.search.checkpoint import code_in, search_identity
from lockstep.machine.search.workers import shape_of
from lockstep.plain.exploration import Exploration
from lockstep.results.search_result import SearchResult
from lockstep.spark.search.search import NEAR, NearBounds, SparkSearch
from lockstep.spark.search.work_folder import WorkFolder
from lockstep.spark.session import KEPT_SESSION, SparkOptions, java_for_spark, master_of
from lockstep.system.scratch import scratch_folder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SETTINGS = {
    # A level is a few small stages whose sizes are known.
    "spark.sql.adaptive.enabled": "false",
    # What was sent for a level is of no use after it.
    "spark.sql.classic.shuffleDependency.fileCleanup.enabled": "true",
    # A row has up to some ten megabytes of states.
    "spark.sql.execution.arrow.maxRecordsPerBatch": "16",
}


def explore_on_spark(
    program: Program, request: Exploration, *, near: NearBounds = NEAR
) -> SearchResult:
    """Search a program's states on Spark; `LockstepError` for what this engine does not do."""
    _refuse(request)
    options = SparkOptions(master_of(request.master), settings=SETTINGS)
    if request.checkpoint is None and not options.is_local:
        raise LockstepError(
            "a search on a cluster needs a folder that all machines see",
            cure="--checkpoint DIR, on a file system that they share",
        )
    allowed = request.deadlock_allowed
    here = hashlib.sha256(code_in(Path(__file__).parent).encode()).hexdigest()
    identity = search_identity(program, deadlock_allowed=allowed) | {"the engine's own code": here}
    with ExitStack() as stack:
        scratch = scratch_folder("lockstep-search-")
        place = request.checkpoint or stack.enter_context(scratch)
        folder = stack.enter_context(closing(WorkFolder(place, identity, shape_of(program))))

        def session() -> SparkSession:
            return KEPT_SESSION.session(options)

        threads = options.threads
        return SparkSearch(program, folder, request, session, near=near, threads=threads).run()


def _refuse(request: Exploration) -> None:
    """`LockstepError` where something is asked for that this engine does not do."""
    java_for_spark()
    refused = {
        "--memory": (request.bounds.memory, "spark.executor.memory bounds it"),
        "--spill": (request.bounds.spill, "leave it out: all states are in files"),
        "--threads": (request.threads, "--master 'local[N]' names the number of threads"),
    }
    for flag, (value, cure) in refused.items():
        if value is not None:
            raise LockstepError(f"the engine spark does not take {flag}", cure=cure)
