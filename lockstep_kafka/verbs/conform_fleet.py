"""Holds the logs of a fleet against a model, on Spark, into tables."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from lockstep.errors import LockstepError
from lockstep.requests.run import Unwatched, Watch
from lockstep.spark.failures import told_plainly
from lockstep.spark.session import SparkOptions, master_of, spark_session
from lockstep.spark.workspace_text import WorkspaceText
from lockstep_kafka.findings import FileFinding, LayoutFinding
from lockstep_kafka.fleet.arrival import Arrived
from lockstep_kafka.fleet.figures import FleetFigures, figures
from lockstep_kafka.fleet.folder import Origin, tables_folder
from lockstep_kafka.fleet.groups import Group
from lockstep_kafka.fleet.log_files import look_at
from lockstep_kafka.fleet.reading import Observed, time_of_line
from lockstep_kafka.fleet.run import follow_files, follow_topic
from lockstep_kafka.fleet.source import Topic
from lockstep_kafka.fleet.summary import summary
from lockstep_kafka.fleet.tables import Tables
from lockstep_kafka.verbs.conform import FOLLOWED, ConformResult
from lockstep_kafka.verbs.conform_request import TOPIC_SCHEME, ConformRequest
from lockstep_kafka.workspaces import model_for_logs, requirement_texts, workspace_for_logs

_FILES = "files"


@dataclass(frozen=True)
class FleetResult:
    """What the tables of a fleet say after a run.

    `conform` has the totals, and the first sessions that depart. `departures` are those of most
    lines, grouped by broker, client, version, side and reason. `new` is what this run has read of
    files, None for a topic.
    """

    conform: ConformResult
    tables: Path
    departures: list[Group]
    new: Arrived | None = None


def conform_fleet(
    request: ConformRequest,
    *,
    watch: Watch = Unwatched(),
    show: Callable[[FleetFigures], None] | None = None,
) -> FleetResult:
    """Follow the new lines of some logs, and sum up what the tables say of all lines so far.

    `show` takes what a page shows: at the end, with `--follow` first and after each batch.
    `LockstepError` where a log does not exist, the folder of the tables is another's, or Spark
    cannot be used. KeyboardInterrupt ends what runs; the same request goes on from there.
    """
    assert request.out is not None, "a request for Spark has a folder of tables"
    workspace = request.workspace or workspace_for_logs()
    model = model_for_logs(workspace, request.model, FOLLOWED)
    folder = request.out.absolute()
    observed = Observed(WorkspaceText.of(workspace.root), request.broker_from)
    logs = [os.fspath(log) for log in request.logs]
    for log in logs:
        if folder.is_relative_to(os.path.abspath(log)):
            raise LockstepError(
                f"the tables in {request.out} would stand among the logs in {log}",
                cure="name a folder elsewhere by --out",
            )
    topic = Topic.of(logs[0]) if logs[0].startswith(TOPIC_SCHEME) else None
    files = look_at(logs, time_of_line) if topic is None else []
    origin = Origin(model, _FILES if topic is None else topic.name, request.broker_from)
    options = SparkOptions(master_of(request.master), tables=True, topics=topic is not None)
    new = None
    with tables_folder(folder, origin), watch.steps(f"conform {model}") as on_step:
        on_step("Spark starts")
        with spark_session(f"lockstep conform {model}", options) as spark, told_plainly(folder):
            tables, requirements = Tables(spark, folder), requirement_texts(workspace.root)

            def show_figures() -> None:
                if show is not None:
                    show(figures(tables, requirements))

            if topic is None:
                new = follow_files(spark, tables, observed, files, on_step)
            else:
                forever = show_figures if request.follow else None
                if forever is not None:
                    forever()  # a topic may be quiet, and Ctrl-C may end what follows it
                follow_topic(spark, tables, observed, topic, on_step, forever=forever)
            on_step("what the tables say")
            said = summary(tables)
            show_figures()
    totals = said.totals
    for file in files:
        if file.unreadable is not None:
            totals.add(FileFinding(file.path, file.unreadable))
        elif file.layout is not None:
            totals.add(LayoutFinding(file.path, file.layout))
    result = ConformResult(model, totals, requirements)
    return FleetResult(result, folder, said.departures, new)
