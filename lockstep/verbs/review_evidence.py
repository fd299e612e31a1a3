"""What else a change may take away: answers to requirements, and faults that a claim catches."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from lockstep.errors import LockstepError
from lockstep.language.faults import fault_marks
from lockstep.specs.expected import Expected
from lockstep.specs.matrix import Answer, build_matrix
from lockstep.verbs.campaign_request import Resources
from lockstep.verbs.faults import FaultsRequest, faults
from lockstep.verbs.faults_of_model import FaultsOfModel
from lockstep.verbs.review_plan import ReviewPlan
from lockstep.verbs.run import Watch
from lockstep.words import plural
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
    compared. What was `expected` of all that is in neither. To look at `looked_at` faults, those of
    BASE among them, took `seconds`; `undecided` are those of which a bound left open whether they
    are what they say, a line each, and `unasked` are those that nobody wanted to be looked at.
    """

    requirements: tuple[RequirementChange, ...] = ()
    faults: tuple[str, ...] = ()
    unread: str = ""
    expected: tuple[tuple[RequirementChange | str, Expected], ...] = ()
    looked_at: int = 0
    seconds: float = 0.0
    undecided: tuple[str, ...] = ()
    unasked: tuple[str, ...] = ()


def evidence_of(plan: ReviewPlan, watch: Watch) -> Evidence:
    """What the models that two revisions do not have alike have lost."""
    if plan.revisions is None:
        return Evidence()
    before, after = plan.revisions
    started = time.perf_counter()
    evidence = Evidence()
    if plan.request.no_faults:
        asked = [name for name in plan.models if name in after.models()]
        unasked = (f"the faults of {', '.join(asked)}: left out by --no-faults",) if asked else ()
        evidence = replace(evidence, unasked=unasked)
    else:
        evidence = _faults(plan, before, after, watch)
    evidence = replace(evidence, seconds=time.perf_counter() - started)
    try:
        return replace(evidence, requirements=_requirements(before, after))
    except LockstepError as error:
        return replace(evidence, unread=plan.shown(str(error)))


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


@dataclass(frozen=True)
class _Faults:
    """What comes of the faults of the models that are compared in a revision, a line each."""

    problems: tuple[str, ...] = ()
    undecided: tuple[str, ...] = ()
    looked_at: int = 0


def _faults(plan: ReviewPlan, before: Workspace, after: Workspace, watch: Watch) -> Evidence:
    """Which faults are not what they say any more; BASE's are looked at where one of HEAD is not.

    The bound on the time of a search is that of all of them, too.
    """
    bound = plan.request.max_seconds
    until = None if bound is None else time.monotonic() + bound
    head = _looked_at(plan, after, until, watch)
    base = _looked_at(plan, before, until, watch) if head.problems else _Faults()
    lost = [line for line in head.problems if line not in base.problems]
    unsettled = [line for line in lost if _is_open(line, base)]
    return Evidence(
        faults=tuple(line for line in lost if line not in unsettled),
        undecided=(*head.undecided, *unsettled),
        looked_at=head.looked_at + base.looked_at,
    )


def _is_open(line: str, base: _Faults) -> bool:
    """Whether BASE may say the same as HEAD of a fault, which was not decided there."""
    subject = line.partition(": ")[0]
    model = subject.partition(".")[0]
    return any(other.partition(": ")[0] in (subject, model) for other in base.undecided)


def _looked_at(
    plan: ReviewPlan, workspace: Workspace, until: float | None, watch: Watch
) -> _Faults:
    """Run the faults of the models that are compared, as many as there is time for."""
    models = tuple(name for name in plan.models if name in workspace.models())
    if not models:
        return _Faults()
    seconds = None if until is None else max(0.0, until - time.monotonic())
    file = workspace.output / "faults.jsonl"
    resources = Resources(plan.request.exploration, results=file, seconds=seconds)
    workspace.make_output()
    run = faults(FaultsRequest(models, workspace, resources=resources), watch=watch)
    if run.interrupted and (until is None or time.monotonic() < until):
        raise KeyboardInterrupt
    results = {model.name: model for model in run.results}
    problems: list[str] = []
    undecided: list[str] = []
    looked_at = 0
    for name in models:
        model = results.get(name, FaultsOfModel(name, interrupted=True))
        looked_at += len(model.runs)
        if model.interrupted:
            left = len(fault_marks(workspace.root, name)) - len(model.runs)
            undecided.append(f"{name}: {plural(left, 'fault')} not looked at in time")
        bounded = [row for row in model.runs if row.details.bounded and row.details.problem]
        unsettled = {f"{name}.{row.name}: {row.details.problem}" for row in bounded}
        undecided += sorted(unsettled)
        lines = [*model.problems, *(str(error) for error in model.errors)]
        problems += [
            line.replace(f"{workspace.root}/", "") for line in lines if line not in unsettled
        ]
    return _Faults(tuple(problems), tuple(undecided), looked_at)
