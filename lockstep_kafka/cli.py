"""The verbs `conform` and `simulate` of the command line, which finds them by entry points."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from lockstep.errors import LockstepError
from lockstep.system.standard_streams import tell
from lockstep.verbs.option import option
from lockstep.workspace import Workspace
from lockstep_kafka.verbs.conform_request import SPARK, ConformRequest
from lockstep_kafka.verbs.simulate_request import SimulateRequest


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
    """Follow each session of request logs through the model, and judge client and broker apart.

    A folder stands for its files in the order of time, and - for standard input. What departs is
    printed with its reasons, and the totals. Outside of any workspace the logs are followed through
    the models that come with lockstep.

    Exit codes: 0 every session conforms, 1 a client or broker departs, 2 there is no such log, 3
    none departs, but a session is unknown, a file cannot be read or nothing was followed, 130
    interrupted.
    """
    from lockstep_kafka.workspaces import workspace_for_logs

    if request.workspace is None and (workspace := workspace_for_logs()).shipped:
        tell(f"lockstep: there is no workspace here: --workspace {workspace} is used")
        request = replace(request, workspace=workspace)
    if request.engine == SPARK:
        return _fleet(request, view, json)
    from lockstep.report.output import Output
    from lockstep.report.progress import TerminalWatch
    from lockstep_kafka.report.conform_json import conform_json
    from lockstep_kafka.report.conform_text import SHOWN, print_conform
    from lockstep_kafka.verbs.conform import conform as run

    most = None if view.verbose or json else SHOWN
    output, result = Output(), run(replace(request, most=most), watch=TerminalWatch())
    if json:
        output.json(conform_json(result))
    else:
        print_conform(output, result, verbose=view.verbose)
    return result.exit_code


def _fleet(request: ConformRequest, view: ConformView, json: bool) -> int:
    from lockstep.report.output import Output
    from lockstep.report.progress import TerminalWatch
    from lockstep_kafka.report.fleet import fleet_json, print_fleet
    from lockstep_kafka.report.fleet_page import write_fleet_page
    from lockstep_kafka.verbs.conform_fleet import conform_fleet

    if view.verbose:
        raise LockstepError(
            "--verbose does not go with --engine spark",
            cure="leave it out: the tables have every session and every line",
        )
    page, title = request.page, str(request.out)
    show = None if page is None else partial(write_fleet_page, page, title=title)
    output, result = Output(), conform_fleet(request, watch=TerminalWatch(), show=show)
    output.json(fleet_json(result)) if json else print_fleet(output, result)
    return result.conform.exit_code


def follow(log: Path, workspace: Workspace | None) -> tuple[int, int]:
    """Follow one log and print what came of it; the exit code, and how many lines were followed."""
    from lockstep.report.output import Output
    from lockstep_kafka.report.conform_text import print_conform
    from lockstep_kafka.verbs.conform import conform as run

    result = run(ConformRequest((log,), workspace=workspace))
    print_conform(Output(), result, verbose=False)
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
    """Write request logs of any size, as brokers write them, from behaviours of the model.

    Without departures every session of the logs conforms. Which departures are seeded, and where,
    is in OUT/broker-N.departures.jsonl.

    Exit codes: 0 the logs are written, 2 they cannot be, 130 interrupted.
    """
    from lockstep.report.output import Output
    from lockstep.report.progress import TerminalWatch
    from lockstep_kafka.report.simulate_text import (
        kinds_json,
        print_kinds,
        print_simulated,
        simulated_json,
    )
    from lockstep_kafka.verbs.simulate import departure_kinds
    from lockstep_kafka.verbs.simulate import simulate as run

    output = Output()
    if view.list_kinds:
        kinds = departure_kinds(request.model, request.workspace)
        output.json(kinds_json(kinds)) if json else print_kinds(output, kinds)
        return 0
    result = run(request, watch=TerminalWatch())
    output.json(simulated_json(result)) if json else print_simulated(output, result)
    return result.exit_code
