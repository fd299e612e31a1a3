"""`lockstep twin`: runs TLC on each model's TLA+ twin, and holds the two state graphs together."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from lockstep.cli.options import MOST_THREADS, seconds

if TYPE_CHECKING:
    from lockstep.verbs.twin import Compared, Plan, Request, Uncompared
    from lockstep.workspace import Workspace


def twin(
    models: Annotated[
        list[str] | None,
        Argument(metavar="MODEL", help="Names of models; all that have a twin unless some given."),
    ] = None,
    scope: Annotated[
        str | None,
        Option("--scope", metavar="NAME", help="This scope instead of `small` and `default`."),
    ] = None,
    max_seconds: Annotated[
        float | None,
        Option(
            "--max-seconds",
            parser=seconds,
            metavar="S",
            help="Stop TLC, and the search, after S each.",
        ),
    ] = None,
    workers: Annotated[
        int,
        Option(
            "--workers",
            min=1,
            max=MOST_THREADS,
            metavar="N",
            help="TLC's threads where counts are compared.",
        ),
    ] = 1,
    keep: Annotated[
        Path | None,
        Option("--keep", metavar="DIR", help="Keep TLC's configurations and graphs there."),
    ] = None,
    liveness: Annotated[
        bool,
        Option("--liveness", help="Let TLC check liveness in scopes beyond some thousand states."),
    ] = False,
    as_json: Annotated[bool, Option("--json", help="Print JSON and nothing else.")] = False,
) -> int:
    """Compare each model with its TLA+ twin, as TLC explores that.

    Small scopes are compared state by state and action by action, others by their counts:
    specs/MODEL.toml says which.

    Exit codes: 0 the same and TLC refutes nothing, 1 not the same or refuted, 2 the input cannot
    be used, 3 not conclusive, 130 interrupted.
    """
    from lockstep.cli.check import choose, refuse_unread
    from lockstep.verbs.twin import Request, make_plan
    from lockstep.workspace import find_workspace

    workspace = find_workspace()
    names = choose(models or [], workspace)
    if not models:
        refuse_unread(workspace)
    plan = make_plan(workspace, names, scope, every=not models)
    _find_tlc()
    return _compare_all(workspace, plan, Request(max_seconds, workers, keep, liveness), as_json)


def _find_tlc() -> None:
    """Fails once, before any work, where Java or TLC cannot be had."""
    from lockstep.twin.artifacts import tlc_jar
    from lockstep.twin.java import find_java

    find_java()
    tlc_jar()


def _compare_all(workspace: Workspace, plan: Plan, request: Request, as_json: bool) -> int:
    from lockstep.report.output import Output
    from lockstep.report.twin_json import twin_json
    from lockstep.report.twin_text import TextReport
    from lockstep.results.exits import INTERRUPTED, worst
    from lockstep.verbs.twin import compare

    output = Output()
    report = None if as_json else TextReport(output, plan, request)
    results: list[Compared | Uncompared] = []
    left = list(plan.tasks)
    try:
        for task in plan.tasks:
            found = compare(workspace, task, request)
            left.remove(task)
            results.append(found)
            if report is not None:
                report.add(found)
    except KeyboardInterrupt:
        pass  # TLC has been stopped; what was compared before stands
    exit_code = worst([*(found.exit_code for found in results), *[INTERRUPTED] * bool(left)])
    if report is not None:
        report.finish(results, left)
    else:
        output.json(twin_json(plan, results, left, exit_code))
    return exit_code
