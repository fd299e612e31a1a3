"""`lockstep check`: explores every reachable state and checks everything that must hold there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

from lockstep.errors import LockstepError
from lockstep.report.ci.outputs import CiOutputs
from lockstep.specs.scopes import DEFAULT_SCOPE
from lockstep.verbs.campaign_request import CampaignRequest
from lockstep.verbs.check_request import CheckRequest
from lockstep.verbs.option import given_flags, json_option, option, refuse_pairs
from lockstep.verbs.sweep_values import read_sweeps


@dataclass(frozen=True)
class CheckOptions:
    """What else `check` can do with models, and what it prints."""

    faults: bool = option(
        "--faults", default=False, help="Run every fault; each must do what it says that it does."
    )
    mutants: bool = option(
        "--mutants",
        default=False,
        help="Mutation testing: some property must fail for each small change.",
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
    request: CheckRequest, campaign: CampaignRequest, view: CheckOptions, outputs: CiOutputs
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
    from lockstep.report.check import CheckView
    from lockstep.report.view import present
    from lockstep.verbs.check import plan_check, run_check

    plan = plan_check(request)
    shown = CheckView(plan, verbose=view.verbose, pytest=view.pytest)
    work = partial(run_check, plan)
    return present(shown, work, json=view.json, outputs=outputs, workspace=plan.workspace)


def _faults(
    request: CheckRequest, campaign: CampaignRequest, view: CheckOptions, outputs: CiOutputs
) -> int:
    from lockstep.report.faults import FaultsView
    from lockstep.report.view import present
    from lockstep.verbs.campaign import Resources
    from lockstep.verbs.faults import FaultsRequest, faults
    from lockstep.workspace import find_workspace

    workspace = request.workspace or find_workspace()
    wanted = FaultsRequest(
        request.models,
        request.workspace,
        Resources.of(request, campaign),
        request.save,
        request.changed,
    )
    shown, work = FaultsView(workspace.root), partial(faults, wanted)
    return present(shown, work, json=view.json, outputs=outputs, workspace=workspace)


def _mutants(request: CheckRequest, campaign: CampaignRequest, view: CheckOptions) -> int:
    from lockstep.report.mutants import MutantsView
    from lockstep.report.view import present
    from lockstep.verbs.campaign import Resources
    from lockstep.verbs.mutants import MutantsRequest, mutants

    scope, resources = request.scope or DEFAULT_SCOPE, Resources.of(request, campaign)
    wanted = MutantsRequest(request.models, request.workspace, scope, resources)
    return present(MutantsView(), partial(mutants, wanted), json=view.json)


def _sweep(request: CheckRequest, campaign: CampaignRequest, view: CheckOptions) -> int:
    from lockstep.report.sweep import SweepView
    from lockstep.report.view import present
    from lockstep.verbs.sweep import plan_sweep, run_sweep

    plan = plan_sweep(request, campaign)
    return present(SweepView(plan), partial(run_sweep, plan), json=view.json)


def _matrix(request: CheckRequest, view: CheckOptions) -> int:
    from lockstep.report.matrix import matrix_json, print_matrix
    from lockstep.report.output import Output
    from lockstep.verbs.matrix import MatrixRequest, matrix

    output, result = Output(), matrix(MatrixRequest(request.models, request.workspace))
    if view.json:
        output.json(matrix_json(result))
    else:
        print_matrix(output, result.matrix)
    return result.exit_code


def _costs(request: CheckRequest, view: CheckOptions) -> int:
    from lockstep.report.costs import CostsView
    from lockstep.report.view import present
    from lockstep.verbs.costs import costs

    return present(CostsView(), partial(costs, request), json=view.json)


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
    request: CheckRequest, campaign: CampaignRequest, view: CheckOptions, outputs: CiOutputs
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
