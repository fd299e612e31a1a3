"""Holds the logs of a fleet against a model, on Spark, into tables."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from lockstep.errors import LockstepError
from lockstep.requests.run import Watch
from lockstep.spark.session import SparkOptions, master_of, spark_session
from lockstep.system.workspace_text import WorkspaceText
from lockstep.workspace import Workspace
from lockstep_kafka.findings import FileFinding, Finding, LayoutFinding
from lockstep_kafka.fleet.arrival import Arrived, Newcomers
from lockstep_kafka.fleet.batch import OnAlerts
from lockstep_kafka.fleet.failures import reported_plainly
from lockstep_kafka.fleet.figures import FleetFigures, figures
from lockstep_kafka.fleet.folder import Origin, tables_folder
from lockstep_kafka.fleet.groups import Group
from lockstep_kafka.fleet.log_files import paths_of
from lockstep_kafka.fleet.reading import Observed
from lockstep_kafka.fleet.run import Run
from lockstep_kafka.fleet.source import Topic
from lockstep_kafka.fleet.spark_tables import Tables, folder_of
from lockstep_kafka.fleet.summary import Summary, summary
from lockstep_kafka.verbs.conform import FOLLOWED, ConformResult
from lockstep_kafka.verbs.requests import TOPIC_SCHEME, ConformRequest
from lockstep_kafka.workspaces import model_for_logs, requirement_texts, workspace_for_logs

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FILES = "files"


@dataclass(frozen=True)
class FleetResult:
    """What the tables of a fleet say after a run.

    `conform` has the totals, and the first sessions that depart. `departures` are those of most
    lines, grouped by broker, client, version, side and reason. `new` is what this run has read of
    files, None for a topic.
    """

    conform: ConformResult
    tables: str
    departures: list[Group]
    new: Arrived | None = None


@dataclass(frozen=True)
class FleetOptions:
    """How logs are followed into tables.

    `model` and `workspace` are as in a `ConformRequest`, and `broker_from`, too. `on_step` takes
    how far it is. `on_alerts` takes the new alerts of a batch, as rows of the table `alerts`; a
    batch that is done again reports them again. With `retain_days`, what batches wrote before that
    is deleted, and the files of the tables are kept few.
    """

    model: str | None = None
    broker_from: str | None = None
    workspace: Workspace | None = None
    on_step: Callable[[str], None] = lambda _: None
    on_alerts: OnAlerts | None = None
    retain_days: int | None = None


def follow_logs(
    spark: SparkSession,
    logs: Sequence[str | Path],
    tables: str | Path,
    options: FleetOptions = FleetOptions(),
) -> FleetResult:
    """Follow the new lines of some logs in a Spark of the caller's, also by Spark Connect.

    Logs are files, folders and patterns, which the driver and all tasks find at the same paths.
    `tables` is a folder (a `Path`, or a name with a slash, also of a remote store: `s3a://...`), or
    a schema of the catalog (`SCHEMA` or `CATALOG.SCHEMA`), which is there. One run at a time writes
    to one target: for a folder of this machine that is seen to. The result sums up what the tables
    say of all lines.
    `LockstepError` where a log does not exist or is a topic, or the tables are of something else.
    KeyboardInterrupt ends all that the session runs; the same call goes on from there.
    """
    names = [os.fspath(log) for log in logs]
    for name in names:
        if name.startswith(TOPIC_SCHEME):
            raise LockstepError(
                f"{name} is a topic, and these tables are made of files",
                cure="follow it by `lockstep conform --engine spark`",
            )
    following = Following.of(paths_of(names), options)
    folder, origin = folder_of(tables), following.origin(FILES)
    held = nullcontext() if folder is None else tables_folder(folder, origin)
    with held, reported_plainly(tables):
        return following.follow_files(spark, Tables(spark, tables))


@dataclass(frozen=True)
class Following:
    """What is asked for: the model, and the files, which are there."""

    model: str
    workspace: Workspace
    observed: Observed
    paths: Sequence[str]
    options: FleetOptions

    @classmethod
    def of(cls, paths: Sequence[str], options: FleetOptions) -> Following:
        """`LockstepError` where the model does not exist."""
        workspace = options.workspace or workspace_for_logs()
        model = model_for_logs(workspace, options.model, FOLLOWED)
        observed = Observed(WorkspaceText.of(workspace.root), options.broker_from)
        return cls(model, workspace, observed, paths, options)

    def origin(self, source: str) -> Origin:
        """What the tables are made of."""
        return Origin(self.model, source, self.options.broker_from)

    def run(self, spark: SparkSession, tables: Tables) -> Run:
        """A run into some tables."""
        options = self.options
        return Run(
            spark, tables, self.observed, options.on_step, options.on_alerts, options.retain_days
        )

    def follow_files(self, spark: SparkSession, tables: Tables) -> FleetResult:
        """Follow the files, and sum up."""
        read = self.run(spark, tables).follow_files(self.paths)
        result = self.result_on_spark(tables)
        for finding in of_files(read):
            result.conform.totals.add(finding)
        return replace(result, new=read.new)

    def result(self, said: Summary, target: str) -> FleetResult:
        """What the tables of a target say."""
        requirements = requirement_texts(self.workspace.root)
        result = ConformResult(self.model, said.totals, requirements)
        return FleetResult(result, target, said.departures)

    def result_on_spark(self, tables: Tables) -> FleetResult:
        """What the tables say, asked by Spark."""
        self.options.on_step("what the tables say")
        return self.result(summary(tables), tables.target)


def of_files(read: Newcomers) -> Iterator[Finding]:
    """What is said of the files themselves."""
    for file in read.files:
        if file.unreadable is not None:
            yield FileFinding(file.path, file.unreadable)
        elif file.path in read.new.copies:
            continue
        elif file.layout is not None or file.first_line is not None:
            yield LayoutFinding(file.path, file.layout, *(file.first_line or ()))
    for path, other in read.new.copies.items():
        yield FileFinding(path, f"{other} has all of it, and is read in its place")
    for path, layout in sorted(read.layouts.items()):
        yield LayoutFinding(path, layout)


def out_of(request: ConformRequest) -> tuple[Path, Following]:
    """The folder of a request's tables, and what it asks for.

    `LockstepError` where a log or the model does not exist, or the folder stands among the logs.
    """
    assert request.out is not None, "a request for tables names their folder"
    folder = request.out.absolute()
    for log in request.logs:
        if folder.is_relative_to(os.path.abspath(log)):
            raise LockstepError(
                f"the tables in {request.out} would stand among the logs in {log}",
                cure="name a folder elsewhere by --out",
            )
    options = FleetOptions(
        request.model, request.broker_from, request.workspace, retain_days=request.retain_days
    )
    names = [os.fspath(log) for log in request.logs]
    is_topic = any(name.startswith(TOPIC_SCHEME) for name in names)
    return folder, Following.of([] if is_topic else paths_of(names), options)


def conform_fleet(
    request: ConformRequest,
    *,
    watch: Watch = Watch(),
    show: Callable[[FleetFigures], None] | None = None,
) -> FleetResult:
    """Follow the new lines of some logs, and sum up what the tables say of all lines so far.

    `show` takes what a page shows: at the end, with `--follow` first and after each batch.
    `LockstepError` where a log does not exist, the folder of the tables is another's, or Spark
    cannot be used. KeyboardInterrupt ends what runs; the same request goes on from there.
    """
    folder, following = out_of(request)
    logs = [os.fspath(log) for log in request.logs]
    if (request.master or "").startswith("sc:"):
        raise LockstepError(
            f"{request.master} is Spark Connect, and this command needs a session of its own",
            cure="name the cluster's own master, or call follow_logs with a session of Connect",
        )
    topic = Topic.of(logs[0]) if logs[0].startswith(TOPIC_SCHEME) else None
    origin = following.origin(FILES if topic is None else topic.name)
    options = SparkOptions(master_of(request.master), tables=True, topics=topic is not None)
    name = f"conform {following.model}"
    with tables_folder(folder, origin), watch.steps(name) as on_step:
        following = replace(following, options=replace(following.options, on_step=on_step))
        on_step("Spark starts")
        with spark_session(f"lockstep {name}", options) as spark, reported_plainly(folder):
            tables = Tables(spark, folder)

            def show_figures() -> None:
                if show is not None:
                    show(figures(tables, requirement_texts(following.workspace.root)))

            if topic is None:
                result = following.follow_files(spark, tables)
            else:
                forever = show_figures if request.follow else None
                if forever is not None:
                    forever()  # a topic may be quiet, and Ctrl-C may end what follows it
                following.run(spark, tables).follow_topic(topic, forever=forever)
                result = following.result_on_spark(tables)
            show_figures()
    return result
