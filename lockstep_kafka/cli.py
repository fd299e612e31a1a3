"""The verbs of Kafka's on the command line, which finds them by entry points."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TypeVar

from lockstep.errors import LockstepError
from lockstep.requests.option import option
from lockstep.system.crash import tell
from lockstep.workspace import Workspace
from lockstep_kafka.verbs.requests import (
    SPARK,
    ConformRequest,
    DriftRequest,
    SimulateRequest,
)

OfLogs = TypeVar("OfLogs", ConformRequest, SimulateRequest)


@dataclass(frozen=True)
class ConformView:
    """What `conform` prints."""

    verbose: bool = option(
        "--verbose",
        "-v",
        default=False,
        help="Print every session, and every line that was not followed.",
    )


def conform(request: ConformRequest, view: ConformView, json: bool) -> int:
    """Follow request logs through the model, session by session.

    Client and broker of each session are judged apart.

    With --kraft each LOG is the directory of a node of the metadata quorum, whose files are judged.

    A folder stands for its files in the order of time, and - for standard input. What departs is
    printed with its reasons, and the totals; of standard input, and with --follow, each remark as
    it comes as well. Outside of any workspace the logs are followed through
    the models that come with lockstep.

    Exit codes: 0 every session or node conforms, 1 a client, broker or node departs, 2 there is no
    such log or node, a process of --jobs was lost, or --metrics cannot be written, 3 none departs,
    but a session or node is unknown, a file cannot be read, has no line of a known layout, most
    requests are late, or nothing was followed, 130 interrupted.
    """
    request = _with_workspace(request)
    if request.out is not None:
        return _fleet(request, view, json)
    from lockstep.pages.output import Output, PageText
    from lockstep.pages.progress import TerminalWatch
    from lockstep.report.view import show
    from lockstep_kafka.report.conform import SHOWN, conform_blocks, remark_line
    from lockstep_kafka.report.conform_json import conform_json
    from lockstep_kafka.verbs.conform import conform as run

    most = None if view.verbose or json else SHOWN
    page = PageText(Output())
    is_growing = request.follow or "-" in map(str, request.logs)
    heard = (lambda finding: page.show([remark_line(finding)])) if is_growing and not json else None
    result = run(replace(request, most=most), watch=TerminalWatch(), heard=heard)
    blocks = conform_blocks(result, verbose=view.verbose)
    show(blocks, lambda: conform_json(result), json=json)
    if result.failure is not None:
        raise result.failure
    return result.exit_code


def _with_workspace(request: OfLogs) -> OfLogs:
    """The request with the workspace of lockstep itself where none has a model; it says so."""
    from lockstep_kafka.workspaces import workspace_for_logs

    if request.workspace is None and (workspace := workspace_for_logs()).shipped:
        tell(f"lockstep: no workspace here has the model: --workspace {workspace} is used")
        return replace(request, workspace=workspace)
    return request


def _fleet(request: ConformRequest, view: ConformView, json: bool) -> int:
    from lockstep.pages.progress import TerminalWatch
    from lockstep.report.view import show as show_blocks

    if view.verbose:
        raise LockstepError(
            "--verbose does not go with --out",
            cure="leave it out: the tables have every session and every line",
        )
    is_on_spark = request.engine == SPARK
    extra = "spark" if is_on_spark else "tables"
    for package in ("pyarrow", "pandas", "pyspark") if is_on_spark else ("pyarrow", "deltalake"):
        if find_spec(package) is None:
            raise LockstepError(
                f"{package} is not installed, and tables need it",
                cure=f"pip install 'lockstep[{extra}]'",
            )
    from lockstep_kafka.report.fleet import fleet_blocks, fleet_json

    if is_on_spark:
        from lockstep_kafka.report.fleet import write_fleet_page
        from lockstep_kafka.verbs.conform_fleet import conform_fleet

        page, title = request.page, str(request.out)
        show = None if page is None else partial(write_fleet_page, page, title=title)
        result = conform_fleet(request, watch=TerminalWatch(), show=show)
    else:
        from lockstep_kafka.verbs.conform_tables import conform_tables

        result = conform_tables(request, watch=TerminalWatch())
    show_blocks(fleet_blocks(result), lambda: fleet_json(result), json=json)
    return result.conform.exit_code


def follow(log: Path, workspace: Workspace | None) -> tuple[int, int]:
    """Follow one log and print what came of it; the exit code, and how many lines were followed."""
    from lockstep.pages.output import Output, PageText
    from lockstep_kafka.report.conform import conform_blocks
    from lockstep_kafka.verbs.conform import conform as run
    from lockstep_kafka.workspaces import has_model

    if workspace is not None and not has_model(workspace):
        workspace = None
    result = run(ConformRequest((log,), workspace=workspace))
    PageText(Output()).show(conform_blocks(result, verbose=False))
    return result.exit_code, result.totals.followed


@dataclass(frozen=True)
class SimulateView:
    """What `simulate` prints."""

    list_kinds: bool = option(
        "--list-kinds",
        default=False,
        help="Print the kinds of departures, and what each breaks; write nothing.",
    )


def simulate(request: SimulateRequest, view: SimulateView, json: bool) -> int:
    """Write request logs of any size from behaviours of the model.

    Without departures every session of the logs conforms. Which departures are seeded, and where,
    is in OUT/broker-N.departures.jsonl. Outside of any workspace the models that come with lockstep
    are used.

    Exit codes: 0 the logs are written, 2 they cannot be, 130 interrupted.
    """
    from lockstep.pages.progress import TerminalWatch
    from lockstep.report.view import show
    from lockstep_kafka.report.simulate import (
        kinds_json,
        kinds_table,
        simulated_blocks,
        simulated_json,
    )
    from lockstep_kafka.verbs.simulate import departure_kinds
    from lockstep_kafka.verbs.simulate import simulate as run

    request = _with_workspace(request)
    if view.list_kinds:
        kinds = departure_kinds(request.model, request.workspace)
        show([kinds_table(kinds)], lambda: kinds_json(kinds), json=json)
        return 0
    result = run(request, watch=TerminalWatch())
    show(simulated_blocks(result), lambda: simulated_json(result), json=json)
    return result.exit_code


@dataclass(frozen=True)
class DriftView:
    """What `drift` prints."""

    brief: bool = option(
        "--brief", default=False, help="Print names and answers alone, not the changed lines."
    )


def drift(request: DriftRequest, view: DriftView, json: bool) -> int:
    """List the rows of specs/ to read again where Kafka's code changed from one release to another.

    A row names the methods that it rests on. Their text in both releases is compared, formatting
    and comments apart. What was read already is in specs/kafka/drift.toml.

    Exit codes: 0 no row is to be read again, 1 some are, 2 the source cannot be had, 130
    interrupted.
    """
    if not all(map(find_spec, ("tree_sitter", "tree_sitter_java", "tree_sitter_scala"))):
        raise LockstepError(
            "tree-sitter is not installed, and it reads Kafka's source",
            cure="pip install 'lockstep[drift]'",
        )
    from lockstep.pages.progress import TerminalWatch
    from lockstep.report.view import show
    from lockstep_kafka.report.drift import drift_blocks, drift_json
    from lockstep_kafka.verbs.drift import drift as run

    result = run(request, watch=TerminalWatch())
    show(drift_blocks(result, brief=view.brief), lambda: drift_json(result), json=json)
    return int(result.exit_code)
