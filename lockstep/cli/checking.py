"""The verbs that judge models: `check`, those that do many such tasks, `prove`, `twin`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

from lockstep.errors import LockstepError
from lockstep.report.ci.outputs import CiOutputs
from lockstep.requests.campaign import (
    CampaignRequest,
    FaultsRequest,
    MutantsRequest,
    SweptRequest,
    read_sweeps,
)
from lockstep.requests.check import CheckRequest
from lockstep.requests.option import option
from lockstep.requests.others import TwinRequest
from lockstep.requests.prove import ProveRequest
from lockstep.requests.search import CostsRequest
from lockstep.workspace import find_workspace


@dataclass(frozen=True)
class CheckOptions:
    """What else `check` prints."""

    pytest: bool = option(
        "--pytest", default=False, help="Print each counterexample as a test to paste, too."
    )
    verbose: bool = option(
        "--verbose", "-v", default=False, help="Print how often each action fired."
    )


def check(request: CheckRequest, view: CheckOptions, outputs: CiOutputs, json: bool) -> int:
    """Explore every reachable state and check what must hold.

    Exit codes: 0 everything holds, 1 something is violated, 2 the input cannot be used,
    3 not conclusive, 4 other counts than pinned, 130 interrupted.
    """
    from lockstep.report.check import CheckView
    from lockstep.report.view import present
    from lockstep.verbs.check import plan_check, run_check

    plan = plan_check(request)
    shown = CheckView(plan, verbose=view.verbose, pytest=view.pytest)
    work = partial(run_check, plan)
    return outputs.write(plan.workspace, shown, present(shown, work, json=json))


def faults(request: FaultsRequest, outputs: CiOutputs, json: bool) -> int:
    """Run every fault: each must break what it says it breaks.

    Exit codes: 0 each does, and each invariant has a fault that breaks it first, 1 not so, 2 the
    input cannot be used, 130 interrupted.
    """
    from lockstep.report.faults import FaultsView
    from lockstep.report.view import present
    from lockstep.verbs.faults import faults as run

    workspace = request.workspace or find_workspace()
    shown, work = FaultsView(workspace.root), partial(run, request)
    return outputs.write(workspace, shown, present(shown, work, json=json))


def mutants(request: MutantsRequest, json: bool) -> int:
    """Mutation testing: some property must fail for each change.

    Exit codes: 0 specs/MODEL.toml explains each survivor, 1 not so, 2 the input cannot be used,
    3 not conclusive, 130 interrupted.
    """
    from lockstep.report.mutants import MutantsView
    from lockstep.report.view import present
    from lockstep.verbs.mutants import mutants as run

    return present(MutantsView(), partial(run, request), json=json).exit_code


def sweep(request: SweptRequest, campaign: CampaignRequest, json: bool) -> int:
    """Check models with each combination of values, or each seed.

    Values are those of constants, seeds those of random walks.

    Exit codes: 0 everything holds, 1 something is violated, 2 the input cannot be used,
    3 not conclusive, 4 other counts than pinned, 130 interrupted.
    """
    from lockstep.report.sweep import SweepView
    from lockstep.report.view import present
    from lockstep.verbs.sweep import plan_sweep, run_sweep

    values = [name for name in request.models if "=" in name]
    models = tuple(name for name in request.models if name not in values)
    campaign = replace(campaign, sweeps=read_sweeps(values))
    if not campaign.is_sweep:
        raise LockstepError(
            "no values are given to check with",
            cure="write NAME=2..5 for a constant, or --seeds 1..100 for random walks",
        )
    plan = plan_sweep(replace(request, models=models), campaign)
    return present(SweepView(plan), partial(run_sweep, plan), json=json).exit_code


def costs(request: CostsRequest, json: bool) -> int:
    """Count what each scenario costs, at least and at most.

    Scenarios stand in specs/MODEL.toml.

    Exit codes: 0 counted, 2 the input cannot be used, 3 not conclusive, 130 interrupted.
    """
    from lockstep.report.costs import CostsView
    from lockstep.report.view import present
    from lockstep.verbs.costs import costs as run

    return present(CostsView(), partial(run, request), json=json).exit_code


def twin(request: TwinRequest, outputs: CiOutputs, json: bool) -> int:
    """Compare each model with its TLA+ twin, which TLC explores.

    Small scopes are compared state by state and action by action, others by their counts:
    specs/MODEL.toml says which.

    Exit codes: 0 the same and TLC refutes nothing, 1 not the same or refuted, 2 the input cannot
    be used, 3 not conclusive, 130 interrupted.
    """
    from lockstep.report.twin import TwinView
    from lockstep.report.view import present
    from lockstep.verbs.twin import plan_twin, run_twin

    plan = plan_twin(request)
    shown, work = TwinView(plan.workspace.root, plan.tasks), partial(run_twin, plan)
    return outputs.write(plan.workspace, shown, present(shown, work, json=json))


_OF_PROOFS = ("--any", "--infer", "--k", "--smt", "--examples", "--sarif", "--summary", "--github")
"""What other questions do not go with."""


@dataclass(frozen=True)
class ProveOptions:
    """Other questions about one model, and what else `prove` prints."""

    apart: ClassVar = {
        "--find": ("--equal", *_OF_PROOFS),
        "--from": ("--equal", *_OF_PROOFS),
        "--equal": _OF_PROOFS,
    }

    find: str | None = option(
        "--find", metavar="PREDICATE", help="Look for a shortest behaviour to it, as in 's.x > 3'."
    )
    start: str | None = option(
        "--from",
        metavar="PREDICATE",
        help="Search from any state in which it and all invariants hold, reached or not.",
    )
    equal: tuple[str, str] | None = option(
        "--equal", metavar="ACTION ACTION", help="Ask whether two actions do the same."
    )
    examples: bool = option(
        "--examples", default=False, help="Show the states from which a property is not kept."
    )

    @property
    def is_question(self) -> bool:
        """Whether something else is asked than what can be proved."""
        return not (self.find is None and self.start is None and self.equal is None)


def prove(request: ProveRequest, view: ProveOptions, outputs: CiOutputs, json: bool) -> int:
    """Prove invariants by induction, at real widths.

    The widths are those that a proof of specs/MODEL.toml names.

    If not all can be proved, behaviours of up to `--depth` steps are searched for violations.

    Exit codes: 0 proved, 1 violated, 2 the input cannot be used, 3 not conclusive, 130 interrupted.
    """
    from lockstep.report.prove import ProveView
    from lockstep.report.view import present
    from lockstep.requests.models import choose, refuse_unread
    from lockstep.verbs.prove import prove as run

    workspace = request.workspace or find_workspace()
    names = choose(request.models, workspace)
    if not request.models:
        refuse_unread(workspace)
    if request.fault is not None and len(names) != 1:
        raise LockstepError("--fault is about one model", cure="name the model before it")
    if view.is_question:
        if len(names) != 1:
            raise LockstepError(
                "--find, --from and --equal ask about one model", cure="name the model before it"
            )
        return _ask(names[0], request, view, json)
    # Examples are shown of what was decided in this run alone.
    request = replace(request, anew=request.anew or view.examples)
    shown, work = ProveView(workspace.root, request, examples=view.examples), partial(run, request)
    return outputs.write(workspace, shown, present(shown, work, json=json))


def _ask(model: str, request: ProveRequest, view: ProveOptions, json: bool) -> int:
    from lockstep.report.prove_ask import (
        comparison_blocks,
        comparison_json,
        search_blocks,
        search_json,
    )
    from lockstep.report.view import show
    from lockstep.verbs.ask import EqualRequest, SearchRequest, compare_actions, search

    widths, seconds = request.widths, request.max_seconds
    if view.equal is not None:
        compared = compare_actions(
            EqualRequest(model, view.equal, widths, seconds, request.workspace)
        )
        show(comparison_blocks(compared), lambda: comparison_json(compared), json=json)
        return compared.exit_code
    searched = search(
        SearchRequest(
            model,
            goal=view.find,
            start=view.start,
            widths=widths,
            depth=request.depth,
            max_seconds=seconds,
            workspace=request.workspace,
        )
    )
    show(search_blocks(searched), lambda: search_json(searched), json=json)
    return searched.exit_code
