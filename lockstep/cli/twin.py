"""`lockstep twin`: runs TLC on each model's TLA+ twin, and holds the two state graphs together."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from lockstep.report.ci.outputs import CiOutputs
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
    from lockstep.report.twin import TwinView
    from lockstep.report.view import present
    from lockstep.verbs.twin import plan_twin, run_twin

    refuse_pairs({"--json": ("--github",)}, given_flags(view, outputs))
    plan = plan_twin(request)
    shown = TwinView(plan.workspace.root, plan.tasks)
    work = partial(run_twin, plan)
    return present(shown, work, json=view.json, outputs=outputs, workspace=plan.workspace)
