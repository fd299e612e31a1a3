"""What else a change may take away: answers to requirements, and faults that a claim catches."""

from __future__ import annotations

from dataclasses import dataclass

from lockstep.errors import LockstepError
from lockstep.specs.answers import Answer
from lockstep.specs.expected import Expected
from lockstep.specs.matrix import build_matrix
from lockstep.verbs.campaign import Resources
from lockstep.verbs.faults import FaultsRequest, faults
from lockstep.verbs.review_plan import ReviewPlan
from lockstep.verbs.run import Watch
from lockstep.workspace import Workspace


@dataclass(frozen=True)
class RequirementChange:
    """A requirement that HEAD answers otherwise; None where it does not have it any more."""

    id: str
    base: Answer
    head: Answer | None


@dataclass(frozen=True)
class Evidence:
    """What HEAD lost beside behaviours.

    `requirements` had an answer in BASE and have a weaker one, `faults` are not what they say any
    more or cannot be put in place, a line each. `unread` says why the requirements could not be
    compared. What was `expected` of all that is in neither.
    """

    requirements: tuple[RequirementChange, ...] = ()
    faults: tuple[str, ...] = ()
    unread: str = ""
    expected: tuple[tuple[RequirementChange | str, Expected], ...] = ()


def evidence_of(plan: ReviewPlan, watch: Watch) -> Evidence:
    """What the models that two revisions do not have alike have lost."""
    if plan.revisions is None:
        return Evidence()
    before, after = plan.revisions
    lost = _problems(plan, after, watch)
    if lost:
        known = set(_problems(plan, before, watch))
        lost = [problem for problem in lost if problem not in known]
    try:
        return Evidence(_requirements(before, after), tuple(lost))
    except LockstepError as error:
        return Evidence((), tuple(lost), plan.shown(str(error)))


_STRENGTH = {answer: number for number, answer in enumerate(Answer)}
"""The answers, the strongest first."""


def _requirements(before: Workspace, after: Workspace) -> tuple[RequirementChange, ...]:
    base, head = (
        build_matrix(workspace.root, workspace.models(), every_file=True).answers
        for workspace in (before, after)
    )
    return tuple(
        RequirementChange(name, answer, head.get(name))
        for name, answer in base.items()
        if name not in head or _STRENGTH[head[name]] > _STRENGTH[answer]
    )


def _problems(plan: ReviewPlan, workspace: Workspace, watch: Watch) -> list[str]:
    """What is wrong with the faults of the models that are compared, a line each."""
    models = tuple(name for name in plan.models if name in workspace.models())
    if not models:
        return []
    resources = Resources(plan.request.exploration, results=workspace.output / "faults.jsonl")
    workspace.make_output()
    run = faults(FaultsRequest(models, workspace, resources), watch=watch)
    if run.interrupted:
        raise KeyboardInterrupt
    return [
        line.replace(f"{workspace.root}/", "")
        for model in run.results
        for line in (*model.problems, *(str(error) for error in model.errors))
    ]
