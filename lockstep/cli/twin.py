"""`lockstep twin`: runs TLC on each model's TLA+ twin, and holds the two state graphs together."""

from __future__ import annotations

from dataclasses import dataclass

from lockstep.cli.ci_outputs import CiOutputs
from lockstep.verbs.option import given_flags, json_option, refuse_pairs
from lockstep.verbs.twin_request import TwinRequest


@dataclass(frozen=True)
class TwinView:
    """What `twin` prints."""

    json: bool = json_option()


def twin(request: TwinRequest, view: TwinView, outputs: CiOutputs) -> int:
    """Compare each model with its TLA+ twin, as TLC explores that.

    Small scopes are compared state by state and action by action, others by their counts:
    specs/MODEL.toml says which.

    Exit codes: 0 the same and TLC refutes nothing, 1 not the same or refuted, 2 the input cannot
    be used, 3 not conclusive, 130 interrupted.
    """
    from lockstep.report.ci.twin_problems import twin_problems
    from lockstep.report.output import Output
    from lockstep.report.progress import TerminalWatch
    from lockstep.report.twin_json import twin_json
    from lockstep.report.twin_page import twin_page
    from lockstep.report.twin_text import TwinText
    from lockstep.verbs.twin import plan_twin, run_twin

    refuse_pairs({"--json": ("--github",)}, given_flags(view, outputs))
    output, plan = Output(), plan_twin(request)
    if view.json:
        run = run_twin(plan, watch=TerminalWatch())
        output.json(twin_json(run))
    else:
        text = TwinText(output, plan.tasks)
        run = run_twin(plan, on_result=text.add, watch=TerminalWatch())
        text.finish(run)
    if outputs.is_any:
        problems = twin_problems(plan.workspace.root, run)
        outputs.write(output, plan.workspace, problems, lambda: twin_page(run, problems))
    return run.exit_code
