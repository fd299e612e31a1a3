"""The verbs that judge models: `check`, those that do many such tasks, `prove`, `twin`."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from lockstep.requests.campaign import (
    FaultsRequest,
    MutantsRequest,
    SweepRequest,
)
from lockstep.requests.check import CheckRequest
from lockstep.requests.option import option
from lockstep.requests.others import TwinRequest
from lockstep.requests.prove import AskOptions, ProveRequest
from lockstep.requests.search import CostsRequest
from lockstep.workspace import Workspace, find_workspace

if TYPE_CHECKING:
    from lockstep.report.view import RunT, View


@dataclass(frozen=True)
class CiOutputs:
    """What is written besides what is printed; by default nothing."""

    apart: ClassVar = {"--json": ("--github",)}

    sarif: Path | None = option(
        "--sarif", metavar="FILE", help="Write what is wrong as SARIF 2.1.0, too."
    )
    summary: Path | None = option(
        "--summary", metavar="FILE", help="Add a summary in Markdown at the end of a file, too."
    )
    github: bool = option(
        "--github", default=False, help="Print what is wrong as annotations of GitHub, too."
    )

    def write(self, workspace: Workspace, view: View[Any, RunT], run: RunT) -> int:
        """Write what was asked for of a run that has ended; what the process ends with.

        `LockstepError` where something cannot be written; the rest is written all the same.
        """
        if not (self.github or self.sarif or self.summary):
            return run.exit_code
        from lockstep.pages.markdown import markdown
        from lockstep.pages.output import Output
        from lockstep.report.ci.problems import SourceRoot
        from lockstep.report.ci.sarif import append_summary, sarif, workflow_commands
        from lockstep.system.text_files import write_text

        root, problems = SourceRoot.of(workspace), view.problems(run)
        if self.github:
            output = Output()
            for line in workflow_commands(problems, root):
                output.command(line)
        with ExitStack() as files:
            if self.sarif is not None:
                files.callback(write_text, self.sarif, sarif(problems, root))
            if self.summary is not None:
                files.callback(append_summary, self.summary, markdown(view.page(run, problems)))
        return run.exit_code


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
    from lockstep.verbs.check import check as run
    from lockstep.verbs.check import plan_check

    plan = plan_check(request)
    shown = CheckView(plan, verbose=view.verbose, pytest=view.pytest)
    work = partial(run, plan)
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


def sweep(request: SweepRequest, json: bool) -> int:
    """Check models with each combination of values, or each seed.

    Values are those of constants, seeds those of random walks.

    Exit codes: 0 everything holds, 1 something is violated, 2 the input cannot be used,
    3 not conclusive, 4 other counts than pinned, 130 interrupted.
    """
    from lockstep.report.sweep import SweepView
    from lockstep.report.view import present
    from lockstep.verbs.sweep import plan_sweep
    from lockstep.verbs.sweep import sweep as run

    plan = plan_sweep(request)
    return present(SweepView(plan), partial(run, plan), json=json).exit_code


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
    from lockstep.verbs.twin import plan_twin
    from lockstep.verbs.twin import twin as run

    plan = plan_twin(request)
    shown, work = TwinView(plan.workspace.root, plan.tasks), partial(run, plan)
    return outputs.write(plan.workspace, shown, present(shown, work, json=json))


@dataclass(frozen=True)
class ProveOptions:
    """What else `prove` prints."""

    examples: bool = option(
        "--examples", default=False, help="Show the states from which a property is not kept."
    )


def prove(
    request: ProveRequest, asked: AskOptions, view: ProveOptions, outputs: CiOutputs, json: bool
) -> int:
    """Prove invariants by induction, at real widths.

    The widths are those that a proof of specs/MODEL.toml names.

    If not all can be proved, behaviours of up to `--depth` steps are searched for violations.

    Exit codes: 0 proved, 1 violated, 2 the input cannot be used, 3 not conclusive, 130 interrupted.
    """
    from lockstep.report.view import present, show_answer

    if asked.is_question:
        from lockstep.report.prove import asked_blocks
        from lockstep.verbs.ask import ask, ask_answer

        result = ask(request, asked)
        return show_answer(asked_blocks(result), ask_answer(result), json=json)
    from lockstep.report.prove import ProveView
    from lockstep.verbs.prove import prove as run

    workspace = request.workspace or find_workspace()
    # Examples are shown of what was decided in this run alone.
    request = replace(request, anew=request.anew or view.examples)
    shown, work = ProveView(workspace.root, request, examples=view.examples), partial(run, request)
    return outputs.write(workspace, shown, present(shown, work, json=json))
