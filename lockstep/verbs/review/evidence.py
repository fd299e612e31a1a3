"""What a review knows of each property and fault: its verdicts in BASE and in HEAD."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from lockstep.errors import LockstepError
from lockstep.language.faults import fault_marks
from lockstep.language.model import DEADLOCK
from lockstep.language.notation import Kind
from lockstep.requests.review_plan import ReviewPlan
from lockstep.requests.run import Watch
from lockstep.results.search_result import Violation
from lockstep.specs.expected import Expected
from lockstep.specs.matrix import AnswerKind, build_matrix
from lockstep.verbs.check_result import Checked, Unchecked
from lockstep.verbs.faults import FaultsOfModel, FaultsRequest, faults
from lockstep.words import plural
from lockstep.workspace import Workspace


class Standing(StrEnum):
    """What is known of a property of one version in one scope."""

    HOLDS = "holds"
    VIOLATED = "violated"
    SILENT = "silent"
    """Its premise is never true: it says nothing there."""
    UNKNOWN = "unknown"
    """It was not checked to the end."""


class Change(StrEnum):
    """What becomes of a property; the first four are for somebody to look at."""

    BROKEN = "broken"
    """HEAD violates it, and BASE does not, or has no such property."""
    SILENCED = "silenced"
    """BASE says something by it, and HEAD does not."""
    LOST = "lost"
    """Only BASE has it."""
    OPEN = "open"
    """HEAD was not looked at to the end, or cannot be."""
    MENDED = "mended"
    GAINED = "gained"
    """Only HEAD has it, and it holds there."""
    STILL_VIOLATED = "still violated"
    SAME = "same"


@dataclass(frozen=True)
class PropertyChange:
    """One property of BASE, HEAD or both; None where a version does not have it.

    `checked` is the search that violates it: that of HEAD, or that of BASE where HEAD mends it.
    Where the wording `is_reworded`, HEAD is judged by the words of BASE, and its own say otherwise.
    """

    name: str
    base: Standing | None
    head: Standing | None
    checked: Checked | None = None
    is_reworded: bool = False

    @property
    def change(self) -> Change:
        """What becomes of it."""
        match self.base, self.head:
            case _, None:
                return Change.LOST
            case Standing.VIOLATED, Standing.VIOLATED:
                return Change.STILL_VIOLATED
            case _, Standing.VIOLATED:
                return Change.BROKEN
            case _, Standing.UNKNOWN:
                return Change.OPEN
            case Standing.HOLDS, Standing.SILENT:
                return Change.SILENCED
            case Standing.VIOLATED, _:
                return Change.MENDED
            case None, _:
                return Change.GAINED
        return Change.SAME

    @property
    def violation(self) -> Violation | None:
        """The violation at whose end it is false; None where a behaviour without end shows it."""
        violation = None if self.checked is None else self.checked.result.violation
        return None if violation is None or self.name not in violation.properties else violation


def property_changes(
    base: Checked, head: Checked, judged: Checked | None
) -> tuple[PropertyChange, ...]:
    """Each property of two versions, in the order of BASE, then those that only HEAD has.

    `judged` is HEAD with the claims of BASE, where these are others: what BASE claims is judged in
    its own words, so that no claim is weakened unseen.
    """
    before, own = _Standings(base), _Standings(head)
    after = own if judged is None else _Standings(judged)
    changes = []
    for name in dict.fromkeys([*before.names, *own.names, *after.violated]):
        is_shared = name in before.names and name in own.names
        version = after if is_shared or name == DEADLOCK else own
        checked = version.violated.get(name, before.violated.get(name))
        is_reworded = version is not own and version.of(name) is not own.of(name)
        changes.append(
            PropertyChange(name, before.of(name), version.of(name), checked, is_reworded)
        )
    return tuple(changes)


class _Standings:
    """What a check that went on past what is violated says of each property."""

    def __init__(self, first: Checked) -> None:
        searches = list(_searches(first))
        self._last = searches[-1]
        self._is_open = isinstance(first.rest, Unchecked)
        self.violated: dict[str, Checked] = {}
        """The first search that violates a property."""
        for search in searches:
            for name in search.result.violated:
                self.violated.setdefault(name, search)
        own = [prop.name for prop in first.model.properties]
        self.names = [*own, *(name for name in self.violated if name not in own)]

    def of(self, name: str) -> Standing | None:
        """What is known of a property; None where the version does not have it."""
        if name not in self.names:
            return None
        if name in self.violated:
            return Standing.VIOLATED
        result, model = self._last.result, self._last.model
        if self._is_open or not result.is_finished or name in result.undecided(model):
            return Standing.UNKNOWN
        is_goal = model.property(name).kind is Kind.SOMETIMES
        return Standing.HOLDS if is_goal or name in result.applied else Standing.SILENT


def _searches(first: Checked) -> Iterator[Checked]:
    """The searches of a check that went on past what is violated."""
    yield first
    yield from first.others
    if isinstance(first.rest, Checked):
        yield first.rest


@dataclass(frozen=True)
class RequirementChange:
    """A requirement that HEAD answers otherwise; None where it does not have it any more."""

    id: str
    base: AnswerKind
    head: AnswerKind | None


@dataclass(frozen=True)
class Evidence:
    """What HEAD lost beside behaviours."""

    requirements: tuple[RequirementChange, ...] = ()
    """`{id, base, head}` of each that has a weaker answer in HEAD; `head` is null where it is
    gone."""
    faults: tuple[str, ...] = ()
    """A line for each that is not what it says any more, or cannot be put in place."""
    unread: str = ""
    """Why the requirements could not be compared, or empty."""
    expected: tuple[tuple[RequirementChange | str, Expected], ...] = ()
    """What is in neither of these because it was expected: pairs of a requirement, or the line of
    a fault, and the entry that expects it."""
    looked_at: int = 0
    """How many faults were run, those of BASE among them."""
    seconds: float = 0.0
    """How long that took."""
    undecided: tuple[str, ...] = ()
    """A line for those of which a bound left open whether they are what they say."""
    unasked: tuple[str, ...] = ()
    """A line for those that `--no-faults` left out."""


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


_STRENGTH = {answer: number for number, answer in enumerate(AnswerKind)}
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
    workspace.make_output()
    asked = FaultsRequest(models, workspace, results=file, seconds=seconds, **plan.request.given)
    run = faults(asked, watch=watch)
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
