"""`lockstep check`: explores every reachable state and checks everything that must hold there."""

from __future__ import annotations

from dataclasses import dataclass, replace

from lockstep.cli.ci_outputs import CiOutputs
from lockstep.errors import LockstepError
from lockstep.specs.scopes import DEFAULT_SCOPE
from lockstep.verbs.campaign_request import CampaignRequest
from lockstep.verbs.check_request import CheckRequest
from lockstep.verbs.option import given_flags, json_option, option, refuse_pairs
from lockstep.verbs.sweep_values import read_sweeps


@dataclass(frozen=True)
class CheckView:
    """What else `check` can do with models, and what it prints."""

    faults: bool = option(
        "--faults", default=False, help="Run every fault; each must do what it says that it does."
    )
    mutants: bool = option(
        "--mutants",
        default=False,
        help="Make small changes to the models; something must tell of each.",
    )
    matrix: bool = option(
        "--matrix", default=False, help="Print each requirement, how it is answered, and by what."
    )
    costs: bool = option(
        "--costs", default=False, help="Print what each scenario of specs/MODEL.toml costs."
    )
    pytest: bool = option(
        "--pytest", default=False, help="Print each counterexample as a test to paste, too."
    )
    verbose: bool = option(
        "--verbose", "-v", default=False, help="Print how often each action fired."
    )
    json: bool = json_option()


_OF_THE_MATRIX = ("--matrix", "--workspace", "--json")
"""What `--matrix` goes with."""

_OF_FAULTS = (
    "--faults",
    "--workspace",
    "--engine",
    "--master",
    "--max-states",
    "--max-seconds",
    "--memory",
    "--spill",
    "--liveness",
    "--threads",
    "--no-cache",
    "--save",
    "--results",
    "--json",
    "--changed",
    "--sarif",
    "--summary",
    "--github",
)
"""What `--faults` goes with."""


_OF_MUTANTS = (
    "--mutants",
    "--workspace",
    "--scope",
    "--engine",
    "--master",
    "--max-states",
    "--max-seconds",
    "--memory",
    "--threads",
    "--no-cache",
    "--results",
    "--json",
)
"""What `--mutants` goes with."""

_OF_COSTS = (
    "--costs",
    "--workspace",
    "--scope",
    "--engine",
    "--set",
    "--fault",
    "--proposal",
    "--max-states",
    "--max-seconds",
    "--memory",
    "--threads",
    "--save",
    "--json",
)
"""What `--costs` goes with."""

_OF_ONE_CHECK = ("--pytest", "--verbose", "--changed", "--sarif", "--summary", "--github")
"""What is said of one check a model, and not of many."""


def check(
    request: CheckRequest, campaign: CampaignRequest, view: CheckView, outputs: CiOutputs
) -> int:
    """Explore every reachable state and check what must hold.

    Exit codes: 0 everything holds, 1 something is violated, 2 the input cannot be used,
    3 not conclusive, 4 other counts than pinned, 130 interrupted.
    """
    request, campaign = _with_more_sweeps(request, campaign)
    _refuse_contradictions(request, campaign, view, outputs)
    if view.matrix:
        return _matrix(request, view)
    if view.faults:
        return _faults(request, campaign, view, outputs)
    if view.mutants:
        return _mutants(request, campaign, view)
    if view.costs:
        return _costs(request, view)
    if campaign.is_sweep:
        return _sweep(request, campaign, view)
    from lockstep.report.check_json import check_json
    from lockstep.report.check_page import check_page
    from lockstep.report.check_text import CheckText
    from lockstep.report.ci.check_problems import check_problems
    from lockstep.report.output import Output
    from lockstep.report.progress import TerminalWatch
    from lockstep.verbs.check import plan_check, run_check

    output, plan = Output(), plan_check(request)
    if view.json:
        run = run_check(plan, watch=TerminalWatch())
        output.json(check_json(request, run, pytest=view.pytest))
    else:
        text = CheckText(output, plan, verbose=view.verbose, pytest=view.pytest)
        run = run_check(plan, on_result=text.add, watch=TerminalWatch())
        text.finish(run)
    if outputs.is_any:
        problems = check_problems(plan, run)
        outputs.write(output, plan.workspace, problems, lambda: check_page(plan, run, problems))
    return run.exit_code


def _faults(
    request: CheckRequest, campaign: CampaignRequest, view: CheckView, outputs: CiOutputs
) -> int:
    from lockstep.report.ci.faults_problems import faults_problems
    from lockstep.report.faults_json import faults_json
    from lockstep.report.faults_page import faults_page
    from lockstep.report.faults_text import FaultsText
    from lockstep.report.output import Output
    from lockstep.report.progress import TerminalWatch
    from lockstep.verbs.campaign import Resources
    from lockstep.verbs.faults import FaultsRequest, faults
    from lockstep.workspace import find_workspace

    resources = Resources(request.exploration, request.master, campaign.results, anew=request.anew)
    wanted = FaultsRequest(
        request.models, request.workspace, resources, request.save, request.changed
    )
    output = Output()
    if view.json:
        run = faults(wanted, watch=TerminalWatch())
        output.json(faults_json(run))
    else:
        text = FaultsText(output)
        run = faults(wanted, on_result=text.add, watch=TerminalWatch())
        text.finish(run)
    if outputs.is_any:
        workspace = request.workspace or find_workspace()
        problems = faults_problems(workspace.root, run)
        outputs.write(output, workspace, problems, lambda: faults_page(run, problems))
    return run.exit_code


