"""Holds logs against a model in this process, into the tables that Spark writes, too."""

from __future__ import annotations

from dataclasses import replace

from lockstep.requests.run import Watch
from lockstep_kafka.fleet.folder import tables_folder
from lockstep_kafka.fleet.local_run import LocalRun
from lockstep_kafka.fleet.local_summary import local_summary
from lockstep_kafka.fleet.local_tables import LocalTables, said_in_a_line
from lockstep_kafka.verbs.conform_fleet import FILES, FleetResult, of_files, out_of
from lockstep_kafka.verbs.requests import ConformRequest


def conform_tables(request: ConformRequest, *, watch: Watch = Watch()) -> FleetResult:
    """Follow the new lines of some logs, and sum up what the tables say of all lines so far.

    `LockstepError` where a log does not exist, or the tables are another's or cannot be written.
    """
    folder, following = out_of(request)
    name = f"conform {following.model}"
    held = tables_folder(folder, following.origin(FILES))
    with held, watch.steps(name) as on_step, said_in_a_line(folder):
        tables = LocalTables(folder)
        run = LocalRun(tables, following.observed, on_step, request.retain_days)
        found = run.follow_files(following.paths)
        on_step("what the tables say")
        result = following.result(local_summary(tables), tables.target)
    for finding in of_files(found):
        result.conform.totals.add(finding)
    return replace(result, new=found.new)