def _mutants(request: CheckRequest, campaign: CampaignRequest, view: CheckView) -> int:
    from lockstep.report.mutants_json import mutants_json
    from lockstep.report.mutants_text import MutantsText
    from lockstep.report.output import Output
    from lockstep.report.progress import TerminalWatch
    from lockstep.verbs.campaign import Resources
    from lockstep.verbs.mutants import MutantsRequest, mutants

    resources = Resources(request.exploration, request.master, campaign.results, anew=request.anew)
    wanted = MutantsRequest(
        request.models, request.workspace, request.scope or DEFAULT_SCOPE, resources
    )
    output = Output()
    if view.json:
        run = mutants(wanted, watch=TerminalWatch())
        output.json(mutants_json(run))
    else:
        text = MutantsText(output)
        run = mutants(wanted, on_result=text.add, watch=TerminalWatch())
        text.finish(run)
    return run.exit_code


def _sweep(request: CheckRequest, campaign: CampaignRequest, view: CheckView) -> int:
    from lockstep.report.output import Output
    from lockstep.report.progress import TerminalWatch
    from lockstep.report.sweep_json import sweep_json
    from lockstep.report.sweep_text import SweepText
    from lockstep.verbs.sweep import plan_sweep, run_sweep

    output, plan = Output(), plan_sweep(request, campaign)
    if view.json:
        run = run_sweep(plan, watch=TerminalWatch())
        output.json(sweep_json(run))
    else:
        text = SweepText(output, plan)
        run = run_sweep(plan, on_row=text.add, watch=TerminalWatch())
        text.finish(run)
    return run.exit_code


def _matrix(request: CheckRequest, view: CheckView) -> int:
    from lockstep.report.matrix_json import matrix_json
    from lockstep.report.matrix_text import print_matrix
    from lockstep.report.output import Output
    from lockstep.verbs.matrix import MatrixRequest, matrix

    output, result = Output(), matrix(MatrixRequest(request.models, request.workspace))
    if view.json:
        output.json(matrix_json(result))
    else:
        print_matrix(output, result.matrix)
    return result.exit_code


def _costs(request: CheckRequest, view: CheckView) -> int:
    from lockstep.report.costs_json import costs_json
    from lockstep.report.costs_text import CostsText
    from lockstep.report.output import Output
    from lockstep.report.progress import TerminalWatch
    from lockstep.verbs.costs import costs

    output = Output()
    if view.json:
        run = costs(request, watch=TerminalWatch())
        output.json(costs_json(run))
    else:
        text = CostsText(output)
        run = costs(request, on_result=text.add, watch=TerminalWatch())
        text.finish(run)
    return run.exit_code


def _with_more_sweeps(
    request: CheckRequest, campaign: CampaignRequest
) -> tuple[CheckRequest, CampaignRequest]:
    """The requests where `--sweep A=1..3 B=all` stands for two sweeps: no model has such a name."""
    more = [name for name in request.models if "=" in name]
    if not campaign.sweeps or not more:
        return request, campaign
    models = tuple(name for name in request.models if name not in more)
    sweeps = read_sweeps(more, campaign.sweeps)
    return replace(request, models=models), replace(campaign, sweeps=sweeps)


def _refuse_contradictions(
    request: CheckRequest, campaign: CampaignRequest, view: CheckView, outputs: CiOutputs
) -> None:
    if len(request.models) != 1 and request.fault is not None and (view.faults or view.matrix):
        raise LockstepError("--fault is a fault of one model", cure="name the model before it")
    is_campaign = view.faults or view.mutants or campaign.is_sweep
    if campaign.results is not None and not is_campaign:
        raise LockstepError(
            "--results is the table of many checks",
            cure="add --faults, --mutants, --sweep or --seeds, or leave it out",
        )
    given = given_flags(request, campaign, view, outputs)
    refuse_pairs(
        {
            "--matrix": [flag for flag in given if flag not in _OF_THE_MATRIX],
            "--mutants": [flag for flag in given if flag not in _OF_MUTANTS],
            "--costs": [flag for flag in given if flag not in _OF_COSTS],
            "--faults": [flag for flag in given if flag not in _OF_FAULTS],
            "--sweep": _OF_ONE_CHECK,
            "--seeds": _OF_ONE_CHECK,
            "--json": ("--github",),
        },
        given,
    )
